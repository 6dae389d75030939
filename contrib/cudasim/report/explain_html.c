/*
 * explain_html.c - writes the report as one page: the source, and the counts beside each line.
 *
 * The runtime calls it when the program ends, if a file for the page was named. The page has no script and loads
 * nothing. It reads the source files that the debug information names. If a file is unreadable, the page shows only the
 * lines that ran. It does not know what a finding is about.
 */
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explain_model.h"

#define WHOLE_LINES 400        /* a file of more lines is shown around what ran */
#define CONTEXT_LINES 4        /* so many lines before and behind it */
#define SOURCE_BYTES (8 << 20) /* of a file that is shown at all */
#define SHOWN_BYTES 400        /* of a line */
#define countof(array) (sizeof(array) / sizeof *(array))

/* The limit from which a line's cell is wasteful. The report's findings begin there. */
#define BAD_RATIO 1.5
#define BAD_LANES (0.85 * WARP_LANES)
#define BAD_BRANCHES 0.1

/* A line of a source, summed over all kernels. */
struct row {
    const char *file;            /* "" for lines of the PTX */
    unsigned line;
    struct sim_line_counts sums; /* all zeros where only a fault is at the line */
    double share;                /* of the modelled time of all kernels, 0 to 1 */
};

struct page {
    FILE *out;
    const struct explain *explain;
    struct row *rows; /* [row_count], by file and line */
    size_t row_count;
};

/* ------------------------------------------------------------------ text */

/* The size in bytes of the text's first UTF-8 character; 0 if the text does not begin with a printable one. */
static size_t character(const unsigned char *text, size_t size)
{
    unsigned first = text[0], value;
    size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;

    if (length == 0 || length > size || (length == 1 && (first == 0x7F || (first < 0x20 && first != '\t'))))
        return 0;
    value = length == 1 ? first : first & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (text[i] & 0x3F);
    }
    /* Overlong forms, surrogates, controls, and what turns the direction of text. */
    if ((length == 3 && value < 0x800) || (length == 4 && (value < 0x10000 || value > 0x10FFFF)) ||
        (value >= 0xD800 && value < 0xE000) || (value >= 0x80 && value < 0xA0) ||
        (value >= 0x200B && value <= 0x200F) || (value >= 0x2028 && value <= 0x202E) ||
        (value >= 0x2066 && value <= 0x2069) || value == 0xFEFF)
        return 0;
    return length;
}

/* Writes text as HTML. Bytes that are no text become U+FFFD. */
static void html(FILE *out, const char *text, size_t size)
{
    for (size_t i = 0, length; i < size; i += length ? length : 1) {
        length = character((const unsigned char *)text + i, size - i);
        if (length == 0)
            fputs("\xEF\xBF\xBD", out);
        else if (text[i] == '&')
            fputs("&amp;", out);
        else if (text[i] == '<')
            fputs("&lt;", out);
        else if (text[i] == '>')
            fputs("&gt;", out);
        else if (text[i] == '"')
            fputs("&quot;", out);
        else
            fwrite(text + i, 1, length, out);
    }
}

static void words(FILE *out, const char *text)
{
    html(out, text, strlen(text));
}

/* 1234567 as 1,234,567. */
static void number(FILE *out, uint64_t value)
{
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%ju", (uintmax_t)value);

    for (int i = 0; i < size; i++)
        fprintf(out, "%s%c", i > 0 && (size - i) % 3 == 0 ? "," : "", digits[i]);
}

/* ------------------------------------------------------------------ the lines */

static int by_place(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    int files = strcmp(one->file, other->file);

    /* Lines of the PTX come last. */
    if (files && (!one->file[0] || !other->file[0]))
        return one->file[0] ? -1 : 1;
    return files ? files : one->line < other->line ? -1 : one->line > other->line;
}

static void add(struct sim_line_counts *sum, const struct sim_line_counts *more)
{
    sum->warp_instructions += more->warp_instructions;
    sum->thread_instructions += more->thread_instructions;
    sum->branches += more->branches;
    sum->divergent_branches += more->divergent_branches;
    sum->global_requests += more->global_requests;
    sum->global_sectors += more->global_sectors;
    sum->global_bytes += more->global_bytes;
    sum->shared_requests += more->shared_requests;
    sum->shared_passes += more->shared_passes;
    sum->shared_ideal_passes += more->shared_ideal_passes;
}

/* The rows of all lines that ran or have a fault. False without memory. */
static bool collect(struct page *page)
{
    const struct explain *e = page->explain;
    size_t most = e->fault_count, count = 0, kept = 0;

    for (size_t k = 0; k < e->kernel_count; k++)
        most += e->kernels[k].line_count;
    page->rows = calloc(most + 1, sizeof *page->rows);
    if (!page->rows)
        return false;
    for (size_t k = 0; k < e->kernel_count; k++)
        for (size_t i = 0; i < e->kernels[k].line_count; i++) {
            const struct explain_line *line = &e->kernels[k].lines[i];

            page->rows[count++] = (struct row){ line->counts.file ? line->counts.file : "", line->counts.line,
                                                line->counts, line->share * e->kernels[k].share };
        }
    for (size_t i = 0; i < e->fault_count; i++)
        if (e->faults[i].kernel[0])
            page->rows[count++] = (struct row){ .file = e->faults[i].file, .line = e->faults[i].line };
    qsort(page->rows, count, sizeof *page->rows, by_place);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_place(&page->rows[kept - 1], &page->rows[i]) == 0) {
            add(&page->rows[kept - 1].sums, &page->rows[i].sums);
            page->rows[kept - 1].share += page->rows[i].share;
        } else {
            page->rows[kept++] = page->rows[i];
        }
    }
    page->row_count = kept;
    return true;
}

/* The number of a place's row, from 1 on: it names the row in the page. 0: there is none. */
static size_t row_of(const struct page *page, const char *file, unsigned line)
{
    const struct row wanted = { .file = file, .line = line };
    const struct row *found = bsearch(&wanted, page->rows, page->row_count, sizeof *page->rows, by_place);

    return found ? (size_t)(found - page->rows) + 1 : 0;
}

/* "file.cu:12", with a link to its row. */
static void place(const struct page *page, const char *file, unsigned line)
{
    const size_t row = row_of(page, file, line);

    if (row)
        fprintf(page->out, "<a href=\"#r%zu\">", row);
    words(page->out, explain_place(file, line).text);
    if (row)
        fputs("</a>", page->out);
}

/* ------------------------------------------------------------------ a line's cells */

static void cell(FILE *out, const char *label, bool bad)
{
    fprintf(out, "<td role=\"cell\" class=\"n%s\" data-label=\"%s\">", bad ? " bad" : "", label);
}

/* "1.5 (1.0)": the number per request, and the least possible number. */
static void ratio(FILE *out, const char *label, uint64_t requests, double real, double ideal)
{
    if (requests == 0) {
        fputs("<td role=\"cell\"></td>", out);
        return;
    }
    /* Lanes that share addresses need fewer than the bytes asked for would fill. */
    ideal = real < ideal ? real : ideal;
    cell(out, label, real >= BAD_RATIO * ideal);
    fprintf(out, "%.1f (%.1f)</td>", real / (double)requests, ideal / (double)requests);
}

static void cells(FILE *out, const struct row *row)
{
    const struct sim_line_counts *c = &row->sums;
    const double lanes = explain_ratio((double)c->thread_instructions, (double)c->warp_instructions),
                 parted = explain_ratio((double)c->divergent_branches, (double)c->branches);

    if (c->warp_instructions == 0) {
        fputs("<td role=\"cell\" colspan=\"6\"></td>", out);
        return;
    }
    cell(out, "executed", false);
    number(out, c->warp_instructions);
    fputs("</td>", out);
    cell(out, "time", false);
    fprintf(out, "%.1f&nbsp;%%</td>", 100 * row->share);
    cell(out, "lanes", lanes < BAD_LANES);
    fprintf(out, "%.1f</td>", lanes);
    ratio(out, "sectors", c->global_requests, (double)c->global_sectors,
          explain_ideal_sectors(c->global_requests, c->global_bytes));
    ratio(out, "passes", c->shared_requests, (double)c->shared_passes, (double)c->shared_ideal_passes);
    if (c->branches == 0) {
        fputs("<td role=\"cell\"></td>", out);
        return;
    }
    cell(out, "divergent", parted >= BAD_BRANCHES);
    fprintf(out, "%.0f&nbsp;%%</td>", 100 * parted);
}

/* What is reported at a line, in rows below it. */
static void remarks(const struct page *page, const struct row *row)
{
    const struct explain *e = page->explain;

    for (size_t i = 0; i < e->fault_count; i++) {
        const struct sim_fault *f = &e->faults[i];

        if (!f->kernel[0] || f->line != row->line || strcmp(f->file, row->file) != 0)
            continue;
        fprintf(page->out, "<tr role=\"row\" class=\"%s\"><th role=\"rowheader\" scope=\"row\">%u</th>"
                "<td role=\"cell\" colspan=\"7\"><strong>%s: %s</strong> in ",
                f->error ? "error" : "warning", row->line, f->error ? "error" : "warning", sim_fault_name(f->kind));
        words(page->out, f->kernel);
        fprintf(page->out, ", block (%u,%u,%u), thread (%u,%u,%u): ", f->block[0], f->block[1], f->block[2],
                f->thread[0], f->thread[1], f->thread[2]);
        words(page->out, f->text);
        fprintf(page->out, " (%ju time%s)</td></tr>\n", (uintmax_t)f->count, f->count == 1 ? "" : "s");
    }
    for (size_t i = 0; i < e->finding_count; i++) {
        const struct explain_finding *found = &e->findings[i];

        if (!found->file || found->line != row->line || strcmp(found->file, row->file) != 0)
            continue;
        fprintf(page->out, "<tr role=\"row\" class=\"advice\"><th role=\"rowheader\" scope=\"row\">%u</th>"
                "<td role=\"cell\" colspan=\"7\"><strong>%s</strong> ", row->line, found->kind);
        words(page->out, found->text);
        fputs("</td></tr>\n", page->out);
    }
}

/* A line of a table: `row` is NULL where nothing ran. */
static void line_row(const struct page *page, const struct row *row, unsigned line, const char *text, size_t size)
{
    /* The more of the time, the stronger the mark at its side. */
    static const double steps[] = { 0.01, 0.05, 0.2 };
    unsigned heat = 0;

    while (row && heat < countof(steps) && row->share >= steps[heat])
        heat++;
    fputs("<tr role=\"row\"", page->out);
    if (row)
        fprintf(page->out, " id=\"r%zu\" class=\"ran h%u\"", (size_t)(row - page->rows) + 1, heat);
    fprintf(page->out, "><th role=\"rowheader\" scope=\"row\">%u</th><td role=\"cell\" class=\"s\"><code>", line);
    html(page->out, text, size < SHOWN_BYTES ? size : SHOWN_BYTES);
    fputs(size > SHOWN_BYTES ? "&nbsp;…</code></td>" : "</code></td>", page->out);
    if (row)
        cells(page->out, row);
    else
        fputs("<td role=\"cell\" colspan=\"6\"></td>", page->out);
    fputs("</tr>\n", page->out);
    if (row)
        remarks(page, row);
}

/* ------------------------------------------------------------------ a file */

/* A file's name without its folders. */
static const char *short_name(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash ? slash + 1 : file[0] ? file : "PTX";
}

/* The file's bytes, ended by a zero; NULL if it is no plain file or cannot be read. To be freed. */
static char *read_source(const char *path, size_t *size)
{
    FILE *in = path[0] ? fopen(path, "re") : NULL;
    struct stat status;
    char *text = NULL;

    *size = 0;
    if (in && fstat(fileno(in), &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= SOURCE_BYTES &&
        (text = malloc((size_t)status.st_size + 1)) != NULL) {
        *size = fread(text, 1, (size_t)status.st_size, in);
        text[*size] = '\0';
    }
    if (in)
        fclose(in);
    return text;
}

static void table_start(const struct page *page, const char *file, size_t name)
{
    static const char *const heads[] = { "line", "source", "executed", "time", "lanes", "sectors", "passes",
                                         "divergent" };

    fprintf(page->out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"c%zu\">"
            "<table role=\"table\" class=\"code\"><caption id=\"c%zu\">", name, name);
    words(page->out, file[0] ? file : "PTX");
    fputs("</caption><thead role=\"rowgroup\"><tr role=\"row\">", page->out);
    for (size_t i = 0; i < countof(heads); i++)
        fprintf(page->out, "<th role=\"columnheader\" scope=\"col\"%s>%s</th>", i > 1 ? " class=\"n\"" : "", heads[i]);
    fputs("</tr></thead>\n<tbody role=\"rowgroup\">\n", page->out);
}

/* The lines of a readable source. A line is left out if it is far from the lines that ran. */
static void source_lines(const struct page *page, const char *text, size_t size, size_t first, size_t last)
{
    unsigned lines = 0, line = 1;
    bool gap = false;

    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    /* What the debug information gives no line. */
    for (; first < last && page->rows[first].line == 0; first++)
        line_row(page, &page->rows[first], 0, "", 0);
    for (size_t start = 0, row = first; start < size; line++) {
        const char *end = memchr(text + start, '\n', size - start);
        const size_t length = end ? (size_t)(end - text) - start : size - start;
        const bool ran = row < last && page->rows[row].line == line;
        const bool near = (row < last && page->rows[row].line - line <= CONTEXT_LINES) ||
                          (row > first && line - page->rows[row - 1].line <= CONTEXT_LINES);

        if (lines <= WHOLE_LINES || ran || near) {
            line_row(page, ran ? &page->rows[row] : NULL, line, text + start,
                     length > 0 && text[start + length - 1] == '\r' ? length - 1 : length);
            gap = false;
        } else if (!gap) {
            fputs("<tr role=\"row\" class=\"gap\"><th role=\"rowheader\" scope=\"row\">…</th>"
                  "<td role=\"cell\" colspan=\"7\"></td></tr>\n", page->out);
            gap = true;
        }
        row += ran;
        start += length + 1;
    }
    /* Lines behind the end: the file has changed since it was compiled. */
    for (size_t row = first; row < last; row++)
        if (page->rows[row].line >= line)
            line_row(page, &page->rows[row], page->rows[row].line, "", 0);
}

/* The rows from `first` on that are of one file; returns the first of the next. */
static size_t file_section(const struct page *page, size_t first)
{
    const char *file = page->rows[first].file;
    size_t last = first, size;
    char *text = read_source(file, &size);

    while (last < page->row_count && strcmp(page->rows[last].file, file) == 0)
        last++;
    fprintf(page->out, "<h2 id=\"f%zu\">", first + 1);
    words(page->out, short_name(file));
    fputs("</h2>\n", page->out);
    if (!text)
        fputs(file[0] ? "<p class=\"dim\">The source cannot be read: only the lines that ran are here.</p>\n"
                      : "<p class=\"dim\">Code without line information: compile with -lineinfo.</p>\n", page->out);
    table_start(page, file, first + 1);
    if (text)
        source_lines(page, text, size, first, last);
    for (size_t row = first; !text && row < last; row++)
        line_row(page, &page->rows[row], page->rows[row].line, "", 0);
    fputs("</tbody></table></div>\n", page->out);
    free(text);
    return last;
}

/* ------------------------------------------------------------------ the page */

static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--soft:#f4f6f8;--line:#d5dae1;--ink:#18212c;--dim:#535d6a;"
    "--link:#0a4f93;--bad:#8f2d00;--bad-page:#fcece4;--note:#5a4a00;--note-page:#f8f1d3;--hot:#d0561c}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#12161b;--soft:#1a2027;--line:#36404c;--ink:#e4e8ed;"
    "--dim:#a3aebb;--link:#8fc0f5;--bad:#ffb497;--bad-page:#41200f;--note:#ecd78a;--note-page:#38300d;"
    "--hot:#f0955c}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:0 1rem 2rem;max-width:84rem;background:var(--page);color:var(--ink);"
    "font:1rem/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}\n"
    "h1{font-size:1.6rem;margin:1.4rem 0 .5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}\n"
    "a{color:var(--link)}:focus-visible{outline:3px solid var(--link);outline-offset:2px}\n"
    "header,footer{padding:.5rem 0}footer{color:var(--dim)}nav a{display:inline-block;min-width:1.6rem;"
    "padding:.2rem .6rem}main:focus{outline:none}caption{text-align:left;padding:.3rem .6rem;font-weight:600}\n"
    ".skip{position:absolute;left:1rem;top:-10rem;padding:.5rem 1rem;background:var(--page)}.skip:focus{top:0}\n"
    ".dim{color:var(--dim)}li{margin:.4rem 0}\n"
    ".scroll{overflow-x:auto;border:1px solid var(--line);border-radius:6px}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "th,td{padding:.1rem .6rem;text-align:left;vertical-align:top;font-weight:400}\n"
    "thead th{background:var(--soft);color:var(--dim);font-size:.85rem}\n"
    ".n{text-align:right;white-space:nowrap}tbody th{color:var(--dim);text-align:right}"
    ".code th,.facts td,thead th{white-space:nowrap}.facts tbody th{min-width:10rem}\n"
    ".facts th,.facts td{padding:.3rem .6rem;border-top:1px solid var(--line)}.facts tbody th{text-align:left}\n"
    "code{font:.88em/1.4 ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;white-space:pre-wrap;"
    "tab-size:4}\n"
    ".s{width:60%}.ran{background:var(--soft)}.code .bad{background:var(--bad-page);color:var(--bad)}\n"
    ".code th{border-left:5px solid transparent}.h1 th{border-color:var(--line)}\n"
    ".h2 th{border-color:var(--note)}.h3 th{border-color:var(--hot)}\n"
    ".error td{background:var(--bad-page);color:var(--bad)}.warning td{background:var(--bad-page);color:var(--bad)}\n"
    ".advice td{background:var(--note-page);color:var(--note)}.gap td{color:var(--dim);text-align:center}\n"
    "tr:target th{outline:3px solid var(--link);outline-offset:-3px}\n"
    /* On a narrow screen a line's numbers stand below it, each behind its name. */
    "@media(max-width:52rem){.code thead{position:absolute;width:1px;height:1px;overflow:hidden;"
    "clip-path:inset(50%)}.code,.code tbody,.code caption{display:block}.code tr{display:flex;flex-wrap:wrap}"
    ".code th{width:3.2rem;padding:.1rem .4rem}.code .s{width:calc(100% - 3.2rem)}"
    ".code td:not(.s){display:inline-block;padding:.05rem .6rem}"
    ".code td:empty,.error th,.warning th,.advice th{display:none}"
    ".code .n::before{content:attr(data-label) \" \";color:var(--dim)}.code .bad::before{color:inherit}}\n";

static void kernel_table(const struct page *page)
{
    FILE *out = page->out;

    fputs("<h2 id=\"kernels\">Kernels</h2>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\""
          " aria-labelledby=\"all\"><table class=\"facts\"><caption id=\"all\">All kernels</caption>"
          "<thead><tr><th scope=\"col\">kernel</th><th scope=\"col\" class=\"n\">time</th>"
          "<th scope=\"col\" class=\"n\">launches</th><th scope=\"col\" class=\"n\">threads</th>"
          "<th scope=\"col\" class=\"n\">lanes</th><th scope=\"col\" class=\"n\">bytes moved</th>"
          "<th scope=\"col\">blocks an SM, limited by</th></tr></thead><tbody>\n", out);
    for (size_t i = 0; i < page->explain->kernel_count; i++) {
        const struct explain_kernel *k = &page->explain->kernels[i];

        fputs("<tr><th scope=\"row\">", out);
        words(out, k->counts->name);
        fprintf(out, "</th><td class=\"n\">%.1f&nbsp;%%</td><td class=\"n\">", 100 * k->share);
        number(out, k->counts->launches);
        fputs("</td><td class=\"n\">", out);
        number(out, k->counts->threads);
        fprintf(out, "</td><td class=\"n\">%.1f</td><td class=\"n\">%s</td><td>%u, %s</td></tr>\n",
                k->simd * WARP_LANES, explain_size(k->bytes_moved).text, k->counts->blocks_per_sm,
                explain_limiter(k->counts->limiter));
    }
    fputs("</tbody></table></div>\n", out);
}

static void fault_list(const struct page *page)
{
    const struct explain *e = page->explain;

    fprintf(page->out, "<h2 id=\"reports\">Reports</h2>\n%s",
            e->fault_count ? "<ul>\n" : "<p>Nothing was found.</p>\n");
    for (size_t i = 0; i < e->fault_count; i++) {
        const struct sim_fault *f = &e->faults[i];

        fprintf(page->out, "<li><strong>%s: %s</strong> ", f->error ? "error" : "warning", sim_fault_name(f->kind));
        if (f->kernel[0]) {
            fputs("at ", page->out);
            place(page, f->file, f->line);
            fputs(": ", page->out);
        }
        words(page->out, f->text);
        fputs("</li>\n", page->out);
    }
    if (e->fault_count)
        fputs("</ul>\n", page->out);
}

static void advice_list(const struct page *page)
{
    const struct explain *e = page->explain;

    if (e->finding_count == 0)
        return;
    fputs("<h2 id=\"advice\">Advice</h2>\n"
          "<p class=\"dim\">What each costs is the estimate of a simple model of an H100.</p>\n<ol>\n", page->out);
    for (size_t i = 0; i < e->finding_count; i++) {
        const struct explain_finding *found = &e->findings[i];

        fputs("<li>", page->out);
        if (found->file) {
            place(page, found->file, found->line);
            fputs(": ", page->out);
        }
        words(page->out, found->text);
        fprintf(page->out, " <span class=\"dim\">[%s, %.0f&nbsp;%%]</span></li>\n", found->kind, 100 * found->share);
    }
    fputs("</ol>\n", page->out);
}

static void navigation(const struct page *page)
{
    FILE *out = page->out;

    fputs("<header><nav aria-label=\"Sections\">", out);
    if (page->explain->kernel_count > 0)
        fputs("<a href=\"#kernels\">Kernels</a> ", out);
    fputs("<a href=\"#reports\">Reports</a> ", out);
    if (page->explain->finding_count > 0)
        fputs("<a href=\"#advice\">Advice</a> ", out);
    for (size_t row = 0; row < page->row_count; row++) {
        if (row > 0 && strcmp(page->rows[row].file, page->rows[row - 1].file) == 0)
            continue;
        fprintf(out, "<a href=\"#f%zu\">", row + 1);
        words(out, short_name(page->rows[row].file));
        fputs("</a> ", out);
    }
    fputs("</nav></header>\n", out);
}

static bool write_page(FILE *out, const void *context)
{
    struct page page = { .out = out, .explain = context };

    if (!collect(&page))
        return false;
    fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            "<title>What the kernels did</title><style>%s</style></head>\n<body>\n"
            "<a class=\"skip\" href=\"#content\">To the content</a>\n", style);
    navigation(&page);
    fputs("<main id=\"content\" tabindex=\"-1\">\n<h1>What the kernels did</h1>\n", out);
    fputs("<p>Simulated: no GPU took part. Counts are exact for the PTX that ran. Times are estimates, as shares of"
          " all kernels' time.</p>\n", out);
    if (page.explain->kernel_count > 0)
        kernel_table(&page);
    else
        fputs("<p>No kernel was launched.</p>\n", out);
    fault_list(&page);
    advice_list(&page);
    if (page.row_count > 0)
        fputs("<h2 id=\"columns\">Columns</h2>\n"
              "<p class=\"dim\">Executed: instructions by warps. Time: the line's share. Lanes: how"
              " many of 32 work in an instruction. Sectors: of 32 bytes of global memory for one request, and in"
              " parentheses as few as would do. Passes: the same of shared memory. Divergent: branches at which lanes"
              " part.</p>\n", out);
    for (size_t row = 0; row < page.row_count;)
        row = file_section(&page, row);
    fputs("</main>\n<footer>Written by the simulator at the end of the program.</footer></body></html>\n", out);
    free(page.rows);
    return true;
}

bool explain_html(struct sim *sim, const char *path)
{
    struct explain *explain = explain_gather(sim);
    bool ok = explain && explain_advise(explain);

    if (!ok)
        fprintf(stderr, "cudasim: out of memory for the report '%s'\n", path);
    ok = ok && explain_write(path, write_page, explain);
    explain_free(explain);
    return ok;
}
