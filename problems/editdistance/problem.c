/*
 * problem.c - the problem editdistance: Levenshtein distance, unit costs, of two byte strings.
 *
 * Linked into the host. The strings' layout is in input.h, the method of the reference in levenshtein.h.
 */
#include "problems/problem.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "levenshtein.h"

struct strings {
    unsigned char *str1, *str2; /* into the input */
    size_t length1, length2;    /* bytes */
};

static struct strings strings_of(const struct blob *input)
{
    const struct editdistance_input *header = (const struct editdistance_input *)input->data;

    return (struct strings){
        .str1 = input->data + STRINGS_OFFSET,
        .str2 = input->data + STRING2_OFFSET(header->length1),
        .length1 = header->length1,
        .length2 = header->length2,
    };
}

/* ------------------------------------------------------------------ limits */

/* `what` names the string: "file 'x'", "LENGTH1". */
static bool check_length(uint64_t length, const char *what, struct error *error)
{
    if (length == 0)
        return error_usage(error, "%s is empty: its length must be a multiple of %d from %d to %d", what,
                           EDITDISTANCE_LENGTH_UNIT, EDITDISTANCE_LENGTH_UNIT, EDITDISTANCE_LENGTH_MAX);
    if (length > EDITDISTANCE_LENGTH_MAX)
        return error_usage(error, "%s has length %ju: at most %d is allowed", what, (uintmax_t)length,
                           EDITDISTANCE_LENGTH_MAX);
    if (length % EDITDISTANCE_LENGTH_UNIT != 0)
        return error_usage(error, "%s has length %ju: a multiple of %d is needed", what, (uintmax_t)length,
                           EDITDISTANCE_LENGTH_UNIT);
    return true;
}

static bool input_alloc(struct blob *input, uint64_t length1, uint64_t length2, struct error *error)
{
    if (length1 * length2 > EDITDISTANCE_CELLS_MAX)
        return error_usage(error, "the lengths %ju and %ju give %ju cells: at most 2^34 are allowed",
                           (uintmax_t)length1, (uintmax_t)length2, (uintmax_t)(length1 * length2));
    if (!blob_alloc(input, STRING2_OFFSET(length1) + length2, error))
        return false;
    *(struct editdistance_input *)input->data =
        (struct editdistance_input){ (uint32_t)length1, (uint32_t)length2 };
    return true;
}

/* ------------------------------------------------------------------ generator */

enum { STREAM_STR1 = 1, STREAM_STR2, STREAM_EDITS };

/* A copy of str1 with one in `gap` characters replaced, dropped or preceded by a new one, cut or filled to length. */
static void make_mutated(struct strings s, const char *alphabet, size_t size, uint32_t gap,
                         struct random_stream *edits)
{
    size_t i = 0, j = 0;

    while (j < s.length2 && i < s.length1) {
        uint32_t edit = random_below(edits, gap) == 0 ? 1 + random_below(edits, 3) : 0;

        if (edit == 1) /* drop */
            i++;
        else if (edit == 2) /* insert */
            s.str2[j++] = (unsigned char)alphabet[random_below(edits, (uint32_t)size)];
        else if (edit == 3) /* replace */
            s.str2[j++] = (unsigned char)alphabet[random_below(edits, (uint32_t)size)], i++;
        else
            s.str2[j++] = s.str1[i++];
    }
    random_string(edits, alphabet, size, (char *)s.str2 + j, s.length2 - j);
}

/*
 * One of the strings is the other with a block of it moved, long random pieces put in where it is longer, and one in 32
 * characters replaced; all at random places. Both hold random characters before. The block has 0.7 to 1 times the
 * length `most`. To follow it costs 2 edits a character; not to follow it costs what random strings of that alphabet
 * do, over the block and all that it moves past, which is more. So the cheapest path leaves the diagonal by the block's
 * length, and no band about it of a fixed share of the length below `most` holds it.
 */
static void make_moved(struct strings s, const char *alphabet, size_t size, struct random_stream *edits)
{
    const bool first_is_longer = s.length1 > s.length2;
    const unsigned char *from = first_is_longer ? s.str2 : s.str1;
    unsigned char *to = first_is_longer ? s.str1 : s.str2;
    const uint32_t length = (uint32_t)(first_is_longer ? s.length2 : s.length1);
    const uint32_t extra = (uint32_t)(first_is_longer ? s.length1 : s.length2) - length;
    const double unlike = 1 - 1.1 / sqrt((double)size); /* at most what random strings differ by, a character */
    const uint32_t most = (uint32_t)(0.45 * unlike * length);
    const uint32_t block = most * 7 / 10 + random_below(edits, most * 3 / 10);
    const uint32_t widest = length - block, enough = (uint32_t)((2.2 / unlike - 1) * block);
    const uint32_t least = enough < widest ? enough : widest;
    const uint32_t gap = least + random_below(edits, widest - least + 1);
    const uint32_t start = random_below(edits, widest - gap + 1);
    const bool to_the_right = random_u32(edits) & 1;
    const uint32_t x = to_the_right ? block : gap, y = to_the_right ? gap : block; /* from[start..]: x y, to: y x */
    uint32_t places[3], put_in = 0;

    for (int piece = 0; piece < 3; piece++)
        places[piece] = random_below(edits, length + 1);
    for (uint32_t j = 0; j < length; j++) {
        const uint32_t at = j < start || j >= start + x + y ? j : j < start + y ? j + x : j - y;

        for (int piece = 0; piece < 3; piece++)
            if (places[piece] == j) {
                const uint32_t rest = extra - put_in, count = piece == 0 ? rest / 2 : random_below(edits, rest + 1);

                to += count;
                put_in += count;
            }
        *to++ = random_below(edits, 32) == 0 ? (unsigned char)alphabet[random_below(edits, (uint32_t)size)] : from[at];
    }
}

/* Fills both strings. False when there is no such kind. */
static bool make_strings(const char *kind, struct strings s, const char *alphabet, size_t size, uint64_t period,
                         const struct random_key *key)
{
    struct random_stream r1 = random_stream(key, STREAM_STR1), r2 = random_stream(key, STREAM_STR2);
    struct random_stream edits = random_stream(key, STREAM_EDITS);

    random_string(&r1, alphabet, size, (char *)s.str1, s.length1);
    random_string(&r2, alphabet, size, (char *)s.str2, s.length2);
    if (strcmp(kind, "random") == 0)
        return true;
    if (strcmp(kind, "equal") == 0) { /* str2 repeats str1, or starts it */
        for (size_t j = 0; j < s.length2; j++)
            s.str2[j] = s.str1[j % s.length1];
        return true;
    }
    if (strcmp(kind, "close") == 0) { /* the same, but for one character at a random place */
        const size_t place = random_below(&edits, (uint32_t)(s.length1 < s.length2 ? s.length1 : s.length2));

        for (size_t j = 0; j < s.length2; j++)
            s.str2[j] = s.str1[j % s.length1];
        s.str2[place] = (unsigned char)alphabet[0] == s.str1[place] ? (unsigned char)alphabet[1]
                                                                    : (unsigned char)alphabet[0];
        return true;
    }
    if (strcmp(kind, "shifted") == 0) { /* str2 is str1 rotated by `period` */
        for (size_t j = 0; j < s.length2; j++)
            s.str2[j] = s.str1[(j + period) % s.length1];
        return true;
    }
    if (strcmp(kind, "disjoint") == 0) { /* each half of the alphabet in one string */
        random_string(&r1, alphabet, size / 2, (char *)s.str1, s.length1);
        random_string(&r2, alphabet + size / 2, size - size / 2, (char *)s.str2, s.length2);
        return true;
    }
    if (strcmp(kind, "single") == 0) { /* one character, the same in both */
        memset(s.str1, s.str1[0], s.length1);
        memset(s.str2, s.str1[0], s.length2);
        return true;
    }
    if (strcmp(kind, "repetitive") == 0) { /* periods `period` and period + 1 of one random word */
        for (size_t i = period; i < s.length1; i++)
            s.str1[i] = s.str1[i % period];
        for (size_t j = 0; j < s.length2; j++)
            s.str2[j] = s.str1[j % (period + 1) % s.length1];
        return true;
    }
    if (strcmp(kind, "mutated") == 0) { /* str1 with an edit every `period` characters on average */
        make_mutated(s, alphabet, size, (uint32_t)period, &edits);
        return true;
    }
    if (strcmp(kind, "moved") == 0) {
        make_moved(s, alphabet, size, &edits);
        return true;
    }
    return false;
}

static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    static const char *const known[] = { "alphabet", "period", NULL };
    const char *name = arguments_option(arguments, "alphabet", "printable");
    uint64_t length1, length2, period;
    char alphabet[256];
    size_t size = random_alphabet(name, alphabet);

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 3)
        return error_usage(error, "a case needs KIND LENGTH1 LENGTH2, not %zu words", arguments->word_count);
    if (size == 0)
        return error_usage(error, "unknown alphabet '%s': use one of " RANDOM_ALPHABETS, name);
    if (!arguments_number(arguments, "period", 16, 1, EDITDISTANCE_PERIOD_MAX, &period, error) ||
        !parse_number(arguments->words[1], "LENGTH1", 0, UINT32_MAX, &length1, error) ||
        !parse_number(arguments->words[2], "LENGTH2", 0, UINT32_MAX, &length2, error) ||
        !check_length(length1, "LENGTH1", error) || !check_length(length2, "LENGTH2", error) ||
        !input_alloc(input, length1, length2, error))
        return false;
    if (!make_strings(arguments->words[0], strings_of(input), alphabet, size, period, key))
        return error_usage(error, "unknown kind of case '%s': use random, equal, close, shifted, disjoint, single, "
                                  "repetitive, mutated or moved",
                           arguments->words[0]);
    return true;
}

/* ------------------------------------------------------------------ files */

/* Whether the file's length breaks the limit by the end of a line alone; one that is shorter has no lines either. */
static bool ends_a_line(const struct blob *file, const char *end)
{
    const size_t size = strlen(end), rest = file->size % EDITDISTANCE_LENGTH_UNIT;

    return file->size >= size && memcmp(file->data + file->size - size, end, size) == 0 &&
           (rest == size || file->size < EDITDISTANCE_LENGTH_UNIT);
}

/* A string of a contest's length; for practice on examples such as the statement's also a shorter one. */
static bool load_file(const char *path, struct blob *file, struct error *error)
{
    char what[300];

    if (!blob_read_file(file, path, 1 << 26, error)) /* above the limit, so that check_length() explains it */
        return false;
    snprintf(what, sizeof what, "file '%.280s'", path);
    if (ends_a_line(file, "\r\n"))
        return error_usage(error, "%s has length %zu because it ends with CR LF, as Windows ends a line: remove both "
                                  "with 'head -c -2'", what, file->size);
    if (ends_a_line(file, "\n"))
        return error_usage(error, "%s has length %zu because it ends with a newline: remove it with 'head -c -1'",
                           what, file->size);
    if (file->size > 0 && file->size < EDITDISTANCE_LENGTH_UNIT)
        return true;
    if (file->size <= EDITDISTANCE_LENGTH_MAX && file->size % EDITDISTANCE_LENGTH_UNIT != 0)
        return error_usage(error, "%s has length %zu: a multiple of %d is needed, or, for practice, less than %d", what,
                           file->size, EDITDISTANCE_LENGTH_UNIT, EDITDISTANCE_LENGTH_UNIT);
    return check_length(file->size, what, error);
}

static bool load(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error)
{
    struct blob file1 = { 0 }, file2 = { 0 };
    struct strings s;
    uint64_t given;
    bool ok = false;

    if (argc < 2 || argc > 3)
        return error_usage(error, "FILE1 FILE2 [ANSWER] is needed, not %d arguments", argc);
    if (!load_file(argv[0], &file1, error) || !load_file(argv[1], &file2, error) ||
        !input_alloc(input, file1.size, file2.size, error))
        goto out;
    s = strings_of(input);
    memcpy(s.str1, file1.data, file1.size);
    memcpy(s.str2, file2.data, file2.size);
    if (argc == 3) {
        if (!parse_number(argv[2], "ANSWER", 0, EDITDISTANCE_LENGTH_MAX, &given, error) ||
            !blob_alloc(answer, sizeof(uint32_t), error))
            goto out;
        *(uint32_t *)answer->data = (uint32_t)given;
    }
    ok = true;
out:
    blob_release(&file1);
    blob_release(&file2);
    return ok;
}

/* ------------------------------------------------------------------ answers */

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    struct strings s = strings_of(input);

    (void)secret;
    return blob_alloc(answer, sizeof(uint32_t), error) &&
           (levenshtein_bitparallel(levenshtein_isa_best(), s.str1, s.length1, s.str2, s.length2,
                                    (uint32_t *)answer->data) ||
            error_toolkit(error, "out of memory for the reference answer"));
}

static bool reference_plain(const struct blob *input, const struct random_key *secret, struct blob *answer,
                            struct error *error)
{
    struct strings s = strings_of(input);

    (void)secret;
    return blob_alloc(answer, sizeof(uint32_t), error) &&
           (levenshtein_plain(s.str1, s.length1, s.str2, s.length2, (uint32_t *)answer->data) ||
            error_toolkit(error, "out of memory for the reference answer"));
}

static double plain_cost(const struct blob *input)
{
    struct strings s = strings_of(input);

    return (double)s.length1 * (double)s.length2;
}

static size_t output_size(const struct blob *input)
{
    (void)input;
    return sizeof(uint32_t);
}

static uint32_t number_of(const struct blob *blob)
{
    uint32_t number;

    memcpy(&number, blob->data, sizeof number);
    return number;
}

/* ------------------------------------------------------------------ the least work */

/* Characters of one period of a string (all of it, where it has none) that occur in the other one: `there`. */
static size_t period_and_common(const unsigned char *string, size_t length, const bool there[256])
{
    uint32_t *border = calloc(length, sizeof *border); /* [i]: longest proper border of string[0..i] */
    size_t common = 0, period;

    if (!border)
        return 0; /* nothing is claimed */
    for (size_t i = 1, b = 0; i < length; i++) {
        while (b > 0 && string[i] != string[b])
            b = border[b - 1];
        b += string[i] == string[b];
        border[i] = (uint32_t)b;
    }
    period = length - border[length - 1];
    for (size_t i = 0; i < period; i++)
        common += there[string[i]];
    free(border);
    return common;
}

/*
 * Bit operations, of up to three inputs as GPUs have them. The methods known:
 *
 *   the table     of two strings, by bits (Myers 1999, Hyyro 2003): each of the length1 * length2 cells has two
 *                 differences to its neighbours, each -1, 0 or 1, so two bits, and every bit is an operation: 4 a cell.
 *                 Characters that the other string has not need no column, and of a periodic string one period may do
 *                 (Tiskin)
 *   diagonals     (Ukkonen 1985; Landau, Vishkin 1989): only the farthest cell of diagonal k at cost e <= d. On a path
 *                 of cost d from corner to corner are those with |k| <= e and |length2 - length1 - k| <= d - e, which
 *                 are (d^2 - (length2 - length1)^2) / 2; each takes a maximum of three numbers of 7 bits or more: 8
 *                 operations
 *   heuristics    (Marco-Sola 2021; Groot Koerkamp, Ivanov 2024) reach fewer cells where strings are similar: where the
 *                 distance is less than a quarter of the longer string nothing is claimed
 */
static void work(const struct blob *input, const struct blob *answer, struct work *work)
{
    struct strings s = strings_of(input);
    double d = number_of(answer), longer = (double)(s.length1 > s.length2 ? s.length1 : s.length2);
    double difference = 2 * longer - (double)s.length1 - (double)s.length2;
    bool in1[256] = { false }, in2[256] = { false };

    work->bytes = (double)(s.length1 + s.length2 + sizeof(uint32_t));
    if (d < longer / 4)
        return;
    for (size_t i = 0; i < s.length1; i++)
        in1[s.str1[i]] = true;
    for (size_t i = 0; i < s.length2; i++)
        in2[s.str2[i]] = true;
    work->operations = 4 * fmin((double)period_and_common(s.str1, s.length1, in2) *
                                    (double)period_and_common(s.str2, s.length2, in1),
                                d * d - difference * difference);
}

static enum check_result check(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding)
{
    (void)input;
    if (number_of(answer) == number_of(output))
        return CHECK_RIGHT;
    return found_wrong(finding, REASON_VALUE, "answered %u where %u is right", number_of(output), number_of(answer));
}

static void describe(FILE *file, const struct blob *input, const struct blob *answer)
{
    struct strings s = strings_of(input);

    fprintf(file, "answer = %u\nstrnum(a)= %zu\nstrnum(b)= %zu\n", number_of(answer), s.length1, s.length2);
    if (s.length1 < EDITDISTANCE_LENGTH_UNIT || s.length2 < EDITDISTANCE_LENGTH_UNIT)
        fprintf(file, "for practice: the lengths that count are multiples of %d, and a submission may rely on that\n",
                EDITDISTANCE_LENGTH_UNIT);
}

static void show(const struct blob *input, const struct blob *number, char *text, size_t size)
{
    (void)input;
    snprintf(text, size, "%u", number_of(number));
}

const struct problem problem_editdistance = {
    .name = "editdistance",
    .alias = "ldistance",
    .input_usage = "FILE1 FILE2 [ANSWER]",
    .generate = generate,
    .load = load,
    .reference = reference,
    .reference_plain = reference_plain,
    .plain_cost = plain_cost,
    .output_size = output_size,
    .work = work,
    .check = check,
    .describe = describe,
    .show_answer = show,
    .show_output = show,
};
