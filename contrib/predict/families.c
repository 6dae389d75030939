/* families.c - the rule of families.h. model.c leaves a family out as one. */
#include "families.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A program's name, without its suite if there is one. It ends at the colon before the kernel. */
struct words {
    const char *text;
    size_t size;
};

static struct words words_of(const char *name)
{
    return (struct words){name, strcspn(name, ":")};
}

/* Without the first word; as it is if it has one alone. */
static struct words without_first(struct words all)
{
    size_t first = strcspn(all.text, "-:");

    if (first + 1 < all.size)
        return (struct words){all.text + first + 1, all.size - first - 1};
    return all;
}

/* Whether the second has all words of the first, then others or none. */
static bool begins(struct words a, struct words b)
{
    if (a.size > b.size)
        return false;
    for (size_t i = 0; i < a.size; i++)
        if (tolower((unsigned char)a.text[i]) != tolower((unsigned char)b.text[i]))
            return false;
    return a.size == b.size || b.text[a.size] == '-' || b.text[a.size] == '_';
}

static bool related(const char *x, const char *y)
{
    struct words a[] = {words_of(x), without_first(words_of(x))};
    struct words b[] = {words_of(y), without_first(words_of(y))};

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (begins(a[i], b[j]) || begins(b[j], a[i]))
                return true;
    return false;
}

static bool same_program(const char *x, const char *y)
{
    size_t size = strcspn(x, ":");

    return size == strcspn(y, ":") && strncmp(x, y, size) == 0;
}

/* Gives all rows before `rows` that are of one family the number of the other. */
static void unite(int *family, size_t rows, int from, int to)
{
    for (size_t i = 0; i < rows; i++)
        if (family[i] == from)
            family[i] = to;
}

/* Numbers without gaps, in the order of first rows. */
static size_t renumber(int *family, size_t rows, int *number)
{
    int families = 0;

    for (size_t i = 0; i < rows; i++)
        number[i] = -1;
    for (size_t i = 0; i < rows; i++) {
        if (number[family[i]] < 0)
            number[family[i]] = families++;
        family[i] = number[family[i]];
    }
    return (size_t)families;
}

size_t families_find(const char *const *name, size_t rows, int *family, struct error *error)
{
    int *number = malloc((rows + 1) * sizeof *number);
    size_t families;

    if (!number) {
        error_toolkit(error, "no memory for the families of %zu rows", rows);
        return 0;
    }
    for (size_t i = 0; i < rows; i++) {
        family[i] = (int)i;
        if (i > 0 && same_program(name[i - 1], name[i])) {
            family[i] = family[i - 1];
            continue;
        }
        for (size_t j = 0; j < i; j++)
            if (family[j] != family[i] && related(name[j], name[i]))
                unite(family, i + 1, family[j], family[i]);
    }
    families = renumber(family, rows, number);
    free(number);
    return families;
}
