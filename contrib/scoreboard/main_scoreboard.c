/*
 * main_scoreboard.c - scoreboard CONTEST: a contest's results as a folder of pages that need no server.
 *
 * Reads contest.yaml, teams/ and grading/results.db, and writes nothing but the folder --out. It may run while the
 * contest is being graded: all pages show the database as it was at one moment.
 */
#include <getopt.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pages.h"
#include "site.h"
#include "verify/base/number.h"
#include "verify/base/root.h"

#define MARKER "scoreboard.txt"

static const char help[] =
    "usage: scoreboard CONTEST [--out FOLDER] [--public | --final] [--show-secret]\n"
    "\n"
    "Writes the scoreboard of the contest in the folder CONTEST, and prints the path of its first page.\n"
    "  --out FOLDER   the folder to write (default: CONTEST/scoreboard, with --show-secret\n"
    "                 CONTEST/scoreboard-secret); its old contents are removed\n"
    "  --public       hide the results of submissions after the freeze until the thaw; this is the default\n"
    "  --final        show the results of all submissions\n"
    "  --show-secret  also show answers and output in secret cases; for the organiser only\n"
    "\n"
    "SOURCE_DATE_EPOCH in the environment replaces the current time, in seconds since 1970.\n"
    "exit codes: 0 written, 2 usage, 3 the toolkit or the machine failed\n";

/* What a run needs from its beginning to its end. */
struct run_state {
    struct board board;
    struct site site;
    char digest[64]; /* of the style sheet */
};

/* ------------------------------------------------------------------ pages to files */

static bool write_page(struct run_state *state, struct page *page, const char *folder, const char *file,
                       struct error *error)
{
    char name[PATH_MAX];
    bool ok = !page->failed || error_toolkit(error, "out of memory");

    snprintf(name, sizeof name, "%s%s%.255s.html", page->language == JAPANESE ? "ja/" : "", folder, file);
    ok = ok && site_file(&state->site, name, page->data, page->size, error);
    page->size = 0; /* its memory serves the next one */
    page->failed = false;
    return ok;
}

/* Every submission is read and written before the next: what is kept of it is what the problem's page needs. */
static bool write_submissions(struct run_state *state, struct page *page, struct error *error)
{
    bool ok = true;

    for (size_t i = 0; ok && i < state->board.count; i++) {
        struct entry *entry = &state->board.entries[i];
        struct detail detail;
        char file[32];

        ok = detail_load(&detail, &state->board, entry, error);
        snprintf(file, sizeof file, "%jd", (intmax_t)entry->id);
        for (int language = 0; ok && language < LANGUAGES; language++) {
            page_submission(page, (enum language)language, &state->board, entry, &detail, state->digest);
            ok = write_page(state, page, "submission/", file, error);
        }
        detail_release(&detail);
    }
    return ok;
}

static bool write_pages(struct run_state *state, struct error *error)
{
    static const char *const folders[] = { "problem", "submission", "ja", "ja/problem", "ja/submission" };
    static const char marker[] = "Written by the toolkit's scoreboard, which replaces this folder as a whole.\n";
    const struct contest *contest = state->board.contest;
    struct page page = { 0 };
    bool ok = site_file(&state->site, MARKER, marker, sizeof marker - 1, error);

    for (size_t i = 0; ok && i < sizeof folders / sizeof folders[0]; i++)
        ok = site_folder(&state->site, folders[i], error);
    ok = ok && write_submissions(state, &page, error);
    for (int language = 0; ok && language < LANGUAGES; language++) {
        page_index(&page, (enum language)language, &state->board, state->digest);
        ok = write_page(state, &page, "", "index", error);
        for (size_t i = 0; ok && i < state->board.problems; i++) {
            ok = page_problem(&page, (enum language)language, &state->board, i, state->digest) ||
                 error_toolkit(error, "out of memory");
            ok = ok && write_page(state, &page, "problem/", contest->problems[i].id, error);
        }
    }
    page_release(&page);
    return ok;
}

/* ------------------------------------------------------------------ from the database to the folder */

/* The present, or what the environment says it is, so that the same database gives the same bytes. */
static bool present(double *now, struct error *error)
{
    const char *given = getenv("SOURCE_DATE_EPOCH");

    *now = (double)time(NULL);
    if (!given)
        return true;
    return number_decimal(given, 0, 1e11, now) ||
           error_usage(error, "SOURCE_DATE_EPOCH is not a number of seconds: '%.40s'", given);
}

static bool write_board(const struct contest *contest, const char *folder, const char *out, bool final,
                        bool secrets, struct error *error)
{
    struct run_state *state = calloc(1, sizeof *state);
    char build[PATH_MAX], root[PATH_MAX], path[PATH_MAX];
    struct store store = { 0 };
    double now;
    bool ok;

    if (!state)
        return error_toolkit(error, "out of memory");
    state->site.folder = -1;
    layout_style_digest(state->digest, sizeof state->digest);
    ok = store_find(folder, path, error) && present(&now, error) && root_find(build, root, sizeof root, error) &&
         store_open(&store, path, secrets ? STORE_READ_SECRET : STORE_READ, error) &&
         store_run(&store, error, "BEGIN", "") &&
         board_load(&state->board, contest, &store, folder, root, final, now, error) &&
         site_begin(&state->site, out, MARKER, error) && write_pages(state, error) &&
         site_publish(&state->site, error);
    site_end(&state->site);
    board_release(&state->board);
    if (store.db)
        store_close(&store);
    free(state);
    return ok;
}

int main(int argc, char **argv)
{
    static const struct option options[] = { { "out", required_argument, NULL, 'o' },
                                             { "public", no_argument, NULL, 'p' },
                                             { "final", no_argument, NULL, 'f' },
                                             { "show-secret", no_argument, NULL, 's' },
                                             { "help", no_argument, NULL, 'h' },
                                             { 0 } };
    static struct contest contest;
    struct error error = { 0 };
    const char *out = NULL, *folder;
    char own[PATH_MAX];
    bool final = false, public_view = false, secrets = false, ok;
    int option;

    while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1)
        switch (option) {
        case 'o': out = optarg; break;
        case 'p': public_view = true; break;
        case 'f': final = true; break;
        case 's': secrets = true; break;
        case 'h': return fputs(help, stdout) < 0;
        default:
            error_option(&error, option, argv[optind - 1], "build/scoreboard");
            return fprintf(stderr, "scoreboard: %s\n", error.text), EXIT_USAGE;
        }
    if (optind + 1 != argc || (public_view && (final || secrets))) {
        fputs(optind + 1 != argc ? "scoreboard: give one contest's folder; see build/scoreboard --help\n"
                                 : "scoreboard: --public excludes --final and --show-secret\n",
              stderr);
        return EXIT_USAGE;
    }
    folder = argv[optind];
    umask(022);
    snprintf(own, sizeof own, "%.2000s/scoreboard%s", folder, secrets ? "-secret" : "");
    ok = sodium_init() >= 0 || error_toolkit(&error, "cannot start libsodium");
    ok = ok && contest_load(&contest, folder, &error);
    if (ok) {
        ok = write_board(&contest, folder, out ? out : own, final, secrets, &error);
        contest_release(&contest);
    }
    if (ok && printf("%s/index.html\n", out ? out : own) > 0 && fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "scoreboard: %s\n", ok ? "cannot write to standard output" : error.text);
    return ok ? EXIT_TOOLKIT : (int)error.code;
}
