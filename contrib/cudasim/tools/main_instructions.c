/*
 * main_instructions.c - prints which PTX the library executes, as the Markdown of docs/simulator/instructions.md.
 *
 * It walks the instruction table and splits the names of rows into words. Forms of one opcode that differ only in
 * types, shapes, layouts or comparisons become one line. So do forms that differ in one other word. Rows whose names
 * begin with '@' are steps. The program_*.c files emit them for instructions that no row describes. The list below says
 * what those instructions accept. Every such row must be in the list, and every entry must have a row. Otherwise the
 * program ends with 1 and names what is missing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/base/special.h"
#include "contrib/cudasim/table/select.h"
#include "purposes.h"

#define countof(array) (sizeof(array) / sizeof *(array))

enum {
    WORDS = 24,        /* of a name */
    ALTERNATIVES = 24, /* words for one place */
    LIST_COLUMNS = 90, /* of a list in a table; a longer list is cut between its items */
    PAGE_COLUMNS = 120 /* of a line outside of tables */
};

/* ---- plain things ---- */

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
    va_list list;

    fputs("cudasim_instructions: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

static void *need(void *p)
{
    if (!p)
        die("out of memory");
    return p;
}

/* An array with room for one more of `size` bytes, its capacity a power of two. */
static void *grown(void *array, size_t count, size_t size)
{
    return count & (count - 1) ? array : need(realloc(array, (count ? 2 * count : 1) * size));
}

/* A line of text under construction. */
struct text {
    FILE *file;
    char *at;    /* what was written, once `file` is closed */
    size_t size; /* bytes of it */
};

static void text_open(struct text *text)
{
    text->file = need(open_memstream(&text->at, &text->size));
}

/* To be freed. */
static char *text_close(struct text *text)
{
    if (fclose(text->file))
        die("out of memory");
    return text->at;
}

/* ---- words of an opcode ---- */

/* Words of these kinds have a placeholder in the form, and are listed beside it. */
enum kind { PLAIN, TYPE, SHAPE, LAYOUT, COMPARISON };

static bool one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (!strcmp(word, list[n]))
            return true;
    return false;
}

static enum kind kind_of(const char *base, const char *word)
{
    static const char *const types[] = {"b1", "u2", "s2", "u4", "s4", "e4m3", "e5m2", "e4m3x2", "e5m2x2"};
    static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                              "hs",  "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    unsigned m, n, k;

    if (ptx_type_named(word) != PTX_NONE || one_of(word, types, countof(types)))
        return TYPE;
    if (sscanf(word, "m%un%uk%u", &m, &n, &k) == 3)
        return SHAPE;
    if (!strcmp(word, "row") || !strcmp(word, "col"))
        return LAYOUT;
    if (strstr(base, "set") && one_of(word, comparisons, countof(comparisons)))
        return COMPARISON;
    return PLAIN;
}

static const char *placeholder(enum kind kind)
{
    static const char *const names[] = {
        [TYPE] = ".type", [SHAPE] = ".shape", [LAYOUT] = ".layout", [COMPARISON] = ".cmp"};

    return names[kind];
}

/* Numbers by their value: b16 before b128. */
static int natural(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
            char *x, *y;
            unsigned long m = strtoul(a, &x, 10), n = strtoul(b, &y, 10);

            if (m != n)
                return m < n ? -1 : 1;
            a = x - 1;
            b = y - 1;
        } else if (*a != *b) {
            return *a < *b ? -1 : 1;
        }
    }
    return *a ? 1 : *b ? -1 : 0;
}

/* ---- lines ---- */

/* A place of a form: one of these words; "" is none. */
struct spot {
    const char *words[ALTERNATIVES]; /* [count] */
    unsigned count;
};

/* What stands for the placeholders of a form, one word each. */
struct tuple {
    const char *words[WORDS];
};

struct line {
    const char *base;           /* the opcode's first word */
    struct spot places[WORDS]; /* [place_count], those after it */
    unsigned place_count;
    struct tuple *tuples; /* [tuple_count], each of tuple_size words */
    size_t tuple_count;
    unsigned tuple_size;
    char *listed; /* the tuples as text */
};

struct lines {
    struct line *at; /* [count] */
    size_t count;
};

static bool has(const struct spot *p, const char *word)
{
    return one_of(word, p->words, p->count);
}

static bool same_place(const struct spot *a, const struct spot *b)
{
    if (a->count != b->count)
        return false;
    for (unsigned n = 0; n < a->count; n++)
        if (!has(b, a->words[n]))
            return false;
    return true;
}

/* Words for which others may stand. */
#define ROUNDING "rnd"
#define ROUNDING_TO_INTEGER "irnd"

static bool is_plain(const struct spot *p)
{
    if (has(p, ROUNDING) || has(p, ROUNDING_TO_INTEGER))
        return false;
    for (enum kind kind = TYPE; kind <= COMPARISON; kind++)
        if (has(p, placeholder(kind)))
            return false;
    return true;
}

static void add_word(struct spot *p, const char *word)
{
    if (has(p, word))
        return;
    if (p->count == ALTERNATIVES)
        die("more than %d words may stand in one place", ALTERNATIVES);
    p->words[p->count++] = word;
}

/* ---- rows to lines ---- */

/* Places for what may stand in the opcode besides. To an integer, rounding has names of its own. */
static void add_modifiers(struct line *form, unsigned allows, bool to_integer)
{
    const struct {
        unsigned allowed;
        const char *word;
    } list[] = {{ALLOW_ROUNDING, to_integer ? ROUNDING_TO_INTEGER : ROUNDING}, {ALLOW_FTZ, "ftz"}, {ALLOW_SAT, "sat"}};

    for (size_t n = 0; n < countof(list); n++)
        if (allows & list[n].allowed) {
            add_word(&form->places[form->place_count], list[n].word);
            add_word(&form->places[form->place_count++], "");
        }
}

static bool follows_modifiers(const char *base, const char *word)
{
    static const char *const later[] = {"relu", "NaN", "xorsign", "satfinite", "oob"};

    return kind_of(base, word) == TYPE || one_of(word, later, countof(later));
}

/* cvt rounds to an integral value by other words, and the table has "rint" for them. */
static bool rounds_to_integer(char *const *words, unsigned count)
{
    const char *type = NULL;

    for (unsigned n = 1; n < count; n++)
        if (!type && kind_of(words[0], words[n]) == TYPE)
            type = words[n];
    return !strcmp(words[0], "cvt") && type && (type[0] == 'u' || type[0] == 's');
}

static struct line *line_like(struct lines *lines, const struct line *form)
{
    for (size_t n = 0; n < lines->count; n++) {
        struct line *l = &lines->at[n];
        bool same = !strcmp(l->base, form->base) && l->place_count == form->place_count;

        for (unsigned k = 0; same && k < l->place_count; k++)
            same = same_place(&l->places[k], &form->places[k]);
        if (same)
            return l;
    }
    lines->at = grown(lines->at, lines->count, sizeof *lines->at);
    lines->at[lines->count] = *form;
    return &lines->at[lines->count++];
}

/* Where modifiers stand: before the types, but in video instructions behind them. */
static unsigned modifiers_at(char *const *words, unsigned count)
{
    bool behind = words[0][0] == 'v';
    unsigned at = count;

    for (unsigned n = 1; n < count; n++) {
        if (behind && kind_of(words[0], words[n]) == TYPE)
            at = n + 1;
        else if (!behind && at == count && follows_modifiers(words[0], words[n]))
            at = n;
    }
    return at;
}

static void add_form(struct lines *lines, char *const *words, unsigned count, unsigned allows)
{
    struct line form = {.base = words[0]}, *line;
    struct tuple tuple = {{0}};
    unsigned modifiers = modifiers_at(words, count);

    for (unsigned n = 1; n < count; n++)
        if (!strcmp(words[n], "rint"))
            allows &= ~(unsigned)ALLOW_ROUNDING;
    for (unsigned n = 1; n <= count; n++) {
        enum kind kind = n < count ? kind_of(words[0], words[n]) : PLAIN;

        if (n == modifiers)
            add_modifiers(&form, allows, rounds_to_integer(words, count));
        if (n == count)
            break;
        if (kind != PLAIN)
            tuple.words[form.tuple_size++] = words[n];
        add_word(&form.places[form.place_count++], kind != PLAIN                ? placeholder(kind)
                                                   : !strcmp(words[n], "rint") ? ROUNDING_TO_INTEGER
                                                                               : words[n]);
    }
    line = line_like(lines, &form);
    line->tuples = grown(line->tuples, line->tuple_count, sizeof *line->tuples);
    line->tuples[line->tuple_count++] = tuple;
}

/* Whether `b` has the words of `a` in another order. The order of layouts says whose they are. */
static bool is_reordered(char *const *a, char *const *b, unsigned count)
{
    bool taken[WORDS] = {false};
    unsigned layout = 0;

    for (unsigned n = 0; n < count; n++) {
        unsigned k = 0;
        bool is_layout = kind_of(a[0], a[n]) == LAYOUT;

        if (is_layout) {
            while (layout < count && kind_of(b[0], b[layout]) != LAYOUT)
                layout++;
            k = layout++;
        } else {
            while (k < count && (taken[k] || strcmp(a[n], b[k])))
                k++;
        }
        if (k >= count || strcmp(a[n], b[k]))
            return false;
        taken[k] = true;
    }
    return true;
}

/* The words of one name; returns their count. */
static unsigned take_apart(const char *name, size_t length, char **words)
{
    char *copy = need(strndup(name, length)), *rest = copy;
    unsigned count = 0;

    while (rest) {
        if (count == WORDS)
            die("'%.*s' has more than %d words", (int)length, name, WORDS);
        words[count++] = strsep(&rest, ".");
    }
    return count;
}

/* Names of one row that only change the order of the words are shown once. */
static void add_row(struct lines *lines, const struct row *row)
{
    char *names[64][WORDS];
    unsigned counts[countof(names)], known = 0;

    for (const char *p = row->names; *p; p += strspn(p, " ")) {
        size_t length = strcspn(p, " "), plain = strcspn(p, "@");
        bool again = false;

        if (plain < length) { /* "@4": the scalar video forms that merge into a part of a register */
            if (length - plain != 2 || p[plain + 1] != '4')
                die("'%.*s' is of no known kind", (int)length, p);
            length = plain;
        }
        if (known == countof(names))
            die("a row with more than %zu names", countof(names));
        counts[known] = take_apart(p, length, names[known]);
        for (unsigned n = 0; n < known && !again; n++)
            again = counts[n] == counts[known] && is_reordered(names[n], names[known], counts[n]);
        if (!again)
            add_form(lines, names[known], counts[known], row->allows);
        known++;
        p += strcspn(p, " ");
    }
}

/* ---- lists of words: {a b}.{c d} where every a, b goes with every c, d ---- */

static int by_words(const void *a, const void *b)
{
    const struct tuple *x = a, *y = b;

    for (unsigned n = 0; n < WORDS && x->words[n]; n++) {
        int order = natural(x->words[n], y->words[n]);

        if (order)
            return order;
    }
    return 0;
}

struct listing {
    char *text;
    unsigned items; /* outside of braces, separated by spaces; in the list of a whole line by its end */
};

static struct listing list_words(const struct tuple *tuples, size_t count, unsigned column, unsigned size);

/* The words of `column` in sorted tuples, and what may follow each. */
struct head {
    const char *words[256]; /* [count] */
    unsigned count;
    struct listing tail; /* the same for all of them */
};

static unsigned gather_heads(struct head *heads, unsigned most, const struct tuple *tuples, size_t count,
                             unsigned column, unsigned size)
{
    unsigned head_count = 0, k;

    for (size_t from = 0, to; from < count; from = to) {
        struct listing tail;

        for (to = from; to < count && !strcmp(tuples[to].words[column], tuples[from].words[column]); to++)
            ;
        tail = list_words(tuples + from, to - from, column + 1, size);
        for (k = 0; k < head_count && strcmp(heads[k].tail.text, tail.text); k++)
            ;
        if (k == most || (k < head_count && heads[k].count == countof(heads->words)))
            die("too many words in one place");
        if (k == head_count)
            heads[head_count++] = (struct head){.tail = tail};
        else
            free(tail.text);
        heads[k].words[heads[k].count++] = tuples[from].words[column];
    }
    return head_count;
}

static struct listing list_words(const struct tuple *tuples, size_t count, unsigned column, unsigned size)
{
    struct head *heads = need(calloc(64, sizeof *heads));
    struct listing listing = {NULL, 0};
    struct text text;
    unsigned head_count = column < size ? gather_heads(heads, 64, tuples, count, column, size) : 0;
    bool last = column + 1 == size;

    text_open(&text);
    for (unsigned n = 0; n < head_count; n++) {
        const struct head *h = &heads[n];
        bool braces = h->count > 1 && !last;

        fprintf(text.file, "%s%s", !n ? "" : column ? " " : "\n", braces ? "{" : "");
        for (unsigned k = 0; k < h->count; k++)
            fprintf(text.file, "%s%s", !k ? "" : last && !column ? "\n" : " ", h->words[k]);
        fputs(braces ? "}" : "", text.file);
        if (!last)
            fprintf(text.file, h->tail.items > 1 ? ".{%s}" : ".%s", h->tail.text);
        listing.items += last ? h->count : 1;
        free(h->tail.text);
    }
    free(heads);
    listing.text = text_close(&text);
    return listing;
}

/* ---- lines that differ in one word become one ---- */

static bool places_match(const struct line *a, const struct line *b, unsigned a_from, unsigned b_from, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        if (!same_place(&a->places[a_from + n], &b->places[b_from + n]))
            return false;
    return true;
}

/* The same but for what stands in one place: `a` takes in `b`. */
static bool take_in_other(struct line *a, const struct line *b)
{
    if (a->place_count != b->place_count)
        return false;
    for (unsigned n = 0; n < a->place_count; n++)
        if (is_plain(&a->places[n]) && is_plain(&b->places[n]) && places_match(a, b, 0, 0, n) &&
            places_match(a, b, n + 1, n + 1, a->place_count - n - 1)) {
            for (unsigned k = 0; k < b->places[n].count; k++)
                add_word(&a->places[n], b->places[n].words[k]);
            return true;
        }
    return false;
}

/* `b` has one place more: it may be empty. */
static bool take_in_longer(struct line *a, const struct line *b)
{
    if (b->place_count != a->place_count + 1)
        return false;
    for (unsigned n = 0; n < b->place_count; n++)
        if (is_plain(&b->places[n]) && places_match(a, b, 0, 0, n) &&
            places_match(a, b, n, n + 1, a->place_count - n)) {
            memcpy(a->places, b->places, sizeof a->places);
            a->place_count = b->place_count;
            add_word(&a->places[n], "");
            return true;
        }
    return false;
}

static void remove_line(struct lines *lines, size_t n)
{
    free(lines->at[n].tuples);
    free(lines->at[n].listed);
    memmove(&lines->at[n], &lines->at[n + 1], (lines->count - n - 1) * sizeof *lines->at);
    lines->count--;
}

static bool merge_once(struct lines *lines, bool take_in(struct line *, const struct line *))
{
    for (size_t n = 0; n < lines->count; n++)
        for (size_t k = 0; k < lines->count; k++) {
            struct line *a = &lines->at[n], *b = &lines->at[k];

            if (n == k || strcmp(a->base, b->base) || strcmp(a->listed, b->listed) || !take_in(a, b))
                continue;
            remove_line(lines, k);
            return true;
        }
    return false;
}

/* The list of sorted tuples, with their layouts behind all else. To be freed. */
static char *list_layouts_last(const struct line *l)
{
    struct tuple *moved = need(calloc(l->tuple_count, sizeof *moved));
    char *text;

    for (size_t n = 0; n < l->tuple_count; n++) {
        unsigned at = 0;

        for (int layouts = 0; layouts < 2; layouts++)
            for (unsigned k = 0; k < l->tuple_size; k++)
                if ((kind_of(l->base, l->tuples[n].words[k]) == LAYOUT) == layouts)
                    moved[n].words[at++] = l->tuples[n].words[k];
    }
    qsort(moved, l->tuple_count, sizeof *moved, by_words);
    text = list_words(moved, l->tuple_count, 0, l->tuple_size).text;
    free(moved);
    return text;
}

/* Sorts the tuples, takes out those that are there twice, and lists them in the shorter way. */
static void list_line(struct line *l)
{
    size_t count = 0;
    char *other;

    qsort(l->tuples, l->tuple_count, sizeof *l->tuples, by_words);
    for (size_t n = 0; n < l->tuple_count; n++)
        if (!count || by_words(&l->tuples[count - 1], &l->tuples[n]))
            l->tuples[count++] = l->tuples[n];
    l->tuple_count = count;
    free(l->listed);
    l->listed = list_words(l->tuples, count, 0, l->tuple_size).text;
    other = list_layouts_last(l);
    if (strlen(other) < strlen(l->listed)) {
        free(l->listed);
        l->listed = other;
    } else {
        free(other);
    }
}

/* Merging may give two lines the same form. */
static bool join_once(struct lines *lines)
{
    for (size_t n = 0; n < lines->count; n++)
        for (size_t k = n + 1; k < lines->count; k++) {
            struct line *a = &lines->at[n], *b = &lines->at[k];

            if (strcmp(a->base, b->base) || a->place_count != b->place_count ||
                !places_match(a, b, 0, 0, a->place_count))
                continue;
            for (size_t t = 0; t < b->tuple_count; t++) {
                a->tuples = grown(a->tuples, a->tuple_count, sizeof *a->tuples);
                a->tuples[a->tuple_count++] = b->tuples[t];
            }
            list_line(a);
            remove_line(lines, k);
            return true;
        }
    return false;
}

static void merge(struct lines *lines)
{
    for (size_t n = 0; n < lines->count; n++)
        list_line(&lines->at[n]);
    while (merge_once(lines, take_in_longer) || merge_once(lines, take_in_other) || join_once(lines))
        ;
}

/* ---- printing ---- */

static void print_place(FILE *out, const struct spot *p)
{
    bool optional = has(p, ""), several = p->count - optional > 1;
    const char *between = "";

    fputs(optional ? "{" : several ? "(" : "", out);
    for (unsigned n = 0; n < p->count; n++) {
        const char *word = p->words[n];

        if (!*word)
            continue;
        fprintf(out, "%s%s%s", between, *word == '.' || *word == '{' ? "" : ".", word);
        between = "/";
    }
    fputs(optional ? "}" : several ? ")" : "", out);
}

/* The form as PTX's manual would write it. To be freed. */
static char *form_of(const struct line *l)
{
    struct text text;

    text_open(&text);
    for (unsigned k = 0; k < l->place_count; k++)
        print_place(text.file, &l->places[k]);
    return text_close(&text);
}

/* All lines of one opcode, `before` in the first column. To be freed. */
static char *lines_of(const struct lines *lines, const char *base, const char *before)
{
    struct text text;

    text_open(&text);
    for (size_t n = 0; n < lines->count; n++) {
        const struct line *l = &lines->at[n];
        char *form;

        if (strcmp(l->base, base))
            continue;
        form = form_of(l);
        fprintf(text.file, "| %s | `%s` | `", before, form);
        for (const char *c = l->listed, *start = c; *c; c++) {
            if (*c == '\n' && c - start + (ptrdiff_t)strcspn(c + 1, "\n") > LIST_COLUMNS) {
                fprintf(text.file, "` |\n| %s | `%s` | `", before, form);
                start = c;
            } else {
                fputc(*c == '\n' ? ' ' : *c, text.file);
            }
        }
        fputs("` |\n", text.file);
        free(form);
    }
    return text_close(&text);
}

/* Opcodes in the order of the table; those with the same forms together. */
static void print_lines(const struct lines *lines)
{
    const char **bases = need(calloc(lines->count + 1, sizeof *bases));
    char **texts = need(calloc(lines->count + 1, sizeof *texts));
    size_t count = 0;

    for (size_t n = 0; n < lines->count; n++)
        if (!one_of(lines->at[n].base, bases, count)) {
            bases[count] = lines->at[n].base;
            texts[count++] = lines_of(lines, lines->at[n].base, "");
        }
    for (size_t n = 0; n < count; n++) {
        struct text names;
        char *before, *all;

        if (!texts[n])
            continue;
        text_open(&names);
        fprintf(names.file, "`%s`", bases[n]);
        for (size_t k = n + 1; k < count; k++)
            if (texts[k] && !strcmp(texts[n], texts[k])) {
                fprintf(names.file, " `%s`", bases[k]);
                free(texts[k]);
                texts[k] = NULL;
            }
        before = text_close(&names);
        all = lines_of(lines, bases[n], before);
        fputs(all, stdout);
        free(all);
        free(before);
        free(texts[n]);
    }
    free(texts);
    free(bases);
}

/* ---- steps ---- */

/* The entry for a step: that with the longest part of its name. */
static size_t purpose_of(const char *name, size_t length)
{
    size_t best = countof(purposes), most = 0;

    for (size_t n = 0; n < countof(purposes); n++) {
        size_t size = purposes[n].rows ? strlen(purposes[n].rows) : 0;

        if (size > most && size <= length && !strncmp(purposes[n].rows, name, size) &&
            (size == length || name[size] == '.')) {
            best = n;
            most = size;
        }
    }
    if (best == countof(purposes))
        die("'%.*s' is a step of which main_instructions.c does not say what it is for", (int)length, name);
    return best;
}

static void print_steps(const unsigned *rows)
{
    puts("\n| instruction | what is accepted | steps |\n|---|---|---|");
    for (size_t n = 0; n < countof(purposes); n++) {
        const struct purpose *p = &purposes[n];

        if (p->rows && !rows[n])
            die("main_instructions.c speaks of '%s', of which there is no row", p->rows);
        if (p->rows)
            printf("| %s | %s | `%s` %u |\n", p->forms, p->remark, p->rows, rows[n]);
        else
            printf("| %s | %s | |\n", p->forms, p->remark);
    }
}

static void print_specials(void)
{
#define NAME_ROW(id, name, bytes) name,
    static const char *const names[] = {SPECIAL_LIST(NAME_ROW)};

    unsigned column = 0;

    printf("\nSpecial registers:\n\n```");
    for (size_t n = 0; n < countof(names); n++) {
        bool fits = n && column + 1 + strlen(names[n]) <= PAGE_COLUMNS;
        column = (fits ? column + 1 : 0) + (unsigned)strlen(names[n]);
        printf("%s%s", fits ? " " : "\n", names[n]);
    }
    puts("\n```");
}

int main(void)
{
    struct lines lines = {NULL, 0};
    unsigned steps[countof(purposes)] = {0};
    char error[256];
    const struct table *table = table_select(error, sizeof error);

    if (!table) {
        fprintf(stderr, "cudasim_instructions: %s\n", error);
        return 1;
    }
    for (const struct row *const *list = table->rows; *list; list++)
        for (const struct row *row = *list; row->names; row++) {
            if (row->names[0] != '@') {
                add_row(&lines, row);
                continue;
            }
            for (const char *p = row->names; *p; p += strcspn(p, " "), p += strspn(p, " "))
                steps[purpose_of(p, strcspn(p, " "))]++;
        }
    merge(&lines);
    puts("| opcode | form | words for the placeholders |\n|---|---|---|");
    print_lines(&lines);
    print_steps(steps);
    print_specials();
    return fflush(stdout) ? 1 : 0;
}
