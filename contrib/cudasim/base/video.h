/*
 * video.h - encodes the parts of registers that video instructions name (%r1.b0, %r2.h10) for their bodies. The
 * lowering and table_video.c share it.
 */
#ifndef CUDASIM_VIDEO_H
#define CUDASIM_VIDEO_H

#include <stdint.h>
#include <string.h>

/*
 * ins->imm: a selector of 16 bits for each operand, and which operands are negated. A selector, 0 where none is
 * written:
 *
 *    15 14     13 12     11 .. 9   8 .. 6   5 .. 3   2 .. 0
 *   | 1 | h |  count-1  | digit 3 | digit 2 | digit 1 | digit 0 |     digit 0 is the one written last; h: halves
 */
enum { VIDEO_A = 0, VIDEO_B = 16, VIDEO_D = 32, VIDEO_NEGATE_A = 48, VIDEO_NEGATE_B = 49, VIDEO_NEGATE_C = 50 };

/* The selector written as `text`, without its dot ("b0", "h10", "b3210"), or 0 if it is none. */
static inline uint32_t video_selector(const char *text)
{
    size_t count = strlen(text);
    uint32_t r = 0x8000u;

    if ((text[0] != 'b' && text[0] != 'h') || count < 2 || count > 5)
        return 0;
    r |= (text[0] == 'h' ? 0x4000u : 0) | (uint32_t)(count - 2) << 12;
    for (size_t n = 1; n < count; n++) {
        if (text[n] < '0' || text[n] > '7')
            return 0;
        r |= (uint32_t)(text[n] - '0') << 3 * (count - 1 - n);
    }
    return r;
}

#endif
