/*
 * plans.cuh - times of the plans that the float32 expert's model chooses from, and the fit of its constants to them.
 * Part of bench_gpu.cu.
 *
 * The first line of `plans` has the multiprocessors, and the clusters that the device has at once:
 * split/together/count. Then a line a size: M N K, the microseconds of cublasSgemm, and for each plan, the one that the
 * model takes for the fastest first, kernel/bits/split/parts/together/predicted/measured. See `plan` in the expert's
 * kernels.cuh; times are microseconds, medians of 5 (3 above 1 ms), the L2 cache is overwritten before each. Each
 * product is checked.
 */
#include <fstream>
#include <map>
#include <sstream>

constexpr size_t PLANS_MEASURED = 64;       // of a size
constexpr size_t PLANS_MEASURED_LARGE = 16; // where the model expects more than 500 microseconds
constexpr double PLAN_WORST = 2.2;          // plans expected to take so many times as long as the best are left out

static expert::plan predicted(const expert::product &p, const expert::candidate &c, int split, int parts)
{
    const int together = expert::together_of(c, split, parts);
    const double launched = expert::launch_of(split) + expert::adding_of(c, split, parts);
    const double steps = expert::steps_of(p, c, split * parts);

    return {c.kernel, c.bits, split, parts, together, launched + expert::cost_of(p, c, split, parts, together, steps)};
}

/* All plans that the search looks at, the fastest first. */
static std::vector<expert::plan> plans_of(const expert::product &p)
{
    std::vector<expert::plan> found;

    auto look_at = [&](int kernel, int bits) {
        const expert::candidate c = expert::candidate_of(p, kernel, bits);

        for (int split : expert::SPLITS)
            for (int parts : expert::PARTS) {
                const int divided = split * parts;
                const size_t elements = (size_t)p.m * expert::round_up(p.n, 4) * parts;
                const int most = (parts > 1 ? 8 : 16) * expert::device.multiprocessors;

                if ((split > 1 && split > expert::device.cluster_max) || divided > c.divided_max ||
                    (divided > 1 && c.blocks * divided > most) ||
                    (parts > expert::PARTS_MAX && (split > 1 || !c.many_parts)))
                    continue;
                if (parts > 1 && ((size_t)c.blocks * split > expert::COUNTERS || elements > expert::WORKSPACE))
                    continue;
                found.push_back(predicted(p, c, split, parts));
            }
    };

    for (int kernel = expert::THIN_LAST; kernel < 0; kernel++)
        for (int bits = kernel > expert::FEW_PRODUCTS ? 1 : 0; bits <= 8; bits++)
            if (expert::is_possible(p, kernel, bits))
                look_at(kernel, bits);
    for (int kernel = 0; kernel < expert::TILES; kernel++)
        if (expert::is_possible(p, kernel, 0))
            look_at(kernel, 0);
    std::sort(found.begin(), found.end(),
              [](const expert::plan &a, const expert::plan &b) { return a.cost < b.cost; });
    return found;
}

/* Microseconds. */
static double median_of(const std::function<void()> &run)
{
    static cudaEvent_t begin, end;
    std::vector<double> times;
    float ms;

    if (!begin) {
        TRY(cudaEventCreate(&begin));
        TRY(cudaEventCreate(&end));
    }
    run();
    do {
        TRY(cudaMemsetAsync(bench.flush, (int)times.size(), FLUSH));
        TRY(cudaEventRecord(begin));
        run();
        TRY(cudaEventRecord(end));
        TRY(cudaEventSynchronize(end));
        TRY(cudaEventElapsedTime(&ms, begin, end));
        times.push_back(ms * 1e3);
    } while (times.size() < (ms > 1 ? 3 : 5));
    return quartiles(times).median;
}

static expert::product product_of(size s, const placed &at)
{
    return {bench.a, at.b, at.c, s.m, s.n, s.k, s.k, at.pitch, at.pitch, 0, nullptr, 0, nullptr};
}

static void measure_plans(population &drawn)
{
    printf("%d", expert::device.multiprocessors);
    for (int split : expert::SPLITS)
        for (int together = 1; together <= expert::TOGETHER_MAX; together++)
            printf(" %d/%d/%d", split, together, expert::device.clusters[split][together]);
    printf("\n");
    for (uint64_t i = 0; i < drawn.count; i++) {
        const size s = draw(drawn);

        make_room({s}, false);
        fill_inputs(s, false);

        const placed at = place_expert(s);
        const expert::product p = product_of(s, at);
        const std::vector<expert::plan> plans = plans_of(p);
        const size_t most = plans[0].cost > 500 ? PLANS_MEASURED_LARGE : PLANS_MEASURED;

        printf("%d %d %d %.2f", s.m, s.n, s.k, median_of([&] { blas(s); }));
        for (size_t e = 0; e < plans.size() && e < most && plans[e].cost < PLAN_WORST * plans[0].cost; e++) {
            const expert::plan &how = plans[e];

            TRY(cudaMemset(at.c, 0xff, (size_t)s.m * at.pitch * sizeof(float)));
            expert::launch_plan(p, how, expert::device.workspace[0], 0);
            fetch_expert(s, at);
            if (!(worst_of(bench.a, bench.b, bench.c, s) <= 1)) {
                fprintf(stderr, "bench_gpu: %d %d %d: plan %d/%d/%d/%d/%d is wrong\n", s.m, s.n, s.k, how.kernel,
                        how.bits, how.split, how.parts, how.together);
                bench.wrong = true;
            }
            printf(" %d/%d/%d/%d/%d/%.2f/%.2f", how.kernel, how.bits, how.split, how.parts, how.together, how.cost,
                   median_of([&] { expert::launch_plan(p, how, expert::device.workspace[0], 0); }));
        }
        printf("\n");
        fflush(stdout);
    }
}

/* ------------------------------------------------------------------ the fit */

struct measured_plan {
    expert::candidate candidate;
    double megabytes;
    int split, parts, together, constants; // an index of `fitted`
    double steps, time, expected;
};

struct measured_size {
    size s;
    expert::product p;
    double blas, best;
    std::vector<measured_plan> plans;
};

static std::vector<const expert::costs *> constants_of; // what is compiled in,
static std::vector<expert::costs> fitted;               // and what is fitted in its place
static std::vector<std::vector<size_t>> sizes_with;     // the sizes that have plans with these

/* Kernels for B shifted by 1, 2 or 3 do the same work, so they have the same constants. */
static int constants_index(const expert::costs *cost)
{
    for (size_t e = 0; e < constants_of.size(); e++)
        if (memcmp(constants_of[e], cost, sizeof *cost) == 0)
            return (int)e;
    constants_of.push_back(cost);
    fitted.push_back(*cost);
    sizes_with.emplace_back();
    return (int)constants_of.size() - 1;
}

static double expected(const measured_size &of, measured_plan &m)
{
    m.candidate.cost = &fitted[m.constants];
    m.candidate.memory = m.megabytes / m.candidate.cost->bandwidth;
    return expert::launch_of(m.split) + expert::adding_of(m.candidate, m.split, m.parts) +
           expert::cost_of(of.p, m.candidate, m.split, m.parts, m.together, m.steps);
}

/* What a size loses: the expected time of a choice that takes a plan the more often the faster it seems, over the best
 * one's; and a little for the error of the times. Sharp choices would fit the noise of single plans. */
constexpr double SHARPNESS = 24, OF_ERROR = 0.04;

static double loss(const measured_size &of)
{
    double least = HUGE_VAL, weights = 0, sum = 0, error = 0;

    for (const measured_plan &m : of.plans)
        least = std::min(least, m.expected);
    for (const measured_plan &m : of.plans) {
        const double weight = exp(-SHARPNESS * log(m.expected / least));

        weights += weight;
        sum += weight * log(m.time / of.best);
        error += weight * fabs(log(m.time / m.expected));
    }
    /* Sizes that are behind cuBLAS count more. */
    const double behind = std::max(0.0, log(of.best / of.blas) + sum / weights);

    return (sum + OF_ERROR * error) / weights + 2 * behind;
}

static void read_rows(const char *name, std::vector<measured_size> &sizes)
{
    std::ifstream file(name);
    std::string line, word;

    if (!std::getline(file, line)) {
        fprintf(stderr, "bench_gpu: %s: cannot be read\n", name);
        exit(2);
    }
    std::istringstream first(line);
    first >> expert::device.multiprocessors;
    while (first >> word) {
        int split, together, count;

        if (sscanf(word.c_str(), "%d/%d/%d", &split, &together, &count) == 3 && split <= expert::CLUSTER_MAX) {
            expert::device.clusters[split][together] = count;
            expert::device.log_2[split] = std::log2(split);
            expert::device.cluster_max = std::max(expert::device.cluster_max, count > 0 ? split : 0);
        }
    }
    while (std::getline(file, line)) {
        std::istringstream words(line);
        measured_size of = {};
        size &s = of.s;

        words >> s.m >> s.n >> s.k >> of.blas;
        of.p = product_of(s, {nullptr, nullptr, expert::pitch_of(s.n, s.k)});
        of.best = HUGE_VAL;
        while (words >> word) {
            int kernel, bits, split, parts, together;
            double then, time;

            if (sscanf(word.c_str(), "%d/%d/%d/%d/%d/%lf/%lf", &kernel, &bits, &split, &parts, &together, &then,
                       &time) != 7 || kernel >= expert::TILES)
                continue;

            measured_plan m = {expert::candidate_of(of.p, kernel, bits), 0, split, parts, together, 0, 0, time, 0};

            m.megabytes = m.candidate.memory * m.candidate.cost->bandwidth;
            m.steps = expert::steps_of(of.p, m.candidate, split * parts);
            m.constants = constants_index(m.candidate.cost);
            of.best = std::min(of.best, time);
            of.plans.push_back(m);
        }
        if (!of.plans.empty())
            sizes.push_back(of);
    }
}

/* How the choice of each size does, with the constants that are fitted. If `list`, the sizes behind cuBLAS too. */
static void print_summary(const char *what, const std::vector<measured_size> &sizes, bool list = false)
{
    double lost = 0, mean = 0, worst = HUGE_VAL;
    int behind = 0, slower = 0, best_behind = 0;

    for (const measured_size &of : sizes) {
        const measured_plan &taken = *std::min_element(
            of.plans.begin(), of.plans.end(),
            [](const measured_plan &a, const measured_plan &b) { return a.expected < b.expected; });
        const double ratio = of.blas / taken.time;

        lost += log(taken.time / of.best);
        mean += log(ratio);
        worst = std::min(worst, ratio);
        behind += ratio < 0.9;
        slower += ratio < 1;
        best_behind += of.blas / of.best < 0.9;
        if (list && ratio < 0.9)
            fprintf(stderr, "%d %d %d: cublasSgemm %.2f us, %d/%d/%d/%d/%d %.2f (%.2f expected), the best %.2f\n",
                    of.s.m, of.s.n, of.s.k, of.blas, taken.candidate.kernel, taken.candidate.bits, taken.split,
                    taken.parts, taken.together, taken.time, taken.expected, of.best);
    }

    const double n = (double)sizes.size();

    fprintf(stderr,
            "%s: %.0f sizes, %.4f of the best plan's time, %.4f times as fast as cublasSgemm, worst %.3f, below 0.9 %d "
            "(by the best plans %d), below 1 %d\n",
            what, n, exp(lost / n), exp(mean / n), worst, behind, best_behind, slower);
}

static void expect_all(std::vector<measured_size> &sizes)
{
    for (measured_size &of : sizes)
        for (measured_plan &m : of.plans)
            m.expected = expected(of, m);
}

/* The loss of the sizes that the constants number `which` concern. */
static double loss_with(std::vector<measured_size> &sizes, int which)
{
    double total = 0;

    for (size_t e : sizes_with[which]) {
        for (measured_plan &m : sizes[e].plans)
            if (m.constants == which)
                m.expected = expected(sizes[e], m);
        total += loss(sizes[e]);
    }
    return total;
}

/* Fits to the rows of all files but the last, which is held back; prints what each set of constants becomes. Each is
 * changed alone, in turn, as long as that helps; none grows to more than four times what it was. */
static int fit_plans(int files, char **names)
{
    static const double steps[] = {0.6, 0.8, 0.9, 0.95, 0.98, 1.02, 1.05, 1.1, 1.25, 1.6};
    std::vector<measured_size> sizes, held;

    for (int e = 0; e < files; e++)
        read_rows(names[e], e + 1 < files || files == 1 ? sizes : held);
    for (size_t e = 0; e < sizes.size(); e++) {
        std::vector<bool> has(constants_of.size());

        for (const measured_plan &m : sizes[e].plans)
            if (!has[m.constants]) {
                has[m.constants] = true;
                sizes_with[m.constants].push_back(e);
            }
    }
    for (int sweep = 0; sweep < 12; sweep++) {
        int better = 0;

        expect_all(sizes);
        expect_all(held);
        print_summary("fitted to", sizes);
        print_summary("held back", held);
        for (int which = 0; which < (int)fitted.size(); which++)
            for (size_t constant = 0; constant < sizeof(expert::costs) / sizeof(float); constant++) {
                float *const x = (float *)&fitted[which] + constant;
                const float before = *x;
                float best = before;
                double least = loss_with(sizes, which) * (1 - 1e-9);

                for (double step : steps) {
                    const double start = ((const float *)constants_of[which])[constant];

                    *x = (float)std::min(std::max(0.01, before * step), std::max(4 * start, 1.5));

                    const double now = loss_with(sizes, which);

                    if (now < least) {
                        least = now;
                        best = *x;
                    }
                }
                *x = best;
                loss_with(sizes, which);
                better += best != before;
            }
        if (better == 0)
            break;
    }
    expect_all(sizes);
    expect_all(held);
    print_summary("fitted to", sizes, true);
    print_summary("held back", held, true);
    for (size_t e = 0; e < fitted.size(); e++) {
        const expert::costs &was = *constants_of[e], &is = fitted[e];

        printf("{%.3g, %.3g, %.3g, %.3g, %.3g, %.4g} -> {%.3g, %.3g, %.3g, %.3g, %.3g, %.4g}\n", was.issue, was.latency,
               was.fixed, was.joined, was.part, was.bandwidth, is.issue, is.latency, is.fixed, is.joined, is.part,
               is.bandwidth);
    }
    return 0;
}
