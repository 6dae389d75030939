/*
 * validator.c - the validators of an exported package, built twice from the sources of the problem.
 *
 *   input validator (-DINPUT_VALIDATOR):  validator ARGUMENT... < CASE.in
 *       ARGUMENT...: the words of the generator line, as the case's .yaml file gives them. The input must be, to the
 *       byte, what the problem's generator makes of them. Without any, as from tools that try a case without its .yaml
 *       file, it must be an input by its form.
 *   output validator:                     validator CASE.in CASE.ans FEEDBACK-FOLDER/ < OUTPUT
 *       The output is judged as the toolkit judges it: against the problem's reference, computed here, with checks by
 *       samples drawn anew each time. The .ans file is one right output and is not looked at.
 *
 * Exit codes: 42 valid or right, 43 not; anything else: this program failed.
 */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "package_text.h"
#include "problems/problem.h"

enum { YES = 42, NO = 43, FAILED = 1 };

#define SYMBOL_(name) problem_##name
#define SYMBOL(name) SYMBOL_(name)
extern const struct problem SYMBOL(PROBLEM);
static const struct problem *const problem = &SYMBOL(PROBLEM);

/* Reads an input file into *input. NULL, or why it is none. */
static const char *read_input(FILE *file, struct package_header *header, struct blob *input, struct error *error)
{
    const char *why = package_read_header(file, "gpu-contest-input", header);

    if (!why && strcmp(header->problem, problem->name) != 0)
        why = "it belongs to another problem";
    if (!why && !blob_alloc(input, header->size, error))
        why = error->text;
    return why ? why : package_read_bytes(file, input->data, header->size);
}

#ifdef INPUT_VALIDATOR

static int no(const char *why)
{
    fprintf(stderr, "validator: %s\n", why);
    return NO;
}

int main(int argc, char **argv)
{
    struct blob input = { 0 }, made = { 0 };
    struct arguments arguments;
    struct package_header header;
    struct random_key key = { 0 };
    struct error error = { 0 };
    char line[ARGUMENTS_TEXT] = "";
    uint64_t seed;
    const char *why = read_input(stdin, &header, &input, &error);

    if (why)
        return no(why);
    if (argc == 1)
        return YES;
    for (int i = 1; i < argc; i++) {
        if (strlen(line) + strlen(argv[i]) + 2 > sizeof line)
            return no("the arguments are too long");
        strcat(strcat(line, i > 1 ? " " : ""), argv[i]);
    }
    if (!arguments_parse(&arguments, line, &error) ||
        !arguments_number(&arguments, "seed", 0, 0, UINT32_MAX, &seed, &error))
        return no(error.text);
    key.case_seed = (uint32_t)seed;
    if (!problem->generate(&arguments, &key, &made, &error))
        return error.code == EXIT_TOOLKIT ? FAILED : no(error.text);
    if (made.size != input.size || memcmp(made.data, input.data, made.size) != 0)
        return no("it is not the input that its arguments make");
    if (problem->output_size(&input) != header.output_size)
        return no("the size of its output differs");
    return YES;
}

#else

/* The next word in small letters; *c is the next character. */
static void take_word(FILE *file, FILE *to, int *c)
{
    while (isspace(*c))
        *c = getc(file);
    for (; *c != EOF && !isspace(*c); *c = getc(file))
        putc(tolower(*c), to);
}

/*
 * The output as a submission's main program writes it, of one whose white space and capitals are others: judges may
 * change both. NULL where there is no file for it.
 */
static FILE *usual_form(FILE *output)
{
    FILE *file = tmpfile();
    size_t digits = 0;
    int c = getc(output);

    for (int word = 0; file && word < 3; word++) {
        take_word(output, file, &c);
        putc(word < 2 ? ' ' : '\n', file);
    }
    for (; file && c != EOF; c = getc(output))
        if (!isspace(c)) {
            putc(tolower(c), file);
            if (++digits % (2 * PACKAGE_LINE) == 0)
                putc('\n', file);
        }
    if (file && digits % (2 * PACKAGE_LINE) != 0)
        putc('\n', file);
    if (file)
        rewind(file);
    return file;
}

/* The message to the judges, in the feedback folder and on standard error. */
static int tell(const char *folder, int code, const char *words)
{
    char path[PATH_MAX];
    FILE *file;

    fprintf(stderr, "validator: %s\n", words);
    if (snprintf(path, sizeof path, "%sjudgemessage.txt", folder) < (int)sizeof path && (file = fopen(path, "a"))) {
        fprintf(file, "%s\n", words);
        fclose(file);
    }
    return code;
}

int main(int argc, char **argv)
{
    struct blob input = { 0 }, answer = { 0 }, output = { 0 };
    struct random_key secret = { 0 };
    struct package_header header, written;
    struct error error = { 0 };
    struct finding finding = { 0 };
    const char *why;
    FILE *file, *given;

    if (argc < 4)
        return tell("", FAILED, "usage: validator INPUT ANSWER FEEDBACK-FOLDER/ < OUTPUT");
    file = fopen(argv[1], "r");
    why = file ? read_input(file, &header, &input, &error) : "cannot open it";
    if (why)
        return tell(argv[3], FAILED, why);
    fclose(file);
    if (header.output_size != problem->output_size(&input))
        return tell(argv[3], FAILED, "the input gives another size of the output than the problem");
    given = usual_form(stdin);
    if (!given)
        return tell(argv[3], FAILED, "no place for the output");
    why = package_read_header(given, "gpu-contest-output", &written);
    if (!why && written.size != header.output_size)
        why = "the output has another number of bytes";
    if (why)
        return tell(argv[3], NO, why);
    if (getrandom(&secret.seed, sizeof secret.seed, 0) != sizeof secret.seed ||
        !blob_alloc(&output, written.size, &error) || !problem->reference(&input, &secret, &answer, &error))
        return tell(argv[3], FAILED, error.text);
    why = package_read_bytes(given, output.data, output.size);
    if (why)
        return tell(argv[3], NO, why);
    if (problem->check(&input, &answer, &output, &finding) != CHECK_RIGHT)
        return tell(argv[3], NO, finding.detail);
    return YES;
}

#endif
