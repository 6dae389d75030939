--b
Content-Disposition: form-data; name="problem"

A
--b
Content-Disposition: form-data; name="files"; filename="x.c"
Content-Type: text/plain

int x;
--b--
