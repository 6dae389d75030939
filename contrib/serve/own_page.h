/*
 * own_page.h - a page that is made for one account, and its forms. Of the pages of teams and of the jury.
 */
#ifndef SERVE_OWN_PAGE_H
#define SERVE_OWN_PAGE_H

#include "server.h"

struct own_page {
    struct server *server;
    struct result_queue queue;
    const struct http_request *request;
    struct page page;
    struct page_server parts;
    struct place place;
    const struct board *board;
};

/* A page FOLDER/FILE.html up to its heading; layout_end() ends it. */
void own_page_begin(struct own_page *own, enum language language, const char *folder, const char *file,
                    enum word title);

/* The page as the reply, or that there is no memory. */
void own_page_send(struct own_page *own, struct http_reply *reply);

/* The browser goes on to a page, such as "/my/index.html", of that language. */
void own_page_go_to(struct http_reply *reply, enum language language, const char *path);

/* The beginning of a form, with the text that it must repeat; a field of it that is not seen. */
void own_page_form(struct own_page *own, const char *action, const char *classes, bool files);
void own_page_hidden(struct page *page, const char *name, const char *value);

/* ---- balloons.c: for the jury */

/* Fills the page; false with an error. */
bool balloons_page(struct own_page *own, enum language language, struct error *error);

/* Notes that a balloon was delivered, "yes", or was not, "no"; or fills a refusal. */
void balloons_post(struct server *server, struct http_request *request, const char *team, const char *problem,
                   const char *delivered, struct http_reply *reply);

#endif
