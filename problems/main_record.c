/*
 * main_record.c - checks a signed record: see --help. Called by run_scripts/verify_record.sh.
 *
 * A line for every check; nothing of the record is acted upon unless its signature fits. What the judging rests on is
 * proved in two ways: the inputs are made again here, and with --rerun main_host judges the same submission again.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "problem.h"
#include "verify/base/canonical.h"
#include "verify/base/root.h"
#include "verify/base/text.h"
#include "verify/cases/frozen.h"
#include "verify/cases/package.h"
#include "verify/result/keyfile.h"
#include "verify/result/record.h"

static const char help[] =
    "usage: verify_record RECORD [--key PUBLIC] [--submission FILE] [--source PATH] [--seal FILE]\n"
    "                     [--inputs] [--rerun]\n"
    "       verify_record --message RECORD\n"
    "Checks a result that main_host signed (--json, --key). It always checks the signature. The options add checks:\n"
    "\n"
    "  --key PUBLIC        this key signed it: the contest's key-public.json\n"
    "  --submission FILE   this device_user.so was judged\n"
    "  --source PATH       this file or folder was its source\n"
    "  --seal FILE         its seed came from this seal: seal-published.json or seal-revealed.json\n"
    "  --inputs            the inputs, made again from the seed, are bit-identical; a sealed record needs\n"
    "                      --seal with seal-revealed.json\n"
    "  --rerun             as --inputs, and judging --submission again gives the same verdicts\n"
    "  --message           print the signed text, and check nothing\n"
    "\n"
    "exit codes: 0 every check passed, 1 a check failed, 2 usage, 3 the toolkit failed\n";

static const size_t record_most = (size_t)1 << 30;

struct checker {
    const char *path, *key, *submission, *source, *seal_path; /* of the command line, or NULL */
    bool inputs, rerun, message;
    char root[PATH_MAX / 2], build[PATH_MAX / 2]; /* the toolkit, and where this program stands */
    json_t *record;
    struct seal seal;
    bool has_secret;              /* *seal holds one */
    unsigned failed;              /* checks */
    char rerun_folder[PATH_MAX / 2]; /* "" for none */
};

/* ------------------------------------------------------------------ lines */

static void line(const char *what, const char *word, const char *format, va_list arguments)
{
    char text[1024]; /* words of the record among it, which may be anybody's */

    vsnprintf(text, sizeof text, format, arguments);
    text_defuse(text, sizeof text);
    printf("%-10s  %-6s  %s\n", what, word, text);
}

__attribute__((format(printf, 2, 3))) static void good(const char *what, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    line(what, "ok", format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 2, 3))) static void note(const char *what, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    line(what, "-", format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 3, 4)))
static void bad(struct checker *checker, const char *what, const char *format, ...)
{
    va_list arguments;

    checker->failed++;
    va_start(arguments, format);
    line(what, "FAILED", format, arguments);
    va_end(arguments);
}

/* ------------------------------------------------------------------ the record */

/* The text at a path of keys "a.b", or NULL. */
static const char *text_at(const json_t *object, const char *path)
{
    char key[64];
    const char *dot;

    while ((dot = strchr(path, '.'))) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        object = json_object_get(object, key);
        path = dot + 1;
    }
    return json_string_value(json_object_get(object, path));
}

/* False, with *checker telling so, for what is no record; the error is for a file that cannot be read. */
static bool load_record(struct checker *checker, struct error *error)
{
    struct blob file = { 0 };
    struct error why;

    if (!blob_read_file(&file, checker->path, record_most, error))
        return false;
    checker->record = canonical_read((const char *)file.data, file.size, &why);
    blob_release(&file);
    if (!checker->record)
        bad(checker, "record", "'%s' is not JSON with one meaning (%.200s): it is damaged or cut off",
            checker->path, why.text);
    else if (json_integer_value(json_object_get(checker->record, "format")) != 1 ||
             !text_at(checker->record, "verdict") || !text_at(checker->record, "date"))
        bad(checker, "record", "'%s' is not a result that main_host wrote in format 1", checker->path);
    return true;
}

/* False where nothing in the record can be believed. */
static bool check_signature(struct checker *checker, struct error *error)
{
    unsigned char public_key[KEY_PUBLIC_BYTES], expected[KEY_PUBLIC_BYTES];
    char hex[2 * KEY_PUBLIC_BYTES + 1];
    struct error why;

    if (checker->key && !public_key_load(expected, checker->key, error))
        return false;
    if (!record_check(checker->record, public_key, &why)) {
        bad(checker, "signature", "%s", why.text);
        return true;
    }
    sodium_bin2hex(hex, sizeof hex, public_key, sizeof public_key);
    good("signature", "matches, by the key %s", hex);
    if (!checker->key)
        note("key", "not compared: anybody can make a key; --key PUBLIC compares it with the contest's");
    else if (memcmp(public_key, expected, sizeof expected) != 0)
        bad(checker, "key", "the record is signed by another key than '%s' holds", checker->key);
    else
        good("key", "is that of '%s'", checker->key);
    return true;
}

/* What the record says, for the reader. */
static void tell_record(const struct checker *checker)
{
    const json_t *record = checker->record;
    const char *league = text_at(record, "league"), *frozen = text_at(record, "toolkit.frozen");
    const char *device = text_at(record, "device.name"), *problem = text_at(record, "problem");
    char own[DIGEST_HEX];

    note("record", "%s%s%s: %s, on %s, %s", problem ? problem : "?", league ? " in league " : "", league ? league : "",
         text_at(record, "verdict"), device ? device : "no device", text_at(record, "date"));
    frozen_digest(problem, own);
    if (!frozen || strcmp(frozen, own) != 0)
        note("toolkit", "another version of the toolkit made the record: %s, not %s", frozen ? frozen : "?", own);
}

static void check_digest(struct checker *checker, const char *what, const char *path, const char *expected,
                         const char *actual)
{
    if (!expected)
        bad(checker, what, "the record has no digest of it, but '%s' has %s", path, actual);
    else if (strcmp(actual, expected) != 0)
        bad(checker, what, "'%s' differs: its SHA-256 is %s, and the record's is %s", path, actual, expected);
    else
        good(what, "'%s' was judged, SHA-256 %s", path, actual);
}

static bool check_submission(struct checker *checker, struct error *error)
{
    char hex[DIGEST_HEX];

    if (checker->submission) {
        if (!digest_file(checker->submission, hex, error))
            return false;
        check_digest(checker, "submission", checker->submission, text_at(checker->record, "submission.sha256"), hex);
    }
    if (checker->source) {
        if (!digest_source(checker->source, hex, error))
            return false;
        check_digest(checker, "source", checker->source, text_at(checker->record, "submission.source_sha256"), hex);
    }
    return true;
}

static bool check_seal(struct checker *checker, struct error *error)
{
    const char *name = text_at(checker->record, "seal.name");
    const char *commitment = text_at(checker->record, "seal.commitment");

    if (!checker->seal_path)
        return true;
    if (!seal_load_any(&checker->seal, checker->seal_path, &checker->has_secret, error))
        return false;
    if (!name || !commitment)
        bad(checker, "seal", "the record's seed did not come from a seal");
    else if (strcmp(name, checker->seal.name) != 0 || strcmp(commitment, checker->seal.commitment) != 0)
        bad(checker, "seal", "'%s' differs: its commitment is %s of '%s', and the record's is %s of '%s'",
            checker->seal_path, checker->seal.commitment, checker->seal.name, commitment, name);
    else
        good("seal", "%s the record's commitment %s",
             checker->has_secret ? "the secret matches" : "the published file has", commitment);
    return true;
}

/* ------------------------------------------------------------------ the same inputs again */

/* The number of a sealed record's judgement; 0 where it has none. */
static json_int_t judgement_of(const json_t *record)
{
    return json_integer_value(json_object_get(json_object_get(record, "seal"), "judgement"));
}

/* The seeds that the record's inputs came from. */
static bool find_seeds(const struct checker *checker, struct seeds *seeds, struct error *error)
{
    const char *league = text_at(checker->record, "league"), *text = text_at(checker->record, "seed");
    const json_int_t judgement = judgement_of(checker->record);

    *seeds = (struct seeds){ .sealed = text == NULL };

    if (json_is_true(json_object_get(json_object_get(checker->record, "asked"), "files")))
        return error_usage(error, "--inputs, --rerun: the record's inputs are files, not made from a seed");
    if (text)
        return parse_number(text, "the record's seed", 0, UINT64_MAX, &seeds->seed, error);
    if (!checker->has_secret)
        return error_usage(error, "the record is sealed: --inputs and --rerun need --seal with its " SEAL_REVEALED);
    if (judgement <= 0)
        return error_usage(error, "the record's seal has no number of the judgement: an older toolkit made it, which "
                                  "is needed to make its inputs again");
    seal_judgement(&checker->seal, text_at(checker->record, "problem"), league ? league : "", (uint64_t)judgement,
                   seeds->key);
    return true;
}

/* The line that a case of the record was made from, or NULL. */
static const char *case_line(const struct checker *checker, const struct package *package, const char *name)
{
    const char *generate = text_at(checker->record, "asked.generate");

    if (generate)
        return generate;
    for (size_t i = 0; i < package->case_count; i++)
        if (strcmp(package->cases[i].name, name) == 0)
            return package->cases[i].line;
    return NULL;
}

struct tally {
    size_t same, all; /* inputs of calls */
    char first[256];  /* the first that differs, in words; "" for none */
};

static void count(struct tally *tally, const char *name, size_t call, const char *was, const char *is)
{
    const bool same = was && is && strcmp(was, is) == 0;

    tally->all++;
    tally->same += same;
    if (!same && !tally->first[0])
        snprintf(tally->first, sizeof tally->first, "case %.120s, call %zu", name, call + 1);
}

/* All calls of one case. */
static bool remake_case(const struct problem *problem, const char *text, const struct seeds *seeds,
                        const json_t *test_case, struct tally *tally, struct error *error)
{
    const json_t *inputs = json_object_get(test_case, "inputs");
    const char *name = text_at(test_case, "name");
    struct random_key key;
    struct arguments arguments;
    struct blob input = { 0 };
    char hex[DIGEST_HEX];
    uint64_t case_seed;
    bool ok = arguments_parse(&arguments, text, error) &&
              arguments_number(&arguments, "seed", 0, 0, UINT32_MAX, &case_seed, error);

    for (size_t i = 0; ok && i < json_array_size(inputs); i++) {
        key = seeds_of_call(seeds, name, (uint32_t)case_seed, (uint32_t)i);
        ok = problem->generate(&arguments, &key, &input, error);
        if (!ok)
            break;
        digest_bytes(input.data, input.size, hex);
        seeds_mark(seeds, hex);
        count(tally, name, i, json_string_value(json_array_get(inputs, i)), hex);
    }
    blob_release(&input);
    return ok;
}

static bool check_inputs(struct checker *checker, struct error *error)
{
    const char *name = text_at(checker->record, "problem");
    const struct problem *problem = name ? problem_find(name) : NULL;
    json_t *cases = json_object_get(checker->record, "cases"), *test_case;
    struct package package = { 0 };
    struct tally tally = { 0 };
    struct seeds seeds;
    bool ok;
    size_t i;

    if (!problem)
        return error_usage(error, "this toolkit has no problem '%s'", name ? name : "?");
    ok = find_seeds(checker, &seeds, error) && package_load(&package, checker->root, problem->name, error) &&
         package_check_frozen(&package, checker->root, problem->name, error);
    json_array_foreach(cases, i, test_case) {
        const char *case_name = text_at(test_case, "name"), *text;

        if (!ok)
            break;
        text = case_name ? case_line(checker, &package, case_name) : NULL;
        if (text && json_is_array(json_object_get(test_case, "inputs")))
            ok = remake_case(problem, text, &seeds, test_case, &tally, error);
        else
            count(&tally, case_name ? case_name : "?", 0, NULL, NULL);
    }
    package_release(&package);
    if (!ok)
        return false;
    if (tally.first[0])
        bad(checker, "inputs", "%zu of %zu calls had the inputs that the seed gives; the first other one: %s",
            tally.same, tally.all, tally.first);
    else if (tally.all == 0)
        note("inputs", "no call was made");
    else
        good("inputs", "made again, the inputs of all %zu calls are bit-identical", tally.all);
    return true;
}

/* ------------------------------------------------------------------ judging again */

enum { ARGUMENTS_MOST = 40, NUMBER_TEXT = 40 };

struct command {
    const char *words[ARGUMENTS_MOST]; /* [count], then NULL */
    size_t count;
};

static void add(struct command *command, const char *option, const char *value)
{
    command->words[command->count++] = option;
    if (value)
        command->words[command->count++] = value;
}

static void add_text(struct command *command, const char *option, const char *value)
{
    if (value)
        add(command, option, value);
}

/* Runs main_host, its standard output to nowhere; its exit code, or 3. */
static int run(const struct command *command)
{
    pid_t child;
    int status;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

        if (nowhere >= 0)
            dup2(nowhere, STDOUT_FILENO);
        execv(command->words[0], (char *const *)command->words);
        fprintf(stderr, "verify_record: cannot start '%s': %s; run 'make'\n", command->words[0], strerror(errno));
        _exit(EXIT_TOOLKIT);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_TOOLKIT;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_TOOLKIT;
}

/* Counts the calls of both judgings and compares verdicts; the first that differs goes into differs[size]. */
static void compare_cases(const json_t *was, const json_t *is, struct tally *tally, char *differs, size_t size)
{
    const json_t *was_cases = json_object_get(was, "cases"), *is_cases = json_object_get(is, "cases");

    for (size_t i = 0; i < json_array_size(was_cases) || i < json_array_size(is_cases); i++) {
        const json_t *a = json_array_get(was_cases, i), *b = json_array_get(is_cases, i);
        const json_t *inputs_a = json_object_get(a, "inputs"), *inputs_b = json_object_get(b, "inputs");
        const char *name = text_at(a ? a : b, "name"), *name_a = text_at(a, "name"), *name_b = text_at(b, "name");
        const char *verdict_a = text_at(a, "verdict"), *verdict_b = text_at(b, "verdict");

        if (!name_a || !name_b || strcmp(name_a, name_b) != 0 || !verdict_a || !verdict_b ||
            strcmp(verdict_a, verdict_b) != 0) {
            if (!differs[0])
                snprintf(differs, size, "case %.120s: %s in the record, now %s", name ? name : "?",
                         name_a && verdict_a ? verdict_a : "not run", name_b && verdict_b ? verdict_b : "not run");
            continue;
        }
        for (size_t r = 0; r < json_array_size(inputs_a) && r < json_array_size(inputs_b); r++)
            count(tally, name, r, json_string_value(json_array_get(inputs_a, r)),
                  json_string_value(json_array_get(inputs_b, r)));
    }
}

static void compare_rerun(struct checker *checker, const json_t *again)
{
    const char *was = text_at(checker->record, "verdict"), *is = text_at(again, "verdict");
    const char *device = text_at(again, "device.name");
    struct tally tally = { 0 };
    char differs[256] = "";

    compare_cases(checker->record, again, &tally, differs, sizeof differs);
    if (!is || strcmp(was, is) != 0 || differs[0])
        bad(checker, "rerun", "the record has %s, but judged again on %s it is %s%s%s", was, device ? device : "?",
            is ? is : "?", differs[0] ? "; the first difference: " : "", differs);
    else if (tally.first[0])
        bad(checker, "rerun", "%zu of %zu calls had the record's inputs; the first other one: %s", tally.same,
            tally.all, tally.first);
    else
        good("rerun", "%s again, on %s; the inputs of all %zu calls were bit-identical", is, device ? device : "?",
             tally.all);
}

/* A key for this one time: what it signs has the digests of inputs, and was written by nobody but main_host. */
static bool rerun_prepare(struct checker *checker, struct signing_key *key, struct error *error)
{
    const char *temporary = getenv("TMPDIR");

    snprintf(checker->rerun_folder, sizeof checker->rerun_folder, "%s/verify_record-XXXXXX",
             temporary && temporary[0] ? temporary : "/tmp");
    if (!mkdtemp(checker->rerun_folder)) {
        error_system(error, "cannot make a folder '%s'", checker->rerun_folder);
        checker->rerun_folder[0] = '\0';
        return false;
    }
    return signing_key_create(key, checker->rerun_folder, error);
}

static void rerun_clean(struct checker *checker)
{
    static const char *const names[] = { KEY_SECRET, KEY_PUBLIC, "rerun.json", "rerun.json.part" };
    char path[PATH_MAX];

    if (!checker->rerun_folder[0])
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", checker->rerun_folder, names[i]);
        unlink(path);
    }
    rmdir(checker->rerun_folder);
}

/*
 * How many calls the judging made of its longest case: of a ranked one more than count, without which none was fewer.
 */
static json_int_t calls_made(const json_t *record)
{
    const json_t *cases = json_object_get(record, "cases"), *each;
    json_int_t most = json_integer_value(json_object_get(record, "repeat"));
    size_t i;

    json_array_foreach(cases, i, each)
        if ((json_int_t)json_array_size(json_object_get(each, "inputs")) > most)
            most = (json_int_t)json_array_size(json_object_get(each, "inputs"));
    return most;
}

/* An option of main_host with a number that the record has under `asked`; its text is kept in `text`. */
static void add_asked(struct command *command, const json_t *record, const char *key, const char *option,
                      char text[NUMBER_TEXT])
{
    const json_t *number = json_object_get(json_object_get(record, "asked"), key);

    if (!json_is_number(number))
        return;
    snprintf(text, NUMBER_TEXT, "%.17g", json_number_value(number));
    add(command, option, text);
}

/* Numbers of a command, as text. */
struct numbers {
    char repeat[NUMBER_TEXT], judgement[NUMBER_TEXT], time[NUMBER_TEXT], memory[NUMBER_TEXT], device[NUMBER_TEXT];
};

static void rerun_command(const struct checker *checker, struct command *command, struct numbers *numbers)
{
    const json_t *record = checker->record, *asked = json_object_get(record, "asked");

    add(command, text_at(record, "problem"), NULL);
    add(command, "--submission", checker->submission);
    add_text(command, "--league", text_at(record, "league"));
    add_text(command, "--group", text_at(asked, "group"));
    add_text(command, "--case", text_at(asked, "case"));
    add_text(command, "--generate", text_at(asked, "generate"));
    add_text(command, "--check-seed", text_at(record, "check_seed"));
    if (text_at(record, "seed"))
        add(command, "--seed", text_at(record, "seed"));
    else {
        add(command, "--seal", checker->seal_path);
        snprintf(numbers->judgement, NUMBER_TEXT, "%jd", (intmax_t)judgement_of(record));
        add(command, "--judgement", numbers->judgement);
    }
    snprintf(numbers->repeat, NUMBER_TEXT, "%jd", (intmax_t)calls_made(record));
    add(command, "--repeat", numbers->repeat);
    if (json_is_true(json_object_get(asked, "keep_going")))
        add(command, "--keep-going", NULL);
    add_asked(command, record, "time_limit", "--time-limit", numbers->time);
    add_asked(command, record, "memory_limit", "--memory-limit", numbers->memory);
    add_asked(command, record, "device_memory_limit", "--device-memory-limit", numbers->device);
}

static bool check_rerun(struct checker *checker, struct error *error)
{
    char host[PATH_MAX], key_path[PATH_MAX], json_path[PATH_MAX];
    struct numbers numbers;
    struct command command = { 0 };
    unsigned char public_key[KEY_PUBLIC_BYTES];
    struct signing_key key;
    struct error unread;
    json_t *again;
    int status;
    bool ok;

    if (!rerun_prepare(checker, &key, error) ||
        !keyfile_path(key_path, sizeof key_path, checker->rerun_folder, KEY_SECRET, error) ||
        !keyfile_path(json_path, sizeof json_path, checker->rerun_folder, "rerun.json", error) ||
        !keyfile_path(host, sizeof host, checker->build, "main_host", error))
        return false;
    add(&command, host, NULL);
    rerun_command(checker, &command, &numbers);
    add(&command, "--key", key_path);
    add(&command, "--json", json_path);
    status = run(&command);
    if (status > EXIT_REJECTED)
        return status == EXIT_USAGE ? error_usage(error, "main_host could not judge again: see above")
                                    : error_toolkit(error, "main_host could not judge again: see above");
    again = canonical_read_file(json_path, &unread);
    ok = again && record_check(again, public_key, error) &&
         memcmp(public_key, key.public_key, sizeof public_key) == 0;
    if (ok)
        compare_rerun(checker, again);
    else
        error_toolkit(error, "main_host's result '%s' was changed", json_path);
    json_decref(again);
    return ok;
}

/* ------------------------------------------------------------------ all of it */

static bool check(struct checker *checker, struct error *error)
{
    if (!load_record(checker, error))
        return false;
    if (checker->failed > 0)
        return true;
    if (!check_signature(checker, error))
        return false;
    tell_record(checker);
    if (checker->rerun && json_array_size(json_object_get(checker->record, "cases")) == 0)
        return error_usage(error, "the submission of this record did not run (%s): there is nothing to judge again",
                           text_at(checker->record, "verdict"));
    if (!check_submission(checker, error) || !check_seal(checker, error))
        return false;
    if (!checker->inputs && !checker->rerun)
        return true;
    if (checker->failed > 0) {
        note("inputs", "not made again, because a check above failed");
        return true;
    }
    return check_inputs(checker, error) && (!checker->rerun || checker->failed > 0 || check_rerun(checker, error));
}

static bool print_message(struct checker *checker, struct error *error)
{
    char *text;

    if (!load_record(checker, error))
        return false;
    if (checker->failed > 0)
        return true;
    text = record_message(checker->record);
    if (!text)
        return error_toolkit(error, "out of memory");
    fputs(text, stdout);
    free(text);
    return true;
}

static bool parse(struct checker *checker, int argc, char **argv, struct error *error)
{
    static const struct option options[] = {
        { "key", required_argument, NULL, 'k' },    { "submission", required_argument, NULL, 's' },
        { "source", required_argument, NULL, 'o' }, { "seal", required_argument, NULL, 'l' },
        { "inputs", no_argument, NULL, 'i' },       { "rerun", no_argument, NULL, 'r' },
        { "message", no_argument, NULL, 'm' },      { NULL, 0, NULL, 0 },
    };
    int id;

    opterr = 0;
    while ((id = getopt_long(argc, argv, ":", options, NULL)) != -1)
        switch (id) {
        case 'k': checker->key = optarg; break;
        case 's': checker->submission = optarg; break;
        case 'o': checker->source = optarg; break;
        case 'l': checker->seal_path = optarg; break;
        case 'i': checker->inputs = true; break;
        case 'r': checker->rerun = true; break;
        case 'm': checker->message = true; break;
        case ':': return error_usage(error, "option '%s' needs a value; see --help", argv[optind - 1]);
        default: return error_usage(error, "unknown option '%s'; see --help", argv[optind - 1]);
        }
    if (argc - optind != 1)
        return error_usage(error, "give one RECORD, not %d; see --help", argc - optind);
    if (checker->rerun && !checker->submission)
        return error_usage(error, "--rerun needs --submission FILE, the device_user.so that was judged");
    checker->path = argv[optind];
    return true;
}

int main(int argc, char **argv)
{
    static struct checker checker;
    struct error error = { 0 };
    bool ok;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0 ? EXIT_TOOLKIT : EXIT_ACCEPTED;
    ok = parse(&checker, argc, argv, &error) && root_find(checker.build, checker.root, sizeof checker.root, &error) &&
         (checker.message ? print_message(&checker, &error) : check(&checker, &error));
    if (ok && !checker.message && checker.failed == 0)
        puts(checker.key ? "GOOD: all checks passed" : "GOOD, if that key is the contest's");
    else if (ok && checker.failed > 0)
        printf("NOT GOOD: %u of these checks failed\n", checker.failed);
    rerun_clean(&checker);
    json_decref(checker.record);
    seal_forget(&checker.seal);
    if (!ok)
        fprintf(stderr, "verify_record: %s\n", error.text);
    return !ok ? (int)error.code : checker.failed > 0 ? EXIT_REJECTED : EXIT_ACCEPTED;
}
