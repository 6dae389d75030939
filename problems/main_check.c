/*
 * main_check.c - proves what can be proved of a problem without running submissions: check_problem PROBLEM
 *
 *   - a case's input is a function of case, seed and repetition: made twice it is the same, in another process
 *     too, and another seed or repetition gives another one, with an output of the same size
 *   - the fast reference agrees with the plain one, on every case that the plain one can do in seconds, and on
 *     more seeds of the small ones
 *   - the answer for seed 0 is the committed one
 *   - the least work that it claims is no more than input and output hold
 *   - the checker accepts a right output, and rejects it spoiled in the standard ways (spoils.h) at random places, and
 *     spoiled as the problem knows
 *
 * Cases that the problem keeps for a GPU are looked at with --all only. With --answers it writes the NAME.ans files
 * instead, for all. --checker looks at the checker alone, on small cases. --honest=COUNT has the checker judge as
 * many right outputs that were made by other methods, for cases of all kinds and of random sizes. --lines=COUNT,SEED
 * prints the lines of as many such cases, for other programs. Exit codes: 0 sound, 1 not, 2 usage, 3 the machine
 * failed.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outputs.h"
#include "problem.h"
#include "spoils.h"
#include "verify/cases/package.h"

/* Operations of the plain reference that are worth waiting for: about a second, and a hundredth of it. */
static const double plain_limit = 1e9, small_limit = 1e7;

enum { MORE_SEEDS = 25 };

/* What the references draw their samples from: here the same for all. */
static const struct random_key secret = { .seed = 20090909 };

struct checker {
    const struct problem *problem;
    const struct outputs *outputs; /* the problem's */
    const struct package_case *test_case;
    struct arguments arguments;
    uint32_t case_seed;
    size_t failures;
    size_t spoiled; /* wrong outputs that the checker was tried with */
    size_t honest;  /* and right ones by other methods */
};

static void failed(struct checker *checker, const char *what)
{
    printf("FAILED %s: %s\n", checker->test_case->name, what);
    checker->failures++;
}

static bool same(const struct blob *a, const struct blob *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static bool generate(const struct checker *checker, uint64_t seed, uint32_t repetition, struct blob *input,
                     struct error *error)
{
    struct random_key key = { .seed = seed, .case_seed = checker->case_seed, .repetition = repetition };

    return checker->problem->generate(&checker->arguments, &key, input, error);
}

/* Whether a process of its own makes the same input. */
static bool same_in_child(const struct checker *checker, const struct blob *input)
{
    struct blob again = { 0 };
    struct error error;
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(generate(checker, 0, 0, &again, &error) && same(input, &again) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool check_generator(struct checker *checker, const struct blob *input, struct error *error)
{
    struct blob other = { 0 };
    bool ok = false;

    if (!same_in_child(checker, input))
        failed(checker, "generated again, the input differs");
    if (!generate(checker, 1, 0, &other, error))
        goto out;
    if (same(input, &other) != checker->problem->fixed)
        failed(checker, checker->problem->fixed ? "its input is fixed, and seed 1 gives another" :
                        "seed 1 gives the same input as seed 0");
    if (checker->problem->output_size(input) != checker->problem->output_size(&other))
        failed(checker, "seed 1 gives an output of another size than seed 0, so times of the case cannot rank");
    if (!generate(checker, 0, 1, &other, error))
        goto out;
    if (same(input, &other) && !checker->problem->fixed)
        failed(checker, "repetition 1 gets the same input as repetition 0");
    ok = true;
out:
    blob_release(&other);
    return ok;
}

static bool check_references(struct checker *checker, const struct blob *input, struct error *error)
{
    const struct problem *problem = checker->problem;
    struct blob fast = { 0 }, plain = { 0 };
    bool ok = problem->reference(input, &secret, &fast, error) &&
              problem->reference_plain(input, &secret, &plain, error);

    if (ok && !same(&fast, &plain))
        failed(checker, "the two references differ");
    blob_release(&fast);
    blob_release(&plain);
    return ok;
}

static bool check_more_seeds(struct checker *checker, struct error *error)
{
    struct blob input = { 0 };
    bool ok = true;

    for (uint64_t seed = 1; ok && seed <= MORE_SEEDS; seed++)
        ok = generate(checker, seed, 0, &input, error) && check_references(checker, &input, error);
    blob_release(&input);
    return ok;
}

static bool is_right(const struct checker *checker, const struct blob *input, const struct blob *answer,
                     const struct blob *output)
{
    struct finding finding = { 0 };

    return checker->problem->check(input, answer, output, &finding) == CHECK_RIGHT;
}

/* The output of the problem's own method, or the answer where that is one. */
static bool make_right(struct checker *checker, const struct blob *input, const struct blob *answer,
                       struct blob *output, struct error *error)
{
    if (!blob_alloc(output, checker->problem->output_size(input), error))
        return false;
    if (checker->outputs->solve)
        return checker->outputs->solve(input, answer, output, error);
    memcpy(output->data, answer->data, output->size < answer->size ? output->size : answer->size);
    return true;
}

/* Spoiled in the standard ways, one of which needs the output for another seed. */
static bool spoil_as_all(struct checker *checker, const struct blob *input, const struct blob *answer,
                         const struct blob *right, struct error *error)
{
    const struct random_key key = { .seed = 22, .case_seed = checker->case_seed };
    struct blob other_input = { 0 }, other_answer = { 0 }, other = { 0 };
    struct spoiling spoiling = { .problem = checker->problem, .outputs = checker->outputs, .input = input,
                                 .answer = answer, .right = right, .other = &other,
                                 .stream = random_stream(&key, 1) };
    bool ok = generate(checker, 2, 0, &other_input, error) &&
              checker->problem->reference(&other_input, &secret, &other_answer, error) &&
              make_right(checker, &other_input, &other_answer, &other, error) && spoils_try(&spoiling, error);

    if (spoiling.wrong[0] != '\0')
        failed(checker, spoiling.wrong);
    checker->spoiled += spoiling.tried;
    blob_release(&other_input);
    blob_release(&other_answer);
    blob_release(&other);
    return ok;
}

/* And spoiled in every way that the problem knows. */
static bool spoil(struct checker *checker, const struct blob *input, const struct blob *answer,
                  const struct blob *right, struct error *error)
{
    struct blob output = { 0 };
    size_t way = 0;
    char what[64];
    bool ok;

    for (;; way++) {
        ok = blob_alloc(&output, right->size, error);
        if (!ok)
            break;
        memcpy(output.data, right->data, right->size);
        if (!checker->outputs->spoil(input, answer, &output, way))
            break;
        snprintf(what, sizeof what, "the checker accepts an output spoiled in way %zu", way);
        if (is_right(checker, input, answer, &output))
            failed(checker, what);
    }
    if (ok && way == 0)
        failed(checker, "there is no way to spoil an output");
    blob_release(&output);
    return ok;
}

static bool check_checker(struct checker *checker, const struct blob *input, const struct blob *answer,
                          struct error *error)
{
    struct blob output = { 0 };
    char what[128];
    bool ok;

    if (!checker->outputs->solve && checker->problem->output_size(input) != answer->size) {
        snprintf(what, sizeof what, "the answer is not an output: write solve() in problems/%s/outputs.c",
                 checker->problem->name);
        failed(checker, what);
        return true;
    }
    ok = make_right(checker, input, answer, &output, error);
    if (ok && !is_right(checker, input, answer, &output))
        failed(checker, "the checker rejects the reference answer");
    ok = ok && spoil_as_all(checker, input, answer, &output, error) &&
         (!checker->outputs->spoil || spoil(checker, input, answer, &output, error));
    blob_release(&output);
    return ok;
}

/* Right outputs for one input by every other method. */
static bool check_honest(struct checker *checker, const struct blob *input, const struct blob *answer,
                         struct random_stream *stream, struct error *error)
{
    enum check_result made = CHECK_RIGHT;
    char what[96];
    bool ok = true;

    for (size_t way = 0; ok && made != CHECK_NONE; way++) {
        struct blob output = { 0 };

        ok = blob_alloc(&output, checker->problem->output_size(input), error);
        for (size_t at = 0; ok && at < output.size; at++)
            output.data[at] = (unsigned char)random_u32(stream);
        if (ok)
            made = checker->outputs->honest(input, answer, &output, way, stream);
        if (ok && made == CHECK_FAILED)
            ok = error_toolkit(error, "out of memory for a right output");
        if (ok && made == CHECK_RIGHT) {
            checker->honest++;
            snprintf(what, sizeof what, "the checker rejects a right output, by method %zu", way);
            if (!is_right(checker, input, answer, &output))
                failed(checker, what);
        }
        blob_release(&output);
    }
    return ok;
}

/* The checker alone, on the case if it is small. False when the machine fails. */
static bool check_small(struct checker *checker, struct error *error)
{
    struct blob input = { 0 }, answer = { 0 };
    bool ok = generate(checker, 0, 0, &input, error);

    if (ok && checker->problem->plain_cost(&input) <= 10 * small_limit)
        ok = checker->problem->reference(&input, &secret, &answer, error) &&
             check_checker(checker, &input, &answer, error);
    blob_release(&input);
    blob_release(&answer);
    return ok;
}

/* What the problem says of the least work must be possible: no program reads and writes more than there is. */
static void check_work(struct checker *checker, const struct blob *input, const struct blob *answer)
{
    struct work work = { 0 };

    if (!checker->problem->work)
        return;
    checker->problem->work(input, answer, &work);
    if (!(work.bytes >= 0 && work.bytes <= (double)input->size + (double)checker->problem->output_size(input)))
        failed(checker, "its work has more bytes than input and output");
    if (!(work.operations >= 0 && work.operations < 1e18))
        failed(checker, "its work has a number of operations that is none");
}

/* The host makes as many inputs at a time as it says fit. */
static void check_footprint(struct checker *checker, const struct blob *input, const struct blob *answer)
{
    size_t (*footprint)(const struct blob *) = checker->problem->footprint;

    if (!footprint)
        return;
    if (footprint(input) < input->size + answer->size)
        failed(checker, "its footprint is less than input and answer have");
    if (footprint(input) > footprint(NULL))
        failed(checker, "its footprint is more than that of any input");
}

/* Whether the committed answer is the one that the references give now. */
static void check_expected(struct checker *checker, const char *shown)
{
    const char *expected = checker->test_case->expected;
    char what[256];

    if (expected && strcmp(expected, shown) == 0)
        return;
    if (expected)
        snprintf(what, sizeof what,
                 "the answer is not the one in its .ans file: %.63s, not %.63s; if it is right: "
                 "make answers PROBLEM=%s",
                 shown, expected, checker->problem->name);
    else
        snprintf(what, sizeof what, "its .ans file is missing: make answers PROBLEM=%s writes it",
                 checker->problem->name);
    failed(checker, what);
}

static bool check_case(struct checker *checker, struct error *error)
{
    const struct problem *problem = checker->problem;
    struct blob input = { 0 }, answer = { 0 };
    size_t failures = checker->failures;
    const char *plain = "references agree";
    char shown[64];
    bool ok = false;
    double cost;

    if (!generate(checker, 0, 0, &input, error) || !problem->reference(&input, &secret, &answer, error) ||
        !check_generator(checker, &input, error))
        goto out;
    problem->show_answer(&input, &answer, shown, sizeof shown);
    check_expected(checker, shown);
    check_work(checker, &input, &answer);
    check_footprint(checker, &input, &answer);
    cost = problem->plain_cost(&input);
    if (cost > plain_limit)
        plain = "too large for the plain reference";
    else if (!check_references(checker, &input, error) ||
             (cost <= small_limit && !check_more_seeds(checker, error)))
        goto out;
    ok = (checker->outputs->solve && cost > plain_limit) || check_checker(checker, &input, &answer, error);
    if (!ok)
        goto out;
    if (checker->failures == failures)
        printf("ok     case: %s: answer %s, %s\n", checker->test_case->name, shown, plain);
out:
    blob_release(&input);
    blob_release(&answer);
    return ok;
}

static bool write_answer(struct checker *checker, const char *folder, struct error *error)
{
    struct blob input = { 0 }, answer = { 0 };
    char path[PATH_MAX], shown[64];
    FILE *file = NULL;
    bool ok = generate(checker, 0, 0, &input, error) &&
              checker->problem->reference(&input, &secret, &answer, error);

    if (ok) {
        checker->problem->show_answer(&input, &answer, shown, sizeof shown);
        snprintf(path, sizeof path, "%s/data/%s.ans", folder, checker->test_case->name);
        printf("%s: %s\n", checker->test_case->name, shown);
        file = fopen(path, "we");
        ok = (file && fprintf(file, "%s\n", shown) > 0) || error_system(error, "cannot write '%s'", path);
        if (file && fclose(file) != 0 && ok)
            ok = error_system(error, "cannot write '%s'", path);
    }
    blob_release(&input);
    blob_release(&answer);
    return ok;
}

/* What is asked for. */
enum task { CHECK_CASES, CHECK_ALL, WRITE_ANSWERS, CHECK_CHECKER, CHECK_HONEST, PRINT_LINES };

/* Makes *checker that of the case; false with an error when its line is none. */
static bool take_case(struct checker *checker, const struct package_case *test_case, struct error *error)
{
    uint64_t case_seed;

    checker->test_case = test_case;
    if (!arguments_parse(&checker->arguments, test_case->line, error) ||
        !arguments_number(&checker->arguments, "seed", 0, 0, UINT32_MAX, &case_seed, error))
        return false;
    checker->case_seed = (uint32_t)case_seed;
    return true;
}

static bool each_case(struct checker *checker, const struct package *package, enum task task, struct error *error)
{
    if (package->case_count == 0)
        return error_usage(error, "the problem '%s' has no cases", checker->problem->name);
    for (size_t i = 0; i < package->case_count; i++) {
        const struct package_case *test_case = &package->cases[i];

        if (test_case->gpu_only && task != CHECK_ALL && task != WRITE_ANSWERS) {
            if (task == CHECK_CASES)
                printf("gpu    case: %s: needs a GPU, not checked\n", test_case->name);
            continue;
        }
        checker->test_case = test_case;
        if (take_case(checker, test_case, error) &&
            (task == WRITE_ANSWERS   ? write_answer(checker, package->folder, error)
             : task == CHECK_CHECKER ? check_small(checker, error)
                                     : check_case(checker, error)))
            continue;
        if (error->code != EXIT_USAGE)
            return false;
        failed(checker, error->text); /* the case's line is at fault: the others are looked at all the same */
    }
    return true;
}

/* Right outputs by other methods, for lines that the problem makes up, until there are enough. */
static bool each_line(struct checker *checker, uint64_t count, struct error *error)
{
    const struct random_key key = { .seed = 1000 };
    struct random_stream stream = random_stream(&key, 1);
    char line[ARGUMENTS_TEXT];
    struct package_case any = { .name = line, .line = line };

    if (!checker->outputs->honest || !checker->outputs->any_line)
        return error_usage(error, "the problem '%s' has no other methods: any_line() and honest() in its outputs.c",
                           checker->problem->name);
    for (uint64_t seed = 0; checker->honest < count; seed++) {
        struct blob input = { 0 }, answer = { 0 };
        bool ok;

        checker->outputs->any_line(&stream, line, sizeof line);
        ok = take_case(checker, &any, error) && generate(checker, seed, 0, &input, error) &&
             checker->problem->reference(&input, &secret, &answer, error) &&
             check_honest(checker, &input, &answer, &stream, error);
        blob_release(&input);
        blob_release(&answer);
        if (!ok)
            return false;
    }
    return true;
}

/* Prints that many lines of cases that the problem makes up from a seed. */
static bool print_lines(struct checker *checker, uint64_t count, uint64_t seed, struct error *error)
{
    const struct random_key key = { .seed = (uint32_t)seed };
    struct random_stream stream = random_stream(&key, 2);
    char line[ARGUMENTS_TEXT];

    if (!checker->outputs->any_line)
        return error_usage(error, "the problem '%s' draws no cases: any_line() in its outputs.c",
                           checker->problem->name);
    for (uint64_t n = 0; n < count; n++) {
        checker->outputs->any_line(&stream, line, sizeof line);
        puts(line);
    }
    return true;
}

/* "COUNT" or "COUNT,SEED". */
static bool parse_lines(const char *word, uint64_t *count, uint64_t *seed)
{
    const char *comma = strchr(word, ',');
    struct error ignored;
    char number[16];

    *seed = 1;
    snprintf(number, sizeof number, "%.*s", comma && comma - word < 12 ? (int)(comma - word) : 12, word);
    return parse_number(number, "COUNT", 1, 1000000, count, &ignored) &&
           (!comma || parse_number(comma + 1, "SEED", 0, UINT32_MAX, seed, &ignored));
}

static bool parse_task(const char *word, enum task *task, uint64_t *count, uint64_t *seed)
{
    static const struct {
        const char *word;
        enum task task;
    } words[] = { { "--all", CHECK_ALL }, { "--answers", WRITE_ANSWERS }, { "--checker", CHECK_CHECKER } };
    struct error ignored;

    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        if (strcmp(word, words[w].word) == 0) {
            *task = words[w].task;
            return true;
        }
    if (strncmp(word, "--lines=", 8) == 0) {
        *task = PRINT_LINES;
        return parse_lines(word + 8, count, seed);
    }
    *task = CHECK_HONEST;
    return strncmp(word, "--honest=", 9) == 0 && parse_number(word + 9, "COUNT", 1, 1000000, count, &ignored);
}

int main(int argc, char **argv)
{
    const struct problem *problem = argc >= 2 ? problem_find(argv[argc - 1]) : NULL;
    struct checker checker = { .problem = problem };
    enum task task = CHECK_CASES;
    struct package package;
    struct error error;
    uint64_t count = 0, seed = 0;
    bool ok;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!problem || argc > 3 || (argc == 3 && !parse_task(argv[1], &task, &count, &seed))) {
        fputs("usage: check_problem [--answers|--all|--checker|--honest=COUNT|--lines=COUNT[,SEED]] PROBLEM, in the"
              " toolkit's folder\n", stderr);
        return EXIT_USAGE;
    }
    checker.outputs = outputs_find(problem->name);
    if (!package_load(&package, ".", problem->name, &error)) {
        fprintf(stderr, "check_problem: %s\n", error.text);
        return error.code;
    }
    ok = task == CHECK_HONEST  ? each_line(&checker, count, &error)
         : task == PRINT_LINES ? print_lines(&checker, count, seed, &error)
                               : each_case(&checker, &package, task, &error);
    package_release(&package);
    if (!ok) {
        fprintf(stderr, "check_problem: %s\n", error.text);
        return error.code;
    }
    if (checker.spoiled > 0)
        printf("ok     checker: %zu spoiled outputs tried\n", checker.spoiled);
    if (checker.honest > 0)
        printf("ok     checker: %zu right outputs by other methods judged\n", checker.honest);
    return checker.failures == 0 ? EXIT_ACCEPTED : EXIT_REJECTED;
}
