/*
 * head.h - for http.c: where a request comes from, and heads that are refused.
 */
#ifndef SERVE_HEAD_H
#define SERVE_HEAD_H

#include "http.h"

/* Fills the client's address; with `proxy` the one that the web server in front gives. */
void head_find_address(struct http_request *request, bool proxy);

/*
 * Why the head is refused, a line: it says in two ways what only one may be meant of. NULL where it is not. `line` may
 * hold the answer.
 */
const char *head_refuse(const struct http_request *request, char line[80]);

/* Decodes %XX in place, for MHD_OPTION_UNESCAPE_CALLBACK. */
size_t head_decode(void *context, struct MHD_Connection *connection, char *text);

#endif
