/* Crashes: reads through a null pointer, as after a failed malloc() that nobody checked. */
#include <stdlib.h>

#include "device_user.h"

unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    unsigned char *table = malloc((size_t)-1 / 2); /* never granted */

    (void)str1;
    (void)str2;
    for (long i = 0; i < (long)lenStr1 * lenStr2; i++)
        ((volatile unsigned char *)table)[i] = 0;
    return table[0];
}
