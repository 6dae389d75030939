#error 3
