/* feature_pages.c - one byte for each page. */
#include "feature_pages.h"

#include <stdlib.h>
#include <string.h>

void pages_release(struct pages *pages)
{
    free(pages->here);
    *pages = (struct pages){0};
}

void pages_move(struct pages *pages, uint64_t low, uint64_t high, uint64_t range, bool to_device)
{
    uint64_t first = low >> PAGES_SHIFT, end = (high + (1 << PAGES_SHIFT) - 1) >> PAGES_SHIFT;

    if (!pages->here && to_device) {
        pages->count = (range >> PAGES_SHIFT) + 1;
        pages->here = calloc(pages->count, 1);
    }
    if (pages->here && first < end && end <= pages->count)
        memset(pages->here + first, to_device, end - first);
}

bool pages_here(const struct pages *pages, uint64_t address)
{
    return pages->here && address >> PAGES_SHIFT < pages->count && pages->here[address >> PAGES_SHIFT];
}

bool pages_next(const struct pages *pages, uint64_t *low, uint64_t *end, uint64_t high)
{
    uint64_t step = (uint64_t)1 << PAGES_SHIFT;

    if (!pages->here)
        return false;
    while (*low < high && !pages_here(pages, *low))
        *low = (*low | (step - 1)) + 1;
    if (*low >= high)
        return false;
    for (*end = *low; *end < high && pages_here(pages, *end);)
        *end = (*end | (step - 1)) + 1;
    *end = *end < high ? *end : high;
    return true;
}
