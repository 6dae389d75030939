/* ncu.c - what NVIDIA's ncu measured, as lines that others read: see steps.h. */
#include "steps.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/predict/rows/cells.h"

enum { FIELDS = 256, LAUNCHES_A_ROW = 6 };

/* Where ncu's columns are. */
struct places {
    size_t kernel, block, grid, duration; /* from 0 */
    size_t columns;                       /* 0 before the header was read */
};

/* Takes a line of ncu's apart, in place: a field is quoted and may hold commas. */
static size_t cut_quoted(char *line, char **field)
{
    char *to = line, *from = line;
    size_t count = 0;
    bool open = false;

    field[count++] = to;
    for (; *from && *from != '\n' && *from != '\r'; from++)
        if (*from == '"')
            open = !open;
        else if (*from == ',' && !open) {
            *to++ = '\0';
            if (count < FIELDS)
                field[count++] = to;
        } else
            *to++ = *from;
    *to = '\0';
    return count;
}

static bool find_place(size_t *place, char **head, size_t count, const char *name, struct error *error)
{
    for (*place = 0; *place < count; ++*place)
        if (strcmp(head[*place], name) == 0)
            return true;
    return error_usage(error, "ncu_times: there is no column %s", name);
}

/* Removes all these characters. */
static char *without(char *text, const char *characters)
{
    char *to = text;

    for (const char *from = text; *from; from++)
        if (!strchr(characters, *from))
            *to++ = *from;
    *to = '\0';
    return text;
}

/* "(192, 1, 1)" as 192x1x1. */
static char *triple(char *text)
{
    without(text, "() ");
    for (char *at = text; (at = strchr(at, ',')); at++)
        *at = 'x';
    return text;
}

/* A kernel's name without type, namespaces (those without a name too), template's arguments and parameters. */
static char *plain_name(char *name)
{
    static const char *const none[] = {"<unnamed>::", "(anonymous namespace)::"};
    char *start = name;

    for (size_t n = 0; n < sizeof none / sizeof *none; n++)
        for (char *at; (at = strstr(name, none[n]));)
            memmove(at, at + strlen(none[n]), strlen(at + strlen(none[n])) + 1);
    name[strcspn(name, "(")] = '\0';
    name[strcspn(name, "<")] = '\0';
    for (char *at = name; *at; at++)
        if (*at == ' ' || *at == ':')
            start = at + 1;
    return start;
}

/* A launch of a line; 0 where it is no number above 0. */
static double nanoseconds(char *text)
{
    char *end;
    double time = isdigit((unsigned char)*text) || *text == '.' ? strtod(without(text, ","), &end) : 0;

    return time > 0 && *end == '\0' && !text[strspn(text, "0123456789.")] ? time : 0;
}

bool step_ncu_times(const char *path, const char *problem, const char *submission, const char *text,
                    struct error *error)
{
    FILE *file = path ? fopen(path, "r") : stdin;
    char *line = NULL, *field[FIELDS];
    struct places at = {.columns = 0};
    size_t size = 0;
    int launches = 0;
    bool good = file || error_system(error, "ncu_times: cannot read '%s'", path);

    for (long number = 1; good && getline(&line, &size, file) >= 0; number++) {
        double time;

        if (strncmp(line, "\"ID\"", 4) == 0) {
            at.columns = cut_quoted(line, field);
            good = find_place(&at.kernel, field, at.columns, "Kernel Name", error) &&
                   find_place(&at.block, field, at.columns, "Block Size", error) &&
                   find_place(&at.grid, field, at.columns, "Grid Size", error) &&
                   find_place(&at.duration, field, at.columns, "gpu__time_duration.sum", error);
            continue;
        }
        if (line[0] != '"' || !isdigit((unsigned char)line[1]) || at.columns == 0)
            continue;
        if (cut_quoted(line, field) != at.columns) {
            good = error_usage(error, "ncu_times: line %ld: not %zu fields", number, at.columns);
            continue;
        }
        time = nanoseconds(field[at.duration]);
        if (!(time > 0)) {
            good = error_usage(error, "ncu_times: line %ld: no time: %s", number, field[at.duration]);
            continue;
        }
        printf("%s,%s,%s,%d,%s,%s,%s,%.3f\n", problem, submission, text, launches++, plain_name(field[at.kernel]),
               triple(field[at.grid]), triple(field[at.block]), time / 1000);
    }
    if (good && launches == 0)
        good = error_usage(error, "ncu_times: no launch was measured");
    free(line);
    if (file && path)
        fclose(file);
    return good;
}

/* The third of five numbers. */
static const char *median_of_five(char *const *text)
{
    for (int i = 0; i < 5; i++) {
        int below = 0;

        for (int j = 0; j < 5; j++) {
            double us = strtod(text[i], NULL), other = strtod(text[j], NULL);

            below += other < us || (other == us && j < i);
        }
        if (below == 2)
            return text[i];
    }
    return text[0]; /* not reached: they are numbers */
}

bool step_ncu_alone(const char *list_path, const char *launches_path, struct error *error)
{
    enum { TIMED_KERNEL = 4, TIMED_BLOCK = 6, TIMED_US = 7, TIMED_CELLS };
    struct cells list = {.rows = 0}, launches = {.rows = 0};
    char **us = NULL;
    size_t count = 0;
    bool good = cells_read(&list, list_path, ' ', error) && cells_read(&launches, launches_path, ',', error);

    for (size_t r = 0; good && r < list.rows; r++)
        if (list.row[r].count != 3)
            good = error_usage(error, "ncu_alone: %s:%ld: not KERNEL SIZE BLOCK", list_path, list.row[r].line);
    us = good ? calloc(launches.rows + 1, sizeof *us) : NULL;
    if (good && !us)
        good = error_toolkit(error, "ncu_alone: no memory for %zu launches", launches.rows);
    for (size_t r = 0; good && r < launches.rows; r++) {
        const struct cells_row *row = &launches.row[r];
        const char *kernel = count / LAUNCHES_A_ROW < list.rows ? list.row[count / LAUNCHES_A_ROW].cell[0] : "";
        const char *block = *kernel ? list.row[count / LAUNCHES_A_ROW].cell[2] : "";

        if (row->count != TIMED_CELLS) {
            good = error_usage(error, "ncu_alone: %s:%ld: not %d cells", launches_path, row->line, TIMED_CELLS);
            continue;
        }
        if (strcmp(row->cell[TIMED_KERNEL], "fill") == 0)
            continue;
        if (strcmp(row->cell[TIMED_KERNEL], kernel) != 0 ||
            strncmp(row->cell[TIMED_BLOCK], block, strlen(block)) != 0 ||
            strcmp(row->cell[TIMED_BLOCK] + strlen(block), "x1") != 0)
            good = error_usage(error, "ncu_alone: %s:%ld: a launch of %s, block %s; the list has %s, block %s",
                               launches_path, row->line, row->cell[TIMED_KERNEL], row->cell[TIMED_BLOCK], kernel,
                               block);
        us[count++] = row->cell[TIMED_US];
    }
    if (good && count != LAUNCHES_A_ROW * list.rows)
        good = error_usage(error, "ncu_alone: %zu launches; the list has %zu rows of six", count, list.rows);
    if (good)
        puts("kernel,size,block,first_us,ncu_us");
    for (size_t r = 0; good && r < list.rows; r++)
        printf("%s,%s,%s,%s,%s\n", list.row[r].cell[0], list.row[r].cell[1], list.row[r].cell[2],
               us[LAUNCHES_A_ROW * r], median_of_five(us + LAUNCHES_A_ROW * r + 1));
    free(us);
    cells_release(&list);
    cells_release(&launches);
    return good;
}
