/*
 * test_cudasim_sim.c - a virtual device without CUDA's runtime: what a seed draws. Links all but the runtime's calls.
 */
#include <string.h>

#include "contrib/cudasim/machine/draw.h"
#include "contrib/cudasim/machine/inside.h"
#include "contrib/cudasim/sim.h"
#include "unit.h"

#define SEED 7
#define STEP 0x9E3779B97F4A7C15u /* of the state, a draw */

static const char ptx[] = ".version 8.0\n"
                          ".target sm_90\n"
                          ".address_size 64\n"
                          ".visible .entry k()\n"
                          "{\n"
                          "    .reg .b32 %r<2>;\n"
                          "    mov.u32 %r1, %tid.x;\n"
                          "    bar.sync 0;\n"
                          "    ret;\n"
                          "}\n";

/* Numbers of the authors' program, for the seed 1234567. */
static void test_draw(void)
{
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                        4593380528125082431u, 16408922859458223821u};
    uint64_t state = 1234567;

    for (size_t n = 0; n < sizeof expected / sizeof *expected; n++)
        CHECK(draw(&state) == expected[n], "number %zu", n);
}

/* Whoever draws from a worker's state moves it by one STEP: block.c and launch.c once had a generator each. */
static void test_one_generator(void)
{
    struct sim_limits limits;
    struct sim_options options;
    struct sim_fault fault;
    struct ptx_error wrong;
    char error[512] = "";
    struct sim *sim;
    struct sim_module *module;
    struct sim_launch launch = {.grid = {40, 1, 1}, .block = {96, 1, 1}, .cluster = {1, 1, 1}, .parameters = ""};
    uint64_t inverse = STEP, draws;

    for (int n = 0; n < 6; n++) /* by Newton, modulo 2^64 */
        inverse *= 2 - STEP * inverse;
    CHECK(sim_limits_from_environment(&limits, error, sizeof error), "%s", error);
    CHECK(sim_options_from_environment(&options, error, sizeof error), "%s", error);
    options.seeded = true;
    options.seed = SEED;
    sim = sim_create(&limits, &options, error, sizeof error);
    CHECK(sim, "%s", error);
    if (!sim)
        return;
    module = sim_load(sim, ptx, strlen(ptx), NULL, 0, &wrong);
    CHECK(module, "line %u: %s", wrong.line, wrong.message);
    if (module) {
        launch.kernel = sim_kernel(module, "k");
        CHECK(sim_run(sim, &launch, &fault), "%s", fault.text);
        draws = (sim->workers[0].random - SEED) * inverse;
        CHECK(draws >= 40 && draws < 100000, "%llu draws", (unsigned long long)draws);
    }
    sim_destroy(sim);
}

int main(void)
{
    test_draw();
    test_one_generator();
    return unit_end();
}
