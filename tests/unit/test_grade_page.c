/*
 * test_grade_page.c - text from elsewhere in a page: every character, and bytes by chance.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/scoreboard/page.h"
#include "unit.h"

static size_t encode(uint32_t c, char *out)
{
    if (c < 0x80)
        return out[0] = (char)c, 1;
    if (c < 0x800)
        return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000)
        return out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 63)),
               out[2] = (char)(0x80 | (c & 63)), 3;
    out[0] = (char)(0xf0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63)), out[3] = (char)(0x80 | (c & 63));
    return 4;
}

/* Whether a page's bytes are UTF-8 without controls, quotes or angle brackets, and with & in references alone. */
static int harmless(const char *data, size_t size)
{
    static const char *const references[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

    for (size_t i = 0; i < size;) {
        const unsigned char *at = (const unsigned char *)data + i;
        size_t bytes = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
        int known = *at != '&';

        for (size_t k = 0; k < sizeof references / sizeof references[0]; k++)
            known = known ||
                    (size - i >= strlen(references[k]) && memcmp(at, references[k], strlen(references[k])) == 0);
        if (!known || bytes == 0 || i + bytes > size || *at < ' ' || *at == 0x7f || strchr("<>\"'", *at))
            return 0;
        for (size_t k = 1; k < bytes; k++)
            if ((at[k] & 0xc0) != 0x80)
                return 0;
        if (bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0)
            return 0;
        i += bytes;
    }
    return 1;
}

static int is(struct page *page, const char *wanted)
{
    int same = page->size == strlen(wanted) && memcmp(page->data, wanted, page->size) == 0;

    if (!same)
        printf("'%.*s' is not '%s'\n", (int)page->size, page->data, wanted);
    page->size = 0;
    return same;
}

static int seconds_are(struct page *page, double seconds, const char *wanted)
{
    page_seconds(page, seconds);
    return is(page, wanted);
}

int main(void)
{
    struct page page = { 0 };
    uint64_t chance = 88172645463325252u; /* xorshift */
    int good = 1;
    char text[64];

    for (uint32_t c = 1; c < 0x110000; c++) {
        if (c >= 0xd800 && c < 0xe000)
            continue;
        text[encode(c, text)] = '\0';
        page_text(&page, text, 10);
        good = good && harmless(page.data, page.size) && page.size > 0;
        page.size = 0;
    }
    CHECK(good, "every character");
    good = 1;
    for (int i = 0; i < 200000; i++) {
        size_t length = 1 + (size_t)(chance >> 33) % 24;

        for (size_t k = 0; k < length; k++) {
            chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
            text[k] = (char)(1 + chance % 255);
        }
        text[length] = '\0';
        page_text(&page, text, 30);
        good = good && harmless(page.data, page.size);
        page.size = 0;
    }
    CHECK(good, "bytes by chance");

    page_text(&page, "a<b>&\"'\n\tz", 99);
    CHECK(is(&page, "a&lt;b&gt;&amp;&quot;&#39;  z"), "references");
    page_text(&page, "\xe2\x80\xae\xc2\x9b\x1b\xe2\x81\xa6", 99);
    CHECK(is(&page, "&lt;U+202E&gt;&lt;U+009B&gt;&lt;U+001B&gt;&lt;U+2066&gt;"), "what acts is a number");
    page_text(&page, "\xff\xc0\x80\xed\xa0\x80g", 99);
    CHECK(is(&page, "&lt;xFF&gt;&lt;xC0&gt;&lt;x80&gt;&lt;xED&gt;&lt;xA0&gt;&lt;x80&gt;g"), "no UTF-8");
    page_text(&page, "日本語テキスト", 3);
    CHECK(is(&page, "日本語…"), "cut between characters");
    page_text(&page, "日本語", 3);
    CHECK(is(&page, "日本語"), "not cut where it fits");
    for (int i = 0; i < 20; i++)
        memcpy(text + 2 * i, "\xcc\x81", 2);
    text[40] = '\0';
    page_text(&page, text, 99);
    CHECK(page.size == 16, "marks do not stack without end");
    page.size = 0;
    page_text(&page, "می\xe2\x80\x8cخواهم", 99);
    CHECK(is(&page, "می\xe2\x80\x8cخواهم"), "joiners are part of writing");

    CHECK(seconds_are(&page, 1.23456, "1.235\u00a0s"), "seconds");
    CHECK(seconds_are(&page, 0.0123456, "12.35\u00a0ms"), "milliseconds");
    CHECK(seconds_are(&page, 0.000999951, "1.000\u00a0ms"), "rounded into the next unit");
    CHECK(seconds_are(&page, 0.00099994, "999.9\u00a0µs"), "not rounded");
    CHECK(seconds_are(&page, 3.2e-8, "32.00\u00a0ns"), "nanoseconds");
    CHECK(seconds_are(&page, 0, "0.000\u00a0s"), "nothing");
    CHECK(seconds_are(&page, -1, "–"), "no number");
    CHECK(seconds_are(&page, 12345, "12345\u00a0s"), "hours");
    page_moment(&page, 1767225600.5);
    CHECK(is(&page, "<time datetime=\"2026-01-01T00:00:00Z\">2026-01-01 00:00:00</time>"), "a moment");
    page_moment(&page, 1e300);
    CHECK(is(&page, ""), "no moment");
    for (int i = 0; i < 30000; i++)
        page_put(&page, "%s", "0123456789");
    CHECK(!page.failed && page.size == 300000 && memcmp(page.data + 299990, "0123456789", 10) == 0, "it grows");
    page_release(&page);
    return unit_end();
}
