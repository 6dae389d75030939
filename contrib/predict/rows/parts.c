/* parts.c - the parts of parts.h. Each constant names the group and the line of the microbenchmarks. */
#include "parts.h"

#include <math.h>

#define SCHEDULERS 4.0
#define LINE_CLOCKS 1.0         /* sectors_l1, load_4: a request takes a clock for each pass: load_passes */
#define LINE_SECTORS 4.0
#define SECTORS_L1_CLOCK 4.0    /* sectors_l1, load_16 */
#define BYTES_L2_SM_CLOCK 40.0  /* sectors_l2, load_16: from L2 to one multiprocessor */
#define READS_L2_CLOCK 2990.0   /* reads_again, load_4_readers_1, 20 MiB: bytes a clock of the whole GPU; */
#define READS_L2_WIDE 0.69      /* load_16_readers_1: of that, for requests of 16 sectors; */
#define READS_L2_AGAIN 0.077    /* readers_2 to readers_132: more each time that twice as many blocks read it, */
#define READS_L2_MOST 1.64      /* readers_528: and at most */
#define WRITES_L2_CLOCK 2100.0  /* bandwidth_4, write, 16 to 48 MiB */
#define MEASURED_L2_BYTES 62914560.0 /* gpu, l2 */
#define ALONE_STORE 0.9         /* how much more a sector costs that is alone in its line: columns, write: 0.75; by */
                                /* public programs 1 */
#define SCATTERED_CLOCK 18.7    /* atomic, scattered_256M, read and written: sectors a clock from memory, one by one */
#define CONSTANT_CLOCKS 2.0     /* constant_throughput: for each word */
#define UNIFORM_CLOCKS 0.6      /* constant_loop: for each 8 bytes, if the cache for operands has them */
#define CONSTANT_MISS 0.35      /* constant_loop: for each 8 bytes, by each warp of a multiprocessor but 28 */
#define CONSTANT_QUIET 28.0     /* constant_loop: so many warps do not disturb each other */
#define CONSTANT_KEPT 6.0       /* constant_loop: lines of 64 bytes that the cache for operands keeps */
#define SHARED_ROUND_CLOCKS 1.0 /* shared_atomic, add_u32: for each lane at one word */
#define ALL_MEET 31.0           /* rounds of a request: of nearly all requests all lanes meet */
#define SHARED_LOOP_CLOCKS 3.4    /* shared_atomic, add_f32: for each lane at one word */
#define LOOP_MEET_CLOCKS 43.5     /* shared_atomic, add_f32, 1024: for each lane */
#define LOOP_ALONE_CLOCKS 95.0    /* shared_atomic_latency, add_f32, 32: for each lane */
#define ATOMIC_SECTORS_CLOCK 60.0 /* atomic, neighbours, scattered_1M: of the whole GPU */
#define ATOMIC_MEETS_CLOCK 37.0 /* atomic, one_a_warp: lanes that meet others of their warp */
#define HOT_CLOCKS 1.45         /* atomic_few, one word: for each round */
#define TURN_CLOCKS 1.3         /* atomic_table, 64 to 1024 words: 1.16 side by side, 1.5 anywhere */
#define HEAP_US 7.0             /* heap_live, take_1x1 and give_1x1: of a call while few pieces live */
#define HEAP_POWER 0.57         /* heap, 1x1 to 132x256 */
#define HEAP_LIVE_US 0.022      /* heap_live, take_1x1, 1024: more for each piece that lives */
#define BUS_US 2.0              /* mapped, read, 64 KiB: more than of memory of the GPU */
#define BUS_BYTES_US 50.7e3     /* mapped, read, 64 MiB */
#define MANAGED_US 130.0        /* pages, host_wrote and nobody, a word, under ncu */
#define MANAGED_AREA_US 35.0    /* pages, stride_2048K: for each further area */
#define MANAGED_BYTES_US 9.15e3 /* managed, first, 64 MiB */
#define PRINT_US 22.3           /* print_text, 1x1: a warp waits for each of its calls, whatever it prints */
#define PRINT_LANE_US 0.1       /* print_text, 1x32, 4: for each further lane */
#define PRINT_FIRST_US 10.0     /* more for the first launch of a kernel that prints: by public programs */
#define PRINT_CALL_US 2.05      /* print_text, 1x1024 to 512x32, lanes_1: each call of other warps */
#define PRINT_TEXT_US 0.24      /* print_text, lanes_32: each further lane of theirs */
#define CHILD_FIRST_US 14.0     /* nested, thread_1x1, 1 */
#define CHILD_BLOCK_US 6.5      /* nested, thread_1x1, 256: those of a block follow each other */
#define CHILD_US 0.6            /* nested, blocks_1024x1: of all blocks */
#define CHILD_NESTED_US 9.5     /* nested, chain and tree: by kernels that a kernel launched */
#define L1_CLOCKS 41.5          /* memory_latency, load_ca, 128 KiB */
#define L2_CLOCKS 290.0         /* memory_latency, load_cg, 2 MiB */
#define DRAM_CLOCKS 690.0       /* memory_latency, load_ca, 1 GiB */
#define PASS_CLOCKS 2.0         /* shared_latency: for each further pass, or line, of a request */
#define SHARED_CLOCKS 29.5      /* shared_latency */
#define CONSTANT_LATENCY 38.6   /* constant_latency */
#define ATOMIC_CLOCKS 530.0     /* atomic_latency */
#define ONE_WORD 0.1            /* a share of an atomic's words: with more at one of them it is a lock or a sum */
#define BARRIER_CLOCKS 13.3     /* barrier: of one warp, */
#define BARRIER_WARP_CLOCKS 2.0 /* and for each */
#define FENCE_CLOCKS 600.0
#define BLOCK_CLOCKS 1.23       /* block_start: of the whole GPU */
#define BIG_BLOCK_CLOCKS 1.72   /* block_start, threads_1024 */
#define FETCH_CLOCKS 30.0       /* for a line of 128 bytes of code that no warp executed yet */
#define CODE_LINE 8.0           /* instructions */
#define STEP_CLOCKS 0.9         /* more of each instruction of a warp alone, of rows by the PTX: by public programs */
#define FIRST_CLOCKS 620.0      /* more of a program's first launch than of its next ones: by public programs */
#define FIRST_LOAD_CLOCKS 690.0 /* and of one that loads, which misses the address translation: likewise */
#define DRAM_EFFICIENCY 0.88    /* bandwidth, read, 768 MiB, over the data sheet's */
#define HALF_LINES 0.8          /* how much more a byte of a half line costs: by public programs */
#define POPULAR 0.25            /* how far sectors asked for again are found in L2 more often than others: likewise */
#define COLD_SHARE 0.7          /* of what a copy left in memory: the rest is in L2 still. By public programs */

static const struct {
    const char *name;
    bool path;
} list[PARTS] = {
#define X(identifier, name, path) {name, path},
    PARTS_LIST(X)
#undef X
};

const char *part_name(enum part part)
{
    return list[part].name;
}

bool part_is_path(enum part part)
{
    return list[part].path;
}

bool parts_known(const struct sample *sample)
{
    return !isnan(sample->value[COLUMN_ISSUE]) && !isnan(sample->value[COLUMN_CODE]);
}

/* Whether rounds of a loop depend on data, or on what atomics brought. */
static bool irregular(const double *v)
{
    return v[COLUMN_REGULAR] < 0.5;
}

const char *parts_refused(const struct sample *sample)
{
    if (!parts_known(sample))
        return "its row lacks the work of the launch: count it with this simulator";
    if (sample->value[COLUMN_CLOCKED] > 0)
        return "a loop of it runs until a clock says so, which counts do not show";
    /* Its rounds are invented: on the GPU they may be thousands of times as many. */
    return sample->value[COLUMN_STALE] > 0 && irregular(sample->value)
               ? "rounds of its loops depend on data that a sample of an earlier launch left" : NULL;
}

bool parts_doubtful(const struct sample *sample)
{
    const double *v = sample->value;
    bool loops = irregular(v);
    bool steered = loops || v[COLUMN_DATA_BRANCHES] > 0 || v[COLUMN_DATA_ADDRESSES] > 0;

    /* Rows from before these columns came have NaN in them, of which nothing is true. */
    return (v[COLUMN_STALE] > 0 && steered) || (v[COLUMN_EXECUTED] < 1 && loops);
}

/* How a launch lies on the GPU. */
struct place {
    double share;      /* of the launch's work that the busiest multiprocessor has */
    double partitions; /* how much longer the fullest of its four schedulers takes than their mean */
    double waves;      /* of blocks one after another, at least 1 */
    double warps;      /* that a multiprocessor has at once */
};

static struct place place_of(const struct sample *s, const struct gpu *gpu)
{
    struct occupancy o = terms_occupancy(s, gpu);
    double blocks = s->value[COLUMN_N_B], per_sm = blocks / gpu->sms, most = ceil(per_sm);
    double resident = fmin(most, o.blocks_per_sm), warps = resident * fmax(1, s->value[COLUMN_W]);
    struct place p = {.warps = warps};

    /* While there are more blocks than fit, whoever is done first takes the next: what is uneven is the last wave. */
    if (per_sm > o.blocks_per_sm)
        most = per_sm + fmin(most - per_sm, 0.5);
    p.share = most / blocks;
    p.partitions = ceil(warps / SCHEDULERS) * SCHEDULERS / warps;
    p.waves = fmax(1, per_sm / o.blocks_per_sm);
    /* A wave of which a part is left takes as long as a whole one if its blocks take alike. */
    p.waves += (ceil(p.waves) - p.waves) * (p.waves > 1 ? 1 / p.waves : 0);
    return p;
}

/* A column that files from before it came lack: then `other`. */
static double known(double value, double other)
{
    return isnan(value) ? other : value;
}

static double per(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static double l2_reads(const double *v)
{
    return fmax(v[COLUMN_LOAD_SECTORS] - v[COLUMN_LOAD_HITS], 0);
}

/* Clocks of L1 for all loads; a row without them is of a simulator that took a clock for each line. */
static double load_passes(const double *v)
{
    return fmax(known(v[COLUMN_LOAD_PASSES], v[COLUMN_LOAD_LINES]), v[COLUMN_LOAD_REQUESTS]);
}

/* Bytes of the footprint that are read. */
static double bytes_read(const double *v)
{
    return fmin(32 * l2_reads(v), v[COLUMN_FOOTPRINT]);
}

/* Bytes to read that no launch before left in L2. What is only written need not be fetched. */
static double cold(const double *v)
{
    return COLD_SHARE * fmin(known(v[COLUMN_COLD], 0), bytes_read(v));
}

/* The share of the footprint that L2 cannot hold. */
static double beyond(const double *v, const struct gpu *gpu)
{
    double ratio = v[COLUMN_FOOTPRINT] / gpu->l2_bytes;

    return 1 / (1 + pow(fmax(ratio, 1e-9) / 0.7, -4));
}

/*
 * Bytes a clock that L2 serves. Requests of 512 bytes (16 a lane) get less than those of 128. What several
 * multiprocessors read gets more: some requests for a line meet on their way. Of a larger set they come too far apart.
 */
static double l2_rate(const double *v, const struct gpu *gpu)
{
    double again = (1 - beyond(v, gpu)) * log2(fmax(per(32 * l2_reads(v), v[COLUMN_FOOTPRINT]), 1));
    double sectors = per(v[COLUMN_LOAD_SECTORS], v[COLUMN_LOAD_REQUESTS]);
    double whole = fmin(fmax(per(v[COLUMN_LOAD_SECTORS], v[COLUMN_LOAD_LINES]) - 1, 0) / 3, 1);
    double wide = whole * fmin(fmax(log2(fmax(sectors, 1) / LINE_SECTORS), 0) / 2, 1);

    return READS_L2_CLOCK * (1 - (1 - READS_L2_WIDE) * wide) * fmin(1 + READS_L2_AGAIN * again, READS_L2_MOST);
}

/* The share of what is read that memory must serve. */
static double missing(const double *v, const struct gpu *gpu)
{
    return fmax(beyond(v, gpu), cold(v) / fmax(bytes_read(v), 1));
}

/* How far the requests are of lanes that lie in many lines, a sector or two in each. */
static double apart(double requests, double sectors, double lines)
{
    double alone = 2 * per(lines, sectors) - 1, spread = (per(lines, requests) - 1) / 7;

    return fmin(fmax(alone, 0), 1) * fmin(fmax(spread, 0), 1);
}

/*
 * Sectors that memory reads and writes one by one. What a block asks L2 for again is there still. A store to a part of
 * a sector has it read, and written later, as an atomic has.
 */
static double scattered(const double *v)
{
    double words = (per(v[COLUMN_ATOMIC_SECTORS], v[COLUMN_ATOMIC_WORDS]) - 0.25) / 0.75;

    return fmin(l2_reads(v), known(v[COLUMN_LOAD_FRESH], INFINITY)) *
               apart(v[COLUMN_LOAD_REQUESTS], v[COLUMN_LOAD_SECTORS], v[COLUMN_LOAD_LINES]) +
           2 * known(v[COLUMN_STORE_FRESH], 0) *
               apart(v[COLUMN_STORE_REQUESTS], v[COLUMN_STORE_SECTORS], v[COLUMN_STORE_LINES]) +
           2 * v[COLUMN_ATOMIC_SECTORS] * fmin(fmax(words, 0), 1);
}

/* 0: requests take whole lines; 1: they span lines, and take half of each or less. */
static double half_lines(double requests, double sectors, double lines)
{
    return per(lines, requests) > 1.5 ? fmin(fmax(4 * per(lines, sectors) - 1, 0), 1) : 0;
}

/*
 * What memory reads of scattered sectors if L2 holds few. Where each sector is asked for many times, some are asked for
 * far more often than others: L2 keeps these, as the upper levels of a tree.
 */
static double scattered_apart(const double *v)
{
    double all = scattered(v);

    return all * pow(fmin(v[COLUMN_FOOTPRINT] / 32 / fmax(all, 1), 1), POPULAR);
}

static double memory_clocks(const double *v, const struct gpu *gpu)
{
    double bytes_clock = gpu->dram_gbs * DRAM_EFFICIENCY * 1e3 / gpu->max_mhz;
    double read = bytes_read(v), far = beyond(v, gpu);
    /* What a block stores again is written to memory once. */
    double stored = known(v[COLUMN_STORE_FRESH], v[COLUMN_STORE_SECTORS]);
    double written = fmin(32 * (stored + v[COLUMN_ATOMIC_SECTORS]), v[COLUMN_FOOTPRINT]);
    /* What is read and written at one place moves twice. Of rows that do not count it: half of what could be. */
    double twice = known(32 * v[COLUMN_IN_PLACE], fmax(read + written - v[COLUMN_FOOTPRINT], 0) / 2);
    double bytes = v[COLUMN_FOOTPRINT] + fmin(twice, fmin(read, written));
    /* The other half of a line comes at another time, when memory has opened another row. */
    double halves = half_lines(v[COLUMN_LOAD_REQUESTS], v[COLUMN_LOAD_SECTORS], v[COLUMN_LOAD_LINES]) * read +
                    half_lines(v[COLUMN_STORE_REQUESTS], v[COLUMN_STORE_SECTORS], v[COLUMN_STORE_LINES]) * written;
    double slower = 1 + HALF_LINES * per(halves, read + written);

    return fmax(fmax(far * bytes, cold(v)) * slower / bytes_clock,
                fmax(far, cold(v) / fmax(bytes * slower, 1)) * scattered_apart(v) / SCATTERED_CLOCK);
}

/*
 * Rounds of atomics on shared memory that are one instruction. Lanes of a warp that all meet at one word are added up
 * in the warp, by ptxas, if they are integers.
 */
static double shared_rounds(const double *v)
{
    double rounds = fmax(v[COLUMN_SHARED_ROUNDS] - known(v[COLUMN_SHARED_LOOPS], 0), 0);

    return per(rounds, v[COLUMN_SHARED_ATOMICS]) > ALL_MEET ? v[COLUMN_SHARED_ATOMICS] : rounds;
}

/*
 * Clocks that a block waits for atomics on shared memory that are loops. If all lanes of a warp meet at a word, the
 * other warps do too: each lane's turn is one after all others'. Else each warp waits for its own.
 */
static double loop_clocks(const double *v)
{
    double loops = per(known(v[COLUMN_SHARED_LOOPS], 0), v[COLUMN_N_B]);
    double meet = fmin(fmax(per(v[COLUMN_SHARED_ROUNDS], v[COLUMN_SHARED_ATOMICS]) - 1, 0) / (ALL_MEET - 1), 1);

    return loops * (meet * LOOP_MEET_CLOCKS + (1 - meet) * LOOP_ALONE_CLOCKS / fmax(v[COLUMN_W], 1));
}

/*
 * Compare and swap in a loop, at one word. One lane succeeds at a time, with what it read after the one before had
 * succeeded: that is the latency of an atomic. In the simulator the warps of a block take turns, and those of other
 * blocks do not come between: of the requests of n warps that end one after another, 2 in n + 1 succeed.
 */
static double swap_clocks(const double *v)
{
    double swaps = known(v[COLUMN_SWAPS], 0);

    /* Of swaps at words all over a table, the hottest word's are not known well, and others hide them. */
    return irregular(v) && swaps > ONE_WORD * v[COLUMN_ATOMIC_WORDS]
               ? ATOMIC_CLOCKS * swaps * 2 / (fmax(v[COLUMN_W], 1) + 1) : 0;
}

/*
 * Atomics that meet. Lanes of a request that meet at a word take rounds; integers that all meet at one are added up
 * before. A slice of L2 takes the rounds of its sectors one after another, and 512 bytes lie in one slice. Floats wait
 * at a sector for the sum before: the simulator counts their rounds 2.4 times.
 */
static double hot_clocks(const double *v)
{
    double lanes = per(v[COLUMN_ATOMIC_WORDS], v[COLUMN_ATOMIC_LANES]) * v[COLUMN_ATOMIC_HOT];

    if (isnan(v[COLUMN_ATOMIC_TURNS]) || isnan(v[COLUMN_ATOMIC_ROUNDS]))
        return HOT_CLOCKS * known(v[COLUMN_ATOMIC_MEET], lanes);
    return fmax(HOT_CLOCKS * v[COLUMN_ATOMIC_ROUNDS], TURN_CLOCKS * v[COLUMN_ATOMIC_TURNS]);
}

/*
 * Calls of malloc() and free(): threads wait for each other, but not as long as one call takes. Each searches among the
 * pieces that live.
 */
static double heap_us(const double *v)
{
    double calls = known(v[COLUMN_HEAP], 0), threads = fmin(calls, v[COLUMN_N_B] * v[COLUMN_N_T]);

    return calls > 0 ? calls / threads * (HEAP_US * pow(threads, HEAP_POWER) +
                                          HEAP_LIVE_US * known(v[COLUMN_HEAP_LIVE], 0)) : 0;
}

/*
 * Microseconds of memory that is not the GPU's. The bus moves both ways at once. Which sectors of the host are read and
 * which are written is not counted: they are taken to be as of all memory.
 */
static double bus_us(const double *v)
{
    double host = known(v[COLUMN_HOST_BYTES], 0), first = known(v[COLUMN_MANAGED_FIRST], 0);
    double read = per(v[COLUMN_BYTES_READ], v[COLUMN_BYTES_READ] + v[COLUMN_BYTES_WRITTEN]);
    double areas = known(v[COLUMN_MANAGED_AREAS], first > 0);

    return (host > 0 ? BUS_US + host * fmax(read, 1 - read) / BUS_BYTES_US : 0) +
           (areas > 0 ? MANAGED_US + MANAGED_AREA_US * (areas - 1) + first / MANAGED_BYTES_US : 0);
}

/*
 * Lines of local memory that are written. L1 writes them through to L2. Of rows from before they were counted: the
 * share of stores in what is neither a load nor a store of global memory.
 */
static double local_stores(const double *v)
{
    double warps = v[COLUMN_N_B] * v[COLUMN_N_T] / 32;
    double loads = fmax(v[COLUMN_L_MR] * warps - v[COLUMN_LOAD_REQUESTS], 0);
    double stores = fmax(v[COLUMN_L_MW] * warps - v[COLUMN_STORE_REQUESTS] - v[COLUMN_ATOMIC_REQUESTS], 0);

    return known(v[COLUMN_LOCAL_STORES], v[COLUMN_LOCAL_LINES] * per(stores, stores + loads));
}

/*
 * How much more the block with most work has than the mean. Blocks that fetch their work by atomics share it: in the
 * simulator the first may take most of all blocks' work.
 */
static double block_most(const double *v)
{
    bool fetched = irregular(v) && v[COLUMN_WAIT_ATOMIC] > 0 && v[COLUMN_BLOCK_MOST] > v[COLUMN_N_B] / 2;

    return fetched ? 1 : fmax(v[COLUMN_BLOCK_MOST], 1);
}

/*
 * A warp waits for each of its calls. The calls of other warps and the text of their lanes follow each other. The warp
 * with most instructions is taken to have as large a share of the calls.
 */
static double print_us(const double *v)
{
    double calls = known(v[COLUMN_PRINTS], 0), warps = fmax(v[COLUMN_N_B] * fmax(1, v[COLUMN_W]), 1);
    double own = fmin(fmax(v[COLUMN_LONGEST], 1) * block_most(v) / warps, 1);
    double text = known(v[COLUMN_PRINT_LANES], calls * fmin(v[COLUMN_N_T], 32)) - calls;
    double first = calls > 0 ? PRINT_FIRST_US * known(v[COLUMN_FRESH], 1) : 0;

    return first + own * (PRINT_US * calls + PRINT_LANE_US * text) +
           (1 - own) * (PRINT_CALL_US * calls + PRINT_TEXT_US * text);
}

/* Launches of a block follow each other. Kernels that a kernel launched launch theirs one after another. */
static double children_us(const double *v)
{
    double all = known(v[COLUMN_CHILDREN], 0), nested = fmin(known(v[COLUMN_CHILD_NESTED], 0), all), top = all - nested;

    return all > 0 ? CHILD_FIRST_US + CHILD_BLOCK_US * fmax(top / v[COLUMN_N_B], 1) + CHILD_US * top +
                         CHILD_NESTED_US * nested : 0;
}

/* The GPU's slices of L2 over those of the GPU of the microbenchmarks: each has as many bytes, and serves as many. */
static double slices(const struct gpu *gpu)
{
    return gpu->l2_bytes / MEASURED_L2_BYTES;
}

/*
 * Constant memory. An address of the code is an operand, and free. Others are loads. Addresses that all lanes have go
 * to a small cache. Warps that are at different places of a long table take it from each other.
 */
static double constant_clocks(const double *v, const struct place *p)
{
    double uniform = known(v[COLUMN_CONSTANT_UNIFORM], 0);
    double loads = v[COLUMN_CONSTANT_WORDS] - known(v[COLUMN_CONSTANT_FIXED], 0) - uniform;
    double miss = CONSTANT_MISS * fmax(p->warps - CONSTANT_QUIET, 0);
    double gone = fmax(1 - CONSTANT_KEPT / fmax(known(v[COLUMN_CONSTANT_LINES], 0), 1), 0);

    return CONSTANT_CLOCKS * fmax(loads, 0) + (UNIFORM_CLOCKS + miss * gone) * uniform;
}

static void throughputs(const double *v, const struct gpu *gpu, const struct place *p, double *clocks)
{
    double sectors = v[COLUMN_LOAD_SECTORS] + v[COLUMN_STORE_SECTORS];
    double lines = load_passes(v) + v[COLUMN_STORE_LINES] + v[COLUMN_ATOMIC_SECTORS] + v[COLUMN_LOCAL_LINES];
    double alone = fmax(2 * per(v[COLUMN_STORE_LINES], v[COLUMN_STORE_SECTORS]) - 1, 0);
    double writes = v[COLUMN_STORE_SECTORS] * (1 + ALONE_STORE * alone) + v[COLUMN_ATOMIC_SECTORS] +
                    LINE_SECTORS * local_stores(v);
    double meets = v[COLUMN_ATOMIC_WORDS] > 1.05 * v[COLUMN_ATOMIC_REQUESTS]
                       ? v[COLUMN_ATOMIC_LANES] - v[COLUMN_ATOMIC_WORDS] : 0;
    double lsu, shared;
    double requests = v[COLUMN_LOAD_REQUESTS] + v[COLUMN_STORE_REQUESTS] + v[COLUMN_ATOMIC_REQUESTS];
    double spread = p->share * p->partitions;

    clocks[PART_ISSUE] = spread * v[COLUMN_ISSUE] / SCHEDULERS;
    clocks[PART_ALU] = spread * v[COLUMN_BUSY_ALU];
    clocks[PART_FMA] = spread * v[COLUMN_BUSY_FMA];
    clocks[PART_FP64] = spread * v[COLUMN_BUSY_FP64];
    clocks[PART_XU] = spread * v[COLUMN_BUSY_XU];
    clocks[PART_TENSOR] = spread * v[COLUMN_BUSY_TENSOR];
    lsu = v[COLUMN_BUSY_LSU] + LINE_CLOCKS * fmax(lines - requests, 0) + constant_clocks(v, p);
    shared = v[COLUMN_SHARED_PASSES] - known(v[COLUMN_SHARED_MERGED], 0) + SHARED_ROUND_CLOCKS * shared_rounds(v) +
             SHARED_LOOP_CLOCKS * known(v[COLUMN_SHARED_LOOPS], 0);
    /* One pipe does both: it is named for what takes more of it. */
    clocks[lsu > shared ? PART_LSU : PART_SHARED] = p->share * (lsu + shared);
    clocks[PART_L1] = p->share * (sectors / SECTORS_L1_CLOCK + v[COLUMN_LOCAL_LINES]);
    clocks[PART_L2] = fmax(p->share * fmax(l2_reads(v) * 32 / BYTES_L2_SM_CLOCK, known(v[COLUMN_STORE_PASSES], 0)),
                           fmax(l2_reads(v) * 32 / l2_rate(v, gpu), writes * 32 / WRITES_L2_CLOCK) / slices(gpu));
    clocks[PART_DRAM] = memory_clocks(v, gpu);
    clocks[PART_ATOMICS] = v[COLUMN_ATOMIC_SECTORS] / ATOMIC_SECTORS_CLOCK + fmax(meets, 0) / ATOMIC_MEETS_CLOCK;
    clocks[PART_HOT] = fmax(hot_clocks(v), swap_clocks(v));
    clocks[PART_BLOCKS] = v[COLUMN_N_B] * (v[COLUMN_N_T] > 512 ? BIG_BLOCK_CLOCKS : BLOCK_CLOCKS);
}

/*
 * Waits for loads of the warps that have most of them, over those of the mean warp: one of each wave, in the last wave
 * the one with most of all. `other` where the row does not say, where the loads of a loop do not wait for each other
 * because its rounds are known, and where a warp may load until another block has done something (in rows that do not
 * say so, where there are atomics).
 */
static double longest_loads(const double *v, const struct place *p, double other)
{
    bool follows = isnan(v[COLUMN_FOLLOWS]) ? v[COLUMN_WAIT_ATOMIC] > 0 : v[COLUMN_FOLLOWS] > 0;

    return !irregular(v) || follows || isnan(v[COLUMN_LOADS_MOST]) || v[COLUMN_LOADS_MOST] <= 0
               ? other : (p->waves - 1) * v[COLUMN_LOADS_LONGEST] + v[COLUMN_LOADS_MOST];
}

static void path(const double *v, const struct gpu *gpu, const struct place *p, double *clocks)
{
    /* A wait is for the slowest of the loads that it covers. */
    double together = fmax(per(v[COLUMN_L_MR], v[COLUMN_WAIT_LOAD]), 1), far = missing(v, gpu);
    double found = pow(fmin(per(v[COLUMN_LOAD_FOUND], v[COLUMN_LOAD_REQUESTS]), 1), fmin(together, 32));
    double lines = per(load_passes(v), v[COLUMN_LOAD_REQUESTS]);
    double distant = L2_CLOCKS + far * (DRAM_CLOCKS - L2_CLOCKS), passes = fmax(lines - 1, 0) * PASS_CLOCKS;
    double load = found * L1_CLOCKS + (1 - found) * distant + passes;
    /* With one wave the block with most work is the last; with many it is one of many. */
    double longest = p->waves * fmax(v[COLUMN_LONGEST], 1) * (1 + (block_most(v) - 1) / p->waves);
    double loads = longest_loads(v, p, longest);
    double barrier = BARRIER_CLOCKS + BARRIER_WARP_CLOCKS * v[COLUMN_W];
    double warps = v[COLUMN_N_B] * fmax(1, v[COLUMN_W]);
    double step = known(v[COLUMN_MACHINE], 0) > 0 ? 0 : STEP_CLOCKS;

    clocks[PART_CHAIN] = longest * (v[COLUMN_CHAIN] + step * per(v[COLUMN_WARP_INSTRUCTIONS], warps));
    if (isnan(v[COLUMN_WAIT_HIT]))
        clocks[PART_WAIT_LOAD] = loads * v[COLUMN_WAIT_LOAD] * load;
    else
        clocks[PART_WAIT_LOAD] = loads * (v[COLUMN_WAIT_LOAD] * (distant + passes) + v[COLUMN_WAIT_HIT] * L1_CLOCKS);
    clocks[PART_WAIT_SHARED] = longest * (v[COLUMN_WAIT_SHARED] * SHARED_CLOCKS +
                                          v[COLUMN_WAIT_CONSTANT] * CONSTANT_LATENCY) +
                              p->waves * loop_clocks(v);
    clocks[PART_WAIT_ATOMIC] = longest * v[COLUMN_WAIT_ATOMIC] * ATOMIC_CLOCKS;
    clocks[PART_WAIT_BARRIER] = longest * v[COLUMN_WAIT_BARRIER] * barrier;
    clocks[PART_WAIT_FENCE] = longest * v[COLUMN_WAIT_FENCE] * FENCE_CLOCKS;
    clocks[PART_HEAP] = gpu->max_mhz * heap_us(v);
    clocks[PART_BUS] = gpu->max_mhz * bus_us(v);
    clocks[PART_PRINT] = gpu->max_mhz * print_us(v);
    clocks[PART_CHILDREN] = gpu->max_mhz * children_us(v);
    clocks[PART_FETCH] = known(v[COLUMN_FRESH], 0) * v[COLUMN_CODE] / CODE_LINE * FETCH_CLOCKS;
    clocks[PART_FIRST] = known(v[COLUMN_FIRST], 0) * (FIRST_CLOCKS + (v[COLUMN_L_MR] > 0 ? FIRST_LOAD_CLOCKS : 0));
}

void parts_compute(const struct sample *sample, const struct gpu *gpu, double us[PARTS_ALL])
{
    struct place p = place_of(sample, gpu);

    us[PARTS_LAUNCH] = gpu->launch_us;
    for (int i = 0; i < PARTS; i++)
        us[i] = 0;
    if (!parts_known(sample))
        return;
    throughputs(sample->value, gpu, &p, us);
    path(sample->value, gpu, &p, us);
    for (int i = 0; i < PARTS; i++)
        us[i] /= gpu->max_mhz;
}
