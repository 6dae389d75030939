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
#define LANE 10               /* what a lane of an atomic counts at its sector; */
#define FLOAT_LANE 24         /* of one that adds floats */
#define TURN 10               /* what a sector of a request counts at its granule; */
#define WIDE_TURN 16          /* of one that adds floats of 64 bits */
#define GRANULE_SHIFT 9       /* 512 bytes are served by one slice of L2: microbenchmarks, atomic_table */
#define LOOP 10               /* what a round of an atomic on shared memory counts that is a loop; */
#define WIDE_LOOP 15          /* of one of 64 bits */

/* What the driver can set aside for shared memory, KiB: CUDA C++ Programming Guide, compute capability 9.0. */
static const unsigned carve_outs[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

bool probe_create(struct sim *sim)
{
    for (unsigned n = 0; n < sim->worker_count; n++)
        if (!(sim->workers[n].probe = calloc(1, sizeof *sim->workers[n].probe)))
            return false;
    return true;
}

void probe_destroy(struct sim *sim)
{
    for (unsigned n = 0; n < sim->worker_count; n++) {
        struct probe *p = sim->workers[n].probe;

        for (unsigned k = 0; p && k < PROBE_PATHS; k++) {
            free(p->paths[k].runs);
            free(p->paths[k].loads);
        }
        free(p);
        sim->workers[n].probe = NULL;
    }
}

static void reset(struct probe *p)
{
    memset(&p->counts, 0, sizeof p->counts);
    memset(p->hot, 0, sizeof p->hot);
    memset(p->meet, 0, sizeof p->meet);
    memset(p->turn, 0, sizeof p->turn);
    memset(p->word, 0, sizeof p->word);
    memset(p->swap, 0, sizeof p->swap);
    for (unsigned n = 0; n < p->path_count; n++) {
        p->paths[n].count = p->paths[n].load_count = p->paths[n].run_load = 0;
        p->paths[n].full = false;
    }
    p->path_count = 0;
    p->at = NULL;
}

void probe_reset(struct sim *sim)
{
    for (unsigned n = 0; n < sim->worker_count; n++)
        if (sim->workers[n].probe)
            reset(sim->workers[n].probe);
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
    most->word = most_of(sim, offsetof(struct probe, word));
    most->swap = most_of(sim, offsetof(struct probe, swap));
    return sum;
}

/* ---- blocks ---- */

/* A block's share of the cache: what shared memory leaves, among the blocks that run on a multiprocessor together. */
static uint32_t lines_of_block(const struct launch *l)
{
    enum sim_limiter limiter;
    unsigned together = sim_occupancy(l->sim, l->kernel, l->threads, l->what->dynamic_shared, &limiter);
    uint64_t per_sm = (l->blocks + sim_limits(l->sim)->multiprocessors - 1) / sim_limits(l->sim)->multiprocessors;
    unsigned kib, carve = 228;

    if (together > per_sm)
        together = (unsigned)per_sm;
    together = together ? together : 1;
    kib = (together * (l->shared_size + 1024) + 1023) / 1024;
    for (size_t n = sizeof carve_outs / sizeof *carve_outs; l->shared_size && n-- > 0;)
        if (carve_outs[n] >= kib)
            carve = carve_outs[n];
    if (!l->shared_size)
        carve = 0;
    return (L1_BYTES - carve * 1024) / together >> LINE_SHIFT;
}

void probe_launch(struct probe *p, const struct launch *launch)
{
    uint32_t lines = lines_of_block(launch);

    p->lines = lines < PROBE_WAYS ? PROBE_WAYS : lines > PROBE_LINES ? PROBE_LINES : lines / PROBE_WAYS * PROBE_WAYS;
    p->stride = launch->what->only ? 1 : (launch->blocks + PROBE_BLOCKS - 1) / PROBE_BLOCKS;
    p->at = NULL;
}

void probe_block(struct probe *p, struct block *b)
{
    bool only = b->launch->what->only;
    uint64_t order = only ? p->counts.blocks : b->number / p->stride;

    b->probed = b->number % p->stride == 0 || only;
    if (!b->probed)
        return;
    /* What a child launch does is a part of the launch that started it, its blocks are not blocks of that. */
    p->counts.blocks += b->launch->sim->children.depth == 0;
    memset(p->hot_now, 0, sizeof p->hot_now);
    memset(p->meet_now, 0, sizeof p->meet_now);
    memset(p->turn_now, 0, sizeof p->turn_now);
    memset(p->word_now, 0, sizeof p->word_now);
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
    uint64_t longest = 0, sum = 0, hot = 0, meet = 0, turn = 0, word = 0, swap = 0, loads = 0;

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
        word = p->word_now[n] > word ? p->word_now[n] : word;
        swap = p->swap_now[n] > swap ? p->swap_now[n] : swap;
    }
    p->counts.hot_block += hot;
    p->counts.meet_block += meet;
    p->counts.turn_block += turn;
    p->counts.word_block += word;
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
 * Whether L1 has the sector; it has it afterwards if `fills`. A hash spreads strides of powers of two. *old: whether
 * the line was asked for a while ago: warps go at about the same pace.
 */
static bool cached(struct probe *p, uint64_t sector, uint64_t executed, bool fills, bool *old)
{
    uint64_t line = sector >> (LINE_SHIFT - SECTOR_SHIFT);
    uint8_t bit = (uint8_t)(1u << (sector & 3));
    uint32_t sets = p->lines / PROBE_WAYS;
    uint32_t set = (uint32_t)((line * 0x9E3779B97F4A7C15u >> 32) % sets) * PROBE_WAYS, victim = set;

    for (uint32_t n = set; n < set + PROBE_WAYS; n++) {
        if (p->tag[n] == line + 1) {
            bool hit = p->sectors[n] & bit;

            p->used[n] = ++p->stamp;
            p->sectors[n] |= fills ? bit : 0;
            p->filled[n] = hit ? p->filled[n] : executed;
            *old = executed > p->filled[n] + IN_FLIGHT || executed + IN_FLIGHT < p->filled[n];
            return hit;
        }
        victim = p->used[n] < p->used[victim] ? n : victim;
    }
    if (fills) {
        p->tag[victim] = line + 1;
        p->used[victim] = ++p->stamp;
        p->sectors[victim] = bit;
        p->filled[victim] = executed;
    }
    *old = false;
    return false;
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

static unsigned place_of(uint64_t number) { return (unsigned)((number * 0x9E3779B97F4A7C15u) >> 52); }

/* A slice of L2 serves the sectors of its granules one after another. */
static void note_turns(struct probe *p, const uint64_t *sectors, unsigned count, unsigned turn)
{
    for (unsigned n = 0; n < count; n++) {
        unsigned at = place_of(sectors[n] >> (GRANULE_SHIFT - SECTOR_SHIFT));

        p->turn[at] += turn;
        p->turn_now[at] += turn;
    }
}

/*
 * Whether ptxas lets one lane do the work of all lanes of a warp at one word: it combines integers. The result of an
 * exchange, of a compare and swap, or of a count up to a limit is another for each lane.
 */
static bool combines(const struct ins *ins)
{
    return ins->flops == 0 && ins->op <= ATOMIC_XOR;
}

/* L2 changes the words of a sector one after another. */
static void note_meeting(struct probe *p, const uint64_t *address, uint32_t mask, bool floats, bool one)
{
    if (one)
        mask &= -mask;
    EVERY_LANE(l, mask)
    {
        unsigned at = place_of(address[l] >> SECTOR_SHIFT), word = place_of(address[l] >> 2);
        unsigned lane = floats ? FLOAT_LANE : LANE;

        p->meet[at] += lane;
        p->meet_now[at] += lane;
        p->word[word] += lane;
        p->word_now[word] += lane;
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

/* How many turns a sector of the request takes: one for each lane, if all are at one word and nobody combines them. */
static unsigned note_atomic(struct probe *p, const struct ins *ins, const uint64_t *address, uint32_t mask,
                            uint64_t sectors)
{
    uint64_t list[LANES + 1];
    unsigned words = distinct(address, mask, 2, 0, list);

    p->counts.atomic_requests++;
    p->counts.atomic_lanes += (uint64_t)__builtin_popcount(mask);
    p->counts.atomic_words += words;
    p->counts.atomic_sectors += sectors;
    if (ins->op == ATOMIC_CAS)
        note_swap(p, list, words);
    note_meeting(p, address, mask, ins->flops > 0, words == 1 && combines(ins));
    EVERY_LANE(l, mask)
    {
        unsigned at = place_of(address[l] >> 2);

        p->hot[at]++;
        p->hot_now[at]++;
    }
    return words == 1 && ins->flops == 0 && !combines(ins) ? (unsigned)__builtin_popcount(mask) : 1;
}

void probe_global(struct warp *w, const struct ins *ins, const uint64_t *address, uint32_t mask, unsigned bytes)
{
    struct probe *p = w->worker->probe;
    struct probe_counts *c = &p->counts;
    uint64_t list[LANES * 5], lines = 0, line = UINT64_MAX;
    unsigned count, hits = 0;
    bool young = false;

    if (ins->class == CLASS_PARAMETER) {
        c->constant_requests++;
        c->constant_words += distinct(address, mask, 2, 0, list);
        return;
    }
    count = distinct(address, mask, SECTOR_SHIFT, bytes - 1, list);
    if (ins->op_is_atomic) {
        note_turns(p, list, count,
                   note_atomic(p, ins, address, mask, count) * (ins->flops > 0 && bytes > 4 ? WIDE_TURN : TURN));
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
    for (unsigned n = 0; n < count; n++) {
        bool old, hit = cached(p, list[n], w->executed, !ins->order, &old);

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
