/*
 * floor.h - the least time that a call can take: what must be moved and done, by how fast anything is.
 *
 * A right answer in less time was not computed from its input while the clock ran, so somebody is to look at it before
 * it is ranked. It is no verdict: the bounds are those of the best device that there is, and of the best method known.
 */
#ifndef VERIFY_FLOOR_H
#define VERIFY_FLOOR_H

/* What any known way to the right output needs at least; 0 where nothing is known. */
struct work {
    double bytes;      /* of the input that a right program must read, and of the output that it must write */
    double operations; /* in the problem's unit, which its gpu.yaml names beside `peak` */
};

/* What no present device exceeds; 0 where it is not told. */
struct peak {
    double link;       /* bytes a second between host and device, both directions together */
    double operations; /* a second */
};

/* Seconds: the larger of both quotients, as moving and computing may overlap; 0 where nothing bounds the time. */
double floor_seconds(const struct work *work, const struct peak *peak);

#endif
