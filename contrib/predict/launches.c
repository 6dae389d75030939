/* launches.c - see launches.h. */
#include "launches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/predict/rows/cells.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct cells_row *)a)->cell[0], ((const struct cells_row *)b)->cell[0]);
}

/* Names the kernels that were launched, each once; puts the rows in their order. */
static bool no_launch(struct cells *launches, const char *kernel, struct error *error)
{
    char names[400] = "";

    qsort(launches->row + 1, launches->rows - 1, sizeof *launches->row, by_name);
    for (size_t r = 1; r < launches->rows; r++)
        if (r == 1 || by_name(&launches->row[r], &launches->row[r - 1]) != 0)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", r == 1 ? "" : " ",
                     launches->row[r].cell[0]);
    return error_usage(error, "launched no kernel '%s', but: %s", kernel, names);
}

static void print_csv(const struct cells_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        printf("%s%s", i ? "," : "", row->cell[i]);
    putchar('\n');
}

static void print_lines(const struct cells_row *head, const struct cells_row *row, size_t found)
{
    if (found > 0)
        putchar('\n');
    for (size_t i = 0; i < head->count; i++)
        printf("%s %s\n", head->cell[i], *row->cell[i] ? row->cell[i] : "-");
}

static void print_json(const struct cells_row *head, const struct cells_row *row, size_t found)
{
    printf("%s{\"kernel\": \"%s\"", found > 0 ? ",\n " : "[", row->cell[0]);
    for (size_t i = 1; i < head->count; i++)
        printf(", \"%s\": %s", head->cell[i], *row->cell[i] ? row->cell[i] : "null");
    putchar('}');
}

bool launches_print(const char *path, const char *kernel, enum launches_format format, struct error *error)
{
    struct cells launches;
    size_t found = 0;
    bool good;

    if (!cells_read(&launches, path, ',', error))
        return false;
    good = launches.rows > 1 || error_usage(error, "launched no kernel");
    for (size_t r = 1; good && r < launches.rows; r++)
        if (launches.row[r].count != launches.row[0].count)
            good = error_usage(error, "%s:%ld: not %zu cells", path, launches.row[r].line, launches.row[0].count);
    if (good && format == LAUNCHES_CSV)
        print_csv(&launches.row[0]);
    for (size_t r = 1; good && r < launches.rows; r++) {
        if (kernel && strcmp(launches.row[r].cell[0], kernel) != 0)
            continue;
        if (format == LAUNCHES_CSV)
            print_csv(&launches.row[r]);
        else
            (format == LAUNCHES_JSON ? print_json : print_lines)(&launches.row[0], &launches.row[r], found);
        found++;
    }
    if (good && found == 0)
        good = no_launch(&launches, kernel, error);
    else if (good && format == LAUNCHES_JSON)
        puts("]");
    cells_release(&launches);
    return good;
}
