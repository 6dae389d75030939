/*
 * feature_graph.h - a PTX function as a graph of basic blocks, and the registers that its statements read and write.
 * Only feature_code.c uses it. Functions that return bool return false without memory.
 */
#ifndef CUDASIM_FEATURE_GRAPH_H
#define CUDASIM_FEATURE_GRAPH_H

#include "contrib/cudasim/ptx/ptx.h"

/* Whether the opcode's first word is `base`; whether one of its later words is `token`. */
bool feature_is(const char *opcode, const char *base);
bool feature_has(const char *opcode, const char *token);
bool feature_returns(const struct ptx_statement *s);

/* Whether operand number `index` is written; those that are accumulated are written and read. */
bool feature_writes(const struct ptx_statement *s, size_t index);
bool feature_accumulates(const struct ptx_statement *s);
bool feature_reads_carry(const char *opcode);

/* Calls visit() for each register. The condition code has the number after the function's last register. */
typedef void visit_register(size_t reg, void *context);
typedef void visit_all(const struct ptx_function *f, const struct ptx_statement *s, visit_register *visit,
                       void *context);
visit_all feature_visit_written, feature_visit_read;

/* Lists of the statements that read, or that write, each register. */
struct uses {
    size_t *first;     /* [register_count + 2] into `list` */
    size_t *list;      /* statements, ascending for each register */
    size_t *fill;      /* scratch, while the lists are made */
    size_t statement;
};
bool uses_make(struct uses *u, const struct ptx_function *f, visit_all *visit);
void uses_release(struct uses *u);

struct block {
    size_t first, end;    /* statements [first, end) */
    size_t *next;         /* [next_count] blocks; the number of blocks stands for the function's end */
    size_t next_count;
    const struct ptx_statement *branch; /* the conditional branch that ends it, or NULL */
    size_t after;         /* its immediate post-dominator */
    bool told;            /* what depends on its branch's condition was noted, for `told_depends` */
    unsigned told_depends;
};

struct label {
    const char *name;
    size_t block;
};

struct graph {
    const struct ptx_function *f;
    struct block *blocks;
    size_t count;
    size_t *of;           /* [statement_count] the block of each statement */
    struct label *labels; /* sorted by name */
    size_t label_count;
    size_t *edges;        /* all blocks' next[] */
    size_t edge_count;
    size_t *from;         /* [edge_count] the block that each edge comes from, sorted by where it goes */
    size_t *first_from;   /* [count + 2] into `from`, by block */
};

bool graph_make(struct graph *g, const struct ptx_function *f);
void graph_release(struct graph *g);

/* Fills every block's `after`: its immediate post-dominator; the number of blocks stands for the function's end. */
bool graph_find_after(struct graph *g);

/* Strongly connected parts of the blocks whose mark is `within`. */
struct parts {
    const struct graph *g;
    const unsigned *mark;   /* [blocks] */
    unsigned within;
    size_t *members, *ends; /* blocks of the parts one after the other, and where each part ends */
    size_t count;           /* of parts */
    size_t *index, *low, *stack, *path, *next; /* [blocks] scratch, while the parts are found */
    bool *on_stack;
};
bool parts_make(struct parts *x);
void parts_release(struct parts *x);

#endif
