/*
 * float32.cuh - products without tensor cores, for what is thin, short or small: the kernels, the choice and the panels
 * of the float32 league's expert, which is beside this submission.
 */
#pragma once

/* Before the namespace, which would have them otherwise. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#ifndef FLOAT32_IS_THERE /* the bench has the other submission too */
namespace float32 {
#include "../expert/panels.cuh"
}
#endif
