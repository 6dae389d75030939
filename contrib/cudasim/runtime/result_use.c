/*
 * result_use.c - reads the machine code behind a call of the runtime, to see if the code uses the result in EAX.
 *
 * It follows straight-line x86-64 code up to the first instruction that reads EAX, overwrites it, calls or returns. An
 * unknown instruction counts as a use, because a warning must be right.
 */
#include "result_use.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MOST_INSTRUCTIONS = 64, /* that are followed */
    EAX = 0,                /* numbers of registers */
    ESP = 4,
    EBP = 5,
};

/* An instruction that is being read. */
struct decoder {
    const uint8_t *at; /* what is left of it */
    bool wide;         /* REX.W: operands of 64 bits */
    bool high_reg, high_index, high_base; /* REX.R, REX.X, REX.B: registers 8 to 15 */
    bool narrow;       /* 66: operands of 16 bits */
};

/* A ModR/M byte and what belongs to it. */
struct operands {
    int reg;       /* the register, or the operation's number */
    int rm;        /* the other register; -1: memory */
    bool address_eax; /* memory whose address uses EAX */
};

static int32_t signed_32(const uint8_t *at)
{
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
}

static struct operands read_operands(struct decoder *d)
{
    uint8_t byte = *d->at++;
    int mode = byte >> 6, low = byte & 7;
    struct operands x = { (byte >> 3 & 7) | (d->high_reg ? 8 : 0), low | (d->high_base ? 8 : 0), false };

    if (mode == 3)
        return x;
    x.rm = -1;
    if (low == ESP) { /* a second byte: base and scaled index */
        uint8_t second = *d->at++;

        x.address_eax = ((second & 7) == EAX && !d->high_base) || ((second >> 3 & 7) == EAX && !d->high_index);
        if ((second & 7) == EBP && mode == 0)
            d->at += 4;
    } else if (low == EBP && mode == 0) {
        d->at += 4;
    } else {
        x.address_eax = low == EAX && !d->high_base;
    }
    d->at += mode == 1 ? 1 : mode == 2 ? 4 : 0;
    return x;
}

enum step { STEP_ON, STEP_READS, STEP_OVERWRITES, STEP_RETURNS };

/* An instruction that reads `from` and writes `to`, registers or -1. */
static enum step moves(const struct operands *x, int from, int to)
{
    return x->address_eax || from == EAX ? STEP_READS : to == EAX ? STEP_OVERWRITES : STEP_ON;
}

/* Add, or, adc, sbb, and, sub, xor, cmp: 00 to 3F. */
static enum step arithmetic(struct decoder *d, uint8_t opcode)
{
    struct operands x;

    if ((opcode & 7) > 5)
        return STEP_READS; /* not in 64-bit code */
    if ((opcode & 7) >= 4)
        return STEP_READS; /* with AL or EAX */
    x = read_operands(d);
    if ((opcode & 0xF8) == 0x30 && x.rm == x.reg && x.rm == EAX)
        return STEP_OVERWRITES; /* xor eax, eax */
    return x.address_eax || x.reg == EAX || x.rm == EAX ? STEP_READS : STEP_ON;
}

/* Opcodes of two bytes, behind 0F. */
static enum step two_bytes(struct decoder *d, bool vector)
{
    uint8_t opcode = *d->at++;
    struct operands x;

    if (opcode >= 0x80 && opcode <= 0x8F) { /* conditional jump */
        d->at += 4;
        return STEP_ON;
    }
    if (opcode == 0x05 || opcode == 0x0B || opcode == 0x38 || opcode == 0x3A || opcode == 0xA2)
        return STEP_READS; /* not known */
    x = read_operands(d);
    if (opcode == 0x1E || opcode == 0x1F) /* endbr64, nop */
        return STEP_ON;
    if ((opcode >= 0x10 && opcode <= 0x17) || opcode == 0x28 || opcode == 0x29 || (opcode >= 0x50 && opcode <= 0x6D) ||
        opcode == 0x2E || opcode == 0x2F || opcode == 0x6F || opcode == 0x7F ||
        (opcode >= 0xD0 && opcode != 0xD7)) { /* vector registers */
        return x.address_eax ? STEP_READS : STEP_ON;
    }
    if (opcode >= 0x70 && opcode <= 0x73) { /* the same, with a number */
        d->at++;
        return x.address_eax ? STEP_READS : STEP_ON;
    }
    if (opcode == 0x2A || opcode == 0x6E) /* from a register to a vector register */
        return moves(&x, x.rm, -1);
    if (opcode == 0x2C || opcode == 0x2D) /* a conversion to an integer */
        return moves(&x, -1, x.reg);
    if (opcode == 0x7E) /* movd, movq; with F3 between vector registers */
        return vector ? moves(&x, -1, -1) : moves(&x, -1, x.rm);
    if (vector)
        return STEP_READS;
    if (opcode >= 0x90 && opcode <= 0x9F) /* setcc writes a byte */
        return moves(&x, -1, x.rm);
    if (opcode == 0xB6 || opcode == 0xB7 || opcode == 0xBE || opcode == 0xBF) /* movzx, movsx */
        return moves(&x, x.rm, x.reg);
    return x.address_eax || x.reg == EAX || x.rm == EAX ? STEP_READS : STEP_ON;
}

static enum step one_byte(struct decoder *d, uint8_t opcode)
{
    bool low_register = (opcode & 7) == EAX && !d->high_base;
    struct operands x;

    if (opcode < 0x40)
        return arithmetic(d, opcode);
    if ((opcode & 0xF8) == 0x50) /* push */
        return low_register ? STEP_READS : STEP_ON;
    if ((opcode & 0xF8) == 0x58) /* pop */
        return low_register ? STEP_OVERWRITES : STEP_ON;
    if ((opcode & 0xF0) == 0x70) { /* conditional jump: the result may still be needed on either way */
        d->at++;
        return STEP_ON;
    }
    if ((opcode & 0xF0) == 0xB0) { /* mov with a constant */
        d->at += opcode < 0xB8 ? 1 : d->wide ? 8 : d->narrow ? 2 : 4;
        return low_register && opcode >= 0xB8 ? STEP_OVERWRITES : STEP_ON;
    }
    switch (opcode) {
    case 0x63: x = read_operands(d); return moves(&x, x.rm, x.reg);
    case 0x68: d->at += 4; return STEP_ON;
    case 0x6A: d->at += 1; return STEP_ON;
    case 0x80:
    case 0x83:
        x = read_operands(d);
        d->at++;
        return moves(&x, x.rm, -1);
    case 0x81:
        x = read_operands(d);
        d->at += d->narrow ? 2 : 4;
        return moves(&x, x.rm, -1);
    case 0x84:
    case 0x85: x = read_operands(d); return x.reg == EAX ? STEP_READS : moves(&x, x.rm, -1);
    case 0x88:
    case 0x89: x = read_operands(d); return moves(&x, x.reg, x.rm);
    case 0x8A:
    case 0x8B: x = read_operands(d); return moves(&x, x.rm, x.reg);
    case 0x8D: x = read_operands(d); return moves(&x, -1, x.reg);
    case 0x90: return STEP_ON;
    case 0xC3: return STEP_RETURNS;
    case 0xC6: x = read_operands(d); d->at++; return moves(&x, -1, -1);
    case 0xC7: x = read_operands(d); d->at += d->narrow ? 2 : 4; return moves(&x, -1, x.rm);
    case 0xC9: return STEP_ON; /* leave */
    case 0xE8: return STEP_OVERWRITES; /* a call: the result is not kept over it */
    case 0xE9: d->at += 4 + signed_32(d->at); return STEP_ON;
    case 0xEB: d->at += 1 + (int8_t)*d->at; return STEP_ON;
    case 0xFF:
        x = read_operands(d);
        return x.address_eax || x.rm == EAX ? STEP_READS : x.reg % 8 == 2 ? STEP_OVERWRITES
               : x.reg % 8 == 4 ? STEP_READS : STEP_ON;
    default: return STEP_READS; /* not known */
    }
}

static enum step follow(struct decoder *d)
{
    bool vector = false;

    for (;; d->at++) {
        if (*d->at == 0x66)
            d->narrow = true;
        else if (*d->at != 0xF2 && *d->at != 0xF3 && *d->at != 0x64 && *d->at != 0x2E)
            break;
        vector |= *d->at == 0xF2 || *d->at == 0xF3;
    }
    if ((*d->at & 0xF0) == 0x40) {
        d->wide = *d->at & 8;
        d->high_reg = *d->at & 4;
        d->high_index = *d->at & 2;
        d->high_base = *d->at & 1;
        d->at++;
    }
    if (*d->at != 0x0F)
        return one_byte(d, *d->at++);
    d->at++;
    return two_bytes(d, vector && *d->at != 0x1E);
}

enum result_use result_use(const void *code)
{
    const uint8_t *at = code;

    for (int n = 0; n < MOST_INSTRUCTIONS; n++) {
        struct decoder d = { .at = at };

        switch (follow(&d)) {
        case STEP_READS: return RESULT_USED;
        case STEP_OVERWRITES: return RESULT_UNUSED;
        case STEP_RETURNS: return RESULT_RETURNED;
        case STEP_ON: break;
        }
        at = d.at;
    }
    return RESULT_USED;
}
