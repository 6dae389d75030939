/*
 * mxcsr.h - the SSE control word: what the simulator sets, and what instructions change of it.
 */
#ifndef CUDASIM_MXCSR_H
#define CUDASIM_MXCSR_H

#define MXCSR_DEFAULT 0x1F80u  /* what the C library expects: exceptions masked, to nearest, denormals kept */
#define MXCSR_ROUNDING 0x6000u /* the bits that say how results are rounded */
#define MXCSR_DOWN 0x2000u
#define MXCSR_UP 0x4000u
#define MXCSR_TO_ZERO 0x6000u
#define MXCSR_DAZ 0x0040u      /* operands that are denormal count as zero */
#define MXCSR_FTZ 0x8000u      /* results that are denormal become zero */
#define MXCSR_FLUSH (MXCSR_DAZ | MXCSR_FTZ) /* .ftz */

#endif
