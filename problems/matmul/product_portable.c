/*
 * product_portable.c - the kernel of the float64 product for any processor.
 */
#define VECTOR_BYTES 16
#define TILE_ROWS 4
#define ENGINE matmul_engine_portable
#include "product_kernel.h"
