/*
 * program_opcode.c - the parts of an opcode: its words, the types and the rounding among them.
 */
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/mxcsr.h"

void split_opcode(struct builder *b)
{
    struct opcode *o = &b->opcode;
    char *at = o->text;

    if (strlen(b->statement->opcode) >= sizeof o->text)
        build_fail(b, "opcode too long");
    strcpy(o->text, b->statement->opcode);
    o->count = 0;
    o->token[o->count++] = at;
    for (; *at; at++)
        if (*at == '.' && o->count < TOKENS) {
            *at = '\0';
            o->token[o->count++] = at + 1;
        }
}

bool has_token(const struct builder *b, const char *token)
{
    for (unsigned n = 1; n < b->opcode.count; n++)
        if (strcmp(b->opcode.token[n], token) == 0)
            return true;
    return false;
}

enum ptx_type type_token(const struct builder *b, unsigned nth)
{
    for (unsigned n = 1; n < b->opcode.count; n++) {
        enum ptx_type type = ptx_type_named(b->opcode.token[n]);

        if (type != PTX_NONE && nth-- == 0)
            return type;
    }
    return PTX_NONE;
}

uint32_t rounding_mxcsr(const struct builder *b)
{
    uint32_t word = MXCSR_DEFAULT;

    if (!b->statement)
        return word;
    for (unsigned n = 1; n < b->opcode.count; n++) {
        const char *t = b->opcode.token[n];

        if (!strcmp(t, "rm") || !strcmp(t, "rmi"))
            word |= MXCSR_DOWN;
        else if (!strcmp(t, "rp") || !strcmp(t, "rpi"))
            word |= MXCSR_UP;
        else if (!strcmp(t, "rz") || !strcmp(t, "rzi"))
            word |= MXCSR_TO_ZERO;
        else if (!strcmp(t, "ftz"))
            word |= MXCSR_FLUSH;
    }
    return word;
}

bool is_rounding(const char *t)
{
    return !strcmp(t, "rn") || !strcmp(t, "rz") || !strcmp(t, "rm") || !strcmp(t, "rp");
}
