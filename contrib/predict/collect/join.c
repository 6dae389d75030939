/* join.c - times and counts of the same rows side by side, and taken apart again: see steps.h. */
#include "steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/predict/rows/cells.h"

enum { LEAST_SAMPLES = 15 };

#define TIMES_BEFORE_BLOCK "gpu,kernel,class,size,"
#define TIMES_AFTER_BLOCK "time_us,low_us,high_us,samples,sm_mhz,mem_mhz"
#define ALONE ",alone_us" /* which files of times from before it came do not have */
static const char times_header[] = TIMES_BEFORE_BLOCK "block," TIMES_AFTER_BLOCK;
static const char features_header[] =
    "kernel,grid_x,grid_y,grid_z,block_x,block_y,block_z,n,s,alpha,n_b,n_t,w,cpx,l,l_c,l_mr,l_mw,l_shr,l_shw,l_s,l_dpu,"
    "l_sfu,dpc,shared_words,registers,warp_instructions,flops,bytes_read,bytes_written,footprint,shared_passes,"
    "divergence,regular";
/* What the simulator counts since, which older files lack. */
#define WORK \
    ",issue,busy_alu,busy_fma,busy_fp64,busy_xu,busy_lsu,busy_tensor,chain,wait_load,wait_shared,wait_atomic," \
    "wait_constant,wait_barrier,wait_fence,longest,block_most,load_requests,load_sectors,load_lines,load_hits," \
    "store_requests,store_sectors,store_lines,local_lines,constant_requests,constant_words,atomic_requests," \
    "atomic_lanes,atomic_words,atomic_sectors,atomic_hot,shared_atomics,shared_rounds,load_found,code," \
    "wait_hit,load_fresh,store_fresh,atomic_meet,cold,atomic_turns,atomic_rounds,shared_loops,heap," \
    "host_bytes,managed_first,prints,children,local_stores,print_lanes,child_nested,heap_live,managed_areas," \
    "swaps,loads_longest,loads_most,first,fresh,in_place,shared_merged,load_passes,store_passes," \
    "constant_fixed,constant_uniform,constant_lines,follows,executed,stale,clocked,data_branches,data_addresses," \
    "machine"

/* Columns of the two files, by their place in the headers above. */
enum { GPU, KERNEL, CLASS, SIZE, BLOCK, TIME_US, LOW_US, HIGH_US, SAMPLES, SM_MHZ, MEM_MHZ, ALONE_US };
enum { COUNTED_KERNEL, BLOCK_X = 4, BLOCK_Y, BLOCK_Z, S = 8 };

/* Whether the first row is this header, or this one and more. */
static bool is_header(const struct cells *c, const char *wanted, const char *more)
{
    char text[2048] = "";

    for (size_t i = 0; i < c->row[0].count && strlen(text) < sizeof text - 1; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "," : "", c->row[0].cell[i]);
    return (strncmp(text, wanted, strlen(wanted)) == 0 && strcmp(text + strlen(wanted), more) == 0) ||
           strcmp(text, wanted) == 0;
}

static bool read_rows(struct cells *c, const char *path, const char *header, const char *more, struct error *error)
{
    if (!cells_read(c, path, ',', error))
        return false;
    if (c->rows == 0)
        return error_usage(error, "%s:1: there is nothing in it", path);
    return is_header(c, header, more) || error_usage(error, "%s:1: the header is not '%s%s'", path, header, more);
}

/* Columns that are 0 of a launch that ran before. */
static bool is_warm(const char *column)
{
    return strcmp(column, "cold") == 0 || strcmp(column, "first") == 0 || strcmp(column, "fresh") == 0;
}

/* All cells but those of words must be numbers, and none below 0; what was not timed alone has nothing there. */
static bool check_numbers(const struct cells *c, const struct cells_row *row, const char *words, struct error *error)
{
    const struct cells_row *head = &c->row[0];
    char name[64];

    if (row->count != head->count)
        return error_usage(error, "%s:%ld: %zu columns instead of %zu", c->path, row->line, row->count, head->count);
    for (size_t i = 0; i < row->count; i++) {
        snprintf(name, sizeof name, ",%s,", head->cell[i]);
        if (strstr(words, name) && !*row->cell[i])
            return error_usage(error, "%s:%ld: column '%s' is empty", c->path, row->line, head->cell[i]);
        if (strstr(words, name) || (strcmp(name, ALONE ",") == 0 && !*row->cell[i]) || cells_is_number(row->cell[i]))
            continue;
        return error_usage(error, "%s:%ld: column '%s' is not a number that could be: '%s'", c->path, row->line,
                           head->cell[i], row->cell[i]);
    }
    return true;
}

static bool check_time(const struct cells *c, const struct cells_row *row, struct error *error)
{
    char **cell = row->cell;
    double time, low, high;

    if (!check_numbers(c, row, ",gpu,kernel,class,block,", error))
        return false;
    if (strcmp(cell[CLASS], "memory") != 0 && strcmp(cell[CLASS], "computation") != 0)
        return error_usage(error, "%s:%ld: the class is '%s', neither memory nor computation", c->path, row->line,
                           cell[CLASS]);
    time = strtod(cell[TIME_US], NULL);
    low = strtod(cell[LOW_US], NULL);
    high = strtod(cell[HIGH_US], NULL);
    if (!(time > 0 && low <= time && time <= high))
        return error_usage(error, "%s:%ld: the time %s us is not above 0 and within its interval, %s to %s", c->path,
                           row->line, cell[TIME_US], cell[LOW_US], cell[HIGH_US]);
    if (strtod(cell[SAMPLES], NULL) < LEAST_SAMPLES)
        return error_usage(error, "%s:%ld: %s samples, and %d are the least", c->path, row->line, cell[SAMPLES],
                           LEAST_SAMPLES);
    if (row->count > ALONE_US && *cell[ALONE_US] && !(strtod(cell[ALONE_US], NULL) > 0))
        return error_usage(error, "%s:%ld: the time alone, %s us, is not above 0", c->path, row->line, cell[ALONE_US]);
    return true;
}

/* Whether a row that was counted is the launch that was timed. */
static bool check_launch(const struct cells *c, const struct cells_row *counted, const struct cells_row *timed,
                         struct error *error)
{
    char **is = counted->cell, **was = timed->cell, block[64];

    snprintf(block, sizeof block, "%sx%s", is[BLOCK_X], is[BLOCK_Y]);
    return (strcmp(is[COUNTED_KERNEL], was[KERNEL]) == 0 && strtod(is[S], NULL) == strtod(was[SIZE], NULL) &&
            strcmp(block, was[BLOCK]) == 0 && strtod(is[BLOCK_Z], NULL) == 1) ||
           error_usage(error, "%s:%ld: a launch of %s, size %s, block %sx%s; timed was %s, size %s, block %s", c->path,
                       counted->line, is[COUNTED_KERNEL], is[S], block, is[BLOCK_Z], was[KERNEL], was[SIZE],
                       was[BLOCK]);
}

/* A number to six digits: as it is written where it is a whole number of no more. */
static void print_short(const char *cell)
{
    size_t digits = strspn(cell, "0123456789");

    if (!cell[digits] && digits < 7)
        printf(",%s", cell);
    else
        printf(",%.6g", strtod(cell, NULL));
}

static void print_joined(const struct cells *times, const struct cells *features)
{
    bool alone = times->row[0].count > ALONE_US;

    printf(TIMES_BEFORE_BLOCK TIMES_AFTER_BLOCK "%s%s%s\n", alone ? ALONE : "", strchr(features_header, ','),
           is_header(features, features_header, "") ? "" : WORK);
    for (size_t r = 1; r < times->rows; r++) {
        char **timed = times->row[r].cell, **counted = features->row[r].cell;

        printf("%s,%s,%s,%s", timed[GPU], timed[KERNEL], timed[CLASS], timed[SIZE]);
        for (int i = TIME_US; i <= HIGH_US; i++)
            print_short(timed[i]);
        printf(",%s,%s,%s", timed[SAMPLES], timed[SM_MHZ], timed[MEM_MHZ]);
        if (alone && !*timed[ALONE_US])
            putchar(',');
        else if (alone)
            print_short(timed[ALONE_US]);
        /* A row is timed when the same launch ran before: its data is as warm as it can be. */
        for (size_t i = COUNTED_KERNEL + 1; i < features->row[r].count; i++)
            print_short(is_warm(features->row[0].cell[i]) ? "0" : counted[i]);
        putchar('\n');
    }
}

bool step_join(const char *times_path, const char *features_path, struct error *error)
{
    struct cells times = {.rows = 0}, features = {.rows = 0};
    bool good = read_rows(&times, times_path, times_header, ALONE, error);

    for (size_t r = 1; good && r < times.rows; r++)
        good = check_time(&times, &times.row[r], error);
    good = good && read_rows(&features, features_path, features_header, WORK, error);
    for (size_t r = 1; good && r < features.rows; r++)
        good = check_numbers(&features, &features.row[r], ",kernel,", error) &&
               (r >= times.rows || check_launch(&features, &features.row[r], &times.row[r], error));
    if (good && times.rows < 2)
        good = error_usage(error, "%s:1: there is nothing in it", times_path);
    if (good && features.rows != times.rows)
        good = error_usage(error, "%s:%zu: %zu launches, and %zu rows in %s", features_path,
                           (features.rows < times.rows ? features.rows : times.rows) + 1, features.rows - 1,
                           times.rows - 1, times_path);
    if (good)
        print_joined(&times, &features);
    cells_release(&times);
    cells_release(&features);
    return good;
}

bool step_times(const char *path, struct error *error)
{
    struct cells data;
    size_t block_x, block_y, alone, columns;
    bool good;

    if (!cells_read(&data, path, ',', error))
        return false;
    columns = data.rows > 0 ? data.row[0].count : 0;
    block_x = cells_column(&data, "block_x");
    block_y = cells_column(&data, "block_y");
    alone = cells_column(&data, "alone_us");
    good = block_x < columns && block_y < columns;
    if (!good)
        error_usage(error, "%s:1: the header has no block_x, block_y", path);
    for (size_t r = 1; good && r < data.rows; r++)
        if (data.row[r].count != columns)
            good = error_usage(error, "%s:%ld: %zu columns instead of %zu", path, data.row[r].line, data.row[r].count,
                               columns);
    for (size_t r = 0; good && r < data.rows; r++) {
        char **cell = data.row[r].cell;

        if (r == 0) {
            printf("%s%s\n", times_header, alone < columns ? ALONE : "");
            continue;
        }
        printf("%s,%s,%s,%s,%sx%s", cell[GPU], cell[KERNEL], cell[CLASS], cell[SIZE], cell[block_x], cell[block_y]);
        for (int i = SIZE + 1; i < ALONE_US - 1; i++)
            printf(",%s", cell[i]);
        printf("%s%s\n", alone < columns ? "," : "", alone < columns ? cell[alone] : "");
    }
    cells_release(&data);
    return good;
}
