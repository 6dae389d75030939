/*
 * findings.h - what a submission's file is and which rule it breaks: the answer of the program that reads it
 * (main_inspect.c), and all that the host knows of the file's inside.
 */
#ifndef VERIFY_FINDINGS_H
#define VERIFY_FINDINGS_H

#include <stdint.h>

/*
 * RULE_TENSOR_CORES: no instruction for tensor cores, in machine code or PTX, and no way to bring in code that is not
 * in the file: loading modules, and looking up functions by name. An OpenCL submission brings its source; there the
 * names of such instructions are looked for, which does not stop somebody who hides them.
 */
enum rule { RULE_TENSOR_CORES, RULES };

/* The rule of that name in gpu.yaml, or RULES. */
enum rule rule_find(const char *name);

/* Of one size, with no pointer in it, and with a meaning whatever its bytes are. Numbers are 0 or not 0: no or yes. */
struct findings {
    uint8_t is_shared_object; /* if not, nothing else is known */
    uint8_t has_device_user;  /* exports device_user */
    uint8_t many_streams;     /* names a CUDA runtime function that makes streams or graphs, or reaches the driver */
    uint8_t starts_kernels;   /* names an OpenCL function that builds or starts kernels: what names none is C */
    uint8_t half;             /* rules are looked for in machine code, and it has HFMA2.MMA: arithmetic of half */
                              /* precision, which the tensor cores do on some GPUs. It breaks no rule: compilers */
                              /* set registers by it, too */
    char cuda_library[64];    /* the CUDA runtime it needs, such as "libcudart.so.13"; "" for none */
    char opencl_library[64];  /* the OpenCL loader it needs, such as "libOpenCL.so.1"; "" for none */
    uint64_t image;           /* bytes of memory that it takes when it is loaded */
    char broken[512];         /* one line with the rule that it breaks and where; "" for none */
};

/* The seconds of a processor, and the bytes of memory beside the file's own, that reading a file may take. */
enum { INSPECT_SECONDS = 10 };
#define INSPECT_MEMORY (UINT64_C(1) << 30)

/* What the program writes before it looks at the file. What happens after it is the file's fault. */
#define INSPECT_READY '+'

#endif
