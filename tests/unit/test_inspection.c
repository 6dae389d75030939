/*
 * test_inspection.c - the host's part of reading a submission's file: test_inspection BUILD FILE.so FOLDER
 *
 * Stand-ins for the program that reads it, made in FOLDER, do what a program could that a hostile file steers.
 * Then the program of BUILD reads damaged copies of FILE.so. Whatever comes, the file alone is at fault.
 */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "unit.h"
#include "verify/base/random.h"
#include "verify/judge/inspection.h"

enum { SIZE = sizeof(struct findings), DAMAGED = 150 };

static const struct options options;
static const char *folder, *file;

/* The answer that is written by the next stand-in: FOLDER/answer. */
static void write_file(const char *name, const void *bytes, size_t size, mode_t mode)
{
    char path[PATH_MAX];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "w");
    CHECK(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0 && chmod(path, mode) == 0, "%s", path);
}

/* A stand-in of these commands, and what the host makes of it. */
static bool run(const char *commands, struct findings *findings, struct error *error)
{
    char script[512];

    snprintf(script, sizeof script, "#!/bin/sh\nPATH=/usr/bin:/bin\ncd '%s'\n%s\n", folder, commands);
    write_file("inspect", script, strlen(script), 0755);
    return inspection_run(file, folder, 0, &options, findings, error);
}

static void check_refused(const char *commands, enum exit_code code, const char *words)
{
    struct findings findings;
    struct error error = { 0 };

    CHECK(!run(commands, &findings, &error) && error.code == code && strstr(error.text, words),
          "after '%s': %d, '%s'", commands, error.code, error.text);
}

static void check_stand_ins(void)
{
    struct findings findings = { .is_shared_object = 255, .has_device_user = 7 }, got;
    struct error error;

    memset(findings.cuda_library, 'l', sizeof findings.cuda_library);
    strcpy(findings.opencl_library, "libOpenCL.so/../../../etc");
    memset(findings.broken, '\033', sizeof findings.broken);
    write_file("answer", &findings, SIZE, 0644);
    CHECK(run("printf +; cat answer", &got, &error), "%s", error.text);
    CHECK(got.is_shared_object && got.has_device_user && !got.starts_kernels, "other flags");
    CHECK(strlen(got.cuda_library) == sizeof got.cuda_library - 1, "the name of the library has no end");
    CHECK(got.opencl_library[0] == '\0', "a path is taken for a name: %s", got.opencl_library);
    CHECK(strlen(got.broken) < sizeof got.broken && !strchr(got.broken, '\033'), "words that steer: %s", got.broken);

    check_refused("printf +", EXIT_USAGE, "cannot be judged: to read its sections takes more than 1024 MiB");
    check_refused("printf +; head -c 100 answer", EXIT_USAGE, "cannot be judged: ");
    check_refused("printf -- -; cat answer", EXIT_USAGE, "cannot be judged: ");
    check_refused("printf +; cat answer answer", EXIT_USAGE, "cannot be judged: ");
    check_refused("printf +; exec cat /dev/zero", EXIT_USAGE, "cannot be judged: ");
    check_refused("printf +; kill -SEGV $$", EXIT_USAGE, "cannot be judged: its reader ended by Segmentation fault");
    check_refused("printf +; kill -XCPU $$", EXIT_USAGE,
                  "cannot be judged: to read its sections takes longer than 10 s");
    check_refused("exit 125", EXIT_TOOLKIT, "does not begin to read the submission");
    check_refused("printf +; exec >&-; exec sleep 1000", EXIT_USAGE, "cannot be judged: its reader ended by Killed");
}

/* The file with damage: parts cut off, and bytes replaced, most of them in its headers and tables. */
static void check_damaged(const char *build)
{
    FILE *in = fopen(file, "r");
    unsigned char *whole = malloc(1 << 20), *copy = malloc(1 << 20);
    const size_t size = in && whole && copy ? fread(whole, 1, 1 << 20, in) : 0;
    struct random_stream random = random_stream(&(struct random_key){ .seed = 1 }, 0);
    char path[PATH_MAX];

    CHECK(size > 4096, "%s is too short", file);
    snprintf(path, sizeof path, "%s/damaged.so", folder);
    for (int i = 0; size > 4096 && i < DAMAGED; i++) {
        const size_t kept = i % 3 == 0 ? 1 + random_below(&random, (uint32_t)size - 1) : size;
        struct findings findings;
        struct error error = { 0 };
        bool ok;

        memcpy(copy, whole, size);
        for (uint32_t n = random_below(&random, 30); n > 0; n--) {
            const uint32_t place = random_below(&random, n % 3 == 0 ? (uint32_t)size : 1024);

            copy[n % 3 == 1 ? size - 1 - place : place] = (unsigned char)random_below(&random, 256);
        }
        write_file("damaged.so", copy, kept, 0644);
        ok = inspection_run(path, build, 1u << RULE_TENSOR_CORES, &options, &findings, &error);
        CHECK(ok || error.code == EXIT_USAGE, "damage %d: %s", i, error.text);
    }
    if (in)
        fclose(in);
    free(whole);
    free(copy);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    file = argv[2];
    folder = argv[3];
    check_stand_ins();
    check_damaged(argv[1]);
    return unit_end();
}
