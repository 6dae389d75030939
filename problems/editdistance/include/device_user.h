/*
 * device_user.h - what a participant writes for the problem editdistance.
 */
#ifndef DEVICE_USER_H
#define DEVICE_USER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Limits. */
enum {
    EDITDISTANCE_LENGTH_UNIT = 128,    /* bytes: every length is a multiple of it, and at least it */
    EDITDISTANCE_LENGTH_MAX = 1048448, /* bytes */
};
#define EDITDISTANCE_CELLS_MAX (1ull << 34) /* lenStr1 * lenStr2 */

/*
 * The Levenshtein distance of two byte strings: the least number of insertions, deletions and substitutions of
 * one byte that turn one into the other.
 *
 *   str1, str2         lenStr1 and lenStr2 bytes of any value in CPU memory, not terminated; both 128-byte aligned
 *   lenStr1, lenStr2   bytes, within the limits above
 *
 * Returns the distance, at most the longer length. The function is called on the CPU, one call at a time, on one CPU
 * core. It may be called again with other strings. The strings may be overwritten. To give up, end the process (exit,
 * abort): that is a run-time error; a wrong return value is a wrong answer.
 */
unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2);

#ifdef __cplusplus
}
#endif

#endif
