/*
 * machine_lines.h - the machine code of a cubin for sm_90, each instruction with the line of the text that it came
 * from. The cubin must have been made with -lineinfo.
 */
#ifndef CUDASIM_MACHINE_LINES_H
#define CUDASIM_MACHINE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One instruction of 16 bytes. NVIDIA does not publish how they are coded. The low 12 bits name the operation, the next
 * four its guard. Of the high word, from bit 41 on: clocks until the next instruction may issue (4 bits); a hint (1);
 * the barrier that it releases when its result is there, or 7 (3 bits); the one that it releases when its operands were
 * read, or 7 (3 bits); a bit for each of the six barriers that it waits for. (Jia et al., 2018, on Volta; it holds for
 * sm_90: tests/fixtures/predict.)
 */
struct machine_ins {
    uint64_t low, high;
    uint32_t line;      /* 0: not known */
};

static inline unsigned machine_operation(const struct machine_ins *i) { return i->low & 0xFFF; }
static inline unsigned machine_guard(const struct machine_ins *i) { return i->low >> 12 & 0xF; } /* 7: always */
/* A jump may have a second guard, and be one for warps whose lanes are not together. */
static inline bool machine_of_divergence(const struct machine_ins *i)
{
    return machine_operation(i) == 0x947 && i->high >> 27 & 1;
}
static inline bool machine_always(const struct machine_ins *i)
{
    return machine_guard(i) == 7 && (machine_operation(i) != 0x947 || (i->high >> 23 & 0x1F) == 7);
}
static inline unsigned machine_stall(const struct machine_ins *i) { return i->high >> 41 & 0xF; }
static inline unsigned machine_result_barrier(const struct machine_ins *i) { return i->high >> 46 & 7; }
static inline unsigned machine_read_barrier(const struct machine_ins *i) { return i->high >> 49 & 7; }
static inline unsigned machine_waits_for(const struct machine_ins *i) { return i->high >> 52 & 0x3F; }

/* Where a jump leads to, from the instruction behind it on, in instructions. */
int64_t machine_distance(const struct machine_ins *i);

struct machine_function {
    char *name;                /* as mangled */
    struct machine_ins *code;  /* [count] */
    size_t count;
};

/* The functions of a cubin. False: it is none for sm_90, or no memory; there is nothing to free then. */
bool machine_functions(const void *elf, size_t size, struct machine_function **functions, size_t *count);
void machine_functions_free(struct machine_function *functions, size_t count);

#endif
