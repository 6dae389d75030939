/* The skewed table of the baseline: three rows in device memory. Every function ends the process on an error. */
#ifndef WAVEFRONT_H
#define WAVEFRONT_H

struct wavefront {
    char *str1, *str2;    /* device: [length1], [length2] */
    int length1, length2; /* bytes */
    int *rows[3];         /* device: [length1 + 1] each; row d is rows[d % 3] */
};

void wavefront_init(struct wavefront *table, const char *str1, int length1, const char *str2, int length2);
void wavefront_step(struct wavefront *table, int d);
int wavefront_last(const struct wavefront *table);
void wavefront_release(struct wavefront *table);

#endif
