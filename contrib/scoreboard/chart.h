/*
 * chart.h - times on a logarithmic axis, and counts, as inline SVG that stretches with the page.
 *
 * Places along the axis are in percent and heights in pixels, so that text keeps its size on a phone. Colours are the
 * style sheet's. It draws what it is given and knows no submission.
 */
#ifndef SCOREBOARD_CHART_H
#define SCOREBOARD_CHART_H

#include "page.h"

struct chart_row {
    const char *name;        /* untrusted; or NULL for `word` */
    enum word word;
    double median, low, high; /* seconds; median above 0 */
    double baseline;         /* measured beside it, seconds; 0 for none */
    bool basis;              /* it is the baseline itself */
    const double *samples;   /* [sample_count] seconds */
    size_t sample_count;
};

/* A line across all rows: of all values from the least to the largest; both 0 for none. */
struct chart_band {
    double least, most; /* seconds */
};

struct chart {
    const char *label;                /* id of the element that names it */
    const double *medians;            /* [median_count] seconds: stacked above the axis; none for no such part */
    size_t median_count;
    const struct chart_row *rows;     /* [row_count] */
    size_t row_count;
    struct chart_band baseline, floor;
};

void chart_put(struct page *page, const struct chart *chart);

/* ------------------------------------------------------------------ chart_counts.c */

enum chart_kind { CHART_ACCEPTED, CHART_REJECTED, CHART_UNKNOWN, CHART_KINDS };

/* A bar of its own. */
struct chart_count {
    const char *name; /* the scoreboard's own */
    enum chart_kind kind;
    size_t count;
};

/* A bar of several kinds, at its place on an axis. */
struct chart_bin {
    char name[24]; /* where it begins */
    size_t counts[CHART_KINDS];
};

/* `label` is the id of the element that names it. */
void chart_put_counts(struct page *page, const char *label, const struct chart_count *counts, size_t count);
void chart_put_bins(struct page *page, const char *label, const struct chart_bin *bins, size_t count);

#endif
