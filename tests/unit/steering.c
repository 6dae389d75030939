/*
 * steering.c - every character that text_steers(), one per line, for the test of the scripts' output. Without the tab,
 * which the scripts do not change, and the line end.
 */
#include <stdio.h>

#include "verify/base/text.h"

static void print(uint32_t c)
{
    if (c >= 0x10000)
        printf("a%c%c%c%cb\n", (int)(0xf0 | c >> 18), (int)(0x80 | (c >> 12 & 63)), (int)(0x80 | (c >> 6 & 63)),
               (int)(0x80 | (c & 63)));
    else if (c >= 0x800)
        printf("a%c%c%cb\n", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 63)), (int)(0x80 | (c & 63)));
    else if (c >= 0x80)
        printf("a%c%cb\n", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 63)));
    else
        printf("a%cb\n", (int)c);
}

int main(void)
{
    for (uint32_t c = 1; c <= 0x10ffff; c++)
        if (text_steers(c) && c != '\t' && c != '\n')
            print(c);
    for (int byte = 0x80; byte < 256; byte++) /* none of them is a character alone */
        printf("a%cb\n", byte);
    return 0;
}
