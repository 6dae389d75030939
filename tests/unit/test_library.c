/*
 * test_library.c - the small parts: arguments, settings, statistics, blobs, folders, the channel, resident slots, the
 * reaper.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "verify/cases/arguments.h"
#include "verify/base/blob.h"
#include "verify/wire/channel.h"
#include "verify/base/clock.h"
#include "verify/wire/reap.h"
#include "verify/base/settings.h"
#include "verify/base/shared_map.h"
#include "verify/base/stats.h"
#include "verify/base/tree.h"
#include "verify/wire/resident.h"

static void test_arguments(void)
{
    static const char *const known[] = { "alphabet", NULL };
    struct arguments arguments;
    struct error error;
    uint64_t number;
    char line[ARGUMENTS_TEXT + 10];

    CHECK(arguments_parse(&arguments, "random 128 256 alphabet=dna seed=7\n", &error), "%s", error.text);
    CHECK(arguments.word_count == 3 && strcmp(arguments.words[2], "256") == 0, "%zu words", arguments.word_count);
    CHECK(strcmp(arguments_option(&arguments, "alphabet", "x"), "dna") == 0, "alphabet");
    CHECK(strcmp(arguments_option(&arguments, "period", "x"), "x") == 0, "fallback");
    CHECK(arguments_number(&arguments, "seed", 0, 0, 9, &number, &error) && number == 7, "seed %ju", (uintmax_t)number);
    CHECK(!arguments_number(&arguments, "seed", 0, 0, 6, &number, &error), "7 is above 6");
    CHECK(arguments_number(&arguments, "period", 5, 0, 9, &number, &error) && number == 5, "fallback");
    CHECK(arguments_check(&arguments, known, &error), "%s", error.text);
    CHECK(!arguments_check(&arguments, known + 1, &error) && strstr(error.text, "alphabet"), "%s", error.text);
    CHECK(!arguments_parse(&arguments, "", &error), "empty");
    CHECK(!arguments_parse(&arguments, "a x=1 b", &error), "a word behind an option");
    CHECK(!arguments_parse(&arguments, "a b c d e f g h i j k l m n o p q", &error), "17 words");
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    CHECK(!arguments_parse(&arguments, line, &error), "a long line");
}

static void test_numbers(void)
{
    static const char *const wrong[] = {
        "", " 1", "1 ", "-1", "+1", "0x1", "1e3", "1.0", "99999999999999999999", "11"
    };
    struct error error;
    uint64_t number;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(!parse_number(wrong[i], "n", 0, 10, &number, &error) && error.code == EXIT_USAGE, "'%s'", wrong[i]);
    CHECK(parse_number("18446744073709551615", "n", 0, UINT64_MAX, &number, &error) && number == UINT64_MAX, "2^64-1");
    CHECK(parse_number("007", "n", 0, 10, &number, &error) && number == 7, "leading zeros");
}

/* Writes `text` to a file and loads it. */
static bool load_text(struct settings *settings, const char *text, const char *const *known, struct error *error)
{
    char path[] = "/tmp/settings.XXXXXX";
    int fd = mkstemp(path);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    close(fd);
    ok = ok && settings_load(settings, path, known, error);
    unlink(path);
    return ok;
}

static void test_settings(void)
{
    static const char *const known[] = { "name.*", "limits.time_limit", "list.*", "type", NULL };
    static const struct {
        const char *text, *words;
    } wrong[] = {
        { "limits:\n  tyme_limit: 3\n", ":2: unknown key 'limits.tyme_limit'" },
        { "type: a\ntype: b\n", ":2: key 'type' is given twice" },
        { "type: [\n", ":" },
        { "just words\n", "a map of keys is expected" },
        { "type: &x a\nlist: [*x]\n", ":1: anchors (&) are not supported" },
        { "type: a\nlist: [*x]\n", ":2: aliases are not supported" },
        { "list: {b: {c: {d: {e: {f: {g: {h: {i: 1}}}}}}}}\n", "nested too deeply" },
        { "type: \"\x01\"\n", ":" },
    };
    struct settings settings;
    struct error error;
    double number = 5;

    CHECK(load_text(&settings, "type: x\nname: {en: A, ja: 編}\nlimits:\n  time_limit: 2.5\nlist: [a, b]\n", known,
                    &error), "%s", error.text);
    CHECK(settings.count == 6, "%zu items", settings.count);
    CHECK(strcmp(settings_string(&settings, "name.ja"), "編") == 0, "name.ja");
    CHECK(strcmp(settings_string(&settings, "list.1"), "b") == 0, "list.1");
    CHECK(settings_string(&settings, "list.2") == NULL, "list.2");
    CHECK(settings_number(&settings, "limits.time_limit", &number, &error) && number == 2.5, "%g", number);
    CHECK(settings_number(&settings, "limits.memory", &number, &error) && number == 2.5, "a missing key");
    CHECK(!settings_number(&settings, "type", &number, &error), "'x' is no number");
    settings_release(&settings);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(!load_text(&settings, wrong[i].text, known, &error), "accepted: %s", wrong[i].text);
        CHECK(strstr(error.text, wrong[i].words) && error.code == EXIT_USAGE, "'%s' has no '%s'", error.text,
              wrong[i].words);
    }
    CHECK(!settings_load(&settings, "/nonexistent", known, &error) && strstr(error.text, "/nonexistent"), "%s",
          error.text);
    for (int i = 0; i < 4; i++) {
        static const char *const bad[] = { "0", "-1", "nan", "inf" };
        char text[64];

        snprintf(text, sizeof text, "limits:\n  time_limit: %s\n", bad[i]);
        CHECK(load_text(&settings, text, known, &error), "%s", error.text);
        CHECK(!settings_number(&settings, "limits.time_limit", &number, &error), "%s is accepted", bad[i]);
        settings_release(&settings);
    }
}

static void test_stats(void)
{
    double four[] = { 4, 1, 3, 2 }, one[] = { 7 };
    struct stats s = stats_of(four, 4);

    CHECK(s.min == 1 && s.max == 4 && s.median == 2.5 && s.q1 == 1.75 && s.q3 == 3.25, "%g %g %g %g %g", s.min, s.q1,
          s.median, s.q3, s.max);
    s = stats_of(one, 1);
    CHECK(s.min == 7 && s.q1 == 7 && s.median == 7 && s.q3 == 7 && s.max == 7, "of one sample");
    s = stats_of(one, 0);
    CHECK(s.median == 0, "of none");
}

static void test_blob(void)
{
    struct blob blob = { 0 };
    struct error error;

    CHECK(blob_alloc(&blob, 5000, &error) && blob.size == 5000 && (uintptr_t)blob.data % BLOB_ALIGNMENT == 0, "%p",
          (void *)blob.data);
    CHECK(blob.data[0] == 0 && blob.data[4999] == 0, "not zero");
    for (int round = 0; round < 3; round++) { /* each is new: earlier writes are not visible */
        const size_t size = (5 << 20) + 17;

        CHECK(blob_alloc(&blob, size, &error) && blob.size == size, "%s", error.text);
        CHECK(blob.mapped >= size && (uintptr_t)blob.data % (2 << 20) == 0, "%p", (void *)blob.data);
        for (size_t i = 0; i < size; i += 4096)
            CHECK(blob.data[i] == 0, "byte %zu is not zero", i);
        CHECK(blob.data[size - 1] == 0, "the last byte is not zero");
        memset(blob.data, 7, size);
    }
    CHECK(!blob_alloc(&blob, SIZE_MAX - 10, &error) && error.code == EXIT_TOOLKIT && blob.data == NULL, "%s",
          error.text);
    CHECK(!blob_read_file(&blob, "/nonexistent/file", 10, &error) && strstr(error.text, "/nonexistent/file"), "%s",
          error.text);
    CHECK(!blob_read_file(&blob, "/tmp", 10, &error) && strstr(error.text, "regular"), "%s", error.text);
    blob_release(&blob);
}

/* Whatever is on the channel, the receiver reports it and lives. */
/* A path below `folder` in a new text. */
static const char *in(const char *folder, const char *name)
{
    static char text[8][128];
    static unsigned next;
    char *place = text[next++ % 8];

    snprintf(place, sizeof text[0], "%s/%s", folder, name);
    return place;
}

/* tree_open() on what an untrusted program may leave: links to files and folders, FIFOs, and files. */
static void test_tree(void)
{
    char folder[] = "/tmp/test_library-XXXXXX";
    char byte = 0;
    int fd;

    CHECK(mkdtemp(folder) && mkdir(in(folder, "real"), 0700) == 0, "%s", strerror(errno));
    fd = open(in(folder, "real/file"), O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0, "%s", strerror(errno));
    CHECK(symlink("real", in(folder, "link")) == 0 && symlink("file", in(folder, "real/link")) == 0 &&
              mkfifo(in(folder, "real/fifo"), 0600) == 0, "%s", strerror(errno));
    fd = tree_open(folder, "real/file");
    CHECK(fd >= 0 && read(fd, &byte, 1) == 1 && byte == 'x', "a file is not read");
    close(fd);
    for (const char *const *path = (const char *const[]){ "link/file", "real/link", "real/fifo", "real", "link", "",
                                                          "real/none", "real/file/", "../etc/passwd", NULL };
         *path; path++)
        CHECK(tree_open(folder, *path) < 0, "'%s' is opened", *path);
    tree_remove(folder);
    CHECK(access(folder, F_OK) != 0, "the folder is still there");
}

static void test_channel(void)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_DONE }, got;
    struct channel_message unterminated = message;
    unsigned char junk[4096];
    int pair[2], fd, spare = open("/dev/null", O_RDONLY);

    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0, "%s", strerror(errno));
    CHECK(!channel_spin(pair[1], 1000), "nothing is there");
    CHECK(channel_send(pair[0], &message, spare), "%s", strerror(errno));
    CHECK(channel_spin(pair[1], 1000), "a message is there");
    CHECK(channel_receive(pair[1], &got, &fd) == CHANNEL_MESSAGE && fd >= 0 && got.kind == CHANNEL_DONE,
          "with a descriptor");
    close(fd);
    CHECK(channel_send(pair[0], &message, -1) && channel_receive(pair[1], &got, &fd) == CHANNEL_MESSAGE && fd == -1,
          "without one");
    CHECK(channel_send(pair[0], &message, spare), "%s", strerror(errno));
    CHECK(channel_receive(pair[1], &got, NULL) == CHANNEL_JUNK, "a descriptor where none is taken");
    memset(junk, 0xff, sizeof junk);
    for (size_t size = 1; size <= sizeof junk; size = size * 3 + 1) {
        CHECK(send(pair[0], junk, size, 0) == (ssize_t)size, "%s", strerror(errno));
        CHECK(channel_receive(pair[1], &got, NULL) == CHANNEL_JUNK, "%zu bytes of junk", size);
    }
    memset(unterminated.text, 'x', sizeof unterminated.text);
    CHECK(channel_send(pair[0], &unterminated, -1) && channel_receive(pair[1], &got, NULL) == CHANNEL_JUNK,
          "no terminator");
    close(pair[0]);
    CHECK(channel_receive(pair[1], &got, NULL) == CHANNEL_END, "the end");
    CHECK(!channel_send(pair[1], &message, -1), "nobody listens");
    close(pair[1]);
    close(spare);
}

static void test_shared_map(void)
{
    static const size_t sizes[] = { 1, 4096, 200000, HUGE_PAGE / 8, HUGE_PAGE, 3 * HUGE_PAGE + 5 };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t size = map_size(sizes[i]);
        int fd = memfd_create("test", MFD_CLOEXEC);
        unsigned char *memory;

        CHECK(size >= sizes[i] && size < sizes[i] + HUGE_PAGE, "%zu for %zu", size, sizes[i]);
        CHECK(ftruncate(fd, (off_t)size) == 0, "%s", strerror(errno));
        memory = map_shared(fd, size);
        CHECK(memory != NULL, "%s", strerror(errno));
        CHECK(size % HUGE_PAGE != 0 || (uintptr_t)memory % HUGE_PAGE == 0, "%p", (void *)memory);
        memory[0] = memory[size - 1] = 1;
        munmap(memory, size);
        close(fd);
    }
}

/* A child that forks twice, leaves its session and blocks every signal it can is gone all the same. */
/* The copy of a small input is larger than the input, and must not reach the output. */
static void test_resident(void)
{
    for (size_t size = 0; size < 4 * RESIDENT_LEAST; size += 100) {
        const size_t brought = size < RESIDENT_LEAST ? RESIDENT_LEAST : size, offset = resident_output_offset(size);

        CHECK(offset >= brought && offset % 256 == 0, "%zu bytes, the output at %zu", size, offset);
        CHECK(offset <= brought + 8192, "%zu bytes, the output at %zu", size, offset);
    }
}

static void test_reap(void)
{
    int pipes[2], status = 0;
    char byte;
    pid_t child;
    int64_t start;

    CHECK(pipe(pipes) == 0, "%s", strerror(errno));
    child = fork();
    if (child == 0) {
        sigset_t all;

        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        for (int i = 0; i < 3; i++)
            if (fork() == 0) {
                setsid();
                if (fork() == 0)
                    for (;;)
                        pause();
                if (i == 2)
                    _exit(0);
                for (;;)
                    pause();
            }
        usleep(20000);
        if (write(pipes[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(pipes[1]);
    CHECK(read(pipes[0], &byte, 1) == 1, "%s", strerror(errno));
    start = clock_ns();
    CHECK(reap_all(child, &status, 5), "something lives on");
    CHECK(clock_seconds(start, clock_ns()) < 1.0, "it took %g s", clock_seconds(start, clock_ns()));
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x", (unsigned)status);
    /* Every write end of the pipe is closed: no process is left. */
    CHECK(read(pipes[0], &byte, 1) == 0, "a process still holds the pipe");
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a child is left");
    close(pipes[0]);
}

int main(void)
{
    reap_adopt();
    test_arguments();
    test_numbers();
    test_settings();
    test_stats();
    test_blob();
    test_tree();
    test_channel();
    test_shared_map();
    test_resident();
    test_reap();
    return unit_end();
}
