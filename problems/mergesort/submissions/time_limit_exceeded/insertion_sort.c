/*
 * Too slow: inserts every key into those before it, n^2 / 4 moves for random keys.
 *
 * fails in: secret/keys/11-reversed, secret/keys/19-million, secret/keys/20-power-of-two, secret/pairs/12-random
 */
#include "device_user.h"

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = i;

        for (; j > 0 && sorted_keys[j - 1] > keys[i]; j--) {
            sorted_keys[j] = sorted_keys[j - 1];
            if (payloads)
                sorted_payloads[j] = sorted_payloads[j - 1];
        }
        sorted_keys[j] = keys[i];
        if (payloads)
            sorted_payloads[j] = payloads[i];
    }
}
