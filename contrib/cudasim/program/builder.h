/*
 * builder.h - shared by the files that build a program. Each file calls only those before it:
 *
 *   builder.c          memory, errors, constants
 *   program_names.c    names of the module and of a function
 *   program_opcode.c   the parts of an opcode
 *   program_emit.c     writes instructions, operands, temporaries for the next files
 *   program_row.c      instructions by the row of the table that the opcode names
 *   program_flow.c     branches, calls, returns
 *   program_compute.c  moves, conversions, comparisons, sums with a carry
 *   program_bounds.c   the shared or local variable that an address belongs to
 *   program_stores.c   the parameters through which a kernel stores
 *   program_memory.c   instructions that touch memory
 *   program_async.c    asynchronous copies and stores, tensor maps, multicast memory
 *   program_synchronise.c instructions that wait for other threads
 *   program_texture.c  textures and surfaces
 *   program_wgmma.c    products of a warpgroup
 *   program_lower.c    turns one statement into one or a few instructions: finds its file, and adds its guard
 *   program_layout.c   the places of variables, and which functions may touch which of shared memory
 *   program_select.c   loads ahead of their condition
 *   regalloc.c         registers to slots
 *   program_undefined.c the statements that find uses of registers that were never set
 *   program.c          puts the pieces together
 *
 * No other file includes this header.
 */
#ifndef CUDASIM_BUILDER_H
#define CUDASIM_BUILDER_H

#include <setjmp.h>

#include "contrib/cudasim/base/atomic.h"
#include "program.h"

/* The deepest structure an opcode may have. */
#define TOKENS 24

struct opcode {
    char text[200];             /* the opcode, its dots replaced by NUL */
    const char *token[TOKENS];  /* [count] token[0] is the base */
    unsigned count;
};

/* The facts about an instruction that regalloc.c needs. */
struct ins_facts {
    uint32_t first_def, defs; /* into builder->vregs: registers written, then read */
    uint32_t uses;            /* registers read */
    bool falls;               /* goes on to the next one */
    bool partial;             /* guarded: what it writes keeps its old value elsewhere */
    bool added;               /* of no statement of the program: it only keeps track of undefined bits */
    uint32_t first_target, targets; /* into builder->targets: labels */
};

/* The meaning of a name in a function. */
enum name_kind {
    NAME_NONE,            /* a free place of the table */
    NAME_STATEMENT,       /* a label, or a table of targets: number of the statement */
    NAME_LOCAL,           /* a local variable: its number */
    NAME_ENTRY_PARAMETER, /* of a kernel: its offset */
    NAME_FORMAL           /* a parameter or result of a .func: its number, results first */
};

struct name_entry {
    const char *name;    /* NULL: a free place */
    uint32_t value;      /* see the kinds */
    enum name_kind kind;
};

/* A variable or function of the module. */
struct global_name {
    const char *name; /* NULL: a free place */
    uint32_t index;   /* in program->places, or in program->functions */
    bool is_function;
};

/* A value that has its slot in the pool already. */
struct pool_entry {
    uint64_t low, high; /* the value */
    uint32_t bytes;     /* a lane */
    slot slot;          /* 0: a free place */
};

/* An `extra` list that holds registers. */
struct slot_list {
    slot *slots; /* [count] */
    uint32_t count;
};

struct builder {
    struct program *program;      /* that is being built */
    struct memory *memory;        /* for its variables */
    struct row_index *rows;
    const struct ptx_module *ptx;
    const struct ptx_function *ptx_function; /* being built */
    struct function *function;               /* the same one's */
    const struct ptx_statement *statement;   /* being lowered; NULL between statements */
    uint8_t *mentions;                       /* [registers]: how often statements name it; 2: more than once */
    struct opcode opcode;         /* the statement's */
    uint32_t first;               /* of the function's code */
    struct ins *code;             /* [code_count] of the whole module, growing */
    struct ins_facts *facts;      /* [code_count] */
    size_t code_count, code_capacity, facts_capacity;
    uint32_t *vregs;              /* lists of registers that `facts` name */
    size_t vreg_list_count, vreg_list_capacity;
    uint32_t *targets;            /* lists of labels that `facts` name */
    size_t target_count, target_capacity;
    uint8_t *vreg_size;           /* of this function's registers, temporaries after the declared ones: bytes a lane */
    size_t vreg_count, vreg_capacity;
    uint32_t carry;               /* register of the condition code, plus 1 */
    uint32_t *statement_first;    /* [statement_count + 1] the first instruction of each statement */
    const bool *added;            /* [statement_count] statements of program_undefined.c; NULL: there are none */
    const struct ins *plain;      /* the same function's instructions without those; NULL unless they are built */
    const uint64_t *live_at_entry; /* bits of registers that are alive at the function's start */
    uint32_t *label_at;           /* [2 * statement_count] instruction of labels, then of the ends of guards */
    bool *label_used;             /* [statement_count] */
    struct name_entry *labels;    /* names of labels and tables to statements, and of locals */
    size_t label_mask;            /* its places less 1 */
    struct slot_list *lists;      /* `extra` lists which hold registers */
    size_t list_count, list_capacity;
    uint32_t *local_offset;       /* [local_count] of the function's locals */
    uint32_t *bases;              /* [registers] the variables that addresses come from: program_bounds.c */
    int depot;                    /* the local variable that holds all others, or PTX_NO_REGISTER */
    uint32_t *local_starts;       /* [local_start_count] where variables in it begin: bytes, ascending; its size */
    size_t local_start_count;
    char *pool;                   /* constants */
    size_t pool_size, pool_capacity;
    struct pool_entry *pool_index; /* what is in the pool, hashed */
    size_t pool_index_places, pool_index_count;
    bool *shared_fixed;           /* [places] shared variables that a .func touches: one offset for all entries */
    uint64_t shared_by_functions; /* bytes of those */
    uint64_t shared_top;          /* the most that any entry has, where a .func touches dynamic shared memory */
    struct global_name *names;    /* variables and functions of the module */
    size_t name_mask;             /* its places less 1 */
    struct arena scratch;         /* what ends with the step or the function being built */
    jmp_buf *fail;                /* where build_fail() goes */
    bool tracks;                  /* functions report uses of registers that were never set */
    bool exhausted;               /* memory ran out: no function alone is to blame */
    struct ptx_error *error;      /* the caller's */
};

/* ---- builder.c ---- */

/* Ends the build with a message at the current statement. */
void build_fail(struct builder *b, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* The same if memory ran out: the whole build ends. */
void build_exhausted(struct builder *b) __attribute__((noreturn));

/* Returns zeroed memory, which lives as long as the program. */
void *build_alloc(struct builder *b, size_t size);

/* Zeroed items[count] of `size` bytes each; live until build_scratch_end(), which frees all of them. */
void *build_scratch(struct builder *b, size_t count, size_t size);
void build_scratch_end(struct builder *b);

/* Makes room for one more in items[count] of `size` bytes each: returns the list at its new place. */
void *build_grow(struct builder *b, void *items, size_t count, size_t *capacity, size_t size);

/* The slot of a constant of `bytes` a lane: 2, 4, 8 or 16. */
slot constant(struct builder *b, uint64_t low, uint64_t high, unsigned bytes);

/* ---- program_names.c ---- */

/* The name's meaning in the function, or NULL. */
const struct name_entry *local_name(struct builder *b, const char *name);
void add_local(struct builder *b, const char *name, uint32_t value, enum name_kind kind);

/* The name's meaning in the module, or NULL. */
const struct global_name *global_name(struct builder *b, const char *name);
void add_global(struct builder *b, const char *name, uint32_t index, bool is_function);

/* Whether it is a local variable in `space`. */
bool local_is(struct builder *b, const struct name_entry *entry, enum ptx_space space);

/* ---- program_opcode.c ---- */

void split_opcode(struct builder *b);      /* b->statement's into b->opcode */
bool has_token(const struct builder *b, const char *token);
enum ptx_type type_token(const struct builder *b, unsigned nth); /* nth type among the tokens, or PTX_NONE */
uint32_t rounding_mxcsr(const struct builder *b);
bool is_rounding(const char *token);

static inline bool is_signed(enum ptx_type type)
{
    return type >= PTX_S8 && type <= PTX_S64;
}

/* ---- program_emit.c ---- */

struct ins *emit(struct builder *b, const char *row_name);      /* an instruction by its row */
struct ins *emit_row(struct builder *b, const struct row *row);
slot use_operand(struct builder *b, const struct ptx_operand *operand, char letter); /* a source */
slot predicate_operand(struct builder *b, const struct ptx_operand *operand); /* a source that may be negated */
slot define_operand(struct builder *b, const struct ptx_operand *operand, char letter);
bool second_register(const struct ptx_operand *operand, slot *s); /* q of p|q into *s, if there is one */
const struct place *place_used(struct builder *b, const struct global_name *global);
uint64_t name_value(struct builder *b, const struct ptx_operand *operand); /* an address that is known now */
uint32_t temporary(struct builder *b, unsigned bytes);
void use_vreg(struct builder *b, slot s);
void define_vreg(struct builder *b, slot s);
void insert_use(struct builder *b, size_t n, uint32_t vreg); /* one more of instruction n, not the last */
void branch_to(struct builder *b, const struct ins *ins, uint32_t statement); /* one more target */
unsigned operand_bytes(struct builder *b, const struct ptx_operand *operand); /* a lane of the register, 0: none */
char letter_of(unsigned bytes);            /* of an operand with lanes of so many bytes */
slot resize(struct builder *b, slot s, unsigned from, unsigned to, bool is_signed);
slot *slot_list(struct builder *b, uint32_t count);

/*
 * The address of a local variable or of a parameter is known only at run time. Returns whether `operand` names one.
 * Then it emits the instruction that puts the address into `d`, with lanes of `bytes`.
 */
bool names_own_memory(struct builder *b, const struct ptx_operand *operand);
void emit_own_address(struct builder *b, const struct ptx_operand *operand, slot d, unsigned bytes);

/* ---- program_row.c ---- */

void refuse_parts(struct builder *b);      /* fails if an operand is a part of a register where none may be */
const struct row *find_row(struct builder *b, const char *suffix, uint8_t *saturate);
bool lower_by_row(struct builder *b);      /* one that a row describes in full */

/* ---- program_memory.c ---- */

enum address_kind { ADDRESS_MEMORY, ADDRESS_ENTRY_PARAMETER, ADDRESS_FRAME_PARAMETER };

/* An address as it was written: [base + offset]. */
struct address {
    enum address_kind kind;
    slot base; /* 1: none */
    bool wide; /* of `base` */
    int64_t offset;
    const struct ptx_operand *named; /* `base`, or the variable, as it was written */
};

struct address lower_address(struct builder *b, const struct ptx_operand *x);
void set_address(struct builder *b, struct ins *i, struct address a); /* of the instruction emitted last */
enum ptx_space space_token(const struct builder *b); /* that the opcode names, or PTX_SPACE_NONE: generic */
uint8_t scope_token(const struct builder *b);        /* enum scope */
unsigned vector_token(const struct builder *b);      /* elements: 1, 2, 4 or 8 */
bool atomic_token(const struct builder *b, enum atomic_op *op); /* false: the opcode names none */
void lower_access(struct builder *b, bool load);
void lower_atomic(struct builder *b, bool reduction);

/* ---- one statement: these write what it needs and return true, or false if it is not their business ---- */

bool lower_flow(struct builder *b);        /* program_flow.c */
bool lower_compute(struct builder *b);     /* program_compute.c */
bool lower_memory(struct builder *b);      /* program_memory.c */
bool lower_async(struct builder *b);       /* program_async.c; before lower_memory() */
bool lower_texture(struct builder *b);      /* program_texture.c */
bool lower_wgmma(struct builder *b);        /* program_wgmma.c */
bool lower_synchronise(struct builder *b);  /* program_synchronise.c */
void lower_branch(struct builder *b);      /* program_flow.c: bra, whose guard is its condition */
void lower_statement(struct builder *b, size_t index); /* program_lower.c */

/* ---- program_layout.c ---- */

void list_places(struct builder *b);       /* variables of the module, and shared ones inside of functions */
void place_variables(struct builder *b);   /* global and constant ones, in memory */
void relocate_variables(struct builder *b); /* initial values that are addresses */
void follow_calls(struct builder *b);      /* who calls whom, and who uses which shared variable */
void fix_shared(struct builder *b);        /* shared variables of .funcs */
void place_shared(struct builder *b, size_t index); /* of entry `index` */
void lay_out_locals(struct builder *b);    /* of the function being built, and its parameters */

/* ---- program_bounds.c ---- */

void find_bases(struct builder *b);        /* of the function being built: which variable a register points to */
uint32_t shared_place(struct builder *b, const char *name); /* number of a shared variable, plus 1; 0: none */
/* Notes the bounds of the shared or local variable that the address with that base is meant for. */
void set_bounds_of(struct builder *b, struct ins *i, const struct ptx_operand *base);

/* ---- program_stores.c ---- */

/* Finds the parameters through which the function being built stores: its `stores`. */
void find_stores(struct builder *b);

/* Fills b->mentions. */
void count_mentions(struct builder *b);

/* ---- program_select.c ---- */

/* Marks the loads of the function built last whose value selp may throw away. */
void mark_selected(struct builder *b);

/* Marks its volatile and strong loads that wait in a loop for another thread. */
void mark_polls(struct builder *b);

/* Marks its loads of words that an atomic operation compares later, and its stores to words that it loaded before. */
void mark_guesses(struct builder *b);

/* Marks its loads that an earlier one makes unnecessary. */
void mark_repeats(struct builder *b);

/* ---- regalloc.c ---- */

/* Gives the registers of the function built last their slots; sets function->register_bytes and b->live_at_entry. */
void allocate_registers(struct builder *b);

/* ---- program_undefined.c ---- */

/*
 * The function built last, with further statements that report uses of registers that were never set. NULL: it has no
 * such use. *added says which statements are new. All lives until build_scratch_end().
 */
const struct ptx_function *track_undefined(struct builder *b, bool **added);

/* ---- program_shade.c ---- */

enum shade { SHADE_NOT, SHADE_MAP, SHADE_DOUBT }; /* where a load's undefined bits come from */

/* Whether the statement is a load, store, ... from `base`, of up to 8 bytes, of the block's own shared memory. */
bool shade_is_shared(const struct ptx_statement *s, const char *base);

/* Whether a map of undefined bytes of shared memory can be kept for kernel `x`: no other function stores there. */
bool shade_may_map(struct builder *b, const struct ptx_function *x);

/* Sets loads[statement] to SHADE_DOUBT where the value may not matter. Called after the first build. False: nowhere. */
bool shade_find_doubts(struct builder *b, const struct ptx_function *x, uint8_t *loads);
bool lower_shade(struct builder *b);

#endif
