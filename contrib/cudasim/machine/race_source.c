/*
 * race_source.c - the source of an asynchronous copy is overwritten before the copy was waited for. The copy reads at
 * any time until then, also after later stores of the thread that issued it.
 *
 * What threads store with nothing in between is a race by the entries. The entries cannot know of stores that come
 * behind the copy in its own thread, or behind a barrier. So a block keeps the last copies from memory that its launch
 * may store to, and race_global.c asks at each store. Copies of a cluster in bulk are not looked at.
 */
#include "race_source.h"

#include <stdlib.h>
#include <string.h>

#include "race_check.h"
#include "race_say.h"

#define SOURCES 16

/* What a warp's lanes read by one copy. */
struct source {
    uint32_t time, lanes;
    uint8_t warp;
    unsigned bytes;            /* a lane */
    uint64_t low, high;        /* bounds of all lanes' bytes */
    uint64_t address[LANES];
};

struct sources {
    uint32_t count; /* of kept[], a ring */
    struct source kept[SOURCES];
};

static void bounds(const struct warp *w, unsigned bytes, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        uint64_t at = w->address[__builtin_ctz(rest)];

        *low = at < *low ? at : *low;
        *high = at + bytes > *high ? at + bytes : *high;
    }
}

void race_source_keep(struct warp *w, unsigned bytes)
{
    struct block *b = w->block;
    uint32_t time = *b->time, lanes = w->mask;
    unsigned first = (unsigned)__builtin_ctz(lanes);
    struct source *x;

    if (!b->sources && !(b->sources = calloc(1, sizeof *b->sources)))
        return;
    x = &b->sources->kept[(b->sources->count + SOURCES - 1) % SOURCES];
    if (x->bytes && x->lanes == lanes && lanes == 1u << first && x->warp == w->index && x->time == time &&
        x->high == w->address[first]) { /* a copy in bulk, part by part */
        x->high += bytes;
        x->bytes += bytes;
        return;
    }
    x = &b->sources->kept[b->sources->count++ % SOURCES];
    *x = (struct source){.time = time, .lanes = lanes, .warp = (uint8_t)w->index, .bytes = bytes};
    memcpy(x->address, w->address, sizeof x->address);
    bounds(w, bytes, &x->low, &x->high);
}

/* The lane of the copy that reads one of `bytes` bytes at `address`, or LANES. */
static unsigned reader_of(const struct source *x, uint64_t address, unsigned bytes)
{
    for (uint32_t rest = x->lanes; rest; rest &= rest - 1) {
        unsigned l = (unsigned)__builtin_ctz(rest);

        if (address < x->address[l] + x->bytes && x->address[l] < address + bytes)
            return l;
    }
    return LANES;
}

static void against(struct warp *w, const struct ins *ins, unsigned bytes, enum access access, const struct source *x)
{
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        unsigned l = (unsigned)__builtin_ctz(rest), reader = reader_of(x, w->address[l], bytes);
        struct race_report r = {.place = w->address[l], .bytes = bytes, .access = access, .with = RACE_WITH_SOURCE,
                                .block = race_block_name(w->block), .warp = x->warp, .lane = reader};

        if (reader == LANES)
            continue;
        w->worker->faulted_at = ins;
        race_say(w, ins, l, &r);
        return;
    }
}

void race_source_overwritten(struct warp *w, const struct ins *ins, unsigned bytes, enum access access)
{
    struct block *b = w->block;
    uint64_t low, high;
    bool some = false;

    bounds(w, bytes, &low, &high);
    for (unsigned n = 0; n < SOURCES; n++) {
        struct source *x = &b->sources->kept[n];
        uint32_t at;

        if (x->bytes && x->low < high && low < x->high) {
            if (race_copy_done(&b->warps[x->warp], x->time, false, &at))
                x->bytes = 0;
            else if (w->worker->faulted_at != ins)
                against(w, ins, bytes, access, x);
        }
        some |= x->bytes != 0;
    }
    if (!some)
        race_source_over(b);
}

void race_source_over(struct block *b)
{
    free(b->sources);
    b->sources = NULL;
}
