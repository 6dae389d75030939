/* Crashes: writes the scores into memory that malloc() did not grant. */
#include <stdlib.h>

#include "device_user.h"

void device_user(const uint16_t *Q, const uint16_t *K, const uint16_t *V, uint16_t *O, int heads, int length, int dim,
                 int causal, device_stream stream)
{
    volatile float *scores = malloc((size_t)-1 / 2); /* never granted */

    (void)Q;
    (void)K;
    (void)V;
    (void)dim;
    (void)causal;
    (void)stream;
    for (size_t s = 0; s < (size_t)heads * length * length; s++)
        scores[s] = 0;
    O[0] = (uint16_t)scores[0];
}
