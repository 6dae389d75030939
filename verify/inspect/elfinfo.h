/*
 * elfinfo.h - what a built submission is, read from its file: never loaded, never run.
 */
#ifndef VERIFY_ELFINFO_H
#define VERIFY_ELFINFO_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

struct elfinfo {
    bool has_device_user;  /* exports device_user */
    int exports;           /* how many symbols it exports */
    bool many_streams;     /* names a CUDA runtime function that makes streams or graphs, or reaches the driver */
    char cuda_library[64]; /* the CUDA runtime it needs, such as "libcudart.so.13"; "" for none */
    char opencl_library[64]; /* the OpenCL loader it needs, such as "libOpenCL.so.1"; "" for none */
    bool starts_kernels;   /* names an OpenCL function that builds or starts kernels: what names none is C */
    size_t image;          /* bytes of memory that it takes when it is loaded */
};

/* Of the shared object at `path`. A file that is missing or no shared object is refused by name. */
bool elfinfo_read(const char *path, struct elfinfo *info, struct error *error);

#endif
