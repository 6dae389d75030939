/*
 * main_interpolation.cu - finds the tables by which a GPU computes approximate functions, and prints them as
 * contrib/cudasim/table/interpolation.h. It asks the GPU for all results, and ends with 1 if some segment of a function
 * is no quadratic. table_float.c says how the hardware interpolates. On the simulator it must print the same tables.
 *
 *   make build/interpolation && build/interpolation
 *
 * Exit codes: 0 printed, 1 no quadratic or no common rounding, 3 CUDA failed.
 */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

constexpr unsigned POSITIONS = 1 << 23; // of a fraction
constexpr double ONE = 0x1p40;          // the unit of sums is 2^-40
constexpr int C0_BITS = 14;             // c0 is in units of 2^-26
constexpr unsigned BATCH = 1 << 17;     // positions of a launch

static float *on_device; // BATCH results

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t came = (call);                                                                               \
        if (came != cudaSuccess) {                                                                                     \
            fprintf(stderr, "interpolation: %s: %s\n", #call, cudaGetErrorString(came));                               \
            exit(3);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum function { EXP2, LOG2, SINE, RECIPROCAL, ROOT, ROOT_ODD, RSQRT, RSQRT_ODD, TANH };

/* tanh has positions of 20 bits in each binade from 2^-8 to 2^2: below it is its argument, above 1. */
constexpr int TANH_LEAST = -8, TANH_BINADES = 11;
/* The first row of each binade, and the bits of the fraction that choose among its rows; the last is behind them. */
constexpr int tanh_first[TANH_BINADES + 1] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43, 51};
constexpr int tanh_bits[TANH_BINADES] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};

/* The argument for a position. Sines have two positions for one argument, and arguments for a quarter of them. */
__host__ __device__ static float argument(function f, unsigned position)
{
    const float fraction = (float)position * 0x1p-23f;

    switch (f) {
    case EXP2: return fraction;
    case LOG2: return 8 + 8 * fraction; // far from 1, so that results have one exponent
    case SINE: return fraction * 1.57079633f;
    case ROOT_ODD:
    case RSQRT_ODD: return 2 + 2 * fraction;
    case TANH: return ldexpf(1 + (float)(position & 0xFFFFF) * 0x1p-20f, (int)(position >> 20) + TANH_LEAST);
    default: return 1 + fraction;
    }
}

__global__ void ask(function f, unsigned first, float *results)
{
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = argument(f, first + n);
    float y;

    switch (f) {
    case EXP2: asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case LOG2: asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case SINE: asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case TANH: asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case RECIPROCAL: asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case ROOT:
    case ROOT_ODD: asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    default: asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    }
    results[n] = y;
}

/* A result: at least `low` and below `high`, at x of 17 bits, with x^2 as the hardware truncates it. */
struct sample {
    double low, high, x, s;
};

static double square_of(unsigned x)
{
    uint64_t sum = 0;

    for (int i = 0; i < 17; i++)
        for (int j = i; j < 17; j++) {
            const int column = i == j ? 2 * i : i + j + 1;

            if (column >= 19 && (x >> i & 1) && (x >> j & 1))
                sum += 1ull << column;
        }
    return (double)(sum >> 19);
}

static sample sample_of(double value, unsigned x, int ulp_of)
{
    return {value, value + ldexp(ONE, ulp_of - 24), (double)x, square_of(x)};
}

static int exponent_of(double value)
{
    int exponent;

    frexp(value, &exponent);
    return exponent;
}

/* The row and the sample of a position. False: the position has none. */
static bool place(function f, unsigned position, float result, int row_bits, unsigned *row, sample *found)
{
    unsigned x;

    if (f == SINE) {
        /* The hardware's angle, a / 2 pi, is cut off to 24 bits; its fraction has 25. */
        double angle = (double)argument(f, position) * (double)0.15915494f;
        uint64_t bits;

        memcpy(&bits, &angle, sizeof bits);
        bits &= ~0x1FFFFFFFull;
        memcpy(&angle, &bits, sizeof angle);
        position = (unsigned)(angle * 0x1p25);
    }
    if (f == TANH) {
        const unsigned binade = position >> 20, fraction = (position & 0xFFFFF) << 3;
        const int bits = tanh_bits[binade], up = std::max(0, -(int)binade - TANH_LEAST - 1);

        /* Below 1/2 the unit goes with the argument. */
        *row = (unsigned)tanh_first[binade] + (fraction >> (23 - bits));
        x = fraction >> (6 - bits) & 0x1FFFF;
        *found = sample_of(ldexp(result, up) * ONE, x, exponent_of(ldexp(result, up)));
        return true;
    }
    /* Results that are exact for another reason: log2(1) and 1 / sqrt(1). */
    if (position >= POSITIONS || (position == 0 && (f == LOG2 || f == RSQRT)))
        return false;
    *row = position >> (23 - row_bits);
    x = (position << row_bits & (POSITIONS - 1)) >> 6;
    *found = sample_of((double)result * ONE - (f == LOG2 ? 3 * ONE : 0), x, exponent_of(result));
    return true;
}

/* The least-squares parabola through the middles of the intervals, by its normal equations. */
static void fit(const std::vector<sample> &samples, double c[3])
{
    double a[3][4] = {};

    for (const sample &s : samples) {
        const double row[4] = {1, s.x * 0x1p-17, s.s * 0x1p-15, (s.low + s.high) / 2 - samples[0].low};

        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++)
                a[i][j] += row[i] * row[j];
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (k != i) {
                const double factor = a[k][i] / a[i][i];

                for (int j = i; j < 4; j++)
                    a[k][j] -= factor * a[i][j];
            }
    c[0] = a[0][3] / a[0][0];
    c[1] = a[1][3] / a[1][1] * 0x1p-17;
    c[2] = a[2][3] / a[2][2] * 0x1p-15;
}

struct row {
    double least, most; // bounds of c0 and its rounding: at least, below
    long c1, c2;
};

/* Whole numbers near the parabola that give every result. False if there are none. */
static bool solve(const std::vector<sample> &samples, long unit1, long unit2, row &found)
{
    double c[3];

    fit(samples, c);
    for (int n = 0; n < 25; n++) {
        row r = {-HUGE_VAL, HUGE_VAL, (lround(c[1] / unit1) + (n / 5 + 2) % 5 - 2) * unit1,
                 (lround(c[2] / unit2) + (n + 2) % 5 - 2) * unit2};

        for (const sample &s : samples) {
            const double rest = (double)r.c1 * s.x + (double)r.c2 * s.s;

            r.least = fmax(r.least, s.low - rest);
            r.most = fmin(r.most, s.high - rest);
        }
        if (r.least < r.most) {
            found = r;
            return true;
        }
    }
    return false;
}

/* Asks for all results of a function, and appends its rows. */
static void find_rows(function f, int row_bits, long unit1, long unit2, std::vector<row> &rows)
{
    static float results[BATCH];
    std::vector<std::vector<sample>> samples(f == TANH ? tanh_first[TANH_BINADES] : 1 << row_bits);
    const unsigned positions = f == TANH ? TANH_BINADES << 20 : POSITIONS;

    for (unsigned first = 0; first < positions; first += BATCH) {
        ask<<<BATCH / 256, 256>>>(f, first, on_device);
        TRY(cudaMemcpy(results, on_device, sizeof results, cudaMemcpyDeviceToHost));
        for (unsigned n = 0; n < BATCH; n++) {
            unsigned at;
            sample found;

            if (place(f, first + n, results[n], row_bits, &at, &found))
                samples[at].push_back(found);
        }
    }
    for (size_t n = 0; n < samples.size(); n++) {
        row r;

        if (!solve(samples[n], unit1, unit2, r)) {
            fprintf(stderr, "interpolation: function %d: segment %zu is no quadratic\n", f, n);
            exit(1);
        }
        rows.push_back(r);
    }
    /* Look-ups are of 64 or 128 rows. */
    if (f == TANH)
        rows.resize(64, {0, 1, 0, 0});
}

/* A multiple of 2^14 and `rounding` between a row's bounds, or NAN. */
static double c0_of(const row &r, int rounding)
{
    const double c0 = floor((ceil(r.most) - 1 - rounding) / (1 << C0_BITS));
    const double sum = c0 * (1 << C0_BITS) + rounding;

    return sum >= r.least && sum < r.most ? c0 : NAN;
}

/* The middle one of the roundings that fit all rows. */
static int rounding_of(const std::vector<row> &rows)
{
    std::vector<int> fitting;

    for (int rounding = -(1 << (C0_BITS - 1)); rounding < 1 << (C0_BITS - 1); rounding++) {
        bool fits = true;

        for (const row &r : rows)
            fits = fits && !std::isnan(c0_of(r, rounding));
        if (fits)
            fitting.push_back(rounding);
    }
    if (fitting.empty()) {
        fprintf(stderr, "interpolation: no rounding fits all rows of a table\n");
        exit(1);
    }
    return fitting[fitting.size() / 2];
}

/* A line of text as it grows, of whole numbers; printed where it is full. */
static void print_number(std::string &line, double number)
{
    char text[32];

    snprintf(text, sizeof text, " %.0f,", number);
    if (line.size() + strlen(text) > 118) {
        puts(line.c_str());
        line = "       ";
    }
    line += text;
}

static void print_table(const char *name, const char *upper, const std::vector<row> &rows)
{
    const int rounding = rounding_of(rows);

    printf("#define %s_ROUNDING (%d)\n\nstatic const s32 %s_table[3][%zu] ALIGNED = {\n", upper, rounding, name,
           rows.size());
    for (int column = 0; column < 3; column++) {
        std::string line = "       ";

        puts("    {");
        for (const row &r : rows)
            print_number(line, column == 0 ? c0_of(r, rounding) : column == 1 ? (double)r.c1 : (double)r.c2);
        printf("%s\n    },\n", line.c_str());
    }
    puts("};");
}

int main()
{
    static const struct {
        const char *name, *upper;
        function functions[2];
        int count, row_bits;
        long unit1, unit2;
    } tables[] = {
        {"exp2", "EXP2", {EXP2}, 1, 6, 4, 4},
        {"log2", "LOG2", {LOG2}, 1, 6, 4, 8},
        {"sine", "SINE", {SINE}, 1, 6, 8, 8},
        {"reciprocal", "RECIPROCAL", {RECIPROCAL}, 1, 7, 1, 2},
        {"root", "ROOT", {ROOT, ROOT_ODD}, 2, 6, 1, 2},
        {"rsqrt", "RSQRT", {RSQRT, RSQRT_ODD}, 2, 6, 1, 4},
        {"tanh", "TANH", {TANH}, 1, 0, 2, 4},
    };

    TRY(cudaMalloc(&on_device, BATCH * sizeof *on_device));
    puts("/*\n"
         " * interpolation.h - the tables by which an H100 computes approximate functions: c0, c1, c2 of a\n"
         " * segment. See interpolate() in table_float.c. tools/main_interpolation.cu printed them.\n"
         " */\n"
         "#pragma once");
    for (const auto &t : tables) {
        std::vector<row> rows;

        for (int n = 0; n < t.count; n++)
            find_rows(t.functions[n], t.row_bits, t.unit1, t.unit2, rows);
        puts("");
        print_table(t.name, t.upper, rows);
    }
    TRY(cudaFree(on_device));
    return 0;
}
