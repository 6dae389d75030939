/*
 * main_replay.c - a fuzz target without libFuzzer: the files of a corpus, and each with damage of many kinds.
 *
 *     replay COUNT FILE|FOLDER...
 *
 * Every file is tried as it is, cut off at up to 64 places, and with COUNT different damages. The damage is drawn from
 * a fixed seed: the same command tries the same inputs. Prints how many; a bad one ends the program (sanitizers, abort)
 * and is then in the file named on standard error first.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

/* A finding of a sanitizer ends in abort(), which keeps the input. */
const char *__asan_default_options(void) { return "abort_on_error=1"; }
const char *__ubsan_default_options(void) { return "abort_on_error=1:print_stacktrace=1"; }

#define CUTS 64
#define GROWTH 64 /* bytes that one damage adds, at most */
#define DAMAGES 4 /* to one input, at most */

struct bytes {
    uint8_t *data;
    size_t size;
};

/* For the handler of signals: the input being tried. */
static struct bytes current;

static void keep_input(int number)
{
    static const char path[] = "replay-crash";
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (file >= 0 && write(file, current.data, current.size) == (ssize_t)current.size)
        (void)!write(STDERR_FILENO, "replay: the input is in 'replay-crash'\n", 39);
    signal(number, SIG_DFL);
    raise(number);
}

static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static size_t random_below(uint64_t *state, size_t bound)
{
    return bound ? (size_t)(random_next(state) % bound) : 0;
}

/* Changes the input, which has room for GROWTH bytes more. */
static void damage(struct bytes *x, uint64_t *state)
{
    static const uint8_t odd[] = {0, 1, 0x7F, 0x80, 0xFF, '{', '}', '"', ';', ',', '.', '%', '<', '\n', '9'};
    size_t at = random_below(state, x->size), other = random_below(state, x->size), length;

    if (!x->size)
        return;
    length = random_below(state, GROWTH) + 1;
    length = length < x->size - at ? length : x->size - at;
    switch (random_below(state, 6)) {
    case 0: /* a bit */
        x->data[at] ^= (uint8_t)(1u << random_below(state, 8));
        break;
    case 1: /* a byte */
        x->data[at] = odd[random_below(state, sizeof odd)];
        break;
    case 2: /* bytes that are gone */
        memmove(x->data + at, x->data + at + length, x->size - at - length);
        x->size -= length;
        break;
    case 3: /* bytes twice */
        memmove(x->data + at + length, x->data + at, x->size - at);
        x->size += length;
        break;
    case 4: /* bytes from elsewhere */
        length = length < x->size - other ? length : x->size - other;
        memmove(x->data + at, x->data + other, length);
        break;
    default: /* a number that is large */
        memset(x->data + at, random_below(state, 2) ? 0xFF : 0x7F, length < 8 ? length : 8);
        break;
    }
}

/* The target must not look past the end: each input has an allocation of its own size, for the sanitizer. */
static void try_input(const struct bytes *x)
{
    current.data = malloc(x->size ? x->size : 1);
    if (!current.data)
        abort();
    memcpy(current.data, x->data, x->size);
    current.size = x->size;
    LLVMFuzzerTestOneInput(current.data, current.size);
    free(current.data);
}

static bool read_file(const char *path, struct bytes *x)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    bool ok = file && fstat(fileno(file), &status) == 0;

    x->data = ok ? malloc((size_t)status.st_size + 1) : NULL;
    x->size = x->data ? (size_t)status.st_size : 0;
    ok = x->data && fread(x->data, 1, x->size, file) == x->size;
    if (!ok)
        fprintf(stderr, "replay: cannot read '%s': %s\n", path, strerror(errno));
    if (file)
        fclose(file);
    return ok;
}

/* Returns how many inputs were tried, 0 if the file cannot be read. */
static unsigned long replay_file(const char *path, unsigned long count)
{
    struct bytes whole, work;
    unsigned long tried = 1;
    uint64_t state = 1;

    if (!read_file(path, &whole)) {
        free(whole.data);
        return 0;
    }
    work.data = malloc(whole.size + DAMAGES * GROWTH + 1);
    if (!work.data)
        abort();
    try_input(&whole);
    for (size_t n = 0; n < CUTS && n < whole.size; n++, tried++)
        try_input(&(struct bytes){whole.data, n * whole.size / CUTS});
    for (unsigned long n = 0; n < count; n++, tried++) {
        memcpy(work.data, whole.data, whole.size);
        work.size = whole.size;
        for (size_t times = random_below(&state, DAMAGES) + 1; times > 0; times--)
            damage(&work, &state);
        try_input(&work);
    }
    free(whole.data);
    free(work.data);
    return tried;
}

static unsigned long replay(const char *path, unsigned long count)
{
    struct dirent **names;
    int entries = scandir(path, &names, NULL, alphasort);
    unsigned long tried = 0;

    if (entries < 0)
        return replay_file(path, count);
    for (int n = 0; n < entries; n++) {
        char *inside = NULL;

        if (names[n]->d_name[0] != '.' && asprintf(&inside, "%s/%s", path, names[n]->d_name) >= 0)
            tried += replay_file(inside, count);
        free(inside);
        free(names[n]);
    }
    free(names);
    return tried;
}

int main(int argc, char **argv)
{
    unsigned long tried = 0;

    if (argc < 3) {
        fputs("usage: replay COUNT FILE|FOLDER...\n", stderr);
        return 2;
    }
    signal(SIGABRT, keep_input);
    for (int n = 2; n < argc; n++) {
        unsigned long more = replay(argv[n], strtoul(argv[1], NULL, 10));

        if (!more)
            return 1;
        tried += more;
    }
    printf("%lu inputs\n", tried);
    return 0;
}
