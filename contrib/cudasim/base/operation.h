/*
 * operation.h - the numbers of sub-operations: program/ writes them into ins->op and ins->mode, machine/ and the bodies
 * of table/ read them. Those of atomics are in atomic.h.
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
    MBARRIER_NO_COMPLETE = 16
};

#endif
