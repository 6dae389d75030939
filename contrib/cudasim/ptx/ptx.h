/*
 * ptx.h - a PTX module as a tree: the text's structure, without its meaning.
 *
 * ptx_parse() reads the text that nvcc embeds. It knows PTX's grammar and names, but no instruction. program.c gives
 * each instruction its meaning, table.c its body.
 */
#ifndef CUDASIM_PTX_H
#define CUDASIM_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of PTX (.u32 …). PTX_NONE also stands for "no type written". */
enum ptx_type {
    PTX_NONE,
    PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_B128,
    PTX_U8, PTX_U16, PTX_U32, PTX_U64,
    PTX_S8, PTX_S16, PTX_S32, PTX_S64,
    PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2, PTX_TF32, PTX_F32, PTX_F64,
    PTX_U16X2, PTX_S16X2,
    PTX_PRED
};

/* Bytes of one value of the type; PTX_PRED is 1, PTX_NONE 0. */
unsigned ptx_type_size(enum ptx_type type);

/* The type whose name is `name` without its dot ("u32"), or PTX_NONE. */
enum ptx_type ptx_type_named(const char *name);

enum ptx_space { PTX_SPACE_NONE, PTX_REG, PTX_CONST, PTX_GLOBAL, PTX_LOCAL, PTX_PARAM, PTX_SHARED };

/* Which modules see a name. */
enum ptx_linkage { PTX_PRIVATE, PTX_VISIBLE, PTX_WEAK, PTX_COMMON, PTX_EXTERN };

/* An address inside of an initialiser: the 8 bytes at `offset` are the address of `symbol` plus `addend`. */
struct ptx_relocation {
    size_t offset;      /* bytes from the variable's start */
    const char *symbol; /* a variable's or a function's name */
    int64_t addend;     /* bytes */
    bool generic;       /* written as generic(symbol) */
    unsigned size;      /* bytes that take the address: 8 or 4, as the element; 1 under a mask, 0xFF00(symbol) */
    unsigned shift;     /* bits by which the address is shifted right before `size` bytes of it are stored */
};

/* In place of the index of a register: there is none. */
enum { PTX_NO_REGISTER = -1 };

/* A variable of the module, or a parameter, or a variable local to a function. */
struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;     /* of one element */
    int reg;                /* of a .reg parameter with a name: its (first) index in function->registers, else
                               PTX_NO_REGISTER */
    unsigned align;         /* bytes, a power of two */
    size_t size;            /* bytes in all; 0 for an array without a bound (dynamic shared memory) */
    bool external;          /* .extern */
    enum ptx_linkage linkage;
    bool unbounded;         /* declared [] */
    bool managed;           /* .attribute(.managed) */
    unsigned char *initial; /* [initial_size] bytes, the variable's first; NULL without any */
    size_t initial_size;    /* at most size; what follows is zero (global, const) or undefined (the others) */
    struct ptx_relocation *relocations;
    size_t relocation_count;
    unsigned line; /* of the PTX text, from 1 */
};

enum ptx_operand_kind {
    PTX_OPERAND_REGISTER, /* %r1; index in `reg` */
    PTX_OPERAND_INTEGER,  /* 42, -1, 0xFFU: two's complement in `value` */
    PTX_OPERAND_FLOAT,    /* 0f3F800000, 0d…, 1.5: `value` is the double's bit pattern; `single` if written 0f, whose
                             32 bits are then in `value` instead */
    PTX_OPERAND_NAME,     /* a variable, function, label or table: name + offset */
    PTX_OPERAND_ADDRESS,  /* [base + offset]: elements[0] is the base: REGISTER, NAME or INTEGER; what else stands in
                             the brackets follows it: [%rd1, {%r1, %r2}] */
    PTX_OPERAND_VECTOR,   /* {a, b, …} */
    PTX_OPERAND_LIST,     /* (a, b, …), of calls */
    PTX_OPERAND_SPECIAL,  /* %tid.x and its like: name (WARP_SZ comes as the integer 32) */
    PTX_OPERAND_SINK      /* _ */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;          /* !%p1, or - before a register */
    bool single;           /* see PTX_OPERAND_FLOAT */
    int reg;               /* index in function->registers */
    int second;            /* %p1|%p2: index of the second register, else PTX_NO_REGISTER */
    const char *part;      /* %r1.b3210: what follows the register's dot, the bytes or halves meant, else NULL */
    uint64_t value;        /* see the kinds */
    int64_t offset;        /* bytes */
    const char *name;      /* as written; what inner scopes declare carries the unique name that the parser gave it,
                              written name.7: their variables, labels and tables, and a function's own .global ones */
    struct ptx_operand *elements;
    size_t count;          /* of elements */
};

struct ptx_register {
    const char *name; /* as written, %r1 */
    enum ptx_type type;
};

enum ptx_statement_kind {
    PTX_INSTRUCTION,
    PTX_LABEL,          /* name */
    PTX_BRANCH_TARGETS, /* name: .branchtargets operands */
    PTX_CALL_TARGETS,   /* name: .calltargets operands */
    PTX_CALL_PROTOTYPE  /* name: .callprototype; parameters in `prototype` */
};

struct ptx_statement {
    enum ptx_statement_kind kind;
    const char *name;   /* of labels and tables */
    const char *opcode; /* in full, as written: "ld.global.nc.u32"; equal ones share one pointer */
    int guard;          /* @%p: index of the register, else PTX_NO_REGISTER */
    bool guard_negated; /* @!%p */
    struct ptx_operand *operands;
    size_t count; /* of operands */
    const struct ptx_function *prototype;
    unsigned line;        /* of the PTX text, from 1 */
    unsigned source_file; /* index of .loc's file number, 0 when unknown */
    unsigned source_line; /* of that file, from 1; 0 when unknown */
    unsigned location;    /* index of its .loc in the module's locations, plus 1; 0 when unknown */
};

struct ptx_function {
    const char *name;
    bool entry;    /* .entry, else .func */
    enum ptx_linkage linkage;
    bool alias;    /* of another function, whose statements and parameters it shares */
    bool defined;  /* has a body */
    bool noreturn; /* .noreturn */
    struct ptx_variable *results; /* of a .func: space PTX_PARAM or PTX_REG */
    size_t result_count;
    struct ptx_variable *parameters;
    size_t parameter_count;
    struct ptx_variable *locals; /* .local, .shared and .param variables of all scopes, names made unique */
    size_t local_count;
    struct ptx_register *registers; /* of all scopes: those that the body names, in the order of first use */
    size_t register_count;
    struct ptx_statement *statements;
    size_t statement_count;
    unsigned maxntid[3];      /* 0: not given */
    unsigned reqntid[3];      /* 0: not given */
    unsigned minnctapersm;    /* 0: not given */
    unsigned reqnctapercluster[3]; /* 0: not given */
    unsigned maxclusterrank;  /* blocks of a cluster; 0: not given */
    bool explicit_cluster;    /* .explicitcluster */
    bool blocks_are_clusters; /* .blocksareclusters: a launch counts clusters */
    unsigned line;
};

/* A place in a source file; code that was inlined has the place of the call as its parent. */
struct ptx_location {
    unsigned file, line, column; /* the file's number; the others from 1 */
    unsigned parent;             /* index plus 1; 0: not inlined */
};

struct ptx_file {
    unsigned number;
    const char *path;
    bool toolkit; /* of the CUDA Toolkit's headers */
};

struct ptx_module {
    unsigned version_major, version_minor;
    const char *target; /* "sm_90" */
    unsigned address_size;
    struct ptx_variable *variables;
    size_t variable_count;
    struct ptx_function *functions; /* each once; without a body only if never defined. An .alias shares all but the
                                       name with the function that it stands for */
    size_t function_count;
    struct ptx_file *files;
    size_t file_count;
    struct ptx_location *locations;
    size_t location_count;
    struct arena *arena; /* owns everything above */
    struct ptx_module **parts; /* [part_count] the modules that it was linked of; NULL: one text */
    size_t part_count;
};

struct ptx_error {
    unsigned line; /* of the PTX text, from 1 */
    char message[240];
};

/*
 * Reads `size` bytes of PTX text (it need not end in NUL; one trailing NUL is allowed). Returns a module, or NULL with
 * *error filled in. The caller releases the module with ptx_free(). It never crashes on broken text. It allocates no
 * more than a constant times the size (arrays of variables are limited to 1 GiB and cost only their initialiser).
 */
struct ptx_module *ptx_parse(const char *text, size_t size, struct ptx_error *error);
void ptx_free(struct ptx_module *module);

/*
 * Links modules to one. Each name has one definition. Names that a module does not export stay separate. The result
 * owns the parts; after a failure they are freed, and it returns NULL with *error filled in. A name that no part
 * defines stays without a body, or .extern.
 */
struct ptx_module *ptx_link(struct ptx_module **parts, size_t count, struct ptx_error *error);

/*
 * The place of `statement` for messages: the place of its .loc. If that lies in a header of the CUDA Toolkit, the
 * nearest place outside of the headers into which it was inlined. NULL if unknown.
 */
const struct ptx_location *ptx_place(const struct ptx_module *module, const struct ptx_statement *statement);

/* Whether file number `number` is a header of the CUDA Toolkit. */
bool ptx_is_toolkit_file(const struct ptx_module *module, unsigned number);

/* Whether it is one of those that only give instructions a name: atomicAdd(), __ldg() and their like. */
bool ptx_is_intrinsic_file(const struct ptx_module *module, unsigned number);

/* Whether it is the one that gives the products of nvcuda::wmma a name. */
bool ptx_is_matrix_file(const struct ptx_module *module, unsigned number);

/* Whether an algorithm of the toolkit has the statement; false where the program itself calls such an instruction. */
bool ptx_is_toolkit_code(const struct ptx_module *module, const struct ptx_statement *statement);

/*
 * Whether an algorithm of CCCL has the statement, which may read more than it uses. What functions of other headers
 * read, as curand() or atomicAdd(), is read by the code that they are inlined into.
 */
bool ptx_is_algorithm(const struct ptx_module *module, const struct ptx_statement *statement);

/* The path of file number `number` of .loc, or NULL. */
const char *ptx_file_path(const struct ptx_module *module, unsigned number);

#endif
