/*
 * program_synchronise.c - instructions that wait for other threads, or order their accesses: barriers, shuffles, votes,
 * fences.
 *
 * Each lower_*() returns false for an instruction that it does not handle.
 */
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/atomic.h"
#include "contrib/cudasim/base/operation.h"

static void lower_barrier(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    bool red = has_token(b, "red"), arrive = has_token(b, "arrive");
    size_t at = red ? 1 : 0, last = red ? s->count - 1 : s->count;
    slot number, count = 1, d = 1, p = 1;
    struct ins *i;
    bool counted = last > at + 1;

    if (s->count < at + 1)
        build_fail(b, "unsupported form of '%s'", s->opcode);
    if (red)
        p = predicate_operand(b, &s->operands[last]);
    number = use_operand(b, &s->operands[at], 'w');
    if (counted)
        count = use_operand(b, &s->operands[at + 1], 'w');
    if (red)
        d = define_operand(b, &s->operands[0], has_token(b, "pred") ? 'p' : 'w');
    i = emit(b, "@bar");
    i->d = d;
    i->a = number;
    i->b = count;
    i->c = p;
    i->op = arrive                   ? BARRIER_ARRIVE
            : has_token(b, "popc") ? BARRIER_POPC
            : has_token(b, "and")  ? BARRIER_AND
            : has_token(b, "or")   ? BARRIER_OR
                                   : BARRIER_SYNC;
    i->flags = (counted ? INS_HAS_COUNT : 0) |
               (!strcmp(b->opcode.token[0], "bar") || has_token(b, "aligned") ? INS_ALIGNED : 0);
    define_vreg(b, d);
    use_vreg(b, number);
    use_vreg(b, count);
    use_vreg(b, p);
}

/* d[|p], sources…, member mask in f */
static void lower_warp(struct builder *b, const char *row, int op, const char *letters, char destination, bool second)
{
    const struct ptx_statement *s = b->statement;
    slot sources[4] = {1, 1, 1, 1}, d = 1, e;
    size_t count = strlen(letters), first = destination ? 1 : 0;
    struct ins *i;

    if (s->count != first + count)
        build_fail(b, "unsupported form of '%s'", s->opcode);
    for (size_t n = 0; n < count; n++)
        sources[n] = letters[n] == 'p' ? predicate_operand(b, &s->operands[first + n])
                                       : use_operand(b, &s->operands[first + n], letters[n]);
    if (destination)
        d = define_operand(b, &s->operands[0], destination);
    e = d;
    if (second && !second_register(&s->operands[0], &e))
        e = (slot)temporary(b, 4) << 1;
    i = emit(b, row);
    i->d = d;
    i->e = e;
    i->op = (uint8_t)op;
    i->meets = true;
    i->width = letters[0] == 'q' ? 8 : 4;
    i->f = sources[count - 1];
    if (count > 1)
        i->a = sources[0];
    if (count > 2)
        i->b = sources[1];
    if (count > 3)
        i->c = sources[2];
    if (destination)
        define_vreg(b, d);
    if (second)
        define_vreg(b, e);
    for (size_t n = 0; n < count; n++)
        use_vreg(b, sources[n]);
}

bool lower_synchronise(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    const char *base = b->opcode.token[0];

    if (!strcmp(base, "bar") && has_token(b, "warp")) {
        lower_warp(b, "@bar.warp", 0, "w", 0, false);
    } else if (!strcmp(base, "barrier") && has_token(b, "cluster")) {
        emit(b, has_token(b, "wait") ? "@cluster.wait" : "@cluster.arrive")->op = has_token(b, "relaxed");
    } else if (!strcmp(base, "bar") || !strcmp(base, "barrier")) {
        lower_barrier(b);
    } else if (!strcmp(base, "shfl")) {
        if (!has_token(b, "sync"))
            build_fail(b, "'%s': only the .sync form exists on this device", s->opcode);
        lower_warp(b, "@shfl",
                   has_token(b, "up")     ? SHUFFLE_UP
                   : has_token(b, "down") ? SHUFFLE_DOWN
                   : has_token(b, "bfly") ? SHUFFLE_XOR
                                          : SHUFFLE_INDEX,
                   "wwww", 'w', true);
    } else if (!strcmp(base, "vote")) {
        bool ballot = has_token(b, "ballot");

        if (!has_token(b, "sync"))
            build_fail(b, "'%s': only the .sync form exists on this device", s->opcode);
        lower_warp(b, "@vote",
                   ballot                ? VOTE_BALLOT
                   : has_token(b, "all") ? VOTE_ALL
                   : has_token(b, "any") ? VOTE_ANY
                                         : VOTE_UNIFORM,
                   "pw", ballot ? 'w' : 'p', false);
    } else if (!strcmp(base, "match")) {
        bool wide = has_token(b, "b64");

        lower_warp(b, wide ? "@match.64" : "@match.32", has_token(b, "all"), wide ? "qw" : "ww", 'w',
                   has_token(b, "all"));
    } else if (!strcmp(base, "redux")) {
        int op = has_token(b, "add")   ? ATOMIC_ADD
                 : has_token(b, "min") ? ATOMIC_MIN
                 : has_token(b, "max") ? ATOMIC_MAX
                 : has_token(b, "and") ? ATOMIC_AND
                 : has_token(b, "or")  ? ATOMIC_OR
                                       : ATOMIC_XOR;

        if (type_token(b, 0) == PTX_F32)
            build_fail(b, "'%s' is not of this device", s->opcode);
        lower_warp(b, has_token(b, "s32") ? "@redux.s" : "@redux.u", op, "ww", 'w', false);
    } else if (!strcmp(base, "elect")) {
        lower_warp(b, "@elect", 0, "w", 'w', true);
    } else if (!strcmp(base, "activemask")) {
        slot d = define_operand(b, &s->operands[0], 'w');
        struct ins *i = emit(b, "@activemask");

        i->d = d;
        define_vreg(b, d);
    } else if (!strcmp(base, "membar") || !strcmp(base, "fence")) {
        struct ins *i = emit(b, "@fence");

        i->flags = INS_RELEASE;
        i->bulk = !strncmp(b->statement->opcode, "fence.proxy.async", 17) &&
                  strcmp(b->statement->opcode, "fence.proxy.async.global") != 0;
        i->scope = !strncmp(b->statement->opcode, "fence.proxy", 11) ? SCOPE_NONE : scope_token(b);
        i->system = has_token(b, "sys");
    } else if (!strcmp(base, "nanosleep")) {
        emit(b, "@nanosleep")->times = true;
    } else {
        return false;
    }
    return true;
}
