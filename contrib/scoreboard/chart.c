/*
 * chart.c - the axis, the stacks, the rows.
 */
#include "chart.h"

#include <math.h>

enum {
    BINS = 28,      /* stacks along the axis */
    TOP = 34,       /* pixels for the names of the lines */
    STACK = 80,     /* pixels for the highest stack, at most */
    LEAST = 24,     /* and at least, where few are in it */
    AXIS = 30,      /* pixels for the axis and its numbers */
    ROW = 40,       /* pixels for a row: its name, and its marks below */
    UNIT = 10,      /* pixels for one submission in a stack, at most */
    TICKS = 16,
};

struct scale {
    double low, high; /* logarithms of the axis' ends */
};

static void widen(struct scale *scale, double seconds)
{
    if (!(seconds > 0) || !isfinite(seconds))
        return;
    scale->low = fmin(scale->low, log(seconds));
    scale->high = fmax(scale->high, log(seconds));
}

static struct scale scale_of(const struct chart *chart)
{
    struct scale scale = { INFINITY, -INFINITY };
    double room;

    for (size_t i = 0; i < chart->median_count; i++)
        widen(&scale, chart->medians[i]);
    for (size_t i = 0; i < chart->row_count; i++) {
        const struct chart_row *row = &chart->rows[i];

        widen(&scale, row->median), widen(&scale, row->low), widen(&scale, row->high), widen(&scale, row->baseline);
        for (size_t k = 0; k < row->sample_count; k++)
            widen(&scale, row->samples[k]);
    }
    widen(&scale, chart->baseline.least), widen(&scale, chart->baseline.most);
    widen(&scale, chart->floor.least), widen(&scale, chart->floor.most);
    room = fmax(0.04 * (scale.high - scale.low), 0.02);
    scale.low -= room, scale.high += room;
    return scale;
}

/* Percent of the width. */
static double at(const struct scale *scale, double seconds)
{
    return seconds > 0 && isfinite(seconds) ? 100 * (log(seconds) - scale->low) / (scale->high - scale->low) : 0;
}

/* Text near an edge is on the inner side of its place. */
static const char *anchor(double percent, double edge)
{
    return percent < edge ? "start" : percent > 100 - edge ? "end" : "middle";
}

/* ------------------------------------------------------------------ the axis */

/* Round numbers within the scale, times 10^k each; 0 where more than TICKS are. */
static size_t ticks_of(const struct scale *scale, const double *steps, size_t step_count, double *ticks)
{
    size_t count = 0;

    for (double power = pow(10, floor(scale->low / log(10))); log(power) <= scale->high; power *= 10)
        for (size_t i = 0; i < step_count; i++) {
            double tick = steps[i] * power;

            if (log(tick) < scale->low || log(tick) > scale->high)
                continue;
            if (count == TICKS)
                return 0;
            ticks[count++] = tick;
        }
    return count;
}

/* Steps of equal size, for a scale too short for anything else. */
static size_t even_ticks(const struct scale *scale, double *ticks)
{
    const double low = exp(scale->low), high = exp(scale->high);
    double step = pow(10, floor(log10((high - low) / 4)));
    size_t count = 0;

    step *= (high - low) / step > 20 ? 5 : (high - low) / step > 8 ? 2 : 1;
    for (double i = ceil(low / step); i * step <= high && count < TICKS; i++)
        ticks[count++] = i * step;
    return count;
}

/* The ends may be anything; what is between is as dense as six numbers are. */
static size_t choose_ticks(const struct scale *scale, double *ticks)
{
    static const double steps[] = { 1, 1, 3, 1, 2, 5, 1, 1.5, 2, 3, 5, 7 };
    static const struct {
        size_t first, count;
    } sets[] = { { 6, 6 }, { 3, 3 }, { 1, 2 }, { 0, 1 } };
    size_t count;

    if (scale->high - scale->low < log(4))
        return even_ticks(scale, ticks);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        count = ticks_of(scale, steps + sets[i].first, sets[i].count, ticks);
        if (count > 0 && count <= 6)
            return count;
    }
    return ticks_of(scale, steps, 1, ticks);
}

/* A tick's number, without needless zeros: "50 ms". */
static void put_tick_name(struct page *page, double seconds)
{
    static const char *const names[] = { "s", "ms", "\xc2\xb5s", "ns" };
    size_t unit = 0;

    while (unit < 3 && seconds < 0.9999)
        seconds *= 1000, unit++;
    page_put(page, "%.4g\xc2\xa0%s", seconds, names[unit]);
}

static void put_axis(struct page *page, const struct scale *scale, double y, double bottom)
{
    double ticks[TICKS], last = -100;
    size_t count = choose_ticks(scale, ticks);

    page_put(page, "<line class=\"axis\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>\n", y, y);
    for (size_t i = 0; i < count; i++) {
        double x = at(scale, ticks[i]);

        page_put(page, "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%.1f\"/>", x, x, TOP, bottom);
        if (x - last < 15)
            continue;
        page_put(page, "<text class=\"tick\" x=\"%.2f%%\" y=\"%.1f\" text-anchor=\"%s\">", x, y + 16, anchor(x, 7));
        put_tick_name(page, ticks[i]);
        page_put(page, "</text>\n");
        last = x;
    }
}

/* ------------------------------------------------------------------ lines, stacks, rows */

static void put_band(struct page *page, const struct scale *scale, const struct chart_band *band, enum word name,
                     const char *class, double y, double bottom)
{
    double from = at(scale, band->least), to = at(scale, band->most), middle = (from + to) / 2;

    if (!(band->least > 0))
        return;
    if (to - from > 0.3)
        page_put(page, "<rect class=\"%s band\" x=\"%.2f%%\" y=\"%d\" width=\"%.2f%%\" height=\"%.1f\"/>", class,
                 from, TOP, to - from, bottom - TOP);
    page_put(page, "<line class=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" y2=\"%.1f\"/>", class, middle, middle,
             y + 4, bottom);
    page_put(page, "<text class=\"%s\" x=\"%.2f%%\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", class, middle, y,
             anchor(middle, 20), page_word(page, name));
}

/* How many times are in which stack, the most of them, and so the height of one in pixels. */
struct stacks {
    size_t counts[BINS];
    double unit, height;
};

static struct stacks stacks_of(const struct scale *scale, const struct chart *chart)
{
    struct stacks stacks = { 0 };
    size_t most = 1;

    for (size_t i = 0; i < chart->median_count; i++) {
        double bin = floor(at(scale, chart->medians[i]) / (100.0 / BINS));

        stacks.counts[(size_t)fmin(fmax(bin, 0), BINS - 1)]++;
    }
    for (size_t i = 0; i < BINS; i++)
        most = stacks.counts[i] > most ? stacks.counts[i] : most;
    stacks.unit = fmin(UNIT, (double)STACK / (double)most);
    stacks.height = chart->median_count > 0 ? fmax(LEAST, stacks.unit * (double)most) : 0;
    return stacks;
}

static void put_stacks(struct page *page, const struct stacks *stacks, double axis)
{
    const double wide = 100.0 / BINS, unit = stacks->unit;

    for (size_t i = 0; i < BINS; i++) {
        const bool one = unit < 4; /* too flat to tell apart: a bar */

        for (size_t k = 0; k < (one ? stacks->counts[i] > 0 : stacks->counts[i]); k++) {
            double height = one ? unit * (double)stacks->counts[i] : unit - 1.5;

            page_put(page, "<rect class=\"stack\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"/>",
                     (double)i * wide + 0.25, axis - unit * (double)k - height - 1, wide - 0.5, height);
        }
    }
}

static void put_row(struct page *page, const struct scale *scale, const struct chart_row *row, double y)
{
    const double middle = y + 26, low = at(scale, row->low), high = at(scale, row->high), x = at(scale, row->median);

    page_put(page, "<g%s><text class=\"row\" x=\"0\" y=\"%.1f\">", row->basis ? " class=\"basis\"" : "", y + 12);
    if (row->name)
        page_text(page, row->name, 40);
    else
        page_put(page, "%s", page_word(page, row->word));
    page_put(page, "</text><text class=\"value\" x=\"100%%\" y=\"%.1f\" text-anchor=\"end\">", y + 12);
    page_seconds(page, row->median);
    page_put(page, "</text><line class=\"rail\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", middle, middle);
    if (row->low > 0)
        page_put(page, "<line class=\"interval\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" y2=\"%.1f\"/>", low,
                 high, middle, middle);
    for (size_t i = 0; i < row->sample_count; i++)
        if (row->samples[i] > 0)
            page_put(page, "<line class=\"sample\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" y2=\"%.1f\"/>",
                     at(scale, row->samples[i]), at(scale, row->samples[i]), middle - 4, middle + 4);
    page_put(page, "<line class=\"median\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x, middle - 8,
             middle + 8);
    if (row->baseline > 0)
        page_put(page, "<circle class=\"beside\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"4.5\"/>",
                 at(scale, row->baseline), middle);
    page_put(page, "</g>\n");
}

void chart_put(struct page *page, const struct chart *chart)
{
    const struct scale scale = scale_of(chart);
    const struct stacks stacks = stacks_of(&scale, chart);
    const double axis = TOP + stacks.height, rows = axis + AXIS,
                 bottom = rows + ROW * (double)chart->row_count;

    page_put(page, "<svg role=\"img\" aria-labelledby=\"%s\" width=\"100%%\" height=\"%.0f\">\n", chart->label,
             bottom + 4);
    put_band(page, &scale, &chart->floor, WORD_FLOOR, "floor", 12, bottom);
    put_band(page, &scale, &chart->baseline, WORD_BASELINE, "base", 28, bottom);
    put_axis(page, &scale, axis, bottom);
    put_stacks(page, &stacks, axis);
    for (size_t i = 0; i < chart->row_count; i++)
        put_row(page, &scale, &chart->rows[i], rows + ROW * (double)i);
    page_put(page, "</svg>\n");
}
