/*
 * layout.c - the frame of every page.
 */
#include "layout.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "style.h"

void layout_digest(const char *text, char *digest, size_t size)
{
    unsigned char hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
    sodium_bin2base64(digest, size, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
}

void layout_style_digest(char *digest, size_t size) { layout_digest(scoreboard_style, digest, size); }

void layout_begin(struct page *page, enum language language, const struct place *place, const char *digest)
{
    const bool below = place->folder[0] != '\0';

    page->language = language;
    page->up = below ? "../" : "";
    page->back = language == ENGLISH ? page->up : below ? "../../" : "../";
    page_put(page,
             "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; ",
             page_word(page, WORD_LANGUAGE), digest);
    if (page->server)
        page_put(page, "script-src 'sha256-%s'; connect-src 'self'; ", page->server->digest);
    page_put(page,
             "base-uri 'none'; form-action %s\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"%s\">\n"
             "<style>%s</style>\n<title>",
             page->server ? "'self'" : "'none'", page->server ? "same-origin" : "no-referrer", scoreboard_style);
}

static void put_navigation(struct page *page, const struct board *board, const struct place *place)
{
    const struct contest *contest = board->contest;
    const bool standings = place->folder[0] == '\0', own = strcmp(place->folder, "my/") == 0;

    page_put(page, "<nav aria-label=\"%s\"><ul>\n<li><a href=\"%sindex.html\"%s>%s</a></li>\n",
             page_word(page, WORD_NAVIGATION), page->up, standings ? " aria-current=\"page\"" : "",
             page_word(page, WORD_STANDINGS));
    for (size_t i = 0; i < board->problems; i++) {
        const char *id = contest->problems[i].id;
        const bool here = strcmp(place->folder, "problem/") == 0 && strcmp(place->file, id) == 0;

        page_put(page, "<li><a href=\"%sproblem/%s.html\"%s><span class=\"hide\">%s </span>%s</a></li>\n", page->up, id,
                 here ? " aria-current=\"page\"" : "", page_word(page, WORD_PROBLEM), id);
    }
    if (page->server)
        page_put(page, "<li><a href=\"%smy/index.html\"%s>%s</a></li>\n", page->up,
                 own ? " aria-current=\"page\"" : "", page_word(page, WORD_MY_SUBMISSIONS));
    page_put(page, "</ul></nav>\n");
}

void layout_main(struct page *page, const struct board *board, const struct place *place)
{
    const char *other = page_word(page, WORD_OTHER_LANGUAGE);

    page_put(page, " \xe2\x80\x93 ");
    page_text(page, board->contest->name, PAGE_NAME);
    page_put(page,
             "</title>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">%s</a>\n<header>\n<p class=\"contest\">",
             page_word(page, WORD_SKIP));
    page_name(page, board->contest->name);
    page_put(page, "</p>\n");
    page_put(page, "<a class=\"language\" hreflang=\"%s\" lang=\"%s\" href=\"%s%s%s%s.html\">%s</a>\n", other,
             other, page->back, page->language == ENGLISH ? "ja/" : "", place->folder, place->file,
             page_word(page, WORD_OTHER_LANGUAGE_NAME));
    put_navigation(page, board, place);
    page_put(page, "</header>\n<main id=\"main\" tabindex=\"-1\">\n");
}

void layout_live(struct page *page, const char *id) { page_put(page, "<div id=\"%s\" data-live>\n", id); }

void layout_live_end(struct page *page) { page_put(page, "</div>\n"); }


void layout_end(struct page *page, const struct board *board)
{
    page_put(page, "</main>\n<footer><p>%s ", page_word(page, WORD_MADE_AT));
    page_moment(page, board->now);
    page_put(page, ". %s</p></footer>\n", page_word(page, WORD_UTC));
    if (page->server)
        page_put(page, "<script>%s</script>\n", page->server->script);
    page_put(page, "</body>\n</html>\n");
}

void layout_table_begin(struct page *page, const char *id, const char *classes)
{
    page_put(page,
             "<div class=\"scroll\" role=\"region\" aria-labelledby=\"%s\" tabindex=\"0\">\n<table class=\"%s\">\n"
             "<caption id=\"%s\">", id, classes, id);
}

void layout_table_caption_end(struct page *page) { page_put(page, "</caption>\n"); }

void layout_table_head(struct page *page, unsigned numbers, const enum word *head)
{
    page_put(page, "<thead><tr>");
    for (size_t i = 0; head[i] != WORD_COUNT; i++)
        page_put(page, "<th scope=\"col\"%s>%s</th>", numbers >> i & 1 ? " class=\"n\"" : "", page_word(page, head[i]));
    page_put(page, "</tr></thead>\n<tbody>\n");
}

void layout_table_end(struct page *page) { page_put(page, "</tbody>\n</table>\n</div>\n"); }

void layout_verdict(struct page *page, const char *verdict, bool hidden, bool brief)
{
    static const struct {
        const char *id, *class, *sign;
        enum word words;
    } known[] = {
        { "AC", "ok", "\xe2\x9c\x93", WORD_VERDICT_AC },    { "WA", "no", "\xe2\x9c\x97", WORD_VERDICT_WA },
        { "TLE", "no", "\xe2\x9c\x97", WORD_VERDICT_TLE },  { "RTE", "no", "\xe2\x9c\x97", WORD_VERDICT_RTE },
        { "MLE", "no", "\xe2\x9c\x97", WORD_VERDICT_MLE },  { "OLE", "no", "\xe2\x9c\x97", WORD_VERDICT_OLE },
        { "SV", "no", "\xe2\x9c\x97", WORD_VERDICT_SV },    { "CE", "none", "\xe2\x80\x93", WORD_VERDICT_CE },
        { "NO", "none", "\xe2\x80\x93", WORD_VERDICT_NO },  { "JE", "none", "\xe2\x80\x93", WORD_VERDICT_JE },
    };
    const char *hide = brief ? "hide" : "words";

    if (!verdict) {
        page_put(page, "<span class=\"v wait\">?<span class=\"%s\"> %s</span></span>", hide,
                 page_word(page, hidden ? WORD_PENDING : WORD_BEING_JUDGED));
        return;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].id, verdict) == 0)
            page_put(page,
                     "<span class=\"v %s\"><span aria-hidden=\"true\">%s </span>%s<span class=\"%s\"> %s</span></span>",
                     known[i].class, known[i].sign, known[i].id, hide, page_word(page, known[i].words));
}

void layout_problem(struct page *page, const struct board *board, size_t problem)
{
    const char *title = board->titles[problem][page->language];

    page_put(page, "%s", board->contest->problems[problem].id);
    if (!title)
        return;
    page_put(page, " \xe2\x80\x93 ");
    page_text(page, title, PAGE_NAME);
}

void layout_head(struct page *page, bool wanted, bool number, enum word name)
{
    if (wanted)
        page_put(page, "<th scope=\"col\"%s>%s</th>", number ? " class=\"n\"" : "", page_word(page, name));
}

void layout_ratio(struct page *page, bool wanted, const char *format, double over, double under)
{
    if (!wanted)
        return;
    page_put(page, "<td class=\"n\">");
    if (over > 0 && under > 0)
        page_put(page, format, over / under);
    else
        page_put(page, "\xe2\x80\x93");
    page_put(page, "</td>");
}
