/*
 * probe.c - counts what blocks of a sample ask of the L1 cache, and keeps the paths of some warps.
 *
 * The cache is set-associative with lines of four sectors and replaces the line that was not used for longest. Stores
 * and atomics write through it and take no line. The warps of a block take turns at every jump backwards (block.c), so
 * that they meet in the cache in about the order in which a GPU runs them.
 */
#include "probe.h"

#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "inside.h"
#include "launch.h"
#include "machine.h"
#include "settings.h"

#define LINE_SHIFT 7
#define SECTOR_SHIFT 5
#define L1_BYTES (256u << 10) /* of a multiprocessor, with shared memory */
#define IN_FLIGHT 8           /* instructions of a warp after which a line that it asked for is taken to be there */
#define LANE 10               /* what a lane, or a round, of an atomic counts at its sector; */
#define FLOAT_LANE 24         /* of one that adds floats; */
#define HALF_LANE 81          /* of one that adds one of 16 bits: compare and swap in a loop, without a second try */
#define TURN 10               /* what a round of an atomic at a sector counts at its granule; */
#define WIDE_TURN 16          /* of one that adds floats of 64 bits */
#define GRANULE_SHIFT 9       /* 512 bytes are served by one slice of L2: microbenchmarks, atomic_table */
#define LOOP 10               /* what a round of an atomic on shared memory counts that is a loop; */
#define WIDE_LOOP 15          /* of one of 64 bits */

/* What the driver can set aside for shared memory, KiB: CUDA C++ Programming Guide, compute capability 9.0. */
static const unsigned carve_outs[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

/*
 * What L1 has for a block because others on its multiprocessor asked for it: of a kernel that gathers all lines, else
 * those that half of the blocks looked at have asked for since the first did. The blocks looked at may have a column of
 * the grid in common, and those of a multiprocessor have not. As blocks run one after another here, or a few at a time,
 * there is room for all of L1. With several workers it depends a little on their pace.
 */
struct probe_common {
    pthread_mutex_t lock;
    bool gathers;            /* addresses depend on data */
    uint32_t lines;          /* of the L1 cache */
    uint32_t blocks, most;   /* looked at since the cache was empty; how many a multiprocessor has */
    uint64_t stamp;
    uint64_t tag[PROBE_LINES], used[PROBE_LINES];
    uint8_t sectors[PROBE_LINES];
    uint32_t first[PROBE_LINES], last[PROBE_LINES], asked[PROBE_LINES]; /* blocks that asked for the line: numbers of */
};                                                                      /* the first and the last, and how many */

static void drop_common(struct probe_common *common)
{
    pthread_mutex_destroy(&common->lock);
    free(common);
}

bool probe_create(struct sim *sim)
{
    struct probe_common *common = calloc(1, sizeof *common);

    if (!common)
        return false;
    pthread_mutex_init(&common->lock, NULL);
    for (unsigned n = 0; n < sim->worker_count; n++) {
        if (!(sim->workers[n].probe = calloc(1, sizeof *sim->workers[n].probe))) {
            if (n == 0)
                drop_common(common);
            return false;
        }
        sim->workers[n].probe->common = common;
    }
    return true;
}

void probe_destroy(struct sim *sim)
{
    for (unsigned n = 0; n < sim->worker_count; n++) {
        struct probe *p = sim->workers[n].probe;

        if (p && n == 0)
            drop_common(p->common);
        for (unsigned k = 0; p && k < PROBE_PATHS; k++) {
            free(p->paths[k].runs);
            free(p->paths[k].loads);
        }
        free(p);
        sim->workers[n].probe = NULL;
    }
}

static void empty_common(struct probe_common *c)
{
    memset(c->tag, 0, sizeof c->tag);
    memset(c->used, 0, sizeof c->used);
    c->blocks = 0;
}

static void reset(struct probe *p, bool gathers)
{
    memset(&p->counts, 0, sizeof p->counts);
    empty_common(p->common);
    p->common->gathers = gathers;
    memset(p->hot, 0, sizeof p->hot);
    memset(p->meet, 0, sizeof p->meet);
    memset(p->turn, 0, sizeof p->turn);
    memset(p->rounds, 0, sizeof p->rounds);
    memset(p->swap, 0, sizeof p->swap);
    memset(p->constants, 0, sizeof p->constants);
    for (unsigned n = 0; n < p->path_count; n++) {
        p->paths[n].count = p->paths[n].load_count = p->paths[n].run_load = 0;
        p->paths[n].full = false;
    }
    p->path_count = 0;
    p->at = NULL;
}

void probe_reset(struct sim *sim, bool gathers)
{
    for (unsigned n = 0; n < sim->worker_count; n++)
        if (sim->workers[n].probe)
            reset(sim->workers[n].probe, gathers);
}

/* The largest of the counters, which the workers' probes add up to; `offset` of the first in struct probe. */
static uint64_t most_of(const struct sim *sim, size_t offset)
{
    uint64_t most = 0;

    for (unsigned k = 0; k < PROBE_HOT; k++) {
        uint64_t at = 0;

        for (unsigned n = 0; n < sim->worker_count; n++)
            if (sim->workers[n].probe)
                at += ((const uint32_t *)(const void *)((const char *)sim->workers[n].probe + offset))[k];
        most = at > most ? at : most;
    }
    return most;
}

static uint64_t constants_of(const struct sim *sim)
{
    uint64_t lines = 0;

    for (unsigned k = 0; k < PROBE_CONSTANTS / 64; k++) {
        uint64_t at = 0;

        for (unsigned n = 0; n < sim->worker_count; n++)
            at |= sim->workers[n].probe ? sim->workers[n].probe->constants[k] : 0;
        lines += (uint64_t)__builtin_popcountll(at);
    }
    return lines;
}

struct probe_counts probe_sum(const struct sim *sim, struct probe_most *most)
{
    struct probe_counts sum = {0};
    uint64_t longest = 0, block_most = 0, loads_most = 0, *to = (uint64_t *)&sum;

    for (unsigned n = 0; n < sim->worker_count; n++) {
        const struct probe *p = sim->workers[n].probe;
        const uint64_t *from = p ? (const uint64_t *)&p->counts : NULL;

        for (size_t k = 0; p && k < sizeof sum / sizeof *to; k++)
            to[k] += from[k];
        longest = p && p->counts.longest > longest ? p->counts.longest : longest;
        block_most = p && p->counts.block_most > block_most ? p->counts.block_most : block_most;
        loads_most = p && p->counts.loads_most > loads_most ? p->counts.loads_most : loads_most;
    }
    sum.longest = longest;
    sum.loads_most = loads_most;
    sum.block_most = block_most;
    most->hot = most_of(sim, offsetof(struct probe, hot));
    most->meet = most_of(sim, offsetof(struct probe, meet));
    most->turn = most_of(sim, offsetof(struct probe, turn));
    most->rounds = most_of(sim, offsetof(struct probe, rounds));
    most->swap = most_of(sim, offsetof(struct probe, swap));
    most->constants = constants_of(sim);
    return sum;
}

/* ---- blocks ---- */

static uint64_t blocks_per_sm(const struct launch *l)
{
    return (l->blocks + sim_limits(l->sim)->multiprocessors - 1) / sim_limits(l->sim)->multiprocessors;
}

/* Lines of the cache: what shared memory leaves. *together: the blocks that run on a multiprocessor at once. */
static uint32_t lines_of(const struct launch *l, unsigned *together)
{
    enum sim_limiter limiter;
    unsigned kib, carve = 228;

    *together = sim_occupancy(l->sim, l->kernel, l->threads, l->what->dynamic_shared, &limiter);
    if (*together > blocks_per_sm(l))
        *together = (unsigned)blocks_per_sm(l);
    *together = *together ? *together : 1;
    kib = (*together * (l->shared_size + 1024) + 1023) / 1024;
    for (size_t n = sizeof carve_outs / sizeof *carve_outs; l->shared_size && n-- > 0;)
        if (carve_outs[n] >= kib)
            carve = carve_outs[n];
    if (!l->shared_size)
        carve = 0;
    return (L1_BYTES - carve * 1024) >> LINE_SHIFT;
}

static uint32_t whole_sets(uint32_t lines)
{
    return lines < PROBE_WAYS ? PROBE_WAYS : lines > PROBE_LINES ? PROBE_LINES : lines / PROBE_WAYS * PROBE_WAYS;
}

void probe_launch(struct probe *p, const struct launch *launch)
{
    unsigned together;
    uint32_t lines = lines_of(launch, &together);
    uint64_t most = blocks_per_sm(launch);

    p->lines = whole_sets(lines / together);
    pthread_mutex_lock(&p->common->lock);
    p->common->lines = whole_sets(lines);
    p->common->most = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    pthread_mutex_unlock(&p->common->lock);
    p->stride = launch->what->only ? 1 : (launch->blocks + PROBE_BLOCKS - 1) / PROBE_BLOCKS;
    p->at = NULL;
}

void probe_block(struct probe *p, struct block *b)
{
    bool only = b->launch->what->only;
    uint64_t order = only ? p->counts.blocks : b->number / p->stride;

    /* One of each `stride` blocks, but at no regular distance: addresses may come again after some blocks. */
    b->probed = only || b->number % p->stride == (order * 0x9E3779B97F4A7C15u >> 32) % p->stride;
    /* Blocks that follow each other may have the same storage. */
    p->at = p->at == b ? NULL : p->at;
    if (!b->probed)
        return;
    pthread_mutex_lock(&p->common->lock);
    if (p->common->blocks >= p->common->most)
        empty_common(p->common);
    b->probed_as = ++p->common->blocks;
    pthread_mutex_unlock(&p->common->lock);
    /* What a child launch does is a part of the launch that started it, its blocks are not blocks of that. */
    p->counts.blocks += b->launch->sim->children.depth == 0;
    memset(p->hot_now, 0, sizeof p->hot_now);
    memset(p->meet_now, 0, sizeof p->meet_now);
    memset(p->turn_now, 0, sizeof p->turn_now);
    memset(p->rounds_now, 0, sizeof p->rounds_now);
    memset(p->swap_now, 0, sizeof p->swap_now);
    /* By the block's number, so that it does not matter which worker ran it. */
    if (p->path_count < PROBE_PATHS && (only || b->launch->blocks <= PROBE_PATHS || order % 3 == 0)) {
        /* The first warp often does what the others need not: every second path is its. */
        uint32_t index = order % 2 ? (uint32_t)(order * 5 % b->warp_count) : 0;

        b->warps[index].path = &p->paths[p->path_count++];
    }
}

void probe_retire(struct probe *p, struct block *b)
{
    uint64_t longest = 0, sum = 0, hot = 0, meet = 0, turn = 0, rounds = 0, swap = 0, loads = 0;

    for (uint32_t n = 0; n < b->warp_count; n++) {
        uint64_t executed = b->warps[n].executed;

        b->warps[n].path = NULL;
        sum += executed;
        longest = executed > longest ? executed : longest;
        loads = b->warps[n].loads > loads ? b->warps[n].loads : loads;
    }
    p->counts.all_blocks++;
    p->counts.all_warps += b->warp_count;
    p->counts.instructions += sum;
    p->counts.longest_sum += longest;
    p->counts.longest = longest > p->counts.longest ? longest : p->counts.longest;
    p->counts.block_most = sum > p->counts.block_most ? sum : p->counts.block_most;
    if (!b->probed)
        return;
    for (unsigned n = 0; n < PROBE_HOT; n++) {
        hot = p->hot_now[n] > hot ? p->hot_now[n] : hot;
        meet = p->meet_now[n] > meet ? p->meet_now[n] : meet;
        turn = p->turn_now[n] > turn ? p->turn_now[n] : turn;
        rounds = p->rounds_now[n] > rounds ? p->rounds_now[n] : rounds;
        swap = p->swap_now[n] > swap ? p->swap_now[n] : swap;
    }
    p->counts.hot_block += hot;
    p->counts.meet_block += meet;
    p->counts.turn_block += turn;
    p->counts.rounds_block += rounds;
    p->counts.swap_block += swap;
    p->counts.warps += b->warp_count;
    p->counts.loads_longest += loads;
    p->counts.loads_most = loads > p->counts.loads_most ? loads : p->counts.loads_most;
}

void probe_run(struct probe_path *path, uint32_t from, uint32_t to)
{
    if (path->full || from == to)
        return;
    if (path->count == path->capacity) {
        uint32_t capacity = path->capacity ? 2 * path->capacity : 256;
        struct probe_run *runs = capacity > PROBE_RUNS ? NULL : realloc(path->runs, capacity * sizeof *runs);

        if (!runs) {
            path->full = true;
            return;
        }
        path->runs = runs;
        path->capacity = capacity;
    }
    path->runs[path->count++] = (struct probe_run){from, to, path->run_load};
    path->run_load = path->load_count;
}

static void note_load(struct probe_path *path, struct probe_load load)
{
    if (path->load_count == path->load_capacity) {
        uint32_t capacity = path->load_capacity ? 2 * path->load_capacity : 256;
        struct probe_load *loads =
            path->full || capacity > PROBE_LOADS ? NULL : realloc(path->loads, capacity * sizeof *loads);

        if (!loads) {
            path->full = true;
            return;
        }
        path->loads = loads;
        path->load_capacity = capacity;
    }
    path->loads[path->load_count++] = load;
}

/* ---- accesses ---- */

static void empty_caches(struct probe *p, const struct block *b)
{
    memset(p->tag, 0, p->lines * sizeof *p->tag);
    memset(p->used, 0, p->lines * sizeof *p->used);
    memset(p->seen, 0, sizeof p->seen);
    p->at = b;
}

static uint64_t *seen(struct probe *p, bool store, uint64_t sector)
{
    return &p->seen[store][sector * 0x9E3779B97F4A7C15u >> 49];
}

/* Whether the block asks for the sector for the first time, or for the first time in a while. */
static bool fresh(struct probe *p, bool store, uint64_t sector)
{
    uint64_t *place = seen(p, store, sector);
    bool is_new = *place != sector + 1;

    *place = sector + 1;
    return is_new;
}

/*
 * The place of a line in a cache with so many lines, or the place that it gets: that of the line of its set that was
 * not used for longest. *there: the cache has it. A hash spreads strides of powers of two.
 */
static uint32_t find_line(const uint64_t *tag, const uint64_t *used, uint32_t lines, uint64_t line, bool *there)
{
    uint32_t set = (uint32_t)((line * 0x9E3779B97F4A7C15u >> 32) % (lines / PROBE_WAYS)) * PROBE_WAYS, victim = set;

    for (uint32_t n = set; n < set + PROBE_WAYS; n++) {
        *there = tag[n] == line + 1;
        if (*there)
            return n;
        victim = used[n] < used[victim] ? n : victim;
    }
    return victim;
}

/*
 * Whether L1 has the sector; it has it afterwards if `fills`. *old: whether the line was asked for a while ago: warps
 * go at about the same pace.
 */
static bool cached(struct probe *p, uint64_t sector, uint64_t executed, bool fills, bool *old)
{
    uint64_t line = sector >> (LINE_SHIFT - SECTOR_SHIFT);
    uint8_t bit = (uint8_t)(1u << (sector & 3));
    bool there, hit;
    uint32_t n = find_line(p->tag, p->used, p->lines, line, &there);

    *old = false;
    if (!there && !fills)
        return false;
    hit = there && p->sectors[n] & bit;
    p->tag[n] = line + 1;
    p->used[n] = ++p->stamp;
    p->sectors[n] = (uint8_t)((there ? p->sectors[n] : 0) | (fills ? bit : 0));
    p->filled[n] = hit ? p->filled[n] : executed;
    *old = there && (executed > p->filled[n] + IN_FLIGHT || executed + IN_FLIGHT < p->filled[n]);
    return hit;
}

/* Whether L1 has the sector because blocks before this one asked for it. It has it afterwards if `fills`. */
static bool common_has(struct probe_common *c, uint32_t block, uint64_t sector, bool fills)
{
    uint64_t line = sector >> (LINE_SHIFT - SECTOR_SHIFT);
    uint8_t bit = (uint8_t)(1u << (sector & 3));
    bool there, hit;
    uint32_t n = find_line(c->tag, c->used, c->lines, line, &there);

    if (!there && !fills)
        return false;
    if (!there) {
        c->tag[n] = line + 1;
        c->sectors[n] = 0;
        c->first[n] = block;
        c->last[n] = c->asked[n] = 0;
    }
    hit = c->sectors[n] & bit;
    c->asked[n] += block > c->last[n];
    c->last[n] = block > c->last[n] ? block : c->last[n];
    c->used[n] = ++c->stamp;
    c->sectors[n] |= fills ? bit : 0;
    return hit && block > c->first[n] && (c->gathers || 2 * c->asked[n] >= block - c->first[n] + 1);
}

/* has[n]: what common_has() says of sectors[n]. */
static void common_ones(struct probe_common *c, uint32_t block, const uint64_t *sectors, unsigned count, bool fills,
                        bool *has)
{
    pthread_mutex_lock(&c->lock);
    for (unsigned n = 0; n < count; n++)
        has[n] = common_has(c, block, sectors[n], fills);
    pthread_mutex_unlock(&c->lock);
}

/* The distinct values of the lanes in `mask`, sorted into list[]. Lists are short: insertion is fast enough. */
static unsigned distinct(const uint64_t *address, uint32_t mask, unsigned shift, uint64_t last, uint64_t *list)
{
    unsigned count = 0;

    EVERY_LANE(l, mask)
    {
        for (uint64_t x = address[l] >> shift; x <= (address[l] + last) >> shift; x++) {
            unsigned n = count;

            while (n > 0 && list[n - 1] > x)
                n--;
            if (n > 0 && list[n - 1] == x)
                continue;
            memmove(&list[n + 1], &list[n], (count - n) * sizeof *list);
            list[n] = x;
            count++;
        }
    }
    return count;
}

/*
 * The clocks that L1 needs for a load, as microbenchmarks have it (gather_l1, steps_l1): it looks up four lines at once
 * if they are in different quarters of its tags, and reads 32 words of four bytes at once, each from another bank, for
 * as many lanes as 128 bytes have. Which quarter a line is in depends on all bits of its number.
 */
static unsigned load_passes(const uint64_t *address, uint32_t mask, unsigned bytes, const uint64_t *sectors,
                            unsigned count)
{
    unsigned at_once = bytes > 4 ? 128 / bytes : LANES, words = (bytes + 3) / 4, passes = 0, most = 0;
    uint8_t quarter[4] = {0};
    uint64_t line = UINT64_MAX;

    for (unsigned n = 0; n < count; n++) {
        uint64_t x = sectors[n] >> (LINE_SHIFT - SECTOR_SHIFT);

        if (x == line)
            continue;
        line = x;
        for (unsigned bits = 32; bits >= 2; bits /= 2)
            x ^= x >> bits;
        most = ++quarter[x & 3] > most ? quarter[x & 3] : most;
    }
    for (unsigned first = 0; first < LANES; first += at_once) {
        uint64_t seen[LANES * 4];
        uint8_t bank[32] = {0}, worst = 0;
        uint32_t lanes = mask & (at_once == LANES ? UINT32_MAX : ((1u << at_once) - 1) << first);
        unsigned known = 0;

        EVERY_LANE(l, lanes)
            for (unsigned k = 0; k < words; k++) {
                uint64_t word = address[l] / 4 + k;
                unsigned n = 0;

                while (n < known && seen[n] != word)
                    n++;
                if (n < known)
                    continue;
                seen[known++] = word;
                worst = ++bank[word % 32] > worst ? bank[word % 32] : worst;
            }
        passes += worst;
    }
    return passes > most ? passes : most;
}

/*
 * The same of a store, in quarters of a clock (sectors_store, stores_of_few): a sector takes one, half of one if all of
 * it is written. A line of which fewer are written takes up to one more.
 */
static unsigned store_passes(const uint64_t *address, uint32_t mask, unsigned bytes, const uint64_t *sectors,
                             unsigned count)
{
    unsigned quarters = 0;

    for (unsigned n = 0; n < count;) {
        unsigned in_line = 0, partial = 0;
        uint64_t line = sectors[n] >> (LINE_SHIFT - SECTOR_SHIFT);

        for (; n < count && sectors[n] >> (LINE_SHIFT - SECTOR_SHIFT) == line; n++, in_line++) {
            uint64_t low = sectors[n] << SECTOR_SHIFT, high = low + (1u << SECTOR_SHIFT), written = 0;

            EVERY_LANE(l, mask)
            {
                uint64_t from = address[l] > low ? address[l] : low;
                uint64_t to = address[l] + bytes < high ? address[l] + bytes : high;

                written += to > from ? to - from : 0;
            }
            partial += written < 1u << SECTOR_SHIFT;
            quarters += written < 1u << SECTOR_SHIFT ? 4 : 2;
        }
        quarters += partial || in_line < 4 ? 5 - in_line : 0;
    }
    return quarters;
}

static unsigned place_of(uint64_t number) { return (unsigned)((number * 0x9E3779B97F4A7C15u) >> 52); }

/*
 * Whether ptxas lets one lane do the work of all lanes of a warp at one word: it combines integers. The result of an
 * exchange, of a compare and swap, or of a count up to a limit is another for each lane.
 */
static bool combines(const struct ins *ins)
{
    return ins->flops == 0 && ins->op <= ATOMIC_XOR;
}

static void note_meeting(struct probe *p, const uint64_t *address, uint32_t mask, bool floats)
{
    EVERY_LANE(l, mask)
    {
        unsigned at = place_of(address[l] >> SECTOR_SHIFT), lane = floats ? FLOAT_LANE : LANE;

        p->meet[at] += lane;
        p->meet_now[at] += lane;
    }
}

/* The most lanes of a request that meet at one word of this sector. */
static unsigned rounds_at(const uint64_t *address, uint32_t mask, uint64_t sector)
{
    uint8_t lanes[1 << (SECTOR_SHIFT - 2)] = {0}, most = 0;

    EVERY_LANE(l, mask)
        if (address[l] >> SECTOR_SHIFT == sector) {
            uint8_t *word = &lanes[address[l] >> 2 & (sizeof lanes - 1)];

            ++*word;
            most = *word > most ? *word : most;
        }
    return most;
}

/*
 * L2 changes the words of a sector at once, and those that lanes meet at in as many rounds. A slice serves the rounds
 * of its granules one after another. Before the next round of floats at a sector it waits for the sum
 * (microbenchmarks, atomic_few). `one`: the lanes are combined.
 */
static void note_rounds(struct probe *p, const struct ins *ins, const uint64_t *address, uint32_t mask, unsigned bytes,
                        bool one, const uint64_t *sectors, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        unsigned rounds = one ? 1 : rounds_at(address, mask, sectors[n]);
        unsigned turns = rounds * (ins->flops > 0 && bytes > 4 ? WIDE_TURN : TURN);
        unsigned lanes = rounds * (ins->flops == 0 ? LANE : bytes == 2 ? HALF_LANE : FLOAT_LANE);
        unsigned granule = place_of(sectors[n] >> (GRANULE_SHIFT - SECTOR_SHIFT)), sector = place_of(sectors[n]);

        p->turn[granule] += turns;
        p->turn_now[granule] += turns;
        p->rounds[sector] += lanes;
        p->rounds_now[sector] += lanes;
    }
}

/* Of the words that a compare and swap is at, the request counts once for each. */
static void note_swap(struct probe *p, const uint64_t *words, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        unsigned at = place_of(words[n]);

        p->swap[at]++;
        p->swap_now[at]++;
    }
}

static void note_atomic(struct probe *p, const struct ins *ins, const uint64_t *address, uint32_t mask, unsigned bytes,
                        const uint64_t *sectors, unsigned count)
{
    uint64_t list[LANES + 1];
    unsigned words = distinct(address, mask, 2, 0, list);
    bool one = words == 1 && combines(ins);

    p->counts.atomic_requests++;
    p->counts.atomic_lanes += (uint64_t)__builtin_popcount(mask);
    p->counts.atomic_words += words;
    p->counts.atomic_sectors += count;
    if (ins->op == ATOMIC_CAS)
        note_swap(p, list, words);
    note_meeting(p, address, one ? mask & -mask : mask, ins->flops > 0);
    note_rounds(p, ins, address, mask, bytes, one, sectors, count);
    EVERY_LANE(l, mask)
    {
        unsigned at = place_of(address[l] >> 2);

        p->hot[at]++;
        p->hot_now[at]++;
    }
}

static void note_constants(struct probe *p, const uint64_t *address, uint32_t mask, unsigned bytes)
{
    EVERY_LANE(l, mask)
        for (uint64_t line = address[l] >> 6; line <= (address[l] + bytes - 1) >> 6; line++)
            p->constants[line / 64 % (PROBE_CONSTANTS / 64)] |= UINT64_C(1) << line % 64;
}

void probe_global(struct warp *w, const struct ins *ins, const uint64_t *address, uint32_t mask, unsigned bytes)
{
    struct probe *p = w->worker->probe;
    struct probe_counts *c = &p->counts;
    uint64_t list[LANES * 5], lines = 0, line = UINT64_MAX;
    bool common[LANES * 5];
    unsigned count, hits = 0;
    bool young = false;

    if (ins->repeats)
        return;
    if (ins->class == CLASS_PARAMETER) {
        c->constant_requests++;
        c->constant_words += distinct(address, mask, 2, 0, list);
        note_constants(p, address, mask, bytes);
        return;
    }
    count = distinct(address, mask, SECTOR_SHIFT, bytes - 1, list);
    if (ins->op_is_atomic) {
        note_atomic(p, ins, address, mask, bytes, list, count);
        return;
    }
    if (p->at != w->block)
        empty_caches(p, w->block);
    for (unsigned n = 0; n < count; n++) {
        lines += list[n] >> 2 != line;
        line = list[n] >> 2;
    }
    if (ins->class == CLASS_GLOBAL_STORE) {
        c->store_requests++;
        c->store_sectors += count;
        c->store_lines += lines;
        c->store_passes += store_passes(address, mask, bytes, list, count);
        for (unsigned n = 0; n < count; n++)
            if (fresh(p, true, list[n])) {
                c->store_fresh++;
                c->in_place += *seen(p, false, list[n]) == list[n] + 1;
            }
        return;
    }
    w->loads++;
    c->load_requests++;
    c->load_sectors += count;
    c->load_lines += lines;
    c->load_passes += 4 * load_passes(address, mask, bytes, list, count);
    common_ones(p->common, w->block->probed_as, list, count, !ins->order, common);
    for (unsigned n = 0; n < count; n++) {
        bool old, hit = cached(p, list[n], w->executed, !ins->order, &old);

        if (common[n] && !hit)
            hit = old = true;
        hits += hit;
        young = young || !old;
        c->load_fresh += !hit && fresh(p, false, list[n]);
    }
    c->load_hits += hits;
    c->load_found += hits == count;
    if (w->path)
        note_load(w->path, (struct probe_load){(uint32_t)(ins - w->worker->program->code), (uint16_t)lines,
                                               hits == count, young, list[0] >> 2});
}

void probe_bulk(struct warp *w, uint64_t address, uint64_t bytes)
{
    struct probe_counts *c = &w->worker->probe->counts;

    c->load_sectors += ((address + bytes - 1) >> SECTOR_SHIFT) - (address >> SECTOR_SHIFT) + 1;
    c->load_lines += ((address + bytes - 1) >> LINE_SHIFT) - (address >> LINE_SHIFT) + 1;
    c->load_passes += 4 * (((address + bytes - 1) >> LINE_SHIFT) - (address >> LINE_SHIFT) + 1);
}

/* The lanes' words of one local variable lie side by side. */
void probe_local(struct warp *w, const struct ins *ins, uint32_t mask, unsigned bytes)
{
    struct probe_counts *c = &w->worker->probe->counts;
    uint64_t lines = ((uint64_t)__builtin_popcount(mask) * bytes + 127) / 128;

    c->local_requests++;
    c->local_lines += lines;
    c->local_stores += ins->stores ? lines : 0;
}

void probe_shared_atomic(struct warp *w, const struct ins *ins, const uint32_t *offsets, uint32_t mask,
                         unsigned bytes)
{
    struct probe_counts *c = &w->worker->probe->counts;
    unsigned most = 0;

    while (mask) {
        uint32_t same = 0, first = offsets[__builtin_ctz(mask)];

        EVERY_LANE(l, mask)
            same |= offsets[l] == first ? 1u << l : 0;
        most = (unsigned)__builtin_popcount(same) > most ? (unsigned)__builtin_popcount(same) : most;
        mask &= ~same;
    }
    c->shared_atomic_requests++;
    c->shared_atomic_rounds += most;
    /* ptxas makes a loop of compare and swap of additions of floats, and of those of 64 bits. */
    if (ins->flops > 0 || bytes > 4)
        c->loop_rounds += most * (bytes > 4 ? WIDE_LOOP : LOOP);
}
