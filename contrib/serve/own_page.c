/*
 * own_page.c - the frame of pages for who is logged in: beginning, forms, end.
 */
#include "own_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "script.h"

void own_page_begin(struct own_page *own, enum language language, const char *folder, const char *file,
                    enum word title)
{
    own->parts = (struct page_server){ serve_script, own->server->script, true };
    own->page.server = &own->parts;
    own->place = (struct place){ folder, file };
    layout_begin(&own->page, language, &own->place, own->server->style);
    page_put(&own->page, "%s", page_word(&own->page, title));
    layout_main(&own->page, own->board, &own->place);
    page_put(&own->page, "<h1>%s</h1>\n", page_word(&own->page, title));
}

void own_page_send(struct own_page *own, struct http_reply *reply)
{
    if (own->page.failed) {
        page_release(&own->page);
        server_refuse(own->request, reply, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return;
    }
    free(reply->data);
    reply->status = reply->status ? reply->status : MHD_HTTP_OK;
    reply->type = "text/html; charset=utf-8";
    reply->data = own->page.data;
    reply->size = own->page.size;
    reply->policy = "frame-ancestors 'none'";
}

void own_page_go_to(struct http_reply *reply, enum language language, const char *path)
{
    http_text(reply, MHD_HTTP_SEE_OTHER, "text/plain", "");
    snprintf(reply->location, sizeof reply->location, "%s%s", language == JAPANESE ? "/ja" : "", path);
}

void own_page_hidden(struct page *page, const char *name, const char *value)
{
    page_put(page, "<input type=\"hidden\" name=\"%s\" value=\"", name);
    page_text(page, value, PAGE_NAME);
    page_put(page, "\">\n");
}

void own_page_form(struct own_page *own, const char *action, const char *classes, bool files)
{
    page_put(&own->page, "<form class=\"%s\" method=\"post\" action=\"%s\"%s>\n", classes, action,
             files ? " enctype=\"multipart/form-data\"" : "");
    own_page_hidden(&own->page, "language", page_word(&own->page, WORD_LANGUAGE));
    if (own->request->form[0])
        own_page_hidden(&own->page, "form", own->request->form);
}
