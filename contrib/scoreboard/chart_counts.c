/*
 * chart_counts.c - counts as bars: one below the other with their names, or side by side along an axis of time.
 *
 * What is accepted is filled, what is not is an outline, and what is not known is dashed: no colour is needed for it.
 */
#include "chart.h"

enum {
    LINE = 24,  /* pixels for a bar that lies, with its name */
    TALL = 96,  /* pixels for the highest bar that stands */
    BELOW = 24, /* pixels for the axis' names */
    ABOVE = 18, /* pixels for the largest count */
    NAMES = 6,  /* of them along the axis, at most */
};

static const char *const classes[CHART_KINDS] = { "stack", "outline", "unknown" };

void chart_put_counts(struct page *page, const char *label, const struct chart_count *counts, size_t count)
{
    size_t most = 1;

    for (size_t i = 0; i < count; i++)
        most = counts[i].count > most ? counts[i].count : most;
    page_put(page, "<svg role=\"img\" aria-labelledby=\"%s\" width=\"100%%\" height=\"%zu\">\n", label, count * LINE);
    for (size_t i = 0; i < count; i++) {
        const size_t y = i * LINE;

        page_put(page, "<text class=\"row\" x=\"0\" y=\"%zu\">%s</text>", y + 16, counts[i].name);
        page_put(page, "<rect class=\"%s\" x=\"14%%\" y=\"%zu\" width=\"%.2f%%\" height=\"14\"/>",
                 classes[counts[i].kind], y + 5, 74 * (double)counts[i].count / (double)most);
        page_put(page, "<text class=\"value\" x=\"100%%\" y=\"%zu\" text-anchor=\"end\">%zu</text>\n", y + 16,
                 counts[i].count);
    }
    page_put(page, "</svg>\n");
}

static size_t sum_of(const struct chart_bin *bin)
{
    size_t sum = 0;

    for (int i = 0; i < CHART_KINDS; i++)
        sum += bin->counts[i];
    return sum;
}

/* One bar, its kinds one above the other, what is accepted at the bottom. */
static void put_bin(struct page *page, const struct chart_bin *bin, double x, double width, double unit)
{
    double y = ABOVE + TALL;

    for (int kind = 0; kind < CHART_KINDS; kind++) {
        const double height = unit * (double)bin->counts[kind];

        if (bin->counts[kind] == 0)
            continue;
        y -= height;
        page_put(page, "<rect class=\"%s\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"/>", classes[kind],
                 x + 0.1 * width, y + 0.5, 0.8 * width, height > 2 ? height - 1 : height);
    }
}

void chart_put_bins(struct page *page, const char *label, const struct chart_bin *bins, size_t count)
{
    const double width = 100 / (double)count;
    const size_t step = (count + NAMES - 1) / NAMES;
    size_t most = 1;

    for (size_t i = 0; i < count; i++)
        most = sum_of(&bins[i]) > most ? sum_of(&bins[i]) : most;
    page_put(page, "<svg role=\"img\" aria-labelledby=\"%s\" width=\"100%%\" height=\"%d\">\n", label,
             ABOVE + TALL + BELOW);
    page_put(page, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>"
                   "<text class=\"tick\" x=\"0\" y=\"%d\">%zu</text>\n", ABOVE, ABOVE, ABOVE - 5, most);
    for (size_t i = 0; i < count; i++) {
        put_bin(page, &bins[i], (double)i * width, width, (double)TALL / (double)most);
        if (i % step == 0 && (double)(count - i) * width > 10) /* no name beyond the edge */
            page_put(page, "<text class=\"tick\" x=\"%.2f%%\" y=\"%d\">%s</text>\n", (double)i * width,
                     ABOVE + TALL + 17, bins[i].name);
    }
    page_put(page, "<line class=\"axis\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>\n</svg>\n", ABOVE + TALL,
             ABOVE + TALL);
}
