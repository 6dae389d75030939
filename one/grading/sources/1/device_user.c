#error 1
