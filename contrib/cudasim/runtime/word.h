/*
 * word.h - a word that a stream or a graph writes, or waits for: what runtime.h keeps of it, and what is done with it.
 */
#ifndef CUDASIM_WORD_H
#define CUDASIM_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include <driver_types.h>

struct call;
struct runtime;

struct word_work {
    uint64_t address; /* a multiple of `bytes` */
    uint64_t value;   /* written, or compared with the word */
    unsigned bytes;   /* 4 or 8; 0: a barrier of a graph, which does nothing */
    unsigned how;     /* enum CUstreamWaitValue_flags: which words end the wait */
    bool waits;       /* else it writes */
    unsigned operation, flags; /* of a graph's node: CUstreamBatchMemOpType and its flags, as the program gave them */
};

/* Whether the word is the program's; whether the wait for it is over; the write. */
cudaError_t word_check(struct runtime *runtime, const struct word_work *word);
bool word_is_met(struct runtime *runtime, const struct word_work *word);
/* Whether the write ends the wait. */
bool word_answers(const struct word_work *write, const struct word_work *wait);
cudaError_t word_run(struct runtime *runtime, const struct word_work *word);
/* Runs other work until the wait of a graph that runs is over: queue.c. */
void queue_run_until(struct call *call, const struct word_work *word);

/* A node of words [count], and new words for one: in its graph, or in `exec` if that is not NULL. runtime_node.c */
cudaError_t node_add_words(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                           const cudaGraphEdgeData *edges, size_t dependency_count, const struct word_work *list,
                           unsigned count);
cudaError_t node_set_words(cudaGraphExec_t exec, cudaGraphNode_t node, const struct word_work *list, unsigned count);
/* The words of a node, which stay the node's. */
cudaError_t node_get_words(cudaGraphNode_t node, const struct word_work **list, unsigned *count);
#endif
