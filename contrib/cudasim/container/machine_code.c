/*
 * machine_code.c - the innermost loops of a kernel's machine code for sm_90, and what they load and store.
 *
 * An instruction has 16 bytes. Its low 12 bits name the operation. A jump holds its distance from the next instruction,
 * in units of 4 bytes: bits 0 to 7 of it at bit 16, the others from bit 34 on. NVIDIA publishes none of this: it was
 * read off what ptxas makes of kernels whose PTX is known (tests/fixtures/predict/loops.cu).
 */
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"

enum { STEP = 16 /* bytes of an instruction */ };

enum kind { KIND_OTHER, KIND_JUMP, KIND_LOAD, KIND_STORE, KIND_SHARED_LOAD };

static uint64_t word(const unsigned char *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static enum kind kind_of(const unsigned char *at)
{
    switch (word(at) & 0xFFF) {
    case 0x947:
        return KIND_JUMP;
    case 0x380: case 0x381: case 0x980: case 0x981: /* LD, LDG */
        return KIND_LOAD;
    case 0x385: case 0x386: case 0x985: case 0x986: /* ST, STG */
        return KIND_STORE;
    case 0x384: case 0x984:
        return KIND_SHARED_LOAD;
    default:
        return KIND_OTHER;
    }
}

/* Instructions from behind the jump to its target: below 0 if it jumps back. */
static int64_t distance(const unsigned char *at)
{
    uint64_t low = word(at), high = word(at + 8), units = (low >> 16 & 0xFF) | low >> 34 << 8 | high << 38;

    return (int64_t)(units << 8) / 256 / (STEP / 4);
}

/* Counts code[first .. last]; false if a jump in between leads back: then another loop is inside this one. */
static bool count_loop(const unsigned char *code, size_t first, size_t last, struct cubin_loop *loop)
{
    *loop = (struct cubin_loop){.instructions = (unsigned)(last - first + 1)};
    for (size_t n = first; n < last; n++) {
        enum kind kind = kind_of(code + n * STEP);

        if (kind == KIND_JUMP && distance(code + n * STEP) < 0)
            return false;
        loop->loads += kind == KIND_LOAD;
        loop->stores += kind == KIND_STORE;
        loop->shared_loads += kind == KIND_SHARED_LOAD;
    }
    return loop->loads + loop->stores + loop->shared_loads > 0;
}

struct cubin_loop *machine_loops(const void *data, size_t size, size_t *count)
{
    const unsigned char *code = data;
    struct cubin_loop *loops = NULL;
    size_t room = 0;

    *count = 0;
    for (size_t last = 0; last < size / STEP; last++) {
        int64_t back = kind_of(code + last * STEP) == KIND_JUMP ? distance(code + last * STEP) : 0;
        struct cubin_loop loop;

        if (back >= -1 || (uint64_t)-back > last + 1 || !count_loop(code, last + 1 - (size_t)-back, last, &loop))
            continue;
        if (*count == room) {
            struct cubin_loop *more = realloc(loops, (room = room ? 2 * room : 8) * sizeof *loops);

            if (!more)
                break;
            loops = more;
        }
        loops[(*count)++] = loop;
    }
    return loops;
}
