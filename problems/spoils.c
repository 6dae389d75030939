/*
 * spoils.c - standard ways to spoil an output: see spoils.h.
 */
#include "spoils.h"

#include <string.h>

enum { WORD = 4, SMALL = 1 << 18 }; /* bytes; above, fewer places are tried */

/* Whether check() sees a spoiled output, unless it is right after all. */
static void try(struct spoiling *s, const struct blob *output, const char *how, size_t place)
{
    struct finding finding = { 0 };

    if (memcmp(output->data, s->right->data, output->size) == 0 ||
        (s->outputs->also_right && s->outputs->also_right(s->input, s->answer, s->right, output)))
        return;
    s->tried++;
    if (s->problem->check(s->input, s->answer, output, &finding) == CHECK_RIGHT && s->wrong[0] == '\0')
        snprintf(s->wrong, sizeof s->wrong, "the checker accepts an output with %s, at byte %zu of %zu", how, place,
                 output->size);
}

static size_t any_place(struct spoiling *s, size_t size) { return random_u32(&s->stream) % size; }

static void change_bits(struct spoiling *s, struct blob *output, size_t times)
{
    for (size_t t = 0; t < times; t++)
        for (size_t bit = 0; bit < 8 * WORD; bit++) {
            const size_t start = any_place(s, output->size) / WORD * WORD + bit / 8;
            const size_t at = start < output->size ? start : output->size - 1;

            output->data[at] ^= (unsigned char)(1u << bit % 8);
            try(s, output, "one bit changed", at);
            output->data[at] ^= (unsigned char)(1u << bit % 8);
        }
}

/* The first byte and the last one among them. */
static void change_bytes(struct spoiling *s, struct blob *output, size_t times)
{
    for (size_t t = 0; t < times; t++) {
        const size_t at = t == 0 ? 0 : t == 1 ? output->size - 1 : any_place(s, output->size);
        const unsigned char kept = output->data[at];

        output->data[at] = (unsigned char)(kept + 1);
        try(s, output, "1 added to a byte", at);
        output->data[at] = (unsigned char)(kept - 1);
        try(s, output, "1 taken from a byte", at);
        output->data[at] = kept;
    }
}

static void swap(unsigned char *a, unsigned char *b)
{
    unsigned char kept[WORD];

    memcpy(kept, a, WORD);
    memcpy(a, b, WORD);
    memcpy(b, kept, WORD);
}

static void swap_words(struct spoiling *s, struct blob *output, size_t times)
{
    for (size_t t = 0; t < times && output->size >= 2 * WORD; t++) {
        const size_t words = output->size / WORD, a = any_place(s, words) * WORD, b = any_place(s, words) * WORD;

        swap(output->data + a, output->data + b);
        try(s, output, "two words swapped", a < b ? a : b);
        swap(output->data + a, output->data + b);
    }
}

/* All of it another one. */
static void replace_all(struct spoiling *s, struct blob *output)
{
    const uint32_t nan = 0x7fc00000;
    const size_t from = any_place(s, output->size);

    memset(output->data, 0, output->size);
    try(s, output, "zeros throughout", 0);
    for (size_t at = 0; at + WORD <= output->size; at += WORD)
        memcpy(output->data + at, &nan, WORD);
    try(s, output, "NaN throughout", 0);
    if (s->other && s->other->size == output->size) {
        memcpy(output->data, s->other->data, output->size);
        try(s, output, "the answer for another seed", 0);
    }
    memcpy(output->data, s->right->data, from);
    for (size_t at = from; at < output->size; at++)
        output->data[at] = (unsigned char)(s->right->data[at] ^ (1 + random_below(&s->stream, 255)));
    try(s, output, "its end missing", from);
}

bool spoils_try(struct spoiling *s, struct error *error)
{
    struct blob output = { 0 };

    if (!blob_alloc(&output, s->right->size, error))
        return false;
    memcpy(output.data, s->right->data, output.size);
    change_bits(s, &output, output.size <= SMALL ? 3 : 1);
    change_bytes(s, &output, output.size <= SMALL ? 32 : 8);
    swap_words(s, &output, output.size <= SMALL ? 32 : 8);
    replace_all(s, &output);
    blob_release(&output);
    return true;
}
