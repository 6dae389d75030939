/*
 * operation.h - the numbers of sub-operations. program/ writes them into ins->op and ins->mode. machine/ and the bodies
 * of table/ read them. atomic.h has those of atomics.
 */
#ifndef CUDASIM_OPERATION_H
#define CUDASIM_OPERATION_H

/* setp, set: how the result is combined with a predicate. */
enum combine { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

/* lop3 with a predicate: p = (d != 0) op q. */
enum lop3_combine { LOP3_OR = 1, LOP3_AND };

/* add.cc and its like: flags. */
enum carry { CARRY_IN = 1, CARRY_OUT = 2 };

/* bar, barrier. */
enum barrier_op { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };

/* shfl. */
enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, SHUFFLE_INDEX };

/* @undefined: what an undefined value is used for. */
enum undefined_use {
    UNDEFINED_CONDITION, /* of a branch */
    UNDEFINED_ADDRESS,   /* of an access to memory */
    UNDEFINED_VALUE,     /* that goes to memory */
    UNDEFINED_PARAMETER, /* of a function, or its result */
    UNDEFINED_TARGET     /* of a call */
};

/* vote. */
enum vote { VOTE_BALLOT, VOTE_ALL, VOTE_ANY, VOTE_UNIFORM };

/* mbarrier; from MBARRIER_ARRIVE on they may have a result. */
enum mbarrier_op {
    MBARRIER_NONE,
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_EXPECT_TX,
    MBARRIER_COMPLETE_TX,
    MBARRIER_ARRIVE,
    MBARRIER_ARRIVE_DROP,
    MBARRIER_TEST_WAIT,
    MBARRIER_TRY_WAIT,
    MBARRIER_PENDING_COUNT,
    MBARRIER_COPIES_ARRIVE /* cp.async.mbarrier.arrive without .noinc: adds an arrival and takes it away */
};

/* mbarrier, in ins->mode: flags. */
enum mbarrier_mode {
    MBARRIER_PARITY = 1,      /* waits for a parity, not for a state */
    MBARRIER_HAS_OPERAND = 2, /* a count, a state or a parity in b */
    MBARRIER_ALSO_EXPECTS = 4, /* arrive.expect_tx */
    MBARRIER_HAS_RESULT = 8,
    MBARRIER_NO_COMPLETE = 16,
    MBARRIER_RELAXED = 32 /* orders nothing */
};

/* tex and its like: places of operands in the list `extra`. */
enum texture_operand {
    OPERAND_DATA = 0,   /* four results, or values to be stored */
    OPERAND_LAYER = 4,
    OPERAND_X = 5,
    OPERAND_Y,
    OPERAND_Z,
    OPERAND_LEVEL,      /* level of detail */
    OPERAND_DX = 9,     /* three derivatives */
    OPERAND_DY = 12,    /* three derivatives */
    OPERAND_OFFSET = 15, /* three */
    OPERAND_RESIDENT = 18, /* the predicate of d|p */
    TEXTURE_OPERANDS
};

/* tex and its like, in ins->op: enum texture_shape, or any; and a flag. */
#define TEXTURE_SHAPE_BITS 7
#define TEXTURE_ANY_SHAPE 7
#define TEXTURE_IS_LAYERED 8

/* tex and its like, in ins->mode: flags, and from TEXTURE_GATHER_SHIFT on the channel of tld4 plus 1. */
enum texture_mode {
    TEXTURE_INTEGERS = 1,    /* coordinates are s32 */
    TEXTURE_LEVEL_FLOAT = 2, /* the level of detail is f32, whatever the coordinates are */
    TEXTURE_GRADIENTS = 4,
    TEXTURE_IS_SURFACE = 8   /* suq */
};
#define TEXTURE_GATHER_SHIFT 4

/* cp.async.bulk.tensor: places in the list of struct tensor_copy; coordinates come first. */
enum tensor_operand { TENSOR_OFFSETS = 5, TENSOR_MASK = 8, TENSOR_OPERANDS };

/* tensormap.replace: the fields of a map. */
enum tensor_field {
    FIELD_ADDRESS,
    FIELD_RANK,
    FIELD_BOX,
    FIELD_SIZE,
    FIELD_STRIDE,
    FIELD_ELEMENT_STRIDE,
    FIELD_TYPE,
    FIELD_INTERLEAVE,
    FIELD_SWIZZLE,
    FIELD_FILL
};

/* suld, sust, sured, in ins->mode: flags. Neither of the first two: an access outside is an error. */
enum surface_mode { SURFACE_CLAMP = 1, SURFACE_ZERO = 2, SURFACE_FORMATTED = 4 };

/* txq, suq: in ins->imm. */
enum texture_query {
    QUERY_WIDTH,
    QUERY_HEIGHT,
    QUERY_DEPTH,
    QUERY_ARRAY_SIZE,
    QUERY_LEVELS,
    QUERY_SAMPLES,
    QUERY_CHANNEL_TYPE,
    QUERY_CHANNEL_ORDER,
    QUERY_NORMALISED
};

#endif
