/*
 * test_cointsp_tsplib.c - TSPLIB files, right and broken: test_cointsp_tsplib [FOLDER]
 *
 * FOLDER has the library's own files, NAME.tsp and NAME.opt.tour; the tours' lengths are compared with the known
 * optima.
 */
#include "problems/cointsp/tsplib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/cointsp/coin.h"
#include "problems/cointsp/include/device_user.h"
#include "unit.h"
#include "verify/base/blob.h"
#include "verify/base/random.h"

static struct error error;

static bool parse(const char *text, struct cointsp_tsplib *instance)
{
    return cointsp_tsplib_parse("x.tsp", text, strlen(text), instance, &error);
}

/* ------------------------------------------------------------------ the library's own files */

static void test_optimum(const char *folder, const char *name, uint32_t n, int64_t optimum)
{
    struct blob file = { 0 }, tour_file = { 0 };
    struct cointsp_tsplib instance = { 0 };
    static int32_t tour[COINTSP_CITIES_MAX];
    char path[1024];

    snprintf(path, sizeof path, "%s/%s.tsp", folder, name);
    CHECK(blob_read_file(&file, path, 1 << 24, &error) &&
              cointsp_tsplib_parse(path, (const char *)file.data, file.size, &instance, &error),
          "%s", error.text);
    CHECK(instance.n == n, "%s has %u cities", name, instance.n);
    snprintf(path, sizeof path, "%s/%s.opt.tour", folder, name);
    CHECK(blob_read_file(&tour_file, path, 1 << 24, &error) &&
              cointsp_tour_parse(path, (const char *)tour_file.data, tour_file.size, n, tour, &error),
          "%s", error.text);
    if (instance.n == n)
        CHECK(cointsp_length(n, instance.distance, tour) == optimum, "%s: %jd, not %jd", name,
              (intmax_t)cointsp_length(n, instance.distance, tour), (intmax_t)optimum);
    blob_release(&file);
    blob_release(&tour_file);
    cointsp_tsplib_release(&instance);
}

/* ------------------------------------------------------------------ distances */

/* Three cities; the distances 1-2, 1-3 and 2-3. */
static void test_distances(const char *type, const char *cities, int32_t d12, int32_t d13, int32_t d23)
{
    struct cointsp_tsplib instance;
    char text[512];

    snprintf(text, sizeof text, "TYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : %s\nNODE_COORD_SECTION\n%s\nEOF\n", type,
             cities);
    CHECK(parse(text, &instance), "%s", error.text);
    if (!instance.distance)
        return;
    CHECK(instance.distance[1] == d12 && instance.distance[2] == d13 && instance.distance[5] == d23,
          "%s: %d %d %d, not %d %d %d", type, instance.distance[1], instance.distance[2], instance.distance[5], d12,
          d13, d23);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK(instance.distance[3 * i + j] == instance.distance[3 * j + i] &&
                      (i != j || instance.distance[4 * i] == 0),
                  "%s: %d-%d", type, i, j);
    cointsp_tsplib_release(&instance);
}

static void test_all_distances(void)
{
    /* 3-4-5; sqrt(2) = 1.41; sqrt(3^2 + 3^2) = 4.24 */
    test_distances("EUC_2D", "1 0 0\n2 3 4\n3 1 1", 5, 1, 4); /* 2-3: sqrt(13) = 3.61 */
    test_distances("EUC_2D", "3 1 1\n1 0 0\n2 3.0e+00 40.0E-1", 5, 1, 4);
    test_distances("EUC_2D", "1 0 0\n2 2.5 0\n3 -2.4999 0", 3, 2, 5); /* a half is rounded up */
    test_distances("CEIL_2D", "1 0 0\n2 3 4\n3 1 1", 5, 2, 4);
    /* sqrt(1000/10) = 10 exactly; sqrt(1001/10) = 10.005 -> 11, as ATT rounds up; 10-30: 30 and 10 apart */
    test_distances("ATT", "1 0 0\n2 30 10\n3 0 1", 10, 1, 10); /* 2-3: sqrt(981/10) = 9.905 -> 10 */
    test_distances("ATT", "1 0 0\n2 0 32\n3 0 33", 11, 11, 1);  /* 10.12 and 10.44 -> 11; 0.32 -> 1 */
    /* Along the equator and a meridian: 6378.388 * pi / 180 = 111.32 km a degree, plus 1, cut off. */
    test_distances("GEO", "1 0.0 0.0\n2 0.0 1.0\n3 1.0 0.0", 112, 112, 158);
    test_distances("GEO", "1 0.30 0.0\n2 -0.30 0.0\n3 0.0 90.0", 112, 10020, 10020); /* .30 is half a degree */
    test_distances("GEO", "1 45.0 7.0\n2 45.0 7.0\n3 -45.0 -173.0", 1, 20039, 20039);
}

/* ------------------------------------------------------------------ matrices */

/* One matrix in all forms: weight of i and j is 10 min + max, from 1. */
static void test_matrix(const char *format, const char *numbers)
{
    struct cointsp_tsplib instance;
    char text[512];

    snprintf(text, sizeof text,
             "NAME: x\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: %s \n"
             "DISPLAY_DATA_TYPE: TWOD_DISPLAY\nEDGE_WEIGHT_SECTION\n%s\n"
             "DISPLAY_DATA_SECTION\n1 1 1\n2 2.5 2\n3 3 3\n4 4 4\nEOF\n",
             format, numbers);
    CHECK(parse(text, &instance), "%s: %s", format, error.text);
    for (int i = 0; i < 4 && instance.distance; i++)
        for (int j = 0; j < 4; j++) {
            int weight = i == j ? 0 : i < j ? 10 * (i + 1) + j + 1 : 10 * (j + 1) + i + 1;

            CHECK(instance.distance[4 * i + j] == weight, "%s: %d-%d is %d", format, i, j,
                  instance.distance[4 * i + j]);
        }
    cointsp_tsplib_release(&instance);
}

static void test_all_matrices(void)
{
    test_matrix("FULL_MATRIX", "0 12 13 14\n12 0 23 24\n13 23 0 34\n14 24 34 0");
    test_matrix("FULL_MATRIX", "9999 12 13 14 12 9999 23 24 13 23 -1 34 14 24 34 99999999");
    test_matrix("UPPER_ROW", "12 13 14\n23 24\n34");
    test_matrix("LOWER_ROW", "12\n13 23\n14 24 34");
    test_matrix("UPPER_DIAG_ROW", "0 12 13 14 0 23 24 0 34 0");
    test_matrix("LOWER_DIAG_ROW", "0 12 0 13 23 0 14 24 34 0");
    test_matrix("UPPER_COL", "12 13 23 14 24 34");
    test_matrix("LOWER_COL", "12 13 14 23 24 34");
    test_matrix("UPPER_DIAG_COL", "0 12 0 13 23 0 14 24 34 0");
    test_matrix("LOWER_DIAG_COL", "7 12 13 14 7 23 24 7 34 7");
}

/* ------------------------------------------------------------------ broken files */

#define HEAD "NAME: x\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: "

static void test_broken(const char *text, const char *message)
{
    struct cointsp_tsplib instance;

    error.text[0] = '\0';
    CHECK(!parse(text, &instance), "accepted: %s", message);
    CHECK(strcmp(error.text, message) == 0, "\"%s\", not \"%s\"", error.text, message);
    CHECK(error.code == EXIT_USAGE && instance.distance == NULL, "%s", message);
}

static void test_all_broken(void)
{
    test_broken("", "x.tsp:1: there is no TYPE: this is not a TSPLIB file");
    test_broken("hello\n", "x.tsp:1: 'hello' is not known here");
    test_broken(":\n", "x.tsp:1: '' is not known here");
    test_broken("\x01\x02 x\n", "x.tsp:1: '\?\?' is not known here");
    test_broken("NAME: x\nTYPE: ATSP\n", "x.tsp:2: TYPE 'ATSP' is not supported: TSP is needed");
    test_broken("TYPE: TSP\nDIMENSION: 2\n", "x.tsp:2: DIMENSION 2: 3 to 1024 cities are allowed");
    test_broken("TYPE: TSP\nDIMENSION: 99999999999999999999\n",
                "x.tsp:2: DIMENSION '99999999999999999999' is not a whole number");
    test_broken("TYPE: TSP\nDIMENSION: 3\nDIMENSION: 4\n", "x.tsp:3: DIMENSION is given twice");
    test_broken(HEAD "EUC_3D\n",
                "x.tsp:4: EDGE_WEIGHT_TYPE 'EUC_3D' is not supported: EUC_2D, CEIL_2D, ATT, GEO or EXPLICIT is needed");
    test_broken(HEAD "EXPLICIT\nEDGE_WEIGHT_FORMAT: ROUND\n", "x.tsp:5: EDGE_WEIGHT_FORMAT 'ROUND' is unknown");
    test_broken(HEAD "EXPLICIT\nEDGE_WEIGHT_SECTION\n1 2 3\n",
                "x.tsp:5: EDGE_WEIGHT_SECTION before EDGE_WEIGHT_FORMAT");
    test_broken(HEAD "EXPLICIT\nNODE_COORD_SECTION\n",
                "x.tsp:5: NODE_COORD_SECTION does not belong to this EDGE_WEIGHT_TYPE");
    test_broken(HEAD "EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2\n",
                "x.tsp:8: the file ends where a weight is expected");
    test_broken(HEAD "EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2\n-3\n",
                "x.tsp:8: a weight is '-3': 0 to 2097151 is allowed");
    test_broken(HEAD "EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2.5\n3\n",
                "x.tsp:7: '2.5' is not a weight, a whole number");
    test_broken(HEAD "EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 4 0\n",
                "x.tsp:9: the matrix is not symmetric: from city 2 to 3 it is 3, and 4 back");
    test_broken(HEAD "EUC_2D\n", "x.tsp:5: the file ends without NODE_COORD_SECTION or EDGE_WEIGHT_SECTION");
    test_broken("TYPE: TSP\nNODE_COORD_SECTION\n", "x.tsp:2: NODE_COORD_SECTION before DIMENSION");
    test_broken("TYPE: TSP\nDIMENSION: 3\nNODE_COORD_SECTION\n", "x.tsp:3: NODE_COORD_SECTION before EDGE_WEIGHT_TYPE");
    test_broken(HEAD "EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 0 1\nEOF\n", "x.tsp:8: 'EOF' is not a city, a whole number");
    test_broken(HEAD "EUC_2D\nNODE_COORD_SECTION\n1 0 0\n1 0 1\n3 1 1\n", "x.tsp:7: city 1 is there twice");
    test_broken(HEAD "EUC_2D\nNODE_COORD_SECTION\n1 0 0\n4 0 1\n", "x.tsp:7: a city is '4': 1 to 3 is allowed");
    test_broken(HEAD "EUC_2D\nNODE_COORD_SECTION\n1 0 nan\n", "x.tsp:6: 'nan' is not a coordinate");
    test_broken(HEAD "EUC_2D\nNODE_COORD_SECTION\n1 0 0x10\n", "x.tsp:6: '0x10' is not a coordinate");
    test_broken(HEAD "EUC_2D\nNODE_COORD_SECTION\n1 0 1e999\n", "x.tsp:6: a coordinate is too large: '1e999'");
    test_broken(HEAD "EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 9e8 0\n3 0 0\n",
                "x.tsp:8: the distance of cities 2 and 1 is 900000000: at most 2097151 is allowed");
    test_broken(HEAD "EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 9 0\n3 0 0\n4 1 1\n", "x.tsp:9: '4' is not known here");
    test_broken(HEAD "EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 9 0\n3 0 0\nNODE_COORD_SECTION\n",
                "x.tsp:9: NODE_COORD_SECTION is given twice");
    test_broken("TYPE: TSP\nDISPLAY_DATA_SECTION\n", "x.tsp:2: DISPLAY_DATA_SECTION before DIMENSION");
}

static void test_tour(const char *text, const char *message)
{
    int32_t tour[3];
    bool ok = cointsp_tour_parse("x.tour", text, strlen(text), 3, tour, &error);

    CHECK(ok == (message == NULL), "%s: %s", text, error.text);
    if (!ok && message)
        CHECK(strcmp(error.text, message) == 0, "\"%s\", not \"%s\"", error.text, message);
    if (ok)
        CHECK(tour[0] == 2 && tour[1] == 0 && tour[2] == 1, "%d %d %d", tour[0], tour[1], tour[2]);
}

static void test_all_tours(void)
{
    test_tour("NAME : x\nTYPE : TOUR\nDIMENSION : 3\nTOUR_SECTION\n3\n1\n2\n-1\nEOF\n", NULL);
    test_tour("TYPE: TOUR\nTOUR_SECTION\n3 1 2", NULL);
    test_tour("TYPE: TOUR\nTOUR_SECTION\n3 1 2\nEOF\n", NULL);
    test_tour("TYPE: TOUR\nTOUR_SECTION\n3 1\n-1\n", "x.tour:4: the tour has 2 cities, not 3");
    test_tour("TYPE: TOUR\nTOUR_SECTION\n3 1 3\n-1\n", "x.tour:3: city 3 is visited twice");
    test_tour("TYPE: TOUR\nTOUR_SECTION\n3 1 4\n-1\n", "x.tour:3: a city of the tour is '4': -1 to 3 is allowed");
    test_tour("TYPE: TOUR\nTOUR_SECTION\n3 1 2 2\n", "x.tour:3: the end of the tour is '2': -1 to -1 is allowed");
    test_tour("TYPE: TOUR\nDIMENSION: 4\n", "x.tour:2: DIMENSION 4: 3 cities are expected");
    test_tour("TYPE: TSP\n", "x.tour:1: TYPE 'TSP' is not supported: TOUR is needed");
    test_tour("TYPE: TOUR\n", "x.tour:2: there is no TOUR_SECTION");
}

/* ------------------------------------------------------------------ damage */

/* Changes, drops, doubles or cuts off bytes of text[*size], which has room for twice as many. */
static void damage(struct random_stream *random, char *text, size_t *size)
{
    static const char odd[] = "0123456789-+.eE: \n\t\0\xff" "AD_";
    uint32_t count = 1 + random_below(random, 4);

    for (uint32_t k = 0; k < count && *size > 1; k++) {
        size_t at = random_below(random, (uint32_t)*size), length = 1 + random_below(random, 8);

        if (length > *size - at)
            length = *size - at;
        switch (random_below(random, 5)) {
        case 0: text[at] = odd[random_below(random, sizeof odd - 1)]; break;
        case 1: text[at] ^= (char)(1u << random_below(random, 8)); break;
        case 2: memmove(text + at, text + at + length, *size - at - length), *size -= length; break;
        case 3: memmove(text + at + length, text + at, *size - at), *size += length; break;
        default: *size = random_below(random, 4) ? *size : at; break;
        }
    }
}

/* Each text in a block of its own size, so that a sanitizer detects reads beyond it. */
static void test_damage(const char *original, bool tour, uint32_t times)
{
    struct random_stream random = random_stream(&(struct random_key){ .seed = 165 }, tour);
    size_t refused = 0, length = strlen(original);
    static int32_t cities[COINTSP_CITIES_MAX];

    for (uint32_t k = 0; k < times; k++) {
        struct cointsp_tsplib instance = { 0 };
        char *text = malloc(2 * length + 64), *exact;
        size_t size = length;
        bool ok;

        memcpy(text, original, length);
        damage(&random, text, &size);
        exact = malloc(size ? size : 1);
        memcpy(exact, text, size);
        error.text[0] = '\0';
        ok = tour ? cointsp_tour_parse("x", exact, size, 3, cities, &error)
                  : cointsp_tsplib_parse("x", exact, size, &instance, &error);
        if (!ok) {
            refused++;
            CHECK(strncmp(error.text, "x:", 2) == 0 && error.text[2] >= '1' && error.text[2] <= '9' &&
                      !strchr(error.text, '\n'),
                  "\"%s\"", error.text);
        } else if (!tour) {
            for (size_t cell = 0; cell < (size_t)instance.n * instance.n; cell++)
                if (instance.distance[cell] < 0 || instance.distance[cell] > COINTSP_DISTANCE_MAX ||
                    instance.distance[cell] != instance.distance[cell % instance.n * instance.n + cell / instance.n])
                    CHECK(false, "a distance is %d", instance.distance[cell]);
        }
        cointsp_tsplib_release(&instance);
        free(text);
        free(exact);
    }
    CHECK(refused > times / 10 && refused < times, "%zu of %u were refused", refused, times);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        uint32_t n;
        int64_t optimum;
    } library[] = {
        { "berlin52", 52, 7542 },  { "gr24", 24, 1272 },       { "gr48", 48, 5046 },   { "kroA100", 100, 21282 },
        { "pcb442", 442, 50778 }, { "pr1002", 1002, 259045 }, { "pr76", 76, 108159 }, { "st70", 70, 675 },
    };

    for (size_t i = 0; argc > 1 && i < sizeof library / sizeof *library; i++)
        test_optimum(argv[1], library[i].name, library[i].n, library[i].optimum);
    test_all_distances();
    test_all_matrices();
    test_all_broken();
    test_all_tours();
    test_damage(HEAD "GEO\nNODE_COORD_SECTION\n1 10.30 20.5\n2 -3.5e1 0\n3 5 6\nEOF\n", false, 20000);
    test_damage(HEAD "EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_DIAG_COL\nEDGE_WEIGHT_SECTION\n0 12 0\n13 23 0\nEOF\n", false,
                20000);
    test_damage(HEAD "EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 5 6\n5 0 7\n6 7 0\nEOF\n",
                false, 20000);
    test_damage("TYPE : TOUR\nDIMENSION : 3\nTOUR_SECTION\n3\n1\n2\n-1\nEOF\n", true, 20000);
    return unit_end();
}
