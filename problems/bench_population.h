/*
 * bench_population.h - a bench over inputs that nobody chose: drawn from a seed out of all that a statement allows.
 *
 * Included by bench_gpu.cu of the problems. Goals are read off such a bench, with a seed that nobody tuned on. The same
 * seed gives the same inputs on every machine.
 */
#ifndef PROBLEMS_BENCH_POPULATION_H
#define PROBLEMS_BENCH_POPULATION_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bench_arguments.h"

class population {
  public:
    uint64_t seed = 0, count = 0;

    /* Whether argv[1...] is `WORD SEED [COUNT]`; then both are set. Ends the program if it is wrong. */
    bool asked(int argc, char **argv, const char *usage, const char *word = "population")
    {
        if (argc < 2 || std::strcmp(argv[1], word) != 0)
            return false;
        if (argc < 3 || argc > 4)
            bench_usage(usage);
        seed = bench_number(argv[2], "SEED", 0, UINT32_MAX);
        count = argc == 4 ? bench_number(argv[3], "COUNT", 1, 10000) : 40;
        random_.seed(seed);
        return true;
    }

    /* In [0, 1), in 2^-53 steps. */
    double uniform() { return (double)(random_() >> 11) * 0x1p-53; }

    /* Below `end`, each as likely. */
    unsigned below(unsigned end) { return (unsigned)(uniform() * end); }

    /* From `low` to `high`, at least 1; each power of two as likely. */
    uint64_t between(uint64_t low, uint64_t high)
    {
        const double x = (double)low * std::exp2(uniform() * std::log2((double)(high + 1) / (double)low));

        return x < (double)low ? low : x >= (double)high ? high : (uint64_t)x;
    }

  private:
    std::mt19937_64 random_;
};

/* How many times as fast as a peer something is, over the inputs of a population. */
class ratios {
  public:
    ratios(const char *what, const char *peer) : what_(what), peer_(peer) {}

    void add(const std::string &input, double ratio)
    {
        if (!(ratio >= worst_)) {
            worst_ = ratio;
            worst_input_ = input;
        }
        sum_ += std::log(ratio);
        slower_ += ratio < 1;
        count_++;
    }

    /* A JSON object: the geometric mean, the worst, and how many were slower than the peer. */
    void print(const char *problem, const population &p) const
    {
        if (count_ > 0)
            std::printf("{\"problem\":\"%s\",\"measure\":\"population\",\"what\":\"%s\",\"peer\":\"%s\",\"seed\":%llu,"
                        "\"inputs\":%u,\"geometric_mean\":%.4g,\"worst\":%.4g,\"worst_input\":\"%s\",\"slower\":%u}\n",
                        problem, what_, peer_, (unsigned long long)p.seed, count_, std::exp(sum_ / count_), worst_,
                        worst_input_.c_str(), slower_);
    }

  private:
    const char *what_, *peer_;
    std::string worst_input_;
    double sum_ = 0, worst_ = INFINITY;
    unsigned count_ = 0, slower_ = 0;
};

#endif
