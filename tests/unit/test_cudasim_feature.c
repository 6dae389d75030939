/*
 * test_cudasim_feature.c - what is read off a kernel's PTX: distances of dependences, loops and what they depend on;
 * and which blocks make a sample. test_cudasim_feature NN.ptx
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/features/feature_pages.h"
#include "contrib/cudasim/features/feature.h"
#include "unit.h"

#define countof(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------------ modules */

static struct ptx_module *parse(const char *text, size_t size)
{
    struct ptx_error error = {0};
    struct ptx_module *module = ptx_parse(text, size, &error);

    CHECK(module, "line %u: %s", error.line, error.message);
    return module;
}

static struct ptx_module *read_module(const char *path)
{
    static char text[1 << 16];
    FILE *file = path ? fopen(path, "rb") : NULL;
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;

    if (file)
        fclose(file);
    CHECK(size > 0, "cannot read '%s'", path ? path : "");
    return size > 0 ? parse(text, size) : NULL;
}

/* A kernel `k` with these statements in its body, and a function f that it may call. */
static struct ptx_module *kernel(const char *body)
{
    static char text[1 << 14];
    int size = snprintf(text, sizeof text,
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 cell;\n.shared .u32 tile[64];\n"
        ".func (.param .b32 result) f(.param .b32 value) { .reg .b32 %%r<3>;\n"
        "ld.param.u32 %%r1, [value]; add.u32 %%r2, %%r1, 1; st.param.b32 [result], %%r2; ret; }\n"
        ".entry k(.param .u64 p, .param .u32 n) { .reg .b32 %%r<19>; .reg .b64 %%rd<9>; .reg .pred %%p<9>;\n"
        "ld.param.u64 %%rd1, [p]; ld.param.u32 %%r1, [n]; mov.u32 %%r2, %%tid.x;\n%s\nret; }\n", body);

    return parse(text, (size_t)size);
}

static struct features_code look(const char *body)
{
    struct ptx_module *module = kernel(body);
    struct features_code code = {0};

    for (size_t n = 0; module && n < module->function_count; n++)
        if (module->functions[n].entry)
            CHECK(features_code_read(module, &module->functions[n], &code), "no memory");
    ptx_free(module);
    return code;
}

/* ------------------------------------------------------------------ dependences */

static void check_listing(const char *path)
{
    /* Those of Riahi et al. for their nearest-neighbour kernel: U[i] - i, 0 if nothing reads it. */
    static const unsigned source[] = {14, 14, 10, 18, 19, 3, 2, 1, 3, 2, 1, 1, 1, 0,
                                      5, 2, 1, 10, 1, 1, 1, 4, 1, 1, 1, 1, 1, 0};
    struct ptx_module *module = read_module(path);
    unsigned distance[64] = {0};
    struct features_code code = {0};

    if (!module)
        return;
    CHECK(features_dependence(&module->functions[0], NULL) == countof(source), "%zu instructions",
          features_dependence(&module->functions[0], NULL));
    CHECK(features_dependence(&module->functions[0], distance) == countof(source), "another count");
    for (size_t n = 0; n < countof(source); n++)
        CHECK(distance[n] == source[n], "instruction %zu: %u, Riahi et al. have %u", n + 1, distance[n], source[n]);
    CHECK(features_code_read(module, &module->functions[0], &code), "no memory");
    CHECK(fabs(code.dpc - 0.5738) < 0.00005, "dpc %.6f", code.dpc);
    CHECK(code.instructions == countof(source) && code.regular && code.complexity == 0 && code.loop_count == 0,
          "%zu %d %u %zu", code.instructions, code.regular, code.complexity, code.loop_count);
    features_code_release(&code);
    ptx_free(module);
}

/* The distances of the body's own instructions, behind the three that every kernel begins with. */
static void check_distances(const char *body, const unsigned *wanted, size_t count)
{
    struct ptx_module *module = kernel(body);
    unsigned distance[64] = {0};

    for (size_t f = 0; module && f < module->function_count; f++) {
        if (!module->functions[f].entry)
            continue;
        CHECK(features_dependence(&module->functions[f], distance) == count + 3, "another count: %s", body);
        for (size_t n = 0; n < count; n++)
            CHECK(distance[n + 3] == wanted[n], "%s: instruction %zu: %u, not %u", body, n + 1, distance[n + 3],
                  wanted[n]);
    }
    ptx_free(module);
}

#define DISTANCES(body, ...)                                                                                           \
    check_distances(body, (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

static void check_dependence(void)
{
    /* Overwritten before it is read: nothing uses the first write. */
    DISTANCES("mov.u32 %r3, 1; mov.u32 %r3, 2; add.u32 %r4, %r3, 1; st.global.u32 [%rd1], %r4;", 0, 1, 1, 0);
    /* A guarded write keeps the old value if its guard is false. */
    DISTANCES("setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 1; @%p1 mov.u32 %r3, 2; st.global.u32 [%rd1], %r3;", 2, 2, 1, 0);
    /* Both sides of a branch write, and both are read behind it. */
    DISTANCES(
        "setp.eq.u32 %p1, %r2, 0; @%p1 bra A; mov.u32 %r3, 1; bra B; A: mov.u32 %r3, 2; B: st.global.u32 [%rd1], %r3;",
        1, 0, 3, 0, 1, 0);
    /* Read earlier in the listing only, by the loop's next round. */
    DISTANCES("mov.u32 %r3, 0; A: st.global.u32 [%rd1], %r3; add.u32 %r4, %r3, 1; setp.lt.u32 %p1, %r4, 9; mov.u32 "
              "%r3, %r4; @%p1 bra A;",
              1, 0, 1, 2, 0, 0);
    /* Vectors, second predicates, addresses, the condition code. */
    DISTANCES(
        "ld.global.v2.u32 {%r3, %r4}, [%rd1]; setp.lt.u32 %p1|%p2, %r4, 5; @%p2 bra A; A: st.global.u32 [%rd1], %r3;",
        1, 1, 0, 0);
    DISTANCES("add.cc.u32 %r3, %r1, %r2; mov.u32 %r5, 0; addc.u32 %r4, %r1, %r2; st.global.v2.u32 [%rd1], {%r3, %r4};",
              2, 0, 1, 0);
    DISTANCES("setp.eq.u32 _|%p2, %r2, 0; @%p2 st.global.u32 [%rd1], %r2;", 1, 0);
    /* A return ends no dependence: it is not in the listing. */
    DISTANCES("setp.eq.u32 %p1, %r2, 0; @%p1 ret; mov.u32 %r3, 1; st.global.u32 [%rd1], %r3;", 0, 1, 0);
}

/* ------------------------------------------------------------------ loops */

static void check_loops(const char *what, const char *body, size_t loops, unsigned complexity, bool regular, bool waits)
{
    struct features_code code = look(body);

    CHECK(code.loop_count == loops, "%s: %zu loops, not %zu", what, code.loop_count, loops);
    CHECK(code.complexity == complexity, "%s: complexity %u, not %u", what, code.complexity, complexity);
    CHECK(code.regular == regular, "%s: regular is %d", what, code.regular);
    CHECK(code.waits == waits, "%s: waits is %d", what, code.waits);
    features_code_release(&code);
}

/* A loop around `inside` whose counter is %r10 and which ends at `limit`. */
#define LOOP(label, counter, predicate, limit, inside)                                                                 \
    "mov.u32 " counter ", 0;\n" label ":\n" inside "add.u32 " counter ", " counter ", 1; setp.lt.u32 " predicate       \
    ", " counter ", " limit "; @" predicate " bra " label ";\n"

static void check_all_loops(void)
{
    const char *read = "ld.global.u32 %r3, [%rd1];";
    char text[2048];

    check_loops("none", "mov.u32 %r3, 1;", 0, 0, true, false);
    check_loops("a constant number of rounds", LOOP("A", "%r10", "%p1", "16", ""), 1, 0, true, false);
    check_loops("rounds by a parameter", LOOP("A", "%r10", "%p1", "%r1", ""), 1, 1, true, false);
    check_loops("two, one inside", LOOP("A", "%r10", "%p1", "%r1", LOOP("B", "%r11", "%p2", "%r2", "")), 2, 2, true,
                false);
    check_loops("two, one after the other", LOOP("A", "%r10", "%p1", "%r1", "") LOOP("B", "%r11", "%p2", "%r2", ""), 2,
                1, true, false);
    check_loops("a constant one inside", LOOP("A", "%r10", "%p1", "%r1", LOOP("B", "%r11", "%p2", "4", "")), 2, 1, true,
                false);

    snprintf(text, sizeof text, "%s %s", read, LOOP("A", "%r10", "%p1", "%r3", ""));
    check_loops("rounds by data", text, 1, 1, false, false);
    check_loops("data in the sum only",
                LOOP("A", "%r10", "%p1", "%r1", "ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r4, %r3;"), 1, 1, true,
                false);
    check_loops(
        "a way out by data",
        LOOP("A", "%r10", "%p1", "%r1", "ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra OUT;") "OUT:", 1,
        1, false, false);
    check_loops("a return by data",
                LOOP("A", "%r10", "%p1", "%r1", "ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0; @%p2 ret;"), 1, 1,
                false, false);

    /* Nothing flows, but the value tells which side was taken. */
    snprintf(text, sizeof text, "%s setp.eq.u32 %%p3, %%r3, 0; mov.u32 %%r4, 5; @%%p3 bra S; mov.u32 %%r4, 6; S:\n%s",
             read, LOOP("A", "%r10", "%p1", "%r4", ""));
    check_loops("rounds by a branch on data", text, 1, 1, false, false);
    snprintf(text, sizeof text, "%s setp.eq.u32 %%p3, %%r3, 0; mov.u32 %%r4, 5; @%%p3 mov.u32 %%r4, 6; %s", read,
             LOOP("A", "%r10", "%p1", "%r4", ""));
    check_loops("rounds by a guard on data", text, 1, 1, false, false);
    snprintf(text, sizeof text, "%s setp.eq.u32 %%p3, %%r3, 0; @%%p3 bra END; %s END:", read,
             LOOP("A", "%r10", "%p1", "%r1", ""));
    check_loops("a loop behind a branch on data", text, 1, 1, true, false);

    /* By way of shared memory, and of a function. */
    snprintf(text, sizeof text, "%s st.shared.u32 [tile], %%r3; bar.sync 0; ld.shared.u32 %%r4, [tile]; %s", read,
             LOOP("A", "%r10", "%p1", "%r4", ""));
    check_loops("rounds by data in shared memory", text, 1, 1, false, false);
    snprintf(text, sizeof text, "st.shared.u32 [tile], %%r2; bar.sync 0; ld.shared.u32 %%r4, [tile]; %s %s", read,
             LOOP("A", "%r10", "%p1", "%r4", ""));
    check_loops("rounds by what threads told each other", text, 1, 1, true, false);
    snprintf(text, sizeof text, "%s { .param .b32 a; st.param.b32 [a], %%r3; .param .b32 b; call.uni (b), f, (a);"
             " ld.param.b32 %%r4, [b]; } %s", read, LOOP("A", "%r10", "%p1", "%r4", ""));
    check_loops("rounds by a function's result", text, 1, 1, false, false);

    check_loops("waiting for another block",
                "A: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra A;", 1, 1, false, true);
    check_loops("a queue", "A: atom.global.add.u32 %r3, [%rd1], 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra A;", 1, 1, false,
                true);
    check_loops("a sum by atomics", LOOP("A", "%r10", "%p1", "%r1", "red.global.add.u32 [%rd1], 1;"), 1, 1, true,
                false);
    check_loops("without an end", "A: st.global.u32 [%rd1], %r1; bra A;", 1, 1, true, false);
    check_loops("a table of targets",
                "T: .branchtargets A, B, C; brx.idx %r2, T; A: mov.u32 %r3, 1; bra C; B: mov.u32 %r3, 2; C:", 0, 0,
                true, false);
}

/* The report names the line where the loop ends. */
static void check_line(void)
{
    struct features_code code = look("\n\nA: ld.global.u32 %r3, [%rd1];\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra A;");

    CHECK(code.loop_count == 1 && code.loops[0].line == 14 && code.loops[0].exit &&
              code.loops[0].depends & DEPENDS_DATA,
          "line %u", code.loop_count ? code.loops[0].line : 0);
    features_code_release(&code);
}

/* ------------------------------------------------------------------ samples */

static void check_samples(void)
{
    static const uint64_t counts[][2] = {{1, 1},   {2, 2},    {3, 3},       {5, 3},
                                         {100, 3}, {100, 99}, {100000, 32}, {2147483647, 64}};

    for (size_t n = 0; n < countof(counts); n++) {
        uint64_t place[128], count = counts[n][0], picked = counts[n][1];
        double weight[128], sum = 0;

        features_pick(count, picked, place, weight);
        for (uint64_t k = 0; k < picked; k++) {
            sum += weight[k];
            CHECK(weight[k] >= 1 && (k == 0 || place[k] > place[k - 1]), "place %ju of %ju", (uintmax_t)k,
                  (uintmax_t)count);
        }
        CHECK(place[0] == 0 && weight[0] == 1 && place[picked - 1] == count - 1 && weight[picked - 1] == 1, "the ends");
        CHECK(sum == (double)count, "%ju of %ju stand for %.17g", (uintmax_t)picked, (uintmax_t)count, sum);
    }
}

static void check_text(void)
{
    CHECK(strcmp(feature_text(0.1).text, "0.1") == 0, "%s", feature_text(0.1).text);
    CHECK(strcmp(feature_text(133398528).text, "133398528") == 0, "%s", feature_text(133398528).text);
    CHECK(strtod(feature_text(1.0 / 3).text, NULL) == 1.0 / 3, "%s", feature_text(1.0 / 3).text);
    CHECK(feature_text(NAN).text[0] == '\0', "%s", feature_text(NAN).text);
    CHECK(strcmp(feature_plain_name("a::b::scale<float, c::d>").text, "scale") == 0, "a template in a scope");
    CHECK(strcmp(feature_plain_name("scale").text, "scale") == 0, "a plain name");
    CHECK(strcmp(feature_plain_name("(anonymous namespace)::k").text, "k") == 0, "an anonymous scope");
}

/* Pages of managed memory come and go as a whole; the next stretch is cut to what was asked for. */
static void check_pages(void)
{
    struct pages pages = {0};
    uint64_t low = 0, end = 0;

    CHECK(!pages_here(&pages, 0) && !pages_next(&pages, &low, &end, 1 << 20), "nothing came yet");
    pages_move(&pages, 70000, 140000, 1 << 30, true);
    low = 1000;
    CHECK(pages_next(&pages, &low, &end, 1 << 20) && low == 65536 && end == 3 * 65536, "two pages: %u to %u",
          (unsigned)low, (unsigned)end);
    pages_move(&pages, 65536, 65537, 1 << 30, false);
    low = 0;
    CHECK(pages_next(&pages, &low, &end, 150000) && low == 2 * 65536 && end == 150000, "one is left: %u to %u",
          (unsigned)low, (unsigned)end);
    pages_move(&pages, 1ull << 40, (1ull << 40) + 1, 1 << 30, true);
    CHECK(!pages_here(&pages, 1ull << 40), "outside of the device's addresses");
    pages_release(&pages);
}

/* Small allocations share pages of the card, and what lies near a page that was waited for comes along. */
static void check_lots(void)
{
    enum { K = 1024, FAR = 16384 * K, AWAY = 2 * FAR };
    struct pages pages = {0};
    uint64_t low, high;

    pages_place(&pages, 0, 1000 * K);
    pages_place(&pages, FAR, FAR + 1);
    pages_place(&pages, AWAY, AWAY + 2000 * K);
    pages_move(&pages, 999 * K, 999 * K + 1, 1 << 30, true);
    CHECK(pages_here(&pages, FAR) && !pages_here(&pages, 0), "the end of one allocation, and the next one");
    CHECK(!pages_here(&pages, AWAY), "there is no room for a third in their 2 MB");
    pages_bounds(&pages, 999 * K, &low, &high);
    CHECK(low == 960 * K && high == 1000 * K, "the page is cut to the allocation: %u to %u", (unsigned)low,
          (unsigned)high);
    pages_move(&pages, FAR, FAR + 1, 1 << 30, false);
    CHECK(!pages_here(&pages, 999 * K), "the host takes the page of both");
    pages_move(&pages, 0, 1000 * K, 1 << 30, true);
    pages_move(&pages, FAR, FAR + 1, 1 << 30, false);
    pages_bring(&pages);
    CHECK(!pages_here(&pages, FAR), "nothing was waited for");
    pages_ask(&pages, 0);
    pages_bring(&pages);
    CHECK(pages_here(&pages, FAR), "15 of 16 pages are there: the last comes along");
    pages_clear(&pages, 0);
    pages_clear(&pages, FAR);
    pages_place(&pages, 0, 1000 * K);
    CHECK(!pages_here(&pages, 0), "the room of freed allocations is new");
    pages_release(&pages);
}

int main(int count, char **words)
{
    check_listing(count > 1 ? words[1] : NULL);
    check_dependence();
    check_all_loops();
    check_line();
    check_samples();
    check_text();
    check_pages();
    check_lots();
    return unit_end();
}
