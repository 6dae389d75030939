/*
 * test_grade_intake.c - notes that are reported once: the work grows with their number, not with its square.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "contrib/grade/admission.h"
#include "contrib/grade/notes.h"
#include "unit.h"

/* Rows that are looked at for `count` odd names of `places` folders, each named by `looks` scans. */
static uint64_t probes(unsigned count, unsigned places, unsigned looks)
{
    struct notes notes = { 0 };
    unsigned printed = 0, last = 0;
    uint64_t all;

    for (unsigned look = 0; look < looks; look++)
        for (unsigned i = 0; i < count; i++) {
            char place[32], line[64];
            enum notes_answer answer;

            snprintf(place, sizeof place, "submissions/t%u", i % places);
            snprintf(line, sizeof line, "%s/%u.odd: left out", place, i);
            answer = notes_add(&notes, place, line);
            printed += answer == NOTES_NEW || answer == NOTES_LAST;
            last += answer == NOTES_LAST;
        }
    CHECK(printed == (count / places < NOTES_OF_A_PLACE ? count : places * NOTES_OF_A_PLACE), "%u lines", printed);
    CHECK(last == (count / places < NOTES_OF_A_PLACE ? 0 : places), "%u last lines", last);
    CHECK(notes.count == printed + places, "%zu rows", notes.count);
    all = notes.probes;
    notes_release(&notes);
    return all;
}

static void test_linear(void)
{
    const uint64_t once = probes(10000, 1000, 2), twice = probes(20000, 2000, 2), four = probes(40000, 4000, 2);

    CHECK(once < 20 * 10000, "%" PRIu64 " probes for 10,000", once);
    CHECK(twice < 5 * once / 2 && four < 5 * twice / 2, "%" PRIu64 ", %" PRIu64 ", %" PRIu64, once, twice, four);
    probes(30000, 1, 2);
    probes(1000, 1000, 3);
}

static void test_time(void)
{
    CHECK(admission_time(100, 0, 1000) == 100, "before any look: the files' time");
    CHECK(admission_time(100, 900, 1000) == 900, "set back: not before the look that did not see it");
    CHECK(admission_time(950, 900, 1000) == 950, "between the looks");
    CHECK(admission_time(5000, 900, 1000) == 1000, "in the future: now");
}

int main(void)
{
    test_linear();
    test_time();
    return unit_end();
}
