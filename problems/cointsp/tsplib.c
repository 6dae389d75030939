/*
 * tsplib.c - a cursor over the text, lines "KEY : VALUE", then sections of numbers.
 */
#include "tsplib.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/device_user.h"

enum { WORD_MAX = 63 };

struct reader {
    const char *path;
    const char *at, *end; /* what is not read yet */
    size_t line;          /* of `at`, from 1 */
    struct error *error;
};

static bool __attribute__((format(printf, 2, 3))) refuse(struct reader *reader, const char *format, ...)
{
    char what[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    for (char *c = what; *c; c++) /* a file's bytes must not spoil the line */
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
    return error_usage(reader->error, "%.200s:%zu: %s", reader->path, reader->line, what);
}

/* ------------------------------------------------------------------ words and numbers */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

static void skip_space(struct reader *reader)
{
    for (; reader->at < reader->end && is_space(*reader->at); reader->at++)
        reader->line += *reader->at == '\n';
}

/* The next word without taking it; its first WORD_MAX characters. Its whole length, 0 at the end of the text. */
static size_t peek(struct reader *reader, char word[WORD_MAX + 1])
{
    size_t length = 0, kept;

    skip_space(reader);
    while (reader->at + length < reader->end && !is_space(reader->at[length]) && reader->at[length] != '\0')
        length++;
    if (length == 0 && reader->at < reader->end)
        length = 1; /* a zero byte: a word that means nothing */
    kept = length < WORD_MAX ? length : WORD_MAX;
    memcpy(word, reader->at, kept);
    word[kept] = '\0';
    return length;
}

static bool read_double(struct reader *reader, const char *what, double *number)
{
    char word[WORD_MAX + 1], *end;
    size_t length = peek(reader, word);

    if (length == 0)
        return refuse(reader, "the file ends where %s is expected", what);
    *number = strtod(word, &end);
    /* Letters other than an exponent's would be names and hexadecimal numbers that strtod() knows too. */
    if (length > WORD_MAX || end == word || *end != '\0' || strspn(word, "+-.0123456789eE") != length)
        return refuse(reader, "'%s' is not %s", word, what);
    if (!(fabs(*number) <= 1e9))
        return refuse(reader, "%s is too large: '%s'", what, word);
    reader->at += length;
    return true;
}

static bool read_whole(struct reader *reader, const char *what, int64_t low, int64_t high, int64_t *number)
{
    char word[WORD_MAX + 1], *end;
    size_t length = peek(reader, word);
    long long value;

    if (length == 0)
        return refuse(reader, "the file ends where %s is expected", what);
    errno = 0;
    value = strtoll(word, &end, 10);
    if (length > WORD_MAX || end == word || *end != '\0')
        return refuse(reader, "'%s' is not %s, a whole number", word, what);
    if (errno != 0 || value < low || value > high)
        return refuse(reader, "%s is '%s': %lld to %lld is allowed", what, word, (long long)low, (long long)high);
    *number = value;
    reader->at += length;
    return true;
}

/* ------------------------------------------------------------------ distances */

enum weights { WEIGHTS_NONE, EUC_2D, CEIL_2D, ATT, GEO, EXPLICIT };

/* The latitude or longitude in radians of DDD.MM, degrees and minutes; the library's value of pi. */
static double geo_radians(double value)
{
    double degrees = trunc(value), minutes = value - degrees;

    return 3.141592 * (degrees + 5.0 * minutes / 3.0) / 180.0;
}

static double geo_distance(const double a[2], const double b[2])
{
    const double radius = 6378.388; /* of the idealised sphere, in kilometres */
    double latitude1 = geo_radians(a[0]), longitude1 = geo_radians(a[1]);
    double latitude2 = geo_radians(b[0]), longitude2 = geo_radians(b[1]);
    double q1 = cos(longitude1 - longitude2), q2 = cos(latitude1 - latitude2), q3 = cos(latitude1 + latitude2);
    double cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);

    if (cosine > 1.0) /* equal places, by rounding */
        cosine = 1.0;
    if (cosine < -1.0)
        cosine = -1.0;
    return trunc(radius * acos(cosine) + 1.0);
}

/* A whole number in a double, which may be too large for a distance. */
static double distance_of(enum weights weights, const double a[2], const double b[2])
{
    double x = a[0] - b[0], y = a[1] - b[1], exact, rounded;

    switch (weights) {
    case EUC_2D: return trunc(sqrt(x * x + y * y) + 0.5);
    case CEIL_2D: return ceil(sqrt(x * x + y * y));
    case ATT:
        exact = sqrt((x * x + y * y) / 10.0);
        rounded = trunc(exact + 0.5);
        return rounded < exact ? rounded + 1.0 : rounded;
    default: return geo_distance(a, b);
    }
}

/* ------------------------------------------------------------------ the file's head */

struct head {
    bool type;            /* TYPE was there */
    int64_t dimension;    /* 0 until it is known */
    enum weights weights;
    const char *format;   /* EDGE_WEIGHT_FORMAT, one of `formats`, or NULL */
    bool done;            /* the weights are complete */
};

static const char *const formats[] = {
    "FULL_MATRIX",    "UPPER_ROW", "LOWER_ROW", "UPPER_DIAG_ROW", "LOWER_DIAG_ROW",
    "UPPER_COL",      "LOWER_COL", "UPPER_DIAG_COL", "LOWER_DIAG_COL",
};

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t'))
        reader->at++;
}

/* What may stand between a key and its value, in its line. */
static void skip_colon(struct reader *reader)
{
    skip_blanks(reader);
    if (reader->at < reader->end && *reader->at == ':')
        reader->at++;
    skip_blanks(reader);
}

/* Takes the rest of the line behind a key and its colon, without the space around it. */
static void read_value(struct reader *reader, char value[WORD_MAX + 1])
{
    const char *start, *end;
    size_t length;

    skip_colon(reader);
    start = end = reader->at;
    while (end < reader->end && *end != '\n')
        end++;
    reader->at = end;
    while (end > start && is_space(end[-1]))
        end--;
    length = (size_t)(end - start) < WORD_MAX ? (size_t)(end - start) : WORD_MAX;
    memcpy(value, start, length);
    value[length] = '\0';
}

/* A key is a word up to a colon, which may stand apart. */
static void read_key(struct reader *reader, char key[WORD_MAX + 1])
{
    size_t length = peek(reader, key);
    const char *colon = memchr(key, ':', strlen(key));

    if (colon) {
        length = (size_t)(colon - key);
        key[length] = '\0';
    }
    reader->at += length;
}

static bool take_dimension(struct reader *reader, struct head *head, const char *value)
{
    char *end;
    long long number;

    errno = 0;
    number = strtoll(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0)
        return refuse(reader, "DIMENSION '%s' is not a whole number", value);
    if (number < COINTSP_CITIES_MIN || number > COINTSP_CITIES_MAX)
        return refuse(reader, "DIMENSION %lld: %d to %d cities are allowed", number, COINTSP_CITIES_MIN,
                      COINTSP_CITIES_MAX);
    if (head->dimension)
        return refuse(reader, "DIMENSION is given twice");
    head->dimension = number;
    return true;
}

static bool take_weights(struct reader *reader, struct head *head, const char *value)
{
    static const struct {
        const char *name;
        enum weights weights;
    } known[] = {
        { "EUC_2D", EUC_2D }, { "CEIL_2D", CEIL_2D }, { "ATT", ATT }, { "GEO", GEO }, { "EXPLICIT", EXPLICIT },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(value, known[i].name) == 0)
            head->weights = known[i].weights;
    return head->weights != WEIGHTS_NONE ||
           refuse(reader, "EDGE_WEIGHT_TYPE '%s' is not supported: EUC_2D, CEIL_2D, ATT, GEO or EXPLICIT is needed",
                  value);
}

static bool take_format(struct reader *reader, struct head *head, const char *value)
{
    if (strcmp(value, "FUNCTION") == 0) /* what files with coordinates may say */
        return true;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(value, formats[i]) == 0)
            head->format = formats[i];
    return head->format || refuse(reader, "EDGE_WEIGHT_FORMAT '%s' is unknown", value);
}

/* ------------------------------------------------------------------ sections */

static bool store(struct reader *reader, struct cointsp_tsplib *instance, size_t i, size_t j, double distance)
{
    if (!(distance <= COINTSP_DISTANCE_MAX))
        return refuse(reader, "the distance of cities %zu and %zu is %.0f: at most %d is allowed", i + 1, j + 1,
                      distance, COINTSP_DISTANCE_MAX);
    instance->distance[i * instance->n + j] = instance->distance[j * instance->n + i] = i == j ? 0 : (int32_t)distance;
    return true;
}

static bool read_coordinates(struct reader *reader, const struct head *head, struct cointsp_tsplib *instance)
{
    size_t n = instance->n;
    double(*points)[2] = calloc(n, sizeof *points);
    bool *seen = calloc(n, sizeof *seen), ok = points && seen;

    if (!ok)
        error_toolkit(reader->error, "out of memory");
    for (size_t k = 0; k < n && ok; k++) {
        double x = 0, y = 0;
        int64_t city = 1;

        ok = read_whole(reader, "a city", 1, (int64_t)n, &city) && read_double(reader, "a coordinate", &x) &&
             read_double(reader, "a coordinate", &y);
        if (ok && seen[city - 1])
            ok = refuse(reader, "city %d is there twice", (int)city);
        if (ok) {
            seen[city - 1] = true;
            points[city - 1][0] = x;
            points[city - 1][1] = y;
        }
    }
    for (size_t i = 0; i < n && ok; i++)
        for (size_t j = 0; j < i && ok; j++)
            ok = store(reader, instance, i, j, distance_of(head->weights, points[i], points[j]));
    free(points);
    free(seen);
    return ok;
}

/* What stands in the diagonal says nothing. */
static bool read_weight(struct reader *reader, bool diagonal, int64_t *weight)
{
    return diagonal ? read_whole(reader, "a weight", INT32_MIN, INT32_MAX, weight)
                    : read_whole(reader, "a weight", 0, COINTSP_DISTANCE_MAX, weight);
}

static bool read_full_matrix(struct reader *reader, struct cointsp_tsplib *instance)
{
    size_t n = instance->n;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int64_t weight;

            if (!read_weight(reader, i == j, &weight))
                return false;
            if (j < i && instance->distance[j * n + i] != weight)
                return refuse(reader, "the matrix is not symmetric: from city %zu to %zu it is %d, and %d back", j + 1,
                              i + 1, instance->distance[j * n + i], (int)weight);
            instance->distance[i * n + j] = i == j ? 0 : (int32_t)weight;
        }
    return true;
}

/* A triangle, row by row or column by column: a symmetric matrix's upper columns are its lower rows. */
static bool read_triangle(struct reader *reader, const char *format, struct cointsp_tsplib *instance)
{
    bool upper = format[0] == 'U', column = strstr(format, "COL"), diagonal = strstr(format, "DIAG");
    size_t n = instance->n;

    for (size_t i = 0; i < n; i++) {
        size_t first = upper != column ? i + !diagonal : 0, last = upper != column ? n : i + diagonal;

        for (size_t j = first; j < last; j++) {
            int64_t weight;

            if (!read_weight(reader, i == j, &weight) ||
                !store(reader, instance, i, j, i == j ? 0.0 : (double)weight))
                return false;
        }
    }
    return true;
}

static bool read_weights(struct reader *reader, struct head *head, const char *section, struct cointsp_tsplib *instance)
{
    bool explicit = strcmp(section, "EDGE_WEIGHT_SECTION") == 0;

    if (!head->dimension)
        return refuse(reader, "%s before DIMENSION", section);
    if (head->weights == WEIGHTS_NONE)
        return refuse(reader, "%s before EDGE_WEIGHT_TYPE", section);
    if (explicit != (head->weights == EXPLICIT))
        return refuse(reader, "%s does not belong to this EDGE_WEIGHT_TYPE", section);
    if (head->done)
        return refuse(reader, "%s is given twice", section);
    if (explicit && !head->format)
        return refuse(reader, "%s before EDGE_WEIGHT_FORMAT", section);
    instance->n = (uint32_t)head->dimension;
    instance->distance = calloc((size_t)instance->n * instance->n, sizeof *instance->distance);
    if (!instance->distance)
        return error_toolkit(reader->error, "out of memory");
    head->done = true;
    return !explicit                                ? read_coordinates(reader, head, instance)
           : strcmp(head->format, "FULL_MATRIX") == 0 ? read_full_matrix(reader, instance)
                                                      : read_triangle(reader, head->format, instance);
}

/* Coordinates to draw the instance with: read and left. */
static bool skip_display(struct reader *reader, const struct head *head)
{
    double ignored;

    if (!head->dimension)
        return refuse(reader, "DISPLAY_DATA_SECTION before DIMENSION");
    for (int64_t k = 0; k < 3 * head->dimension; k++)
        if (!read_double(reader, "a number to display", &ignored))
            return false;
    return true;
}

/* ------------------------------------------------------------------ instances */

static bool one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static bool read_entry(struct reader *reader, struct head *head, const char *key, struct cointsp_tsplib *instance)
{
    static const char *const ignored[] = { "NAME", "COMMENT", "NODE_COORD_TYPE", "DISPLAY_DATA_TYPE", NULL };
    char value[WORD_MAX + 1];

    if (strcmp(key, "NODE_COORD_SECTION") == 0 || strcmp(key, "EDGE_WEIGHT_SECTION") == 0 ||
        strcmp(key, "DISPLAY_DATA_SECTION") == 0) {
        skip_colon(reader);
        return key[0] == 'D' ? skip_display(reader, head) : read_weights(reader, head, key, instance);
    }
    read_value(reader, value);
    if (one_of(key, ignored))
        return true;
    if (strcmp(key, "TYPE") == 0) {
        head->type = true;
        value[strcspn(value, " \t")] = '\0'; /* some files name somebody behind it */
        return strcmp(value, "TSP") == 0 || refuse(reader, "TYPE '%s' is not supported: TSP is needed", value);
    }
    if (strcmp(key, "DIMENSION") == 0)
        return take_dimension(reader, head, value);
    if (strcmp(key, "EDGE_WEIGHT_TYPE") == 0)
        return take_weights(reader, head, value);
    if (strcmp(key, "EDGE_WEIGHT_FORMAT") == 0)
        return take_format(reader, head, value);
    return refuse(reader, "'%s' is not known here", key);
}

static struct reader reader_of(const char *path, const char *text, size_t size, struct error *error)
{
    return (struct reader){ .path = path, .at = text, .end = text + size, .line = 1, .error = error };
}

static bool read_instance(struct reader *reader, struct cointsp_tsplib *instance)
{
    struct head head = { 0 };
    char key[WORD_MAX + 1];

    while (peek(reader, key) > 0 && strcmp(key, "EOF") != 0) {
        read_key(reader, key);
        if (!read_entry(reader, &head, key, instance))
            return false;
    }
    if (!head.type)
        return refuse(reader, "there is no TYPE: this is not a TSPLIB file");
    return head.done || refuse(reader, "the file ends without NODE_COORD_SECTION or EDGE_WEIGHT_SECTION");
}

bool cointsp_tsplib_parse(const char *path, const char *text, size_t size, struct cointsp_tsplib *instance,
                          struct error *error)
{
    struct reader reader = reader_of(path, text, size, error);

    *instance = (struct cointsp_tsplib){ 0 };
    if (read_instance(&reader, instance))
        return true;
    cointsp_tsplib_release(instance);
    return false;
}

void cointsp_tsplib_release(struct cointsp_tsplib *instance)
{
    free(instance->distance);
    *instance = (struct cointsp_tsplib){ 0 };
}

/* ------------------------------------------------------------------ tours */

static bool read_tour(struct reader *reader, uint32_t n, int32_t *tour)
{
    bool seen[COINTSP_CITIES_MAX] = { false };
    int64_t city;

    for (uint32_t s = 0; s < n; s++) {
        if (!read_whole(reader, "a city of the tour", -1, n, &city))
            return false;
        if (city < 1)
            return refuse(reader, "the tour has %u cities, not %u", s, n);
        if (seen[city - 1])
            return refuse(reader, "city %d is visited twice", (int)city);
        seen[city - 1] = true;
        tour[s] = (int32_t)city - 1;
    }
    skip_space(reader);
    return reader->at == reader->end || *reader->at == 'E' ||
           (read_whole(reader, "the end of the tour", -1, -1, &city) && city == -1);
}

bool cointsp_tour_parse(const char *path, const char *text, size_t size, uint32_t n, int32_t *tour, struct error *error)
{
    static const char *const ignored[] = { "NAME", "COMMENT", NULL };
    struct reader reader = reader_of(path, text, size, error);
    char key[WORD_MAX + 1], value[WORD_MAX + 1];
    struct head head = { 0 };

    while (peek(&reader, key) > 0 && strcmp(key, "EOF") != 0) {
        read_key(&reader, key);
        if (strcmp(key, "TOUR_SECTION") == 0)
            return read_tour(&reader, n, tour);
        read_value(&reader, value);
        if (one_of(key, ignored))
            continue;
        if (strcmp(key, "TYPE") == 0) {
            if (strcmp(value, "TOUR") != 0)
                return refuse(&reader, "TYPE '%s' is not supported: TOUR is needed", value);
        } else if (strcmp(key, "DIMENSION") != 0) {
            return refuse(&reader, "'%s' is not known here", key);
        } else if (!take_dimension(&reader, &head, value)) {
            return false;
        } else if (head.dimension != n) {
            return refuse(&reader, "DIMENSION %d: %u cities are expected", (int)head.dimension, n);
        }
    }
    return refuse(&reader, "there is no TOUR_SECTION");
}
