/*
 * program.h - from the parsed text to instructions that can be executed. Used by the program_*.c files alone.
 *
 *   program.c          variables, functions, kernels; puts the pieces together
 *   program_lower.c    one statement to one or a few instructions: finds who knows it, and puts its guard around
 *   program_row.c      by the row of the table that the opcode names
 *   program_flow.c     branches, calls, returns
 *   program_compute.c  moves, conversions, comparisons, sums with a carry
 *   program_memory.c   what touches memory or waits for other threads
 *   program_emit.c     what these write with: instructions, operands, temporaries
 *   regalloc.c         registers to slots
 */
#ifndef CUDASIM_PROGRAM_H
#define CUDASIM_PROGRAM_H

#include <setjmp.h>

#include "contrib/cudasim/machine/ins.h"

/* Names of rows, hashed. */
struct row_index {
    struct row_entry {
        const char *name;
        uint32_t length;
        const struct row *row;
    } *entries;
    size_t mask;
};
void row_index_build(struct row_index *index, const struct table *table);
void row_index_release(struct row_index *index);
const struct row *row_find(const struct row_index *index, const char *name);

/* The deepest structure an opcode may have. */
#define TOKENS 24

struct opcode {
    char text[200];             /* the opcode, its dots replaced by NUL */
    const char *token[TOKENS];  /* token[0] is the base */
    unsigned count;
};

/* What regalloc.c must know of an instruction. */
struct ins_facts {
    uint32_t first_def, defs; /* into builder->vregs: registers written, then read */
    uint32_t uses;
    bool falls;               /* goes on to the next one */
    bool partial;             /* guarded: what it writes keeps its old value elsewhere */
    uint32_t first_target, targets; /* into builder->targets: labels */
};

struct builder {
    struct program *program;
    const struct row_index *rows;
    const struct ptx_module *ptx;
    const struct ptx_function *ptx_function;
    struct function *function;
    const struct ptx_statement *statement;
    struct opcode opcode;
    uint32_t first;               /* of the function's code */
    struct ins *code;             /* of the whole module, growing */
    struct ins_facts *facts;
    size_t code_count, code_capacity;
    uint32_t *vregs;
    size_t vreg_list_count, vreg_list_capacity;
    uint32_t *targets;
    size_t target_count, target_capacity;
    uint8_t *vreg_size;           /* of this function's registers, temporaries after the declared ones: bytes a lane */
    size_t vreg_count, vreg_capacity;
    uint32_t carry;               /* register of the condition code, plus 1 */
    uint32_t *label_at;           /* [statement_count] instruction index of labels */
    bool *label_used;
    struct name_entry *labels;    /* names of labels and tables to statements, and of locals */
    size_t label_mask;
    struct slot_list { slot *slots; uint32_t count; } *lists; /* `extra` lists which hold registers */
    size_t list_count, list_capacity;
    uint32_t *local_offset;       /* [local_count] of the function's locals */
    char *pool;
    size_t pool_size, pool_capacity;
    struct pool_entry *pool_index;
    size_t pool_index_mask, pool_index_count;
    bool *shared_fixed;           /* [places] shared variables that a .func touches: one offset for all entries */
    uint64_t shared_by_functions; /* bytes of those */
    uint64_t shared_top;          /* the most that any entry has, where a .func touches dynamic shared memory */
    struct global_name *names;    /* variables and functions of the module */
    size_t name_mask;
    jmp_buf fail;
    struct ptx_error *error;
};

struct name_entry {
    const char *name;
    uint32_t value;
    uint8_t kind; /* 0 none, 1 statement, 2 local variable, 3 parameter (entry), 4 formal of a .func */
};
struct global_name {
    const char *name;
    uint32_t index;
    bool is_function;
};

void build_fail(struct builder *b, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void *build_alloc(struct builder *b, size_t size); /* zeroed, lives as long as the program */

/* program_lower.c */
void lower_statement(struct builder *b, size_t index);

/* These write what the statement needs and return true, or false if the instruction is not their business. */
bool lower_flow(struct builder *b);        /* program_flow.c */
bool lower_compute(struct builder *b);     /* program_compute.c */
bool lower_memory(struct builder *b);      /* program_memory.c */
bool lower_synchronise(struct builder *b);
bool lower_by_row(struct builder *b);      /* program_row.c: one that a row describes in full */
void lower_branch(struct builder *b);      /* program_flow.c: bra, whose guard is its condition */

/* program_row.c */
void split_opcode(struct builder *b);      /* b->statement's into b->opcode */
bool has_token(const struct builder *b, const char *token);
enum ptx_type type_token(const struct builder *b, unsigned nth); /* nth type among the tokens, or PTX_NONE */
uint32_t rounding_mxcsr(const struct builder *b);
void refuse_parts(struct builder *b);      /* fails if an operand is a part of a register where none may be */
const struct row *find_row(struct builder *b, const char *suffix, uint8_t *saturate);

static inline bool is_signed(enum ptx_type type)
{
    return type >= PTX_S8 && type <= PTX_S64;
}

/* program_emit.c */
struct ins *emit(struct builder *b, const char *row_name);      /* an instruction by its row */
struct ins *emit_row(struct builder *b, const struct row *row);
slot use_operand(struct builder *b, const struct ptx_operand *operand, char letter); /* a source */
slot define_operand(struct builder *b, const struct ptx_operand *operand, char letter);
bool second_register(const struct ptx_operand *operand, slot *s); /* q of p|q into *s, if there is one */
uint64_t name_value(struct builder *b, const struct ptx_operand *operand); /* an address that is known now */
uint32_t temporary(struct builder *b, unsigned bytes);
void use_vreg(struct builder *b, slot s);
void define_vreg(struct builder *b, slot s);
void insert_use(struct builder *b, size_t n, uint32_t vreg); /* one more of instruction n, not the last */
void branch_to(struct builder *b, const struct ins *ins, uint32_t statement); /* one more target */
unsigned operand_bytes(struct builder *b, const struct ptx_operand *operand); /* a lane of the register, 0: none */
slot resize(struct builder *b, slot s, unsigned from, unsigned to, bool is_signed);
slot *slot_list(struct builder *b, uint32_t count);
bool local_is(struct builder *b, const struct name_entry *entry, enum ptx_space space); /* a variable in `space` */

/* program.c */
slot constant(struct builder *b, uint64_t low, uint64_t high, unsigned bytes);
const struct name_entry *local_name(struct builder *b, const char *name);
const struct global_name *global_name(struct builder *b, const char *name);

/* regalloc.c: gives the registers of the function built last their slots; sets function->register_bytes. */
void allocate_registers(struct builder *b);

struct program *program_build(struct sim *sim, struct ptx_module *ptx, const struct row_index *rows,
                              struct ptx_error *error);
void program_free(struct program *program);
const struct place *program_place(const struct program *program, const char *name);

#endif
