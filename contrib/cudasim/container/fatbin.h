/*
 * fatbin.h - the container in which nvcc embeds PTX and machine code, and the facts that a cubin holds on its kernels.
 *
 * It does not know what PTX means. Every length is checked against the container: broken input gives an error.
 */
#ifndef CUDASIM_FATBIN_H
#define CUDASIM_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };

struct fatbin_entry {
    enum fatbin_kind kind;
    unsigned arch;       /* 90 for sm_90 */
    bool specific;       /* to this architecture: sm_90a */
    const char *data;    /* plain; PTX text does not end in NUL */
    size_t size;         /* bytes */
    void *owned;         /* what was decompressed, else NULL */
    bool packed;         /* `data` is compressed, and `size` its bytes with padding: fatbin_unpack() */
    uint32_t compressed; /* bytes of it, as the header says, */
    uint64_t flags;      /* how, */
    uint64_t decompressed; /* and bytes that it becomes */
};

struct fatbin {
    struct fatbin_entry *entries; /* entries of other kinds (intermediate code for the linker) are left out */
    size_t count;
    size_t decompressed; /* bytes so far */
};

/*
 * Reads the container at `data` (magic 0xBA55ED50), which has at most `limit` bytes (SIZE_MAX when it is in the
 * program's own image and its header is trusted for its length). Compressed entries are decompressed, to 1 GiB in all
 * at most; what is not compressed is not copied, so `data` must stay. Returns false with a message of one line in
 * error[error_size] otherwise, with nothing to release.
 */
bool fatbin_open(struct fatbin *fatbin, const void *data, size_t limit, char *error, size_t error_size);
void fatbin_release(struct fatbin *fatbin);

/*
 * The entry of the kind with the highest architecture up to `arch`, or NULL. For -arch=sm_90a nvcc embeds PTX for
 * compute_90 beside that for compute_90a: the specific entry comes first, as on a device.
 */
struct fatbin_entry *fatbin_best(const struct fatbin *fatbin, enum fatbin_kind kind, unsigned arch);

/*
 * The same in steps: a program may hold entries for many architectures, of which it needs one. The first reads the
 * headers alone. The second decompresses one entry, unless it is plain; if it fails, fatbin_release() is still due.
 */
bool fatbin_list(struct fatbin *fatbin, const void *data, size_t limit, char *error, size_t error_size);
bool fatbin_unpack(struct fatbin *fatbin, struct fatbin_entry *entry, char *error, size_t error_size);

/*
 * Bytes of the container at `data`, by its header alone; 0 if there is none or it has more than `limit` bytes. The
 * next one of a .nv_fatbin section follows at the next multiple of 8.
 */
size_t fatbin_size(const void *data, size_t limit);

/*
 * The first container at or after *at in an object, or in an archive of objects, whose members lie at even places.
 * Gives a copy at an aligned address, to be freed, and sets *at behind it. NULL: there is no more, or no memory.
 */
void *fatbin_search(const void *data, size_t size, size_t *at, size_t *bytes);

/* What `ptxas -v` reports of one kernel. */
struct cubin_kernel {
    char *name;           /* as mangled */
    unsigned registers;   /* a thread */
    unsigned shared;      /* static shared memory a block, bytes; without the 1024 that sm_90 reserves for itself */
    unsigned local;       /* stack frame and spills a thread, bytes, those of called functions included */
    unsigned max_threads; /* a block, 0 if not limited */
};

/*
 * The kernels of a cubin (an ELF image) in the order of its symbols. Returns their count; *kernels is to be freed with
 * cubin_free(). 0, and *kernels NULL, if it has none or is no cubin.
 */
size_t cubin_kernels(const void *elf, size_t size, struct cubin_kernel **kernels);
void cubin_free(struct cubin_kernel *kernels, size_t count);

#endif
