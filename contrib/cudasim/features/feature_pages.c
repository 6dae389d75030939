/* feature_pages.c - one byte for each page, one bit for each page of an allocation that has a lot. */
#include "feature_pages.h"

#include <stdlib.h>
#include <string.h>

#define PAGE ((uint64_t)1 << PAGES_SHIFT)
#define PIECE (32 * PAGE)
#define LOT_STEP 512 /* bytes: lots begin at a multiple, as addresses did that an H100 printed */

void pages_release(struct pages *pages)
{
    free(pages->here);
    free(pages->lots);
    free(pages->pieces);
    *pages = (struct pages){0};
}

/* ---- lots ---- */

/* How many lots begin at the address or below it. */
static size_t lots_up_to(const struct pages *pages, uint64_t address)
{
    size_t low = 0, high = pages->lot_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (pages->lots[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct pages_lot *lot_of(const struct pages *pages, uint64_t address)
{
    size_t count = lots_up_to(pages, address);

    return count && address < pages->lots[count - 1].high ? &pages->lots[count - 1] : NULL;
}

/* Room for one more of *room things; the things, or NULL. */
static void *widened(void *things, size_t count, size_t more, size_t *room, size_t size)
{
    void *wider = things;

    if (count + more > *room) {
        wider = realloc(things, 2 * (count + more) * size);
        if (wider)
            *room = 2 * (count + more);
    }
    return wider;
}

static bool add_pieces(struct pages *pages, size_t count)
{
    struct pages_piece *pieces = widened(pages->pieces, pages->piece_count, count, &pages->piece_room, sizeof *pieces);

    if (!pieces)
        return false;
    memset(pieces + pages->piece_count, 0, count * sizeof *pieces);
    pages->pieces = pieces;
    pages->piece_count += count;
    return true;
}

/* Finds room on the card for so many bytes; false without memory. */
static bool find_room(struct pages *pages, uint64_t bytes, uint64_t *card)
{
    bool own = bytes >= PIECE;
    size_t n = own ? pages->piece_count : 0;

    while (n < pages->piece_count && (pages->pieces[n].full || pages->pieces[n].used + bytes > PIECE))
        n++;
    if (n == pages->piece_count && !add_pieces(pages, (bytes + PIECE - 1) / PIECE))
        return false;
    *card = n * PIECE + pages->pieces[n].used;
    for (; bytes; n++) {
        uint64_t here = bytes < PIECE ? bytes : PIECE;

        pages->pieces[n].used += (uint32_t)here;
        pages->pieces[n].lots++;
        pages->pieces[n].full = own;
        bytes -= here;
    }
    return true;
}

void pages_place(struct pages *pages, uint64_t low, uint64_t high)
{
    uint64_t card, bytes = (high - low + LOT_STEP - 1) / LOT_STEP * LOT_STEP;
    size_t at = lots_up_to(pages, low);
    struct pages_lot *lots = widened(pages->lots, pages->lot_count, 1, &pages->lot_room, sizeof *lots);

    if (!lots)
        return;
    pages->lots = lots;
    if (!find_room(pages, bytes, &card))
        return;
    memmove(lots + at + 1, lots + at, (pages->lot_count - at) * sizeof *lots);
    lots[at] = (struct pages_lot){low, high, card};
    pages->lot_count++;
}

void pages_clear(struct pages *pages, uint64_t low)
{
    size_t at = lots_up_to(pages, low);
    struct pages_lot *lot = at ? &pages->lots[at - 1] : NULL;

    if (!lot || lot->low != low)
        return;
    for (uint64_t n = lot->card / PIECE; n <= (lot->card + (lot->high - low) - 1) / PIECE; n++)
        if (--pages->pieces[n].lots == 0)
            pages->pieces[n] = (struct pages_piece){0};
    memmove(lot, lot + 1, (pages->lot_count - at) * sizeof *lot);
    pages->lot_count--;
}

/* ---- pages ---- */

void pages_bounds(const struct pages *pages, uint64_t address, uint64_t *low, uint64_t *high)
{
    const struct pages_lot *lot = lot_of(pages, address);
    uint64_t before = (lot ? lot->card + (address - lot->low) : address) % PAGE;

    *low = lot && address - lot->low < before ? lot->low : address - before;
    *high = lot && lot->high - address < PAGE - before ? lot->high : address + (PAGE - before);
}

/* The page's place on the card: its piece, and its bit there; NULL: it is in no lot. */
static struct pages_piece *piece_of(const struct pages *pages, uint64_t address, uint32_t *bit)
{
    const struct pages_lot *lot = lot_of(pages, address);
    uint64_t card = lot ? lot->card + (address - lot->low) : 0;

    *bit = (uint32_t)1 << card % PIECE / PAGE;
    return lot ? &pages->pieces[card / PIECE] : NULL;
}

static void move_page(struct pages *pages, uint64_t address, uint64_t range, bool to_device)
{
    uint32_t bit;
    struct pages_piece *piece = piece_of(pages, address, &bit);

    pages->any |= to_device;
    if (piece) {
        piece->here = to_device ? piece->here | bit : piece->here & ~bit;
        return;
    }
    if (!pages->here && to_device) {
        pages->count = (range >> PAGES_SHIFT) + 1;
        pages->here = calloc(pages->count, 1);
    }
    if (pages->here && address >> PAGES_SHIFT < pages->count)
        pages->here[address >> PAGES_SHIFT] = to_device;
}

void pages_move(struct pages *pages, uint64_t low, uint64_t high, uint64_t range, bool to_device)
{
    for (uint64_t at = low, first; at < high;) {
        move_page(pages, at, range, to_device);
        pages_bounds(pages, at, &first, &at);
    }
}

bool pages_here(const struct pages *pages, uint64_t address)
{
    uint32_t bit;
    const struct pages_piece *piece = piece_of(pages, address, &bit);

    if (piece)
        return (piece->here & bit) != 0;
    return pages->here && address >> PAGES_SHIFT < pages->count && pages->here[address >> PAGES_SHIFT];
}

void pages_ask(struct pages *pages, uint64_t address)
{
    uint32_t bit;
    struct pages_piece *piece = piece_of(pages, address, &bit);

    if (piece)
        piece->asked |= bit;
}

/*
 * What the driver brings along: the largest aligned stretch of 2, 4 ... 32 pages around a page that was waited for, of
 * which the GPU has more than 51 % (Ganguly et al., "Interplay between Hardware Prefetcher and Page Eviction Policy in
 * CPU-GPU Unified Memory", ISCA 2019; uvm_perf_prefetch_threshold of the open driver). The pages behind the last
 * allocation of a shared piece are pages like others.
 */
static uint32_t brought(const struct pages_piece *piece)
{
    uint32_t all = piece->full ? (uint32_t)((1ull << (piece->used + PAGE - 1) / PAGE) - 1) : ~(uint32_t)0, more = 0;

    for (unsigned size = 2; size <= 32; size *= 2)
        for (unsigned first = 0; first < 32; first += size) {
            uint32_t group = (uint32_t)(((1ull << size) - 1) << first) & all;

            if ((group & piece->asked) &&
                100 * __builtin_popcount(group & piece->here) > 51 * __builtin_popcount(group))
                more |= group;
        }
    return more;
}

/* Faults come one batch after another: what one brought along counts for the next. */
void pages_bring(struct pages *pages)
{
    for (size_t n = 0; n < pages->piece_count; n++) {
        struct pages_piece *piece = &pages->pieces[n];
        uint32_t before = 0;

        while (piece->asked && piece->here != before) {
            before = piece->here;
            piece->here |= brought(piece);
        }
        piece->asked = 0;
    }
}

bool pages_next(const struct pages *pages, uint64_t *low, uint64_t *end, uint64_t high)
{
    uint64_t first;

    if (!pages->any)
        return false;
    while (*low < high && !pages_here(pages, *low))
        pages_bounds(pages, *low, &first, low);
    if (*low >= high)
        return false;
    for (*end = *low; *end < high && pages_here(pages, *end);)
        pages_bounds(pages, *end, &first, end);
    *end = *end < high ? *end : high;
    return true;
}
