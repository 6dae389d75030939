/*
 * test_formula.c - formulas of statements as MathML: what is known, what stays TeX, and bytes by chance.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contrib/serve/formula.h"
#include "contrib/serve/server.h"
#include "unit.h"

enum { TRIES = 20000, LENGTH = 48, OPEN_MOST = 256 };

static bool gives(const char *tex, const char *expected)
{
    struct page page = { 0 };
    char all[1024];
    bool same;

    snprintf(all, sizeof all, "<math><mrow>%s</mrow></math>", expected);
    same = formula_put(&page, tex, strlen(tex), false) && page.size == strlen(all) &&
           memcmp(page.data, all, page.size) == 0;
    if (!same)
        printf("%s: %.*s\n", tex, (int)page.size, page.data);
    page_release(&page);
    return same;
}

static bool stays(const char *tex, const char *expected)
{
    struct page page = { 0 };
    bool same;

    page_put(&page, "before ");
    same = !formula_put(&page, tex, strlen(tex), false) && page.size == 7 + strlen(expected) &&
           memcmp(page.data + 7, expected, strlen(expected)) == 0;
    page_release(&page);
    return same;
}

/* Whether every element that begins ends in its order, and no other < is there. */
static bool is_balanced(const char *data, size_t size)
{
    const char *open[OPEN_MOST], *end = data + size, *close;
    size_t count = 0, length;

    for (const char *at = data; (at = memchr(at, '<', (size_t)(end - at))); at = close) {
        close = memchr(at, '>', (size_t)(end - at));
        if (!close || count == OPEN_MOST)
            return false;
        if (at[1] != '/') {
            open[count++] = at + 1;
            continue;
        }
        length = (size_t)(close - at - 2);
        if (count-- == 0 || strncmp(open[count], at + 2, length) != 0 || !strchr(" >", open[count][length]))
            return false;
    }
    return count == 0;
}

static void by_chance(void)
{
    static const char *const parts[] = { "\\frac", "\\left", "\\right", "(", ")", "{", "}", "_", "^", "1", "x", ".",
                                         "\\sqrt", "\\sum", "\\text{<b>}", "\\textstyle", "\\", "<", "\"", "|", " " };
    uint64_t state = 1;
    char tex[512];
    size_t size;

    for (int try = 0; try < TRIES; try++) {
        struct page page = { 0 };

        size = 0;
        for (int i = 0; i < LENGTH; i++) {
            const char *part;

            state = state * 6364136223846793005u + 1442695040888963407u;
            part = parts[(state >> 33) % (sizeof parts / sizeof parts[0])];
            memcpy(tex + size, part, strlen(part));
            size += strlen(part);
            if ((state >> 60) == 0)
                break;
        }
        formula_put(&page, tex, size, try % 2);
        CHECK(!page.failed && is_balanced(page.data, page.size), "%.*s", (int)size, tex);
        page_release(&page);
    }
}

/* What statement_put() makes of a statement: its HTML between the <div>s. */
static bool shows(const char *markdown, const char *expected)
{
    char root[] = "/tmp/test-formula-XXXXXX", path[128];
    static const char *const folders[] = { "/problems", "/problems/p", "/problems/p/statement" };
    struct page page = { 0 };
    FILE *file;
    char all[1024];
    bool same;

    CHECK(mkdtemp(root), "a folder");
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        CHECK(mkdir(path, 0700) == 0, "%s", path);
    }
    snprintf(path, sizeof path, "%s/problems/p/statement/problem.en.md", root);
    file = fopen(path, "w");
    CHECK(file && fputs(markdown, file) >= 0 && fclose(file) == 0, "%s", path);
    snprintf(all, sizeof all, "<div class=\"statement\">\n%s\n</div>\n", expected);
    same = statement_put(&page, root, "p") && page.size == strlen(all) && memcmp(page.data, all, page.size) == 0;
    if (!same)
        printf("%s: %.*s\n", markdown, (int)page.size, page.data);
    page_release(&page);
    remove(path);
    for (int i = 2; i >= 0; i--) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        rmdir(path);
    }
    rmdir(root);
    return same;
}

static void of_statements(void)
{
#define A "<math><mrow><msub><mi>a</mi><mi>b</mi></msub></mrow></math>"
    CHECK(shows("x $a_b$, $a_b$.", "<p>x " A ", " A ".</p>"), "formulas in a line");
    CHECK(shows("$$a_b$$", "<p><span class=\"formula\" tabindex=\"0\"><math display=\"block\"><mrow><msub><mi>a</mi>"
                           "<mi>b</mi></msub></mrow></math></span></p>"), "a formula of its own line");
    CHECK(shows("$5 and $6, $ a$, $a $", "<p>$5 and $6, $ a$, $a $</p>"), "amounts are no formulas");
    CHECK(shows("`$a$` $a_b$ ``$a` $``", "<p><code>$a$</code> " A " <code>$a` $</code></p>"), "code spans");
    CHECK(shows("```\n$a$\n\n$b$\n```", "<pre tabindex=\"0\"><code>$a$\n\n$b$\n</code></pre>"), "fenced code");
    CHECK(shows("\\$a\\$ $a\n\nb$", "<p>$a$ $a</p>\n<p>b$</p>"), "escapes, and the end of a paragraph");
    CHECK(shows("$\\no{_a_}$ *b*", "<p>$\\no{_a_}$ <em>b</em></p>"), "unknown TeX is no Markdown");
    CHECK(shows("[a](b \"$t$\")", "<p><a href=\"b\" title=\"\">a</a></p>"), "none in an attribute");
    CHECK(shows("\xee\x80\x80" "0\xee\x80\x81 $a$", "<p>\xee\x80\x80" "0\xee\x80\x81 $a$</p>"),
          "a text with marks of its own");
    CHECK(shows("|a|b|\n|-|-|\n|$|x|$|y|", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n"
                "<tr>\n<td><math><mrow><mo stretchy=\"false\" lspace=\"0\" rspace=\"0\">|</mo><mi>x</mi><mo stretchy="
                "\"false\" lspace=\"0\" rspace=\"0\">|</mo></mrow></math></td>\n<td>y</td>\n</tr>\n</tbody>\n</table>"),
          "bars of a formula are no borders of a table");
}

int main(void)
{
    char deep[100], kept[sizeof deep + 2];

    CHECK(gives("2^{34}", "<msup><mn>2</mn><mrow><mn>34</mn></mrow></msup>"), "a power");
    CHECK(gives("p_j^2", "<msubsup><mi>p</mi><mi>j</mi><mn>2</mn></msubsup>"), "both scripts");
    CHECK(gives("p^2_j", "<msubsup><mi>p</mi><mi>j</mi><mn>2</mn></msubsup>"), "in the other order");
    CHECK(gives("\\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"), "arguments of one digit");
    CHECK(gives("\\sqrt d", "<mrow><mo>√</mo><mrow class=\"root\"><mi>d</mi></mrow></mrow>"), "a root");
    CHECK(gives("\\sum_j", "<munder><mo>∑</mo><mi>j</mi></munder>"), "limits");
    CHECK(gives("1 - 2.5.", "<mn>1</mn><mo>−</mo><mn>2.5</mn><mtext>.</mtext>"), "a sentence's end is no fraction");
    CHECK(gives("\\log_2 e", "<msub><mi>log</mi><mn>2</mn></msub><mspace width=\"0.167em\"></mspace><mi>e</mi>"),
          "a function");
    CHECK(gives("a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"), "an operator that is markup");
    CHECK(gives("\\text{a<b}", "<mtext>a&lt;b</mtext>"), "text");
    CHECK(gives("\\left( x \\right.", "<mrow><mo stretchy=\"true\" form=\"prefix\">(</mo><mi>x</mi></mrow>"),
          "one parenthesis");
    CHECK(stays("\\unknown x", "$\\unknown x$"), "an unknown command");
    CHECK(stays("x^", "$x^$"), "no argument");
    CHECK(stays("x^1^2", "$x^1^2$"), "two of a script");
    CHECK(stays("{x", "${x$"), "not closed");
    CHECK(stays("x}", "$x}$"), "not opened");
    CHECK(stays("\\left( x", "$\\left( x$"), "no end of \\left");
    CHECK(gives("<b>", "<mo>&lt;</mo><mi>b</mi><mo>&gt;</mo>"), "no markup");
    memset(deep, '{', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    snprintf(kept, sizeof kept, "$%s$", deep);
    CHECK(stays(deep, kept), "too deep");
    by_chance();
    of_statements();
    return unit_end();
}
