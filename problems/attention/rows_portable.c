/*
 * rows_portable.c - the inner loops of the float64 rows on any processor.
 */
#define LANES 2
#define ENGINE attention_engine_portable
#include "rows_kernel.h"
