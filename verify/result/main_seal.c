/*
 * main_seal.c - makes, reveals and compares the files of secret seeds and keys: see --help. Called by `make seal` and
 * `make key`.
 *
 * It prints no secret but by `reveal`.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "seal.h"
#include "signature.h"

static const char help[] =
    "usage: seal make FOLDER [--name CONTEST]    draw a secret seed: seal-secret.json and seal-published.json\n"
    "       seal reveal FOLDER                   after the contest: write and print seal-revealed.json\n"
    "       seal check REVEALED PUBLISHED        check that the revealed secret matches the published hash\n"
    "       seal key FOLDER                      draw a key for records: key-secret.json and key-public.json\n"
    "\n"
    "The program never replaces a file. Exit codes: 0 done, 1 the check failed, 2 usage, 3 the machine failed\n";

static int made(const struct seal *seal, const char *folder)
{
    printf("contest %s\ncommitment %s\n", seal->name, seal->commitment);
    printf("publish now: %s/" SEAL_PUBLISHED "\nkeep secret until the end: %s/" SEAL_SECRET "\n", folder, folder);
    return EXIT_ACCEPTED;
}

static int revealed(struct seal *seal, const char *folder)
{
    char secret[2 * SEAL_BYTES + 1];

    sodium_bin2hex(secret, sizeof secret, seal->secret, sizeof seal->secret);
    printf("contest %s\nsecret %s\ncommitment %s\npublish now: %s/" SEAL_REVEALED "\n", seal->name, secret,
           seal->commitment, folder);
    return EXIT_ACCEPTED;
}

static int key_made(const struct signing_key *key, const char *folder)
{
    char hex[2 * KEY_PUBLIC_BYTES + 1];

    sodium_bin2hex(hex, sizeof hex, key->public_key, sizeof key->public_key);
    printf("public key %s\npublish now: %s/" KEY_PUBLIC "\nkeep secret: %s/" KEY_SECRET "\n", hex, folder, folder);
    return EXIT_ACCEPTED;
}

static int compared(const struct seal *seal, const struct seal *published)
{
    if (strcmp(seal->name, published->name) != 0 || strcmp(seal->commitment, published->commitment) != 0) {
        printf("FAILED: the revealed secret gives the commitment %s of '%s', but %s of '%s' was published\n",
               seal->commitment, seal->name, published->commitment, published->name);
        return EXIT_REJECTED;
    }
    printf("ok: the revealed secret of '%s' matches the commitment %s\n", seal->name, seal->commitment);
    return EXIT_ACCEPTED;
}

int main(int argc, char **argv)
{
    struct seal seal, published;
    const char *verb = argc > 1 ? argv[1] : "", *name = "contest";
    struct signing_key key;
    struct error error = { 0 };
    int status = EXIT_USAGE;

    if (strcmp(verb, "--help") == 0)
        return fputs(help, stdout) < 0 ? EXIT_TOOLKIT : EXIT_ACCEPTED;
    if (argc == 5 && strcmp(verb, "make") == 0 && strcmp(argv[3], "--name") == 0) {
        name = argv[4];
        argc = 3;
    }
    if (argc == 3 && strcmp(verb, "make") == 0)
        status = seal_create(&seal, argv[2], name, &error) ? made(&seal, argv[2]) : (int)error.code;
    else if (argc == 3 && strcmp(verb, "reveal") == 0)
        status = seal_reveal(&seal, argv[2], &error) ? revealed(&seal, argv[2]) : (int)error.code;
    else if (argc == 3 && strcmp(verb, "key") == 0)
        status = signing_key_create(&key, argv[2], &error) ? key_made(&key, argv[2]) : (int)error.code;
    else if (argc == 4 && strcmp(verb, "check") == 0)
        status = seal_load(&seal, argv[2], &error) && seal_load_published(&published, argv[3], &error)
                     ? compared(&seal, &published) : (int)error.code;
    else
        fputs(help, stderr);
    if (error.text[0])
        fprintf(stderr, "seal: %s\n", error.text);
    sodium_memzero(&seal, sizeof seal);
    sodium_memzero(&key, sizeof key);
    return status;
}
