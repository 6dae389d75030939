/*
 * roofs.h - the roofline of a launch: instructions a second over instructions a byte that L2 and memory move.
 *
 * Instructions are those that warps issue, so that kernels without floating point have a place too: the instruction
 * roofline of Ding and Williams, "An Instruction Roofline Model for GPUs" (PMBS 2019).
 */
#ifndef PREDICT_ROOFS_H
#define PREDICT_ROOFS_H

#include <stdio.h>

#include "model.h"

struct roofs {
    double instructions;    /* issued by warps */
    double bytes;           /* that come from beyond L1, or go there; at least a sector */
    double intensity;       /* instructions a byte */
    double rate;            /* instructions a second, by the predicted time */
    double flops;           /* floating-point operations a second */
    double issue_roof;      /* instructions a second that the GPU can issue */
    double l2_roof;         /* what L2's bandwidth allows at this intensity */
    double memory_roof;     /* and what memory's does */
    double share;           /* of the lower of issue and L2's roof that is reached */
};

struct roofs roofs_of(const struct sample *sample, const struct gpu *gpu, double us);

/* Bytes a second of L2 and of memory. */
double roofs_l2(const struct gpu *gpu);
double roofs_memory(const struct gpu *gpu);

#endif
