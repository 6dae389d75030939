/*
 * floor.h - the least possible time of a call: the necessary transfers and operations, at the speed of the best device.
 *
 * A right answer in less time was not computed from its input while the clock ran, so a person must review it before it
 * is ranked. It is not a verdict: the bounds are those of the best existing device and of the best known method.
 */
#ifndef VERIFY_FLOOR_H
#define VERIFY_FLOOR_H

/* The least work of any known way to the right output; 0 if unknown. */
struct work {
    double bytes;      /* of the input that a right program must read, and of the output that it must write */
    double operations; /* in the problem's unit, which its gpu.yaml names beside `peak` */
};

/* Rates that no present device exceeds; 0 if unknown. */
struct peak {
    double link;       /* bytes a second between host and device, both directions together */
    double operations; /* a second */
};

/* Seconds: the larger of both quotients, as transfers and computing may overlap; 0 if nothing bounds the time. */
double floor_seconds(const struct work *work, const struct peak *peak);

#endif
