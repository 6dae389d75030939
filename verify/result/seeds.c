/*
 * seeds.c - seeds of calls and marks of inputs: see seeds.h for the formulas.
 */
#include "seeds.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

/* HMAC-SHA-256 over purpose, text and end, and a newline. */
static void authenticate(const unsigned char key[SEAL_BYTES], const char *purpose, const char *text, const char *end,
                         unsigned char mac[crypto_auth_hmacsha256_BYTES])
{
    const char *const parts[] = { purpose, text, end, "\n" };
    crypto_auth_hmacsha256_state state;

    crypto_auth_hmacsha256_init(&state, key, SEAL_BYTES);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        crypto_auth_hmacsha256_update(&state, (const unsigned char *)parts[i], strlen(parts[i]));
    crypto_auth_hmacsha256_final(&state, mac);
    sodium_memzero(&state, sizeof state);
}

struct random_key seeds_of_call(const struct seeds *seeds, const char *test_case, uint32_t case_seed, uint32_t call)
{
    struct random_key key = { .seed = seeds->seed, .case_seed = case_seed, .repetition = call };
    unsigned char mac[crypto_auth_hmacsha256_BYTES];
    char number[32];

    if (!seeds->sealed)
        return key;
    snprintf(number, sizeof number, "\n%ju", (uintmax_t)call + 1);
    authenticate(seeds->key, "gpu-contest-call-2\n", test_case, number, mac);
    key.seed = key.repetition = 0;
    for (int i = 0; i < 8; i++)
        key.seed = key.seed << 8 | mac[i];
    sodium_memzero(mac, sizeof mac);
    return key;
}

void seeds_mark(const struct seeds *seeds, char hex[DIGEST_HEX])
{
    unsigned char mac[crypto_auth_hmacsha256_BYTES];

    if (!seeds->sealed)
        return;
    authenticate(seeds->key, "gpu-contest-input-2\n", hex, "", mac);
    sodium_bin2hex(hex, DIGEST_HEX, mac, sizeof mac);
}
