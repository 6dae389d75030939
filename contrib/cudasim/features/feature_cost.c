/*
 * feature_cost.c - the table of what PTX instructions cost,.
 *
 * ptxas turns one PTX instruction into none (a conversion of an address, a parameter that is read where it lies), one,
 * or many (a division). The table has what comes out on average: docs/PREDICT.md names the microbenchmarks.
 */
#include "feature_cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature_graph.h"
#include "feature_step.h"
#include "feature_uniform.h"
#include "contrib/cudasim/machine/ins.h"

struct rule {
    const char *base;    /* the opcode's first word */
    const char *has[2];  /* modifiers that it must have, or NULL */
    double slots;        /* issue slots */
    enum pipe pipe;
    double busy;         /* clocks of the multiprocessor's pipe */
    double latency;      /* until the result can be used */
    enum wait wait;      /* what a use of the result waits for */
};

#define NOTHING 0, PIPE_ALU, 0, 0, WAIT_NONE
#define ALU(slots, latency) slots, PIPE_ALU, (slots) * 0.5, latency, WAIT_NONE
#define FMA(slots, latency) slots, PIPE_FMA, (slots) * 0.25, latency, WAIT_NONE
#define HALF(slots, latency) slots, PIPE_FMA, (slots) * 0.36, latency, WAIT_NONE
#define IMAD(slots, latency) slots, PIPE_FMA, (slots) * 0.5, latency, WAIT_NONE
#define FP64(slots, latency) slots, PIPE_FP64, (slots) * 0.5, latency, WAIT_NONE
#define XU(slots, busy, latency) slots, PIPE_XU, busy, latency, WAIT_NONE
/* Passes over the banks of shared memory are counted as they were (shared_passes): here they cost the pipe nothing. */
#define LSU(slots, busy, latency) slots, PIPE_LSU, busy, latency, WAIT_NONE
#define MEMORY(wait) 1, PIPE_LSU, 1, typical_of_##wait, wait
/* Clocks of each wait that count as one. feature_walk.c has the same. */
enum {
    typical_of_WAIT_LOAD = 300, typical_of_WAIT_SHARED = 29, typical_of_WAIT_ATOMIC = 600,
    typical_of_WAIT_CONSTANT = 30, typical_of_WAIT_FENCE = 600
};

/* The first rule that fits counts. */
static const struct rule rules[] = {
    {"ld", {"param"}, NOTHING},
    {"ld", {"const"}, 1, PIPE_LSU, 0, 38, WAIT_CONSTANT},
    {"ld", {"shared"}, 1, PIPE_LSU, 0, 29, WAIT_SHARED},
    {"ld", {0}, MEMORY(WAIT_LOAD)},
    {"ldu", {0}, MEMORY(WAIT_LOAD)},
    {"ldmatrix", {0}, 1, PIPE_LSU, 0, 33, WAIT_SHARED},
    {"tex", {0}, 1, PIPE_LSU, 4, 500, WAIT_LOAD},
    {"tld4", {0}, 1, PIPE_LSU, 4, 500, WAIT_LOAD},
    {"suld", {0}, MEMORY(WAIT_LOAD)},
    {"st", {"param"}, NOTHING},
    {"st", {"shared"}, LSU(1, 0, 0)},
    {"st", {0}, LSU(1, 1, 0)},
    {"stmatrix", {0}, LSU(1, 0, 0)},
    {"sust", {0}, LSU(1, 1, 0)},
    {"prefetch", {0}, LSU(1, 1, 0)},
    {"prefetchu", {0}, LSU(1, 1, 0)},
    {"red", {"shared"}, LSU(1, 0, 0)},
    {"red", {0}, LSU(1, 1, 0)},
    {"atom", {"shared"}, 1, PIPE_LSU, 0, 60, WAIT_SHARED},
    {"atom", {0}, MEMORY(WAIT_ATOMIC)},
    {"cp", {"wait_group"}, 1, PIPE_LSU, 0, 300, WAIT_LOAD},
    {"cp", {"wait_all"}, 1, PIPE_LSU, 0, 300, WAIT_LOAD},
    {"cp", {"commit_group"}, LSU(1, 0, 0)},
    {"cp", {0}, LSU(1, 1, 0)},
    {"mbarrier", {"try_wait"}, MEMORY(WAIT_LOAD)},
    {"mbarrier", {"test_wait"}, MEMORY(WAIT_LOAD)},
    {"mbarrier", {0}, MEMORY(WAIT_SHARED)},
    {"bar", {"warp"}, ALU(1, 4)},
    {"bar", {0}, 1, PIPE_LSU, 0, 20, WAIT_BARRIER},
    {"barrier", {0}, 1, PIPE_LSU, 0, 20, WAIT_BARRIER},
    {"membar", {"cta"}, LSU(1, 3.6, 8)},
    {"fence", {"cta"}, LSU(1, 3.6, 8)},
    {"fence", {"proxy"}, LSU(1, 1, 20)},
    {"membar", {0}, MEMORY(WAIT_FENCE)},
    {"fence", {0}, MEMORY(WAIT_FENCE)},
    {"shfl", {0}, LSU(1, 1, 23)},
    {"vote", {0}, ALU(1, 13)},
    {"activemask", {0}, ALU(1, 12)},
    {"elect", {0}, ALU(1, 12)},
    {"match", {"any"}, XU(8, 70, 369)},
    {"match", {0}, XU(1, 8, 30)},
    {"redux", {0}, XU(2, 2.2, 44)},
    {"cvta", {"to"}, NOTHING},
    {"cvta", {0}, ALU(0.5, 4)},
    {"mapa", {0}, ALU(1, 5)},
    {"mov", {"pred"}, NOTHING},
    {"mov", {0}, ALU(0.25, 2)},
    {"add", {"f64"}, FP64(1, 8.1)},
    {"sub", {"f64"}, FP64(1, 8.1)},
    {"mul", {"f64"}, FP64(1, 8.1)},
    {"fma", {"f64"}, FP64(1, 8.1)},
    {"mad", {"f64"}, FP64(1, 8.1)},
    {"div", {"f64"}, 22, PIPE_FP64, 6, 125, WAIT_NONE},
    {"sqrt", {"f64"}, 20, PIPE_FP64, 6.5, 93, WAIT_NONE},
    {"rcp", {"f64"}, 14, PIPE_FP64, 4, 74, WAIT_NONE},
    {"rsqrt", {"f64"}, 14, PIPE_FP64, 4, 74, WAIT_NONE},
    {"min", {"f64"}, 4, PIPE_ALU, 2.5, 25, WAIT_NONE},
    {"max", {"f64"}, 4, PIPE_ALU, 2.5, 25, WAIT_NONE},
    {"setp", {"f64"}, FP64(1, 12)},
    {"set", {"f64"}, FP64(1, 12)},
    {"abs", {"f64"}, ALU(0.5, 4)},
    {"neg", {"f64"}, ALU(0.5, 4)},
    {"add", {"f32"}, FMA(1, 4.2)},
    {"sub", {"f32"}, FMA(1, 4.2)},
    {"mul", {"f32"}, FMA(1, 4.2)},
    {"fma", {"f16"}, HALF(1, 5)},
    {"fma", {"f16x2"}, HALF(1, 5)},
    {"fma", {"bf16x2"}, HALF(1, 5)},
    {"fma", {0}, FMA(1, 4.2)},
    {"mad", {"f32"}, FMA(1, 4.2)},
    {"add", {"f16"}, HALF(1, 5)},
    {"add", {"f16x2"}, HALF(1, 5)},
    {"add", {"bf16x2"}, HALF(1, 5)},
    {"sub", {"f16x2"}, HALF(1, 5)},
    {"mul", {"f16"}, HALF(1, 5)},
    {"mul", {"f16x2"}, HALF(1, 5)},
    {"mul", {"bf16x2"}, HALF(1, 5)},
    {"div", {"approx"}, XU(5, 2.2, 41)},
    {"div", {"full"}, XU(8, 2.2, 45)},
    {"div", {"f32"}, XU(14, 2.2, 58)},
    {"sqrt", {"approx"}, XU(1.5, 2.2, 17)},
    {"sqrt", {"f32"}, XU(12, 2.2, 56)},
    {"rcp", {"approx"}, XU(1.5, 2.2, 17)},
    {"rcp", {"f32"}, XU(12, 2.2, 77)},
    {"rsqrt", {0}, XU(1.5, 2.2, 17)},
    {"ex2", {0}, XU(1.5, 2.2, 17)},
    {"lg2", {0}, XU(1.5, 2.2, 17)},
    {"sin", {0}, XU(2, 2.2, 23)},
    {"cos", {0}, XU(2, 2.2, 23)},
    {"tanh", {0}, XU(1, 2.2, 17)},
    {"abs", {"f32"}, FMA(0.3, 2)},
    {"neg", {"f32"}, FMA(0.3, 2)},
    {"dp4a", {0}, IMAD(1, 4.2)},
    {"dp2a", {0}, IMAD(1, 4.2)},
    {"mul", {"wide"}, IMAD(1, 4.2)},
    {"mad", {"wide"}, IMAD(1, 4.2)},
    {"mul", {"hi", "u64"}, IMAD(9, 33)},
    {"mul", {"hi", "s64"}, IMAD(10, 33)},
    {"mul", {"hi"}, IMAD(2, 9)},
    {"mul", {"lo", "s64"}, IMAD(4, 18)},
    {"mul", {"lo", "u64"}, IMAD(4, 18)},
    {"mul", {0}, IMAD(1, 4.2)},
    {"mad", {"lo", "s64"}, IMAD(4, 18)},
    {"mad", {"lo", "u64"}, IMAD(4, 18)},
    {"mad", {"hi"}, IMAD(2, 9)},
    {"mad", {0}, IMAD(1, 4.2)},
    {"madc", {0}, IMAD(1, 4.2)},
    {"mul24", {0}, IMAD(2, 8)},
    {"mad24", {0}, IMAD(2, 8)},
    {"div", {"u64"}, 110, PIPE_ALU, 30, 306, WAIT_NONE},
    {"div", {"s64"}, 120, PIPE_ALU, 32, 330, WAIT_NONE},
    {"rem", {"u64"}, 110, PIPE_ALU, 30, 306, WAIT_NONE},
    {"rem", {"s64"}, 120, PIPE_ALU, 32, 330, WAIT_NONE},
    {"div", {"s32"}, XU(22, 6.6, 138)},
    {"rem", {"s32"}, XU(22, 6.6, 138)},
    {"div", {0}, XU(17, 6.6, 130)},
    {"rem", {0}, XU(17, 6.6, 130)},
    {"popc", {"b64"}, XU(3, 4.4, 20)},
    {"popc", {0}, XU(1, 2.2, 17)},
    {"clz", {0}, XU(2, 2.2, 23)},
    {"bfind", {0}, XU(1, 2.2, 17)},
    {"brev", {0}, XU(1, 2.2, 17)},
    {"cvt", {"f64"}, XU(1, 2.3, 18)},
    {"cvt", {"f32", "f16"}, FMA(1, 5)},
    {"cvt", {"f16"}, ALU(1, 6)},
    {"cvt", {"bf16"}, ALU(1, 6)},
    {"cvt", {"rzi"}, XU(1, 2.2, 17)},
    {"cvt", {"rni"}, XU(1, 2.2, 17)},
    {"cvt", {"rmi"}, XU(1, 2.2, 17)},
    {"cvt", {"rpi"}, XU(1, 2.2, 17)},
    {"cvt", {"f32"}, ALU(1, 4.2)},
    {"cvt", {"u64"}, ALU(0.3, 2)},
    {"cvt", {"s64"}, ALU(0.7, 4)},
    {"cvt", {0}, ALU(0.5, 3)},
    {"bfe", {0}, ALU(2, 9)},
    {"bfi", {0}, ALU(2, 9)},
    {"sad", {0}, ALU(1, 4.2)},
    {"lop3", {0}, ALU(1, 4.2)},
    {"and", {"pred"}, ALU(0.5, 6)},
    {"or", {"pred"}, ALU(0.5, 6)},
    {"not", {"pred"}, NOTHING},
    {"xor", {"pred"}, ALU(0.5, 6)},
    {"and", {"b64"}, ALU(1.5, 5)},
    {"or", {"b64"}, ALU(1.5, 5)},
    {"xor", {"b64"}, ALU(1.5, 5)},
    {"not", {"b64"}, ALU(1.5, 5)},
    {"and", {0}, ALU(0.75, 4)},
    {"or", {0}, ALU(0.75, 4)},
    {"xor", {0}, ALU(0.75, 4)},
    {"not", {0}, ALU(0.5, 3)},
    {"shl", {"b64"}, ALU(2, 6)},
    {"shr", {"u64"}, ALU(2, 6)},
    {"shr", {"s64"}, ALU(2, 6)},
    {"shr", {"b64"}, ALU(2, 6)},
    {"add", {"s64"}, ALU(1.6, 6)},
    {"add", {"u64"}, ALU(1.6, 6)},
    {"sub", {"s64"}, ALU(2, 6)},
    {"sub", {"u64"}, ALU(2, 6)},
    {"setp", {"s64"}, ALU(2, 12)},
    {"setp", {"u64"}, ALU(2, 12)},
    {"min", {"s64"}, ALU(4, 16)},
    {"min", {"u64"}, ALU(4, 16)},
    {"max", {"s64"}, ALU(4, 16)},
    {"max", {"u64"}, ALU(4, 16)},
    {"selp", {"b64"}, ALU(2, 6)},
    {"setp", {0}, ALU(1, 4.2)},
    {"bra", {0}, 1, PIPE_ALU, 0.25, 4, WAIT_NONE},
    {"call", {0}, ALU(2, 10)},
    {"ret", {0}, ALU(1, 10)},
    {"exit", {0}, ALU(1, 0)},
    {"nanosleep", {0}, ALU(1, 40)},
    {"vadd4", {0}, ALU(3.4, 14)},
};
static const struct rule other = {"", {0}, ALU(1, 4.2)};

static const struct rule *rule_of(const char *opcode)
{
    for (size_t n = 0; n < sizeof rules / sizeof *rules; n++) {
        const struct rule *r = &rules[n];

        if (feature_is(opcode, r->base) && (!r->has[0] || feature_has(opcode, r->has[0])) &&
            (!r->has[1] || feature_has(opcode, r->has[1])))
            return r;
    }
    return &other;
}

static bool is_one_of(const char *opcode, const char *const *list)
{
    for (; *list; list++)
        if (feature_is(opcode, *list))
            return true;
    return false;
}

static uint8_t order_of(const char *opcode)
{
    static const char *const all[] = {"bar", "barrier", "membar", "fence", "call", "ret", "exit", "cp",
                                      "mbarrier", "wgmma", "griddepcontrol", "trap", NULL};
    static const char *const changes[] = {"st", "atom", "red", "stmatrix", "sust", NULL};
    /* ptxas turns short branches into guards: loads pass those that a run does not take. */
    bool shared = feature_has(opcode, "shared"), load = feature_is(opcode, "ld") || feature_is(opcode, "ldmatrix");

    if (is_one_of(opcode, all) || feature_has(opcode, "volatile") || feature_has(opcode, "acquire"))
        return ORDER_ALL;
    if (load && (feature_has(opcode, "nc") || feature_has(opcode, "param") || feature_has(opcode, "const")))
        return 0;
    if (load)
        return shared ? ORDER_LOAD_SHARED : ORDER_LOAD_GLOBAL;
    if (is_one_of(opcode, changes) && !feature_has(opcode, "param"))
        return shared ? ORDER_STORE_SHARED : ORDER_STORE_GLOBAL;
    return 0;
}

static bool loads_shared(const char *opcode)
{
    return (feature_is(opcode, "ld") || feature_is(opcode, "ldu")) && feature_has(opcode, "shared");
}

/* ---- special cases ---- */

/* Multiply-adds of one warp by the shape, as m16n8k16. */
static double matrix_work(const char *opcode)
{
    for (const char *at = strstr(opcode, ".m"); at; at = strstr(at + 1, ".m")) {
        unsigned m, n, k;

        if (sscanf(at, ".m%un%uk%u", &m, &n, &k) == 3)
            return (double)m * n * k;
    }
    return 0;
}

static bool group_of(const char *opcode)
{
    return feature_is(opcode, "wgmma");
}

/* mma.sync and wgmma: multiply-adds a clock and multiprocessor by type. */
static bool matrix_cost(const char *opcode, struct cost_step *x)
{
    double rate = group_of(opcode) ? 2048 : 1307, work = matrix_work(opcode);
    bool group = group_of(opcode);

    if (!work || !(group || feature_is(opcode, "mma") || feature_is(opcode, "wmma")) ||
        feature_has(opcode, "load") || feature_has(opcode, "store"))
        return false;
    if (feature_has(opcode, "f64"))
        rate = 60;
    else if (feature_has(opcode, "tf32"))
        rate /= 2;
    else if (feature_has(opcode, "s8") || feature_has(opcode, "u8") || feature_has(opcode, "e4m3"))
        rate *= 2;
    /* The four warps of a group start one operation together: it is counted once for each. */
    x->busy = work / rate / (group ? 4 : 1);
    x->latency = group ? 4 : 21 + 4 * x->busy;
    x->slots = 1;
    x->pipe = PIPE_TENSOR;
    return true;
}

/* Bytes of a lane's access: a vector of v elements of the last type. */
static double access_bytes(const char *opcode)
{
    const char *type = strrchr(opcode, '.');
    double bytes = type && type[1] ? strtod(type + 2, NULL) / 8 : 4;

    return bytes * (feature_has(opcode, "v2") ? 2 : feature_has(opcode, "v4") ? 4 : feature_has(opcode, "v8") ? 8 : 1);
}

static bool is_wide_add(const struct ptx_statement *s)
{
    return feature_is(s->opcode, "add") && (feature_has(s->opcode, "s64") || feature_has(s->opcode, "u64"));
}

/* Where each register is written, and read: the statement plus 1; SIZE_MAX: more than once; 0: nowhere. */
struct writers {
    size_t *at, *read;
    bool *varies; /* among the lanes of a warp */
    size_t statement;
};

static void note(size_t *place, size_t statement)
{
    *place = *place ? SIZE_MAX : statement + 1;
}

static void note_writer(size_t reg, void *context)
{
    struct writers *w = context;

    note(&w->at[reg], w->statement);
}

static void note_reader(size_t reg, void *context)
{
    struct writers *w = context;

    note(&w->read[reg], w->statement);
}

/* The one statement that writes the register that operand n is, or reads it; NULL: there are several, or none. */
static const struct ptx_statement *one_of(const struct ptx_function *f, const size_t *places,
                                          const struct ptx_statement *s, size_t n)
{
    size_t at = n < s->count && s->operands[n].kind == PTX_OPERAND_REGISTER ? places[s->operands[n].reg] : 0;

    return at && at != SIZE_MAX ? &f->statements[at - 1] : NULL;
}

/* A float operation whose rounding the program leaves to ptxas. */
static bool is_free_float(const struct ptx_statement *s, const char *base)
{
    static const char *const fixed[] = {"rn", "rz", "rm", "rp", "sat"};

    if (!feature_is(s->opcode, base) || !(feature_has(s->opcode, "f32") || feature_has(s->opcode, "f64")))
        return false;
    for (size_t n = 0; n < sizeof fixed / sizeof *fixed; n++)
        if (feature_has(s->opcode, fixed[n]))
            return false;
    return s->guard < 0 && s->count == 3;
}

/* The multiplication that becomes one multiply-add with this addition or subtraction, or NULL. */
static const struct ptx_statement *contracted(const struct ptx_function *f, const struct writers *w,
                                              const struct ptx_statement *s)
{
    if (!is_free_float(s, "add") && !is_free_float(s, "sub"))
        return NULL;
    for (size_t n = 1; n < s->count; n++) {
        const struct ptx_statement *product = one_of(f, w->at, s, n);

        if (product && is_free_float(product, "mul") && one_of(f, w->read, product, 0) == s &&
            feature_has(product->opcode, "f64") == feature_has(s->opcode, "f64"))
            return product;
    }
    return NULL;
}

/* Whether ptxas makes one multiply-add of this multiplication and the one addition that reads it. */
static bool is_contracted(const struct ptx_function *f, const struct writers *w, const struct ptx_statement *s)
{
    const struct ptx_statement *sum = is_free_float(s, "mul") ? one_of(f, w->read, s, 0) : NULL;

    return sum && contracted(f, w, sum) == s;
}

/* Whether operand n of the statement comes from a widening multiplication or a shift: one instruction does both. */
static bool fuses(const struct ptx_function *f, const struct writers *w, const struct ptx_statement *s, size_t n)
{
    size_t at = s->operands[n].kind == PTX_OPERAND_REGISTER ? w->at[s->operands[n].reg] : 0;
    const char *opcode;

    if (!at || at == SIZE_MAX)
        return false;
    opcode = f->statements[at - 1].opcode;
    return feature_has(opcode, "wide") || feature_is(opcode, "shl");
}

/* Whether the base of an address is a variable of the code. */
static bool is_fixed(const struct ptx_function *f, const struct writers *w, const struct ptx_operand *base)
{
    size_t at = base->kind == PTX_OPERAND_REGISTER ? w->at[base->reg] : 0;
    const struct ptx_statement *s = at && at != SIZE_MAX ? &f->statements[at - 1] : NULL;

    return base->kind == PTX_OPERAND_NAME ||
           (s && feature_is(s->opcode, "mov") && s->count == 2 && s->operands[1].kind == PTX_OPERAND_NAME);
}

static void special_cases(const struct ptx_function *f, const struct writers *w, const struct ptx_statement *s,
                          struct cost_step *x)
{
    const struct ptx_operand *last = s->count ? &s->operands[s->count - 1] : NULL;

    if (matrix_cost(s->opcode, x))
        return;
    if (is_contracted(f, w, s))
        x->slots = x->busy = x->latency = 0;
    if (x->pipe == PIPE_LSU && x->busy > 0 && (feature_is(s->opcode, "ld") || feature_is(s->opcode, "st")))
        x->busy *= access_bytes(s->opcode) > 4 ? access_bytes(s->opcode) / 4 : 1;
    if (feature_is(s->opcode, "ld") && x->wait == WAIT_LOAD)
        x->near = feature_has(s->opcode, "local") ? WAIT_HIT : WAIT_SHARED;
    /* A constant at a fixed place is an operand of who uses it. */
    if (feature_is(s->opcode, "ld") && feature_has(s->opcode, "const") && last->count) {
        x->fixed = is_fixed(f, w, &last->elements[0]);
        if (x->fixed)
            x->slots = x->busy = x->latency = 0;
        else if (!feature_reads_varying(f, s, w->varies))
            x->constants = fmax(access_bytes(s->opcode) / 8, 1);
    }
    if (is_wide_add(s) && s->count == 3 && (fuses(f, w, s, 1) || fuses(f, w, s, 2)))
        x->slots = x->busy = x->latency = 0;
    else if (is_wide_add(s) && s->count == 3 && last->kind == PTX_OPERAND_INTEGER)
        x->slots = 1, x->busy = 0.5;
    if (feature_is(s->opcode, "mov") && s->count == 2 && last->kind == PTX_OPERAND_SPECIAL)
        x->slots = 1, x->busy = 0.5, x->latency = strstr(last->name, "tid") ? 20 : 10;
}

/* ---- the program ---- */

struct listing {
    struct costs *costs;
    uint32_t base;  /* of the function's registers */
};

void costs_push(struct costs *c, uint32_t value)
{
    if (c->used == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 1024;
        uint32_t *more = c->failed ? NULL : realloc(c->registers, capacity * sizeof *more);

        if (!more) {
            c->failed = true;
            return;
        }
        c->registers = more;
        c->capacity = capacity;
    }
    c->registers[c->used++] = value;
}

static void push_register(size_t reg, void *context)
{
    const struct listing *l = context;

    costs_push(l->costs, l->base + (uint32_t)reg);
}

static uint32_t list_of(struct listing *l, const struct ptx_function *f, const struct ptx_statement *s, visit_all *all)
{
    size_t start = l->costs->used;

    all(f, s, push_register, l);
    if (l->costs->used == start)
        return 0;
    costs_push(l->costs, 0);
    return l->costs->failed ? 0 : (uint32_t)start;
}

static void add_statement(struct listing *l, const struct ptx_function *f, const struct writers *w,
                          const struct ptx_statement *s, struct cost_step *x)
{
    const struct rule *rule = rule_of(s->opcode);

    x->known = true;
    x->pipe = (uint8_t)rule->pipe;
    x->wait = (uint8_t)rule->wait;
    x->order = order_of(s->opcode);
    x->loads_shared = loads_shared(s->opcode);
    x->slots = rule->slots;
    x->busy = rule->busy;
    x->latency = rule->latency;
    special_cases(f, w, s, x);
    x->reads = list_of(l, f, s, feature_visit_read);
    x->writes = list_of(l, f, s, feature_visit_written);
}

/* A load that is not there in the machine code. Who reads it does not wait for the one before it: few read it alone. */
static void drop_step(struct cost_step *x)
{
    *x = (struct cost_step){.known = x->known, .pipe = PIPE_ALU, .wait = WAIT_NONE, .reads = x->reads,
                            .writes = x->writes};
}

static bool add_function(struct costs *c, const struct program *program, const struct function *function)
{
    const struct ptx_function *f = function->ptx;
    struct listing l = {c, c->register_count};
    struct writers w = {.at = calloc(2 * (f->register_count + 1), sizeof *w.at), .varies = feature_varying(f)};
    size_t at = 0;

    if (!w.at || !w.varies) {
        free(w.at);
        free(w.varies);
        return false;
    }
    w.read = w.at + f->register_count + 1;
    for (w.statement = 0; w.statement < f->statement_count; w.statement++) {
        feature_visit_written(f, &f->statements[w.statement], note_writer, &w);
        feature_visit_read(f, &f->statements[w.statement], note_reader, &w);
    }
    for (uint32_t n = function->first; n < function->last; n++) {
        uint32_t line = program->code[n].line;

        if (!line || (n > function->first && program->code[n - 1].line == line))
            continue;
        /* Statements stand in the order of their lines. */
        while (at < f->statement_count && (f->statements[at].line < line || f->statements[at].kind != PTX_INSTRUCTION))
            at++;
        if (at < f->statement_count && f->statements[at].line == line)
            add_statement(&l, f, &w, &f->statements[at++], &c->steps[n]);
        if (program->code[n].repeats)
            drop_step(&c->steps[n]);
    }
    c->register_count += (uint32_t)f->register_count + 1;
    free(w.at);
    free(w.varies);
    return !c->failed;
}

struct costs *costs_create(const struct program *program)
{
    struct costs *c = calloc(1, sizeof *c);

    if (!c || !(c->steps = calloc(program->code_count + 1, sizeof *c->steps))) {
        free(c);
        return NULL;
    }
    c->count = program->code_count;
    c->register_count = 1;
    costs_push(c, 0); /* the empty list */
    for (size_t f = 0; f < program->function_count; f++)
        if (program->functions[f].last > program->functions[f].first && program->functions[f].ptx->defined &&
            !add_function(c, program, &program->functions[f])) {
            costs_free(c);
            return NULL;
        }
    return c;
}

void costs_free(struct costs *costs)
{
    if (!costs)
        return;
    free(costs->steps);
    free(costs->registers);
    free(costs->schedules);
    free(costs->order);
    free(costs);
}

void costs_add(const struct costs *costs, uint32_t index, double times, struct cost *sum)
{
    const struct cost_step *s = &costs->steps[index];

    if (!s->known)
        return;
    sum->slots += times * s->slots;
    sum->busy[s->pipe] += times * s->busy;
}

double costs_constants(const struct costs *costs, uint32_t index)
{
    return costs->steps[index].known ? costs->steps[index].constants : 0;
}

bool costs_fixed(const struct costs *costs, uint32_t index)
{
    return costs->steps[index].known && costs->steps[index].fixed;
}

bool costs_loads_shared(const struct costs *costs, uint32_t index)
{
    return costs->steps[index].known && costs->steps[index].loads_shared;
}

bool costs_fences(const struct costs *costs, uint32_t index)
{
    return costs->steps[index].known && costs->steps[index].wait == WAIT_FENCE;
}
