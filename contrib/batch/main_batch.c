/*
 * main_batch.c - batch PROBLEM FILE...: has sources judged by a contest's server, and writes a line for each result.
 *
 * The day-to-day way in is run_scripts/batch.sh. What the server was asked is on its disk once it has answered with a
 * number. Whatever breaks after that, this program among it, the results are asked for again by the number.
 */
#include <getopt.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "lines.h"
#include "verify/base/blob.h"
#include "verify/base/clock.h"
#include "verify/base/number.h"
#include "verify/base/text.h"

static const char help[] =
    "usage: batch PROBLEM FILE... [--times] [--explain] [--counters] [--again] [--out FILE] [--resume BATCH] ...\n"
    "\n"
    "Sends each FILE (.cu, .c or .cc, at most 100 files) to a contest's server, which judges each file alone, after\n"
    "all submissions of the contest. The results enter no standings. Writes one line of JSON per file when its\n"
    "result arrives: the batch, the file's name, and the fields that docs/formats/batches.md lists. Prints the\n"
    "batch's number on standard error.\n"
    "\n"
    "  --times          also measure the times of accepted submissions\n"
    "  --explain        also explain them by the simulator on one sample, if the simulator runs them\n"
    "  --counters       also count events, on the GPU that times them or on the simulator\n"
    "  --again          judge a source again that was judged before\n"
    "  --out FILE       append to FILE; results of this batch that FILE has are not written again\n"
    "  --resume BATCH   send nothing, but write the results of that batch. With its PROBLEM and FILE... the lines\n"
    "                   have these names; without, the server's names\n"
    "  --poll SECONDS   ask the server every SECONDS (default: results come as a stream)\n"
    "  --patience SECONDS  keep trying this long if the server does not answer (default: 300)\n"
    "  --url URL        the server's address (default: CONTEST_URL, or the file `url` beside the token)\n"
    "  --token FILE     the token of `grade.sh CONTEST token --program NAME`, a file of mode 0600\n"
    "                   (default: ~/.config/gpu-contest/token)\n"
    "\n"
    "exit codes: 0 all files have a verdict, good or bad, and it is written; 2 usage, or the server refused; 3 the\n"
    "server or this machine failed: continue with --resume\n";

struct options {
    bool times, explain, counters, again;
    const char *out, *resume, *problem;
    char url[512], token[PATH_MAX];
    double poll, patience;  /* seconds; poll 0: a stream */
    char **files;           /* [file_count] */
    size_t file_count;
};

struct batch {
    const struct options *options;
    struct client *client, *asking; /* for streams; for questions, which may be asked within a stream */
    struct items items;
    struct lines lines;
    char number[24];
    int64_t heard;           /* when the server last answered, clock_ns() */
    struct error *error;
    long status;             /* of the last answer: HTTP's, or 0 */
};

/* ------------------------------------------------------------------ options */

/* The first line of a file, without its end; "" where it cannot be read. */
static void first_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");

    line[0] = '\0';
    if (file && !fgets(line, (int)size, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
}

static void find_token(struct options *options)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    if (options->token[0])
        return;
    if (config && config[0])
        snprintf(options->token, sizeof options->token, "%s/gpu-contest/token", config);
    else
        snprintf(options->token, sizeof options->token, "%s/.config/gpu-contest/token", home ? home : "");
}

static bool find_url(struct options *options, struct error *error)
{
    const char *known = getenv("CONTEST_URL"), *slash = strrchr(options->token, '/');
    char path[PATH_MAX + 8];

    if (options->url[0])
        return true;
    if (known && known[0]) {
        snprintf(options->url, sizeof options->url, "%s", known);
        return true;
    }
    snprintf(path, sizeof path, "%.*surl", (int)(slash ? slash + 1 - options->token : 0), options->token);
    first_line(path, options->url, sizeof options->url);
    return options->url[0] || error_usage(error, "the server's address is not known: give --url https://...");
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);

    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* What the server calls the language of a file; NULL if it is no source. */
static const char *language_of(const char *path)
{
    return ends_with(path, ".cu") ? "cuda" : ends_with(path, ".cc") ? "cpp" : ends_with(path, ".c") ? "c" : NULL;
}

static bool check_files(const struct options *options, struct error *error)
{
    if (!options->resume && options->file_count == 0)
        return error_usage(error, "name a problem and files; see build/batch --help");
    if (options->file_count > LINES_ITEMS)
        return error_usage(error, "%zu files are more than %d: make several batches", options->file_count, LINES_ITEMS);
    for (size_t i = 0; i < options->file_count; i++) {
        if (!language_of(options->files[i]))
            return error_usage(error, "'%.200s' is not a .cu, .c or .cc file", options->files[i]);
        if (!options->resume && access(options->files[i], R_OK) != 0)
            return error_usage(error, "there is no file '%.200s', or it cannot be read", options->files[i]);
    }
    return true;
}

static bool take_number(const char *name, const char *text, double least, double *number, struct error *error)
{
    return number_decimal(text, least, 86400, number) ||
           error_usage(error, "--%s: '%.60s' is not a number of seconds from %g to 86400", name, text, least);
}

static bool take_options(struct options *options, int argc, char **argv, struct error *error)
{
    static const struct option known[] = {
        { "times", no_argument, NULL, 't' },          { "explain", no_argument, NULL, 'e' },
        { "counters", no_argument, NULL, 'c' },       { "again", no_argument, NULL, 'a' },
        { "out", required_argument, NULL, 'o' },      { "resume", required_argument, NULL, 'r' },
        { "poll", required_argument, NULL, 'p' },     { "patience", required_argument, NULL, 'n' },
        { "url", required_argument, NULL, 'u' },      { "token", required_argument, NULL, 'k' },
        { 0 },
    };
    int64_t number;
    int option;
    bool ok = true;

    *options = (struct options){ .patience = 300 };
    opterr = 0;
    while (ok && (option = getopt_long(argc, argv, ":", known, NULL)) != -1) {
        switch (option) {
        case 't': options->times = true; break;
        case 'e': options->explain = true; break;
        case 'c': options->counters = true; break;
        case 'a': options->again = true; break;
        case 'o': options->out = optarg; break;
        case 'u': snprintf(options->url, sizeof options->url, "%s", optarg); break;
        case 'k': snprintf(options->token, sizeof options->token, "%s", optarg); break;
        case 'p': ok = take_number("poll", optarg, 0.1, &options->poll, error); break;
        case 'n': ok = take_number("patience", optarg, 0, &options->patience, error); break;
        case 'r':
            options->resume = optarg;
            ok = number_integer(optarg, 1, INT64_MAX, &number) ||
                 error_usage(error, "--resume: '%.60s' is not the number of a batch", optarg);
            break;
        default: return error_option(error, option, argv[optind - 1], "build/batch");
        }
    }
    if (ok && optind < argc)
        options->problem = argv[optind++];
    options->files = argv + optind;
    options->file_count = (size_t)(argc - optind);
    if (ok && options->again && options->resume)
        return error_usage(error, "--again and --resume exclude each other: a resumed batch was sent before");
    find_token(options);
    return ok && check_files(options, error) && find_url(options, error);
}

/* ------------------------------------------------------------------ asking, and asking again */

static void pause_for(double seconds)
{
    struct timespec left = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };

    while (nanosleep(&left, &left) != 0)
        ;
}

/* The server's words in one line, in an error. */
static bool refused(const struct client_reply *reply, struct error *error)
{
    const char *words = reply->body ? reply->body : "";
    char line[300];

    snprintf(line, sizeof line, "%.*s", (int)strcspn(words, "\n"), words);
    text_defuse(line, sizeof line);
    return reply->status >= 500 ? error_toolkit(error, "%s (HTTP %ld)", line, reply->status)
                                : error_usage(error, "%s (HTTP %ld)", line, reply->status);
}

/*
 * Whether it is to be tried again after a pause, which this takes: the server is too busy, fails, or does not answer.
 * Else *batch->error says why. `twice`: what it was asked may be done twice.
 */
static bool may_try_again(struct batch *batch, const struct client_reply *reply, bool twice, double *pause)
{
    const bool busy = reply->status == 429, failed = reply->status == 0 || reply->status >= 500;
    const double silent = clock_seconds(batch->heard, clock_ns());

    if (busy)
        batch->heard = clock_ns();
    if (!busy && !(failed && twice))
        return reply->status == 0 ? error_toolkit(batch->error, "the server's answer is lost: %s", reply->why)
                                  : refused(reply, batch->error);
    if (failed && silent >= batch->options->patience)
        return reply->status == 0 ? error_toolkit(batch->error, "'%.200s' does not answer: %s", batch->options->url,
                                                  reply->why)
                                  : refused(reply, batch->error);
    *pause = *pause > 0 ? *pause < 15 ? *pause * 2 : 30 : 0.5;
    pause_for(reply->retry > 0 && reply->retry <= 300 ? (double)reply->retry : *pause);
    return true;
}

/* A request until it is answered; the JSON of the answer, or NULL. */
static json_t *ask(struct batch *batch, const char *path, const char *body, bool twice)
{
    struct client_reply reply;
    double pause = 0;
    json_t *value = NULL;

    for (;;) {
        client_ask(batch->asking, path, body, &reply);
        batch->status = reply.status;
        if (reply.status == 200)
            break;
        if (!may_try_again(batch, &reply, twice, &pause)) {
            free(reply.body);
            return NULL;
        }
        free(reply.body);
    }
    batch->heard = clock_ns();
    value = json_loadb(reply.body ? reply.body : "", reply.size, 0, NULL);
    if (!json_is_object(value)) {
        error_toolkit(batch->error, "the answer of '%.200s' is not a JSON object: is it a contest's server?",
                      batch->options->url);
        json_decref(value);
        value = NULL;
    }
    free(reply.body);
    return value;
}

/* ------------------------------------------------------------------ sending */

static json_t *wants_of(const struct options *options)
{
    json_t *want = json_pack("[s]", "verdict");

    if (options->times)
        json_array_append_new(want, json_string("times"));
    if (options->explain)
        json_array_append_new(want, json_string("explanation"));
    if (options->counters)
        json_array_append_new(want, json_string("counters"));
    return want;
}

static bool add_file(json_t *items, const struct options *options, const char *path, struct error *error)
{
    struct blob blob = { 0 };
    json_t *source, *item;

    if (!blob_read_file(&blob, path, CLIENT_REPLY, error))
        return false;
    source = json_stringn((const char *)(blob.data ? blob.data : (unsigned char *)""), blob.size);
    blob_release(&blob);
    if (!source)
        return error_usage(error, "'%.200s' is not text in UTF-8", path);
    item = json_pack("{s:s, s:o, s:s, s:o, s:b}", "problem", options->problem, "source", source, "language",
                     language_of(path), "want", wants_of(options), "again", (int)options->again);
    return json_array_append_new(items, item) == 0 || error_toolkit(error, "out of memory");
}

/* The items' numbers, of the server's answer to a batch. */
static bool take_numbers(struct batch *batch, const json_t *answer)
{
    const struct options *options = batch->options;
    const json_t *items = json_object_get(answer, "items"), *item;
    size_t i;

    if (json_array_size(items) == 0 || json_array_size(items) > LINES_ITEMS)
        return error_toolkit(batch->error, "the server's answer has no items");
    if (options->file_count > 0 && json_array_size(items) != options->file_count)
        return error_usage(batch->error, "batch %s has %zu items, but you gave %zu files: give its files, or none",
                           batch->number, json_array_size(items), options->file_count);
    json_array_foreach(items, i, item) {
        const char *id = json_string_value(json_object_get(item, "id"));
        struct item *one = &batch->items.items[batch->items.count++];

        *one = (struct item){ .id = strdup(id ? id : ""), .name = options->file_count > 0 ? options->files[i] : NULL };
        if (!one->id)
            return error_toolkit(batch->error, "out of memory");
    }
    return true;
}

static bool send_batch(struct batch *batch)
{
    json_t *items = json_array(), *answer = NULL, *body = NULL;
    char *text = NULL;
    bool ok = items != NULL;

    for (size_t i = 0; ok && i < batch->options->file_count; i++)
        ok = add_file(items, batch->options, batch->options->files[i], batch->error);
    if (ok) {
        body = json_pack("{s:O}", "items", items);
        text = body ? json_dumps(body, JSON_COMPACT) : NULL;
        ok = text != NULL || error_toolkit(batch->error, "out of memory");
    }
    /* Equal sources are judged once, but for those that are wanted again: those may not be sent twice. */
    answer = ok ? ask(batch, "/judge", text, !batch->options->again) : NULL;
    ok = answer != NULL;
    if (ok) {
        const char *number = json_string_value(json_object_get(answer, "batch"));

        snprintf(batch->number, sizeof batch->number, "%s", number ? number : "");
        fprintf(stderr, "batch %s\n", batch->number);
        ok = take_numbers(batch, answer);
    }
    free(text);
    json_decref(body);
    json_decref(answer);
    json_decref(items);
    return ok;
}

static bool resume_batch(struct batch *batch)
{
    char path[64];
    json_t *answer;
    bool ok;

    snprintf(batch->number, sizeof batch->number, "%s", batch->options->resume);
    snprintf(path, sizeof path, "/judge/%s", batch->number);
    answer = ask(batch, path, NULL, true);
    if (!answer && batch->status == 404)
        return error_usage(batch->error, "--resume: the token's account has no batch %s", batch->number);
    ok = answer != NULL && take_numbers(batch, answer);
    json_decref(answer);
    return ok;
}

/* ------------------------------------------------------------------ results */

/* Whether a result of that number is still to be written. */
static bool is_missing(const struct batch *batch, const char *id)
{
    for (size_t i = 0; i < batch->items.count; i++)
        if (!batch->items.items[i].written && strcmp(batch->items.items[i].id, id) == 0)
            return true;
    return false;
}

/* Writes a result that is there. What it has beside verdict and times is asked for first, by another connection. */
static bool put_result(struct batch *batch, json_t *result)
{
    const char *id = json_string_value(json_object_get(result, "id"));
    char path[96];
    json_t *whole = NULL;
    bool ok;

    if (!id || !is_missing(batch, id))
        return true;
    if (json_object_get(result, "explanation") || json_object_get(result, "counters")) {
        snprintf(path, sizeof path, "/judge/%s/%.24s", batch->number, id);
        whole = ask(batch, path, NULL, true);
        if (!whole)
            return false;
        result = whole;
    }
    json_object_del(result, "cases"); /* as the stream has it */
    ok = lines_write(&batch->lines, batch->number, &batch->items, result, batch->error);
    json_decref(whole);
    return ok;
}

static bool take_line(void *context, const char *text, size_t size)
{
    struct batch *batch = context;
    json_t *result = json_loadb(text, size, 0, NULL);
    bool ok = json_is_object(result) || error_toolkit(batch->error, "a line of the server's stream is not a result");

    batch->heard = clock_ns();
    ok = ok && put_result(batch, result);
    json_decref(result);
    return ok && batch->items.written < batch->items.count;
}

/* From the stream's beginning to where it ends or breaks; what was written before is in it again. */
static bool listen_once(struct batch *batch, double *pause)
{
    const size_t before = batch->items.written;
    struct client_reply reply;
    char path[64];
    bool ok;

    snprintf(path, sizeof path, "/judge/%s/events", batch->number);
    client_stream(batch->client, path, take_line, batch, &reply);
    ok = !batch->error->text[0];
    if (batch->items.written > before)
        *pause = 0;
    if (ok && batch->items.written < batch->items.count) {
        if (reply.status == 200) /* it has begun and broke off: as if there had been no answer */
            reply.status = 0;
        ok = may_try_again(batch, &reply, true, pause);
    }
    free(reply.body);
    return ok;
}

static bool poll_once(struct batch *batch)
{
    char path[64];
    json_t *answer, *result;
    size_t i;
    bool ok = true;

    snprintf(path, sizeof path, "/judge/%s", batch->number);
    answer = ask(batch, path, NULL, true);
    if (!answer)
        return false;
    json_array_foreach(json_object_get(answer, "items"), i, result)
        if (json_is_string(json_object_get(result, "verdict")))
            ok = ok && put_result(batch, result);
    json_decref(answer);
    if (ok && batch->items.written < batch->items.count)
        pause_for(batch->options->poll);
    return ok;
}

static bool run(struct batch *batch)
{
    double pause = 0;
    bool ok;

    batch->heard = clock_ns();
    ok = (batch->options->resume ? resume_batch(batch) : send_batch(batch)) &&
         lines_open(&batch->lines, batch->options->out, batch->number, &batch->items, batch->error);
    while (ok && batch->items.written < batch->items.count)
        ok = batch->options->poll > 0 ? poll_once(batch) : listen_once(batch, &pause);
    return ok && lines_close(&batch->lines, batch->error);
}

int main(int argc, char **argv)
{
    static struct options options;
    static struct batch batch;
    struct error error = { 0 };
    bool ok;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0;
    ok = take_options(&options, argc, argv, &error);
    batch = (struct batch){ .options = &options, .error = &error };
    ok = ok && (batch.client = client_new(options.url, options.token, &error)) != NULL &&
         (batch.asking = client_new(options.url, options.token, &error)) != NULL && run(&batch);
    client_free(batch.client);
    client_free(batch.asking);
    for (size_t i = 0; i < batch.items.count; i++)
        free(batch.items.items[i].id);
    if (ok)
        return EXIT_ACCEPTED;
    fprintf(stderr, "batch: %s\n", error.text);
    return (int)error.code;
}
