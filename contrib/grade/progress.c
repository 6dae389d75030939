/*
 * progress.c - the bar.
 */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "verify/base/text.h"

enum { BAR = 20, LINE = 4096 }; /* a bar of 20 fits into 80 columns */

void progress_begin(struct progress *progress, size_t done_before, double now)
{
    *progress = (struct progress){ .terminal = isatty(2), .started = now, .done_before = done_before };
}

static void wipe(struct progress *progress)
{
    if (progress->bar)
        fputs("\r\033[K", stderr);
    progress->bar = false;
}

void progress_line(struct progress *progress, const char *format, ...)
{
    char line[LINE];
    va_list arguments;

    wipe(progress);
    fflush(stderr);
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_defuse(line, sizeof line);
    puts(line);
    fflush(stdout);
    progress->drawn = 0;
}

void progress_left(const struct progress *progress, size_t done, size_t all, double now, char *text, size_t size)
{
    size_t finished = done > progress->done_before ? done - progress->done_before : 0;
    double seconds;

    text[0] = '\0';
    if (finished == 0 || all < done)
        return;
    seconds = (now - progress->started) / (double)finished * (double)(all - done);
    if (seconds >= 3600)
        snprintf(text, size, ", about %d h %02d min left", (int)(seconds / 3600), (int)(seconds / 60) % 60);
    else if (seconds >= 90)
        snprintf(text, size, ", about %.0f min left", seconds / 60);
    else
        snprintf(text, size, ", about %.0f s left", seconds);
}

void progress_show(struct progress *progress, size_t done, size_t all, size_t building, size_t running, double now)
{
    char left[64], bar[BAR + 1], line[256];
    struct winsize window;
    int columns = 80;

    if (!progress->terminal || now - progress->drawn < 0.25)
        return;
    progress_left(progress, done, all, now, left, sizeof left);
    for (size_t i = 0; i < BAR; i++)
        bar[i] = all > 0 && i * all < done * BAR ? '#' : '.';
    bar[BAR] = '\0';
    snprintf(line, sizeof line, "[%s] %zu of %zu done, %zu building, %zu running%s", bar, done, all, building, running,
             left);
    if (ioctl(2, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        columns = window.ws_col;
    fprintf(stderr, "\r\033[K%.*s", columns - 1, line); /* a line that wraps could not be written over */
    fflush(stderr);
    progress->bar = true;
    progress->drawn = now;
}

void progress_end(struct progress *progress) { wipe(progress); }
