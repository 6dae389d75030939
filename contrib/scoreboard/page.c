/*
 * page.c - text into HTML.
 *
 * No C library in Debian escapes HTML and takes control characters away as well: libxml2 writes them as they are.
 */
#include "page.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "verify/base/text.h"

enum { MARKS = 8 };

static bool make_room(struct page *page, size_t more)
{
    size_t room = page->room ? page->room : 16384;
    char *grown;

    while (room - page->size < more)
        room *= 2;
    if (room == page->room)
        return true;
    grown = page->failed ? NULL : realloc(page->data, room);
    page->failed = !grown;
    if (!grown)
        return false;
    page->data = grown;
    page->room = room;
    return true;
}

static void put(struct page *page, const char *bytes, size_t size)
{
    if (page->failed || !make_room(page, size))
        return;
    memcpy(page->data + page->size, bytes, size);
    page->size += size;
}

void page_put(struct page *page, const char *format, ...)
{
    va_list values;
    int length;

    if (page->failed || !make_room(page, 256))
        return;
    va_start(values, format);
    length = vsnprintf(page->data + page->size, page->room - page->size, format, values);
    va_end(values);
    if (length >= 0 && (size_t)length >= page->room - page->size) {
        if (!make_room(page, (size_t)length + 1))
            return;
        va_start(values, format);
        vsnprintf(page->data + page->size, page->room - page->size, format, values);
        va_end(values);
    }
    page->failed = length < 0;
    page->size += length < 0 ? 0 : (size_t)length;
}

void page_release(struct page *page)
{
    free(page->data);
    *page = (struct page){ 0 };
}

const char *page_word(const struct page *page, enum word word) { return words[word][page->language]; }

void page_say(struct page *page, enum word word, const char *value)
{
    const char *text = page_word(page, word), *place = strstr(text, "%s");

    put(page, text, place ? (size_t)(place - text) : strlen(text));
    if (!place)
        return;
    put(page, value, strlen(value));
    put(page, place + 2, strlen(place + 2));
}

void page_count(struct page *page, enum word word, size_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%zu", number);
    page_say(page, word, text);
}

/* ------------------------------------------------------------------ text from elsewhere */

/* Combining marks that stack: the blocks of diacritical marks, not those that a script's letters need. */
static bool stacks(uint32_t c)
{
    return (c >= 0x300 && c < 0x370) || (c >= 0x483 && c < 0x48a) || (c >= 0x1ab0 && c < 0x1b00) ||
           (c >= 0x1dc0 && c < 0x1e00) || (c >= 0x20d0 && c < 0x2100) || (c >= 0xfe20 && c < 0xfe30) ||
           (c >= 0xe31 && c <= 0xe4e && c != 0xe32 && c != 0xe33 && !(c >= 0xe3b && c <= 0xe46));
}

static void put_character(struct page *page, char c)
{
    switch (c) {
    case '&': put(page, "&amp;", 5); return;
    case '<': put(page, "&lt;", 4); return;
    case '>': put(page, "&gt;", 4); return;
    case '"': put(page, "&quot;", 6); return;
    case '\'': put(page, "&#39;", 5); return;
    default: put(page, &c, 1);
    }
}

static void put_text(struct page *page, const char *text, size_t limit, bool lines)
{
    size_t length, marks = 0;
    uint32_t before = 0;
    char piece[TEXT_PIECE];

    for (size_t i = 0; *text; i++, text += length) {
        uint32_t c = text_character(text, SIZE_MAX, &length);

        if (i == limit) {
            put(page, "\xe2\x80\xa6", 3);
            return;
        }
        marks = stacks(c) ? marks + 1 : 0;
        if (marks > MARKS)
            continue;
        if (*text == '\n' || *text == '\t')
            strcpy(piece, lines && *text == '\n' ? "\n" : " "), before = 0;
        else
            text_piece(piece, text, SIZE_MAX, &before, &length);
        for (const char *byte = piece; *byte; byte++)
            put_character(page, *byte);
    }
}

void page_text(struct page *page, const char *text, size_t limit) { put_text(page, text, limit, false); }

void page_lines(struct page *page, const char *text, size_t limit) { put_text(page, text, limit, true); }

void page_name(struct page *page, const char *name)
{
    put(page, "<bdi>", 5);
    page_text(page, name, PAGE_NAME);
    put(page, "</bdi>", 6);
}

/* ------------------------------------------------------------------ numbers */

void page_seconds(struct page *page, double seconds)
{
    static const struct {
        double size;
        const char *name;
    } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "\xc2\xb5s" }, { 1e-9, "ns" } };
    size_t unit = 0;
    double value;
    int digits;

    if (!(seconds >= 0) || !isfinite(seconds)) {
        page_put(page, "\xe2\x80\x93");
        return;
    }
    /* 0.99995 of a unit would be rounded to "1000" of the next smaller one. */
    while (unit < 3 && seconds < 0.99995 * units[unit].size && seconds > 0)
        unit++;
    value = seconds / units[unit].size;
    digits = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
    page_put(page, "%.*f\xc2\xa0%s", digits, value, units[unit].name);
}

void page_moment(struct page *page, double moment)
{
    time_t whole = (time_t)floor(moment);
    char text[64] = "", machine[64] = "";
    struct tm parts;

    if (!isfinite(moment) || fabs(moment) > 2.5e11 || !gmtime_r(&whole, &parts))
        return;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    strftime(machine, sizeof machine, "%Y-%m-%dT%H:%M:%SZ", &parts);
    page_put(page, "<time datetime=\"%s\">%s</time>", machine, text);
}
