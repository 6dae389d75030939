/*
 * A folder as a submission: the host side in device_user.cu, the kernel in wavefront.cu, what both know in
 * wavefront.h. The baseline again, but a launch takes the anti-diagonal's limits from its number.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"
#include "wavefront.h"

extern "C" unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    struct wavefront table;
    int distance;

    wavefront_init(&table, str1, lenStr1, str2, lenStr2);
    for (int d = 0; d <= lenStr1 + lenStr2; d++)
        wavefront_step(&table, d);
    distance = wavefront_last(&table);
    wavefront_release(&table);
    return (unsigned int)distance;
}
