/*
 * ins.h - instructions in executable form, the program that holds them, and the instruction table.
 *
 * Loading a module translates PTX once (program/). Every instruction becomes a `struct ins` with a pointer to its body
 * and the places of its operands. A body executes one instruction for all 32 lanes of a warp:
 *
 *   register slot   128 bytes = 32 lanes x 32 bits, 64 bytes for 16 bits, 256 bytes for 64 bits;
 *                   predicates are 32-bit lanes too, all ones or zero. So every operation is the same short loop, and
 *                   the compiler turns it into vector instructions
 *   constants       are slots as well, filled once in the module's pool. So no body asks for the kind of an operand
 *
 * All of machine/, table/ and program/ include it. It does not know how warps run: machine.h.
 */
#ifndef CUDASIM_INS_H
#define CUDASIM_INS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "class.h"
#include "contrib/cudasim/base/arena.h"
#include "contrib/cudasim/base/atomic.h"
#include "contrib/cudasim/ptx/ptx.h"

#define LANES 32
#define FULL_MASK 0xFFFFFFFFu

/*
 * Generic addresses. An address of global memory is its host address. The other windows set the top byte, which no
 * address of a program has. Offsets into shared memory hold the block's rank in its cluster in bits 32 to 47.
 */
#define WINDOW_SHIFT 56
#define WINDOW_SHARED 1
#define WINDOW_LOCAL 2
#define WINDOW_PARAM 3 /* parameters of a .func, whose address was taken */
#define WINDOW_FUNCTION 4
#define WINDOW(window) ((uint64_t)(window) << WINDOW_SHIFT)
#define MADE_BY_AT 48 /* in a generic address of shared memory that cvta made: block_group(); 0: not known */
/*
 * A generic address of local memory also names the thread whose variable it is, in bits 32 to 55:
 * OWNED | thread in the block plus 1, at OWNER_AT | the low bits of the block's number.
 */
#define OWNED ((uint64_t)1 << 55)
#define OWNER_AT 44
#define OWNER_BLOCK 0xFFFu

struct ins;
struct memory;
struct region;
struct sim;
struct warp;

/* Executes one instruction for the lanes in warp->mask. Returns the next one, or NULL after warp_stop(). */
typedef const struct ins *step(struct warp *warp, const struct ins *ins);

/* A slot is a byte offset. Its low bits name the base: 0 the frame's registers, 1 the module's pool of constants. */
typedef uint32_t slot;

enum ins_flag {
    INS_SATURATE = 1,
    INS_ADDRESS_64 = 2, /* the address register has 64 bits */
    INS_SPINS = 4,      /* reads what others may be waiting to change: volatile and acquire loads, compare-and-swap */
    INS_ALIGNED = 8,    /* barriers: all threads of the warp must execute it together */
    INS_HAS_COUNT = 16, /* barriers with a thread count */
    INS_RELEASE = 32,   /* orders memory: fences, volatile, release, acquire */
    INS_NEGATE = 64,    /* the guard, or the predicate operand, is negated */
    INS_ADDRESS_BASE = 128 /* the address has a register part in `a` */
};

/* The ordering of a memory access; 0: none. */
enum ins_order { ORDER_VOLATILE = 1, ORDER_RELAXED = 2, ORDER_ACQUIRE = 4, ORDER_RELEASE = 8 };

/* How far a fence or an atomic reaches. */
enum scope { SCOPE_NONE, SCOPE_BLOCK, SCOPE_CLUSTER, SCOPE_DEVICE };

struct ins {
    step *run;        /* with its guard */
    step *body;       /* without it; the same as run when there is none */
    slot d, a, b, c;  /* operands by the row's convention */
    slot e, f;        /* second destination, fourth source … */
    slot guard;       /* of `run` */
    uint32_t mxcsr;   /* SSE control word the instruction wants: rounding and flush modes */
    int64_t imm;      /* offset of an address, an immediate, … */
    const void *extra; /* lists: slots of vectors, targets, the call's description */
    uint16_t flags;   /* enum ins_flag */
    uint8_t size;     /* bytes of one memory element, or of one register lane */
    uint8_t width;    /* bytes of one lane of the register that a load fills or a store reads */
    uint8_t count;    /* elements of a vector */
    uint8_t needed;   /* of a loaded vector: bits of elements that arithmetic uses; of an exchange 1: its result is */
    uint8_t space;    /* enum ptx_space of memory instructions; PTX_SPACE_NONE is generic */
    uint8_t op;       /* sub-operation by the row's convention */
    uint8_t class;    /* enum sim_class */
    bool guard_negated;
    bool is_call;     /* `extra` is a call_site */
    bool op_is_atomic; /* atom and red */
    bool grows_stack; /* alloca */
    bool selected;    /* a load whose result only selp uses: it may have been moved ahead of its condition; a */
                      /* shuffle whose result may be ignored */
    bool toolkit;     /* written in a header of the CUDA Toolkit */
    bool algorithm;   /* in one of CCCL: ptx_is_algorithm() */
    bool reserved;    /* reads where the system's part of shared memory lies */
    bool grid;        /* reads where a barrier of the whole grid has its word */
    bool times;       /* reads a clock, or sleeps */
    bool stores;      /* st: the values are in the registers that `extra` lists */
    bool copies;      /* an asynchronous copy: what it writes is there when it was waited for */
    bool cached;      /* a read by a cache that this launch's stores do not reach: ld.nc, tex */
    bool repeats;     /* such a load of what one before it in its straight run has loaded: ptxas makes one of them */
    bool bulk;        /* a copy or a reduction in bulk, or a fence that orders them */
    bool polls;       /* a volatile or strong load, or an atomic that adds 0, in a small loop: it waits for a thread */
    bool awaits;      /* griddepcontrol.wait: for the kernel ahead in the stream */
    bool lets_begin;  /* griddepcontrol.launch_dependents: the kernel behind may begin */
    bool guesses;     /* a load whose value an atomic operation on the same word checks later */
    bool writes_back; /* a store to a word that was loaded before */
    uint8_t order;    /* enum ins_order of an access */
    uint8_t scope;    /* enum scope of an access or a fence; 0: the widest, of a fence that it orders no memory */
    bool meets;       /* lanes named in the mask `f` execute it together, see warp_converge() */
    bool ends;        /* exit, or the return of a kernel */
    uint32_t bound_place; /* the shared variable that the address is meant for, plus 1; 0: not known */
    uint32_t bound_low, bound_high; /* its bounds as offsets; the latter UINT32_MAX where it has no end of its own */
    bool bound_local; /* the bounds are those of a local variable, as offsets in the function's */
    bool reads : 1;   /* cp.async.bulk.wait_group.read: the copies have read, and may not have written */
    bool paints : 1;  /* stores to a surface */
    bool system : 1;  /* the scope of an access or a fence is the system's: it reaches the host */
    bool doubtful : 1; /* a load whose uses are checked in place of it: program_shade.c */
    bool sums : 1;    /* a volatile store of what was computed from a load of the same word */
    uint8_t results : 4; /* tex: a bit for each channel whose value something uses */
    uint16_t flops;   /* floating-point operations a lane */
    uint8_t mode;     /* second sub-operation: scope, comparison, … */
    uint32_t event;   /* index of its event counters, plus 1; 0: none */
    uint32_t line;    /* of the PTX text */
    uint32_t source_line;
    uint32_t source_file; /* .loc's file number */
};

/* An allocation that may be accessed. Memory instructions remember it. Empty (low 1, high 0) or zero: none. */
struct span {
    uint64_t low, high; /* addresses: [low, high) */
    const struct region *region;
};
#define SPANS 16

/* The counters of one memory instruction, or one conditional branch. */
struct event {
    uint64_t requests; /* warp executions that reached global memory; of branches: those where lanes parted */
    uint64_t lanes;    /* lanes active */
    uint64_t units;    /* sectors of global memory; of shared memory passes, for instructions that name .shared */
    uint64_t ideal;    /* the least possible units for what was asked for */
    uint64_t bytes;    /* asked for by lanes */
    uint64_t shared_requests, shared_units, shared_ideal, shared_bytes; /* of generic addresses of shared memory */
    uint64_t local_requests, local_bytes;
    struct span span;  /* the allocation it touched last */
};

/* The parameters of a kernel through which it stores: a store goes to memory that one of a set points to. */
#define STORE_PARAMETERS 60
#define STORE_SETS 16
struct store_roots {
    bool anywhere;                      /* there are other stores as well */
    bool variables;                     /* to variables of the module */
    uint32_t parameter_count;
    uint32_t offsets[STORE_PARAMETERS]; /* of pointers that it loads, in its parameters */
    uint32_t set_count;
    uint64_t sets[STORE_SETS];          /* a bit a parameter, by its index in offsets[] */
};

struct function {
    const struct ptx_function *ptx;
    const struct ins *entry;
    uint32_t first, last;     /* its instructions: code[first .. last) */
    uint32_t register_bytes;  /* of a frame */
    uint32_t plain_bytes;     /* the same without registers that only keep track of undefined bits */
    uint32_t local_bytes;     /* of a frame and thread */
    uint32_t param_bytes;     /* of a frame and thread: formal parameters, results and those of calls */
    uint32_t formal_count;    /* results, then parameters */
    uint32_t *formal_offset;  /* into the frame's parameters */
    uint32_t *formal_size;
    const char *refusal;      /* why it cannot run: it, or what it calls, has what is not supported; else NULL */
    unsigned refusal_line;    /* of the PTX text; 0: none */
    bool recursive;           /* may call itself, or through a pointer */
    bool cyclic;              /* may call itself, or a function that does: nvcc cannot know its stack */
    uint64_t stack_bytes;     /* of local memory for it and all it calls, when not recursive */
    uint64_t shared_bytes;    /* static shared memory of an entry */
    uint64_t *shared_uses;    /* a bit a place: shared variables that it and all it calls may touch; arena */
    uint32_t entry_bytes;     /* parameters of an entry */
    const struct store_roots *stores; /* NULL: it was refused */
    size_t first_place;       /* of the shared variables that it declares, in the order of its locals */
};

/* In call_site.function, where it is no index. */
enum { CALL_POINTER = -1, CALL_BUILTIN = -2 };

/* A call's arguments: where they lie in the caller's parameter area, results first. */
struct call_site {
    int32_t function; /* index, CALL_POINTER or CALL_BUILTIN */
    uint32_t builtin; /* enum builtin, with CALL_BUILTIN */
    uint32_t count;   /* results, then arguments */
    uint32_t result_count;
    uint32_t *offset;
    uint32_t *size;
};

/* The other addresses of a bulk copy: offsets beside the registers in `b` and `e`, and their spaces. */
struct bulk {
    int64_t from_offset, barrier_offset;
    uint8_t from_space, from_wide, barrier_wide;
    bool has_from_base, has_barrier, has_barrier_base;
    bool multicast; /* to the blocks of the mask in `f` */
};

/* st.async and red.async: the registers of the elements, and the barrier. */
struct async_store {
    const slot *list; /* [count] */
    struct bulk barrier;
};

/* cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: the operands that do not fit into `struct ins`. */
struct tensor_copy {
    const slot *list;         /* five coordinates, three offsets of im2col, the mask of blocks */
    struct bulk addresses;    /* `from` is the map; the barrier */
    uint8_t rank;             /* of the coordinates */
    bool loads;               /* from global to shared memory */
    bool im2col;
    bool multicast;           /* to the blocks of the mask */
};

/* One form of wgmma.mma_async: d[64][n] (+)= a[64][k] b[k][n]. Types are enum element of table_matrix.h. */
struct wgmma {
    const slot *list;         /* registers of d, then four of a unless that is in shared memory */
    uint16_t n, k;
    uint8_t a, b, d;
    uint8_t count;            /* registers of d */
    bool a_in_registers;
    bool negate_a, negate_b;
    bool transpose_a, transpose_b; /* they lie in shared memory with m, or n, as the fast dimension */
    bool satfinite;
    bool sparse;              /* half of each row of A is stored; the metadata is in `f` */
    uint8_t selector;         /* the lanes of four that hold the metadata */
};

/* Where a variable lies: the module's, then the shared ones that functions declare inside. */
struct place {
    const struct ptx_variable *variable;
    uint64_t address;      /* global and const: device address; shared: offset */
    struct region *region; /* of global variables */
};

struct program {
    struct memory *memory;         /* that its variables lie in */
    struct ptx_module *ptx;
    struct ins *code;
    uint32_t code_count;
    uint32_t event_count;
    char *pool;                    /* constants */
    size_t pool_size;
    struct function *functions;
    size_t function_count;
    struct place *places;          /* variables of the module */
    size_t place_count;
    bool debug;                    /* compiled with -G */
    struct arena arena;            /* owns the lists of functions and instructions */
};

/* Whether an atomic operation only writes: an exchange whose result nothing uses. */
static inline bool only_sets(const struct ins *ins)
{
    return ins->op_is_atomic && ins->op == ATOMIC_EXCH && !ins->needed;
}

#define ONES(condition) ((condition) ? 0xFFFFFFFFu : 0u)

/* ---- the table ---------------------------------------------------------------------------------------------- */

/* The modifiers that a row allows. Its name does not hold them. */
enum row_allows { ALLOW_ROUNDING = 1, ALLOW_FTZ = 2, ALLOW_SAT = 4 };

/*
 * One row per instruction form. `names`: one or more full names, separated by spaces, without the modifiers that
 * `allows` names. `operands`: one letter per operand, destination first:
 *   b 8 or 16 bits read from a register of any width    h 16 bits   w 32 bits   q 64 bits   o 128 bits   p predicate
 *   Wn, Qn a vector of n registers of 32 or 64 bits     m an address
 *   i an immediate, into `imm`   P destination predicate with an optional second one (p|q)   . nothing ('_' allowed)
 */
struct row {
    const char *names;
    step *run;
    const char *operands;
    uint8_t allows;
    uint8_t class;
    uint16_t flops;
};

/* All rows, with the bodies for one level of x86-64: table/ has a table for each. */
struct table {
    const struct row *const *rows; /* lists, each ended by a row without names */
    int level; /* of x86-64 that it was compiled for */
};

#endif
