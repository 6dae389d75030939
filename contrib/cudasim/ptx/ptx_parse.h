/*
 * ptx_parse.h - shared by the files of the PTX parser: names and their scopes, memory, constants, variables.
 *
 * Each file calls only those before it:
 *
 *   ptx_lex.c         cuts tokens
 *   ptx_names.c       finds the meanings of names
 *   ptx_constant.c    reads numbers
 *   ptx_data.c        reads variables
 *   ptx_directive.c   reads directives that a module and a body may hold, and notes the places of .loc
 *   ptx_code.c        reads the statements of a body
 *   ptx_parse.c       reads functions and the module
 *
 * No other file includes this header.
 */
#ifndef CUDASIM_PTX_PARSE_H
#define CUDASIM_PTX_PARSE_H

#include "ptx.h"
#include "ptx_lex.h"
#include "contrib/cudasim/base/arena.h"

enum {
    PTX_SCOPES_MAX = 64,     /* nested { } of a function */
    PTX_NESTING_MAX = 64,    /* of parentheses, braces and signs in a constant */
    PTX_DIMENSIONS_MAX = 16, /* of an array, a vector's included */
};

#define PTX_NO_INDEX SIZE_MAX

enum { PTX_NO_SCOPE = -1 }; /* where the depth of a binding stands */

enum ptx_binding_kind {
    PTX_BIND_REGISTER, /* index; width of a vector, else 0 */
    PTX_BIND_RANGE,    /* %r<12>: type, width and count */
    PTX_BIND_VARIABLE, /* index in the module when depth is 0 */
    PTX_BIND_FUNCTION, /* index in the module */
    PTX_BIND_LABEL,    /* labels, and tables of targets and prototypes */
};

/* What a symbol stands for in one scope. */
struct ptx_binding {
    enum ptx_binding_kind kind;
    unsigned depth;             /* of the scope: 0 the module, 1 a function's body, 2 … */
    struct ptx_symbol *symbol;  /* whose meaning this is */
    struct ptx_binding *outer;  /* the same symbol's meaning outside of this scope */
    struct ptx_binding *next;   /* the scope's other bindings */
    const char *name;           /* unique in the function */
    size_t index;               /* see the kinds; PTX_NO_INDEX for a register not used so far */
    enum ptx_type type;         /* of registers */
    unsigned width;             /* elements of a vector register, else 0 */
    uint64_t count;             /* registers of a range */
};

/* A name, one record however often it is written. */
struct ptx_symbol {
    const char *text;            /* ends in NUL; lives as long as the module */
    size_t length;               /* bytes */
    uint64_t hash;
    struct ptx_binding *binding; /* the innermost; ranges have a list of their own */
    struct ptx_binding *ranges;  /* the innermost %r<…> whose stem this is */
};

/* A name used as an operand, which a label further down may still claim. */
struct ptx_pending {
    struct ptx_operand *operand;
    struct ptx_symbol *symbol;
    int depth; /* of the binding it has now, PTX_NO_SCOPE without one */
    unsigned line;
};

struct ptx_scope {
    struct ptx_binding *bindings; /* all of this scope */
    size_t pending;               /* where this scope's uses begin in the list of all */
    unsigned range_depth;         /* of the innermost scope, up to this one, that declares a range; 0: none */
};

/* An operand that is not in its place yet. */
struct ptx_draft {
    struct ptx_operand operand;
    struct ptx_symbol *symbol; /* of names */
    int depth;                 /* see ptx_pending */
    unsigned line;
};

/* A name in an initialiser, looked up at the end of the module. */
struct ptx_reference {
    struct ptx_symbol *symbol;
    unsigned line;
};

struct ptx_alias {
    struct ptx_symbol *alias, *target;
    unsigned line;
};

struct ptx_parser {
    struct ptx_lexer lexer;
    struct arena *kept;   /* what the module owns */
    struct arena scratch; /* what ends with the parser */

    struct ptx_symbol **symbols; /* [symbol_slots], open addressing */
    size_t symbol_slots, symbol_count;
    struct ptx_scope scopes[PTX_SCOPES_MAX + 1]; /* [depth] */
    unsigned depth;                              /* 0 outside of functions */
    unsigned nesting;                            /* see PTX_NESTING_MAX */
    uint64_t serial;                             /* makes names unique */

    /* Lists that grow, in scratch. */
    struct ptx_pending *pending;
    size_t pending_count, pending_capacity;
    struct ptx_draft *drafts;
    size_t draft_count, draft_capacity;
    struct ptx_reference *references;
    size_t reference_count, reference_capacity;
    struct ptx_alias *aliases;
    size_t alias_count, alias_capacity;
    unsigned char *bytes; /* of the initialiser being read */
    size_t byte_count, byte_capacity;
    struct ptx_relocation *relocations; /* the same's */
    size_t relocation_count, relocation_capacity;
    struct ptx_variable *parameters; /* of the list being read */
    size_t parameter_count, parameter_capacity;

    /* Of the function being read. */
    struct ptx_variable *locals;
    size_t local_count, local_capacity;
    struct ptx_register *registers;
    size_t register_count, register_capacity;
    struct ptx_statement *statements;
    size_t statement_count, statement_capacity;
    unsigned source_file, source_line; /* of the last .loc */
    unsigned location;                 /* its index, plus 1 */
    struct ptx_location *locations;
    size_t location_count, location_capacity;
    uint32_t *location_index; /* hashed by place: the last location there, plus 1 */
    size_t location_slots;    /* a power of two, or 0 */

    /* Of the module. */
    struct ptx_variable *variables;
    size_t variable_count, variable_capacity;
    struct ptx_function *functions;
    size_t function_count, function_capacity;
    struct ptx_file *files;
    size_t file_count, file_capacity;
};

/* A constant expression's value. */
struct ptx_constant {
    uint64_t value;   /* two's complement, or the bits of a float */
    bool is_unsigned; /* of an integer */
    bool is_float;
    bool single; /* a float of 32 bits */
};

/* ptx_names.c */

/* `size` bytes that are not cleared, or NULL: the parser has failed then. */
void *ptx_allocate(struct ptx_parser *parser, struct arena *arena, size_t size);

/* A copy of items[count] of `size` bytes each in the module's memory; NULL when there are none or memory ran out. */
void *ptx_keep(struct ptx_parser *parser, const void *items, size_t count, size_t size);

/* Room for items[count]: the list itself, or its copy with twice the room. NULL when memory ran out. */
void *ptx_grow(struct ptx_parser *parser, void *items, size_t *capacity, size_t count, size_t size);

/* The symbol of text[length], or NULL: memory ran out. */
struct ptx_symbol *ptx_intern(struct ptx_parser *parser, const char *text, size_t length);

bool ptx_scope_open(struct ptx_parser *parser);
void ptx_scope_close(struct ptx_parser *parser);

/* Gives the symbol a meaning in the innermost scope. NULL if it has one there already: the parser has failed then. */
struct ptx_binding *ptx_bind(struct ptx_parser *parser, struct ptx_symbol *symbol, enum ptx_binding_kind kind,
                             unsigned line);

/* The innermost meaning of the symbol, or NULL. Registers come into being here: declared ones cost nothing else. */
struct ptx_binding *ptx_resolve(struct ptx_parser *parser, struct ptx_symbol *symbol);

/* Declares a register, or with `count` > 0 the range symbol<count>. */
bool ptx_declare_register(struct ptx_parser *parser, struct ptx_symbol *symbol, enum ptx_type type, unsigned width,
                          bool range, uint64_t count, unsigned line);

/* Remembers that operand names symbol. */
bool ptx_note_use(struct ptx_parser *parser, const struct ptx_draft *draft, struct ptx_operand *operand);

/* Whether `name` is a special register's, its component (.x) left out. */
bool ptx_is_special(const char *name);

/* Fails with the message at the current token. Returns false. */
bool ptx_fail(struct ptx_parser *parser, const char *message);

/* Whether the current token is this one; accept and expect pass over it then. */
bool ptx_is_mark(const struct ptx_parser *parser, int mark);
bool ptx_is_name(const struct ptx_parser *parser, const char *text);
bool ptx_is_directive(const struct ptx_parser *parser, const char *text);
bool ptx_accept(struct ptx_parser *parser, int mark);
bool ptx_accept_directive(struct ptx_parser *parser, const char *text);
bool ptx_expect(struct ptx_parser *parser, int mark);
struct ptx_symbol *ptx_expect_name(struct ptx_parser *parser, const char *what);

/* ptx_constant.c */

/* A constant expression that yields an integer, or a number alone. */
bool ptx_constant(struct ptx_parser *parser, struct ptx_constant *constant);

/* The rest of an expression whose first operand, *constant, has been read. */
bool ptx_constant_rest(struct ptx_parser *parser, struct ptx_constant *constant);

/* What follows a name in an address: any number of + constant and - constant. */
bool ptx_offset(struct ptx_parser *parser, int64_t *offset);

/* An integer constant from 0 to `high`. */
bool ptx_count(struct ptx_parser *parser, const char *what, uint64_t high, uint64_t *count);

/* The number that a constant of floating point is. */
double ptx_double(const struct ptx_constant *constant);

/* ptx_data.c */

/* The state space whose directive is current, or PTX_SPACE_NONE. */
enum ptx_space ptx_current_space(const struct ptx_parser *parser);

/* A whole declaration, from its state space to its semicolon; `linkage`: what stood before it. */
bool ptx_declaration(struct ptx_parser *parser, enum ptx_linkage linkage);

/* One parameter, from .param or .reg on; the name `_` stays unbound. */
bool ptx_parameter(struct ptx_parser *parser, bool bind, struct ptx_variable *variable);

/* Passes over .attribute(...). */
bool ptx_attribute(struct ptx_parser *parser, bool *managed);

/* ptx_directive.c */

/* (…): a list of parameters. */
bool ptx_parameters(struct ptx_parser *parser, bool bind, struct ptx_variable **list, size_t *count);

/* .maxntid and the others that follow a function's or a prototype's parameters. */
bool ptx_function_directives(struct ptx_parser *parser, struct ptx_function *function);

/* Parses a directive that a module and a body may hold: .section, .file, .pragma. False for any other statement. */
bool ptx_common_directive(struct ptx_parser *parser);

/* Reads .extern, .visible, .weak and .common, and returns the linkage. */
enum ptx_linkage ptx_linking(struct ptx_parser *parser);

/* A .loc that has been read up to its first number: it becomes the place of the statements that follow. */
bool ptx_location_directive(struct ptx_parser *parser);

/* ptx_code.c */

/* A function's body, from { to its }. */
bool ptx_body(struct ptx_parser *parser);

#endif
