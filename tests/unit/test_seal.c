/*
 * test_seal.c - known answers: Ed25519 of RFC 8032, SHA-256 of FIPS 180-4, seals and canonical texts; broken files.
 *
 * The answers for seals were computed with sha256sum and openssl:
 *   printf 'gpu-contest-seal-1\nSpring 2027\nSECRET\n' | sha256sum
 *   printf 'gpu-contest-seed-2\nmatmul\nfp32\n1\n' | openssl dgst -sha256 -mac HMAC -macopt hexkey:SECRET     the key
 *   printf 'gpu-contest-call-2\nsecret/03-random\n12\n' | openssl dgst -sha256 -mac HMAC -macopt hexkey:KEY
 */
#include "verify/result/seal.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "verify/base/canonical.h"
#include "verify/result/seeds.h"
#include "verify/result/signature.h"

static size_t bytes_of(unsigned char *bytes, size_t most, const char *hex)
{
    size_t length = 0;

    CHECK(sodium_hex2bin(bytes, most, hex, strlen(hex), NULL, &length, NULL) == 0, "'%s' is not hexadecimal", hex);
    return length;
}

/* Section 7.1, tests 1 to 3, and the test of SHA(abc). */
static void test_rfc8032(void)
{
    static const struct { const char *secret, *public_key, *message, *signature; } rows[] = {
        { "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
          "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
          "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25b"
          "f5f0595bbe24655141438e7a100b" },
        { "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
          "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
          "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b"
          "2eaeb4302aeeb00d291612bb0c00" },
        { "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
          "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
          "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c"
          "15e9716ed28dc027beceea1ec40a" },
        { "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
          "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
          "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d"
          "4423643ce80e2a9ac94fa54ca49f",
          "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca"
          "179c138ac17ad9bef1177331a704" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char seed[KEY_SEED_BYTES], public_key[KEY_PUBLIC_BYTES], message[64], expected[SIGNATURE_BYTES];
        unsigned char signature[SIGNATURE_BYTES];
        struct signing_key key;
        size_t size = bytes_of(message, sizeof message, rows[i].message);

        bytes_of(seed, sizeof seed, rows[i].secret);
        bytes_of(public_key, sizeof public_key, rows[i].public_key);
        bytes_of(expected, sizeof expected, rows[i].signature);
        signing_key_from_seed(&key, seed);
        CHECK(memcmp(key.public_key, public_key, sizeof public_key) == 0, "public key of row %zu", i);
        signature_make(signature, message, size, &key);
        CHECK(memcmp(signature, expected, sizeof expected) == 0, "signature of row %zu", i);
        CHECK(signature_fits(expected, message, size, public_key), "row %zu is refused", i);
        for (size_t bit = 0; bit < 8 * sizeof signature; bit++) {
            signature[bit / 8] ^= (unsigned char)(1 << bit % 8);
            CHECK(!signature_fits(signature, message, size, public_key), "row %zu, bit %zu changed, is taken", i, bit);
            signature[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        message[0] ^= 1;
        CHECK(!signature_fits(expected, message, size ? size : 1, public_key), "row %zu, another message", i);
    }
}

static void test_digests(void)
{
    char hex[DIGEST_HEX];

    digest_bytes("abc", 3, hex);
    CHECK(strcmp(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") == 0, "%s", hex);
    digest_bytes("", 0, hex);
    CHECK(strcmp(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") == 0, "%s", hex);
    digest_bytes(NULL, 0, hex);
    CHECK(strcmp(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") == 0, "%s", hex);
}

static void test_seal_formulas(void)
{
    struct seal seal = { .name = "Spring 2027" };
    unsigned char key[SEAL_BYTES], other_key[SEAL_BYTES];
    char commitment[DIGEST_HEX];

    for (int i = 0; i < SEAL_BYTES; i++)
        seal.secret[i] = (unsigned char)i;
    seal_commit(&seal, commitment);
    CHECK(strcmp(commitment, "e2085068f0f4f7806dad8de6a30fb48424545a01262c84a94e2d4ffdb9cef185") == 0, "%s",
          commitment);
    seal_judgement(&seal, "ab", "c", 1, key);
    seal_judgement(&seal, "a", "bc", 1, other_key);
    CHECK(memcmp(key, other_key, sizeof key) != 0, "problem and league run together");
    seal_judgement(&seal, "ab", "", 11, key);
    seal_judgement(&seal, "ab", "1", 1, other_key);
    CHECK(memcmp(key, other_key, sizeof key) != 0, "league and number run together");
    seal_judgement(&seal, "matmul", "fp32", 1, key);
    for (int i = 0; i < SEAL_BYTES; i++) {
        char other[DIGEST_HEX];

        seal.secret[i] ^= 1;
        seal_commit(&seal, other);
        CHECK(strcmp(other, commitment) != 0, "byte %d of the secret does not count", i);
        seal_judgement(&seal, "matmul", "fp32", 1, other_key);
        CHECK(memcmp(key, other_key, sizeof key) != 0, "byte %d of the secret does not count", i);
        seal.secret[i] ^= 1;
    }
    seal_forget(&seal);
    CHECK(sodium_is_zero(seal.secret, sizeof seal.secret), "the secret is still there");
}

/* The seeds and marks of judgements, leagues and calls, as openssl computes them; without a seal, nothing changes. */
static void test_seeds(void)
{
    static const char name[] = "secret/03-random", digest[] =
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    static const struct {
        const char *problem, *league;
        uint64_t judgement, first, twelfth;
        const char *mark;
    } rows[] = {
        { "matmul", "fp32", 1, UINT64_C(0x840993af9f7104fe), UINT64_C(0x5ed5af4ec399653c),
          "bb7423801ec10221baf5ef4dc8df305f635378d299da9e611358525fd5b9c3ac" },
        { "matmul", "tensor", 1, UINT64_C(0x9c4373017602b36a), UINT64_C(0x4143e4360de2e710),
          "ffccda43046bcd2915476a1d0624ca4fd2d47587a455646171f144cd578be252" },
        { "editdistance", "", 1, UINT64_C(0x583f7ab7018a5b90), UINT64_C(0x34c5a7a68bddab16),
          "d666422991a04a4387a005649c5c40d2167e8de6ddbf8a24584adcd7a036beef" },
        { "editdistance", "", 2, UINT64_C(0xe9cb4684ec23d709), UINT64_C(0x87956496cd70ee18),
          "08e5f5b8d7df8a94f302ba7c7905a1cb28dc21b7adc83cf02dbea9a5aeab96ee" },
    };
    const struct seeds open = { .seed = 77 };
    struct seal seal = { .name = "Spring 2027" };
    struct random_key key = seeds_of_call(&open, name, 3, 11);
    char long_name[1000], mark[DIGEST_HEX];

    CHECK(key.seed == 77 && key.case_seed == 3 && key.repetition == 11, "without a seal");
    memcpy(mark, digest, sizeof mark);
    seeds_mark(&open, mark);
    CHECK(strcmp(mark, digest) == 0, "without a seal");
    for (int i = 0; i < SEAL_BYTES; i++)
        seal.secret[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct seeds seeds = { .sealed = true, .seed = 77 };

        seal_judgement(&seal, rows[i].problem, rows[i].league, rows[i].judgement, seeds.key);
        key = seeds_of_call(&seeds, name, 3, 0);
        CHECK(key.seed == rows[i].first && key.case_seed == 3 && key.repetition == 0, "row %zu", i);
        key = seeds_of_call(&seeds, name, 3, 11);
        CHECK(key.seed == rows[i].twelfth && key.case_seed == 3 && key.repetition == 0, "row %zu", i);
        CHECK(seeds_of_call(&seeds, "secret/04-random", 3, 0).seed != rows[i].first, "the case does not count");
        memcpy(mark, digest, sizeof mark);
        seeds_mark(&seeds, mark);
        CHECK(strcmp(mark, rows[i].mark) == 0, "row %zu: %s", i, mark);
        memset(long_name, 'x', sizeof long_name - 1);
        long_name[sizeof long_name - 1] = '\0';
        key = seeds_of_call(&seeds, long_name, 0, 0);
        long_name[sizeof long_name - 2] = 'y';
        CHECK(seeds_of_call(&seeds, long_name, 0, 0).seed != key.seed, "the end of a long name does not count");
    }
}

static void test_canonical(void)
{
    static const struct { const char *in, *out; } rows[] = {
        { "{}", "{}" },
        { "{ \"b\" : 1,\n \"a\":[ true , false,null ] }", "{\"a\":[true,false,null],\"b\":1}" },
        { "{\"signature\":1,\"a\":{\"signature\":2}}", "{\"a\":{\"signature\":2}}" },
        { "{\"signature\":1}", "{}" },
        { "{\"a\":0.1,\"b\":1.0,\"c\":-0.0,\"d\":1e-7,\"e\":1E22}",
          "{\"a\":0.10000000000000001,\"b\":1,\"c\":0,\"d\":9.9999999999999995e-08,\"e\":1e+22}" },
        { "{\"a\":-9223372036854775808,\"b\":9223372036854775807}",
          "{\"a\":-9223372036854775808,\"b\":9223372036854775807}" },
        { "{\"a\":\"\\u0022\\\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\\u00e9\"}",
          "{\"a\":\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\xc3\xa9\"}" },
        { "{\"Z\":1,\"a\":2,\"\\u00e9\":3,\"\":4}", "{\"\":4,\"Z\":1,\"a\":2,\"\xc3\xa9\":3}" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *object = json_loads(rows[i].in, 0, NULL);
        char *text = canonical_text(object, "signature");
        json_t *again = json_loads(text, 0, NULL);
        char *twice = canonical_text(again, "signature");

        CHECK(strcmp(text, rows[i].out) == 0, "row %zu: %s", i, text);
        CHECK(strcmp(twice, text) == 0, "row %zu is not stable: %s", i, twice);
        free(text);
        free(twice);
        json_decref(object);
        json_decref(again);
    }
}

static void test_record(void)
{
    unsigned char seed[KEY_SEED_BYTES] = { 1 }, public_key[KEY_PUBLIC_BYTES];
    json_t *record = json_loads("{\"verdict\":\"WA\",\"cases\":[{\"samples\":[0.1,2.5e-05]}]}", 0, NULL), *again;
    struct signing_key key;
    struct error error;
    char *text;

    signing_key_from_seed(&key, seed);
    CHECK(!record_check(record, public_key, &error), "an unsigned record is taken");
    CHECK(record_sign(record, &key, &error), "%s", error.text);
    CHECK(record_check(record, public_key, &error), "%s", error.text);
    CHECK(memcmp(public_key, key.public_key, sizeof public_key) == 0, "another key");
    /* Written as report.c writes it and read again, every bit of its numbers is the same. */
    text = json_dumps(record, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    again = json_loads(text, 0, NULL);
    CHECK(record_check(again, public_key, &error), "after a file: %s", error.text);
    json_object_set_new(again, "verdict", json_string("AC"));
    CHECK(!record_check(again, public_key, &error), "another verdict is taken");
    json_object_set_new(again, "verdict", json_string("WA"));
    CHECK(record_check(again, public_key, &error), "changed back: %s", error.text);
    json_object_set_new(again, "added", json_true());
    CHECK(!record_check(again, public_key, &error), "another key is taken");
    json_object_del(again, "added");
    json_object_set_new(json_object_get(again, "signature"), "algorithm", json_string("none"));
    CHECK(!record_check(again, public_key, &error), "another algorithm is taken");
    json_object_set_new(json_object_get(again, "signature"), "algorithm", json_string("Ed25519"));
    CHECK(record_check(again, public_key, &error), "changed back: %s", error.text);
    json_object_set_new(json_object_get(again, "signature"), "signed_by", json_string("the jury"));
    CHECK(!record_check(again, public_key, &error), "words within the signature are taken");
    json_object_del(json_object_get(again, "signature"), "signed_by");
    json_object_set_new(json_object_get(again, "signature"), "value",
                        json_sprintf("%s ", json_string_value(json_object_get(json_object_get(again, "signature"),
                                                                               "value"))));
    CHECK(!record_check(again, public_key, &error), "a space behind the signature is taken");
    json_object_set_new(again, "signature", json_true());
    CHECK(!record_check(again, public_key, &error), "no signature is taken");
    json_decref(again);
    json_decref(record);
    free(text);
}

/* A record is read as its canonical text says, and ambiguous text is refused. */
static void test_reading(void)
{
    static const char *const wrong[] = {
        "", "[]", "3", "null", "{", "{}}", "{} {}", "{\"a\":1,\"a\":1}", "{\"a\":{\"b\":1,\"b\":2}}",
        "{\"a\":1,\"\\u0061\":2}",
        "{\"a\":9223372036854775808}", "{\"a\":-9223372036854775809}", "{\"a\":1e400}", "{\"a\":NaN}", "{\"a\":nan}",
        "{\"a\":Infinity}", "{\"a\":-inf}", "{\"a\":01}", "{\"a\":+1}", "{\"a\":0x10}", "{\"a\":1.}", "{\"a\":.5}",
        "{\"a\":-}",
        "{\"a\":\"\\u0000\"}", "{\"\\u0000\":1}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\\udc00\"}",
        "{\"a\":\"\\ud800\\u0041\"}",
        "{\"a\":\"\xff\"}", "{\"a\":\"\xc0\x80\"}", "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"\n\"}", "{\"a\":\"\\x41\"}",
        "{'a':1}", "{a:1}", "{\"a\":1,}", "{\"a\":[1,]}", "{\"a\":1}/**/", "\xef\xbb\xbf{}",
    };
    static const char *const same[][2] = {
        { "{\"a\":2}", "{\"a\":2.0}" }, { "{\"a\":2}", "{\"a\":20e-1}" }, { "{\"a\":0}", "{\"a\":-0}" },
        { "{\"a\":0}", "{\"a\":-0.0}" }, { "{\"a\":0}", "{\"a\":1e-400}" }, { "{\"a\":\"A\"}",
        "{\"\\u0061\":\"\\u0041\"}" },
        { "{\"a\":0.1}", "{\"a\":0.10000000000000001}" }, { "{\"a\":1,\"b\":2}", "{ \"b\" : 2 , \"a\" : 1 }" },
        { "{\"a\":\"\xf0\x9f\x99\x82\"}", "{\"a\":\"\\ud83d\\ude42\"}" },
    };
    struct error error;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        json_t *object = canonical_read(wrong[i], strlen(wrong[i]), &error);

        CHECK(!object, "'%s' is read", wrong[i]);
        json_decref(object);
    }
    CHECK(!canonical_read("{\"a\":\"b\0c\"}", 11, &error), "a zero byte is read");
    CHECK(!canonical_read("{}\0", 3, &error), "a zero byte behind it is read");
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        json_t *a = canonical_read(same[i][0], strlen(same[i][0]), &error);
        json_t *b = canonical_read(same[i][1], strlen(same[i][1]), &error);

        CHECK(a && b && json_equal(a, b), "'%s' and '%s' are not the same", same[i][0], same[i][1]);
        json_decref(a);
        json_decref(b);
    }
}

enum { RECORD_MOST = 4096 };

/*
 * Any change to the bytes of a signed record: it is no record, or its signature breaks, or it is the very same object.
 * `accepted` counts those last ones.
 */
static void damaged(const char *bytes, size_t size, const json_t *record, unsigned *accepted)
{
    unsigned char public_key[KEY_PUBLIC_BYTES];
    struct error error;
    json_t *object = canonical_read(bytes, size, &error);

    if (object && record_check(object, public_key, &error)) {
        ++*accepted;
        CHECK(json_equal(object, record), "a signature fits another record: %.*s", (int)size, bytes);
    }
    json_decref(object);
}

static void test_damage(void)
{
    static const char text[] = "{\"asked\":{\"time_limit\":2.0,\"case\":null,\"keep_going\":false},"
    "\"big\":9007199254740993,"
                               "\"cases\":[{\"name\":\"a\\n\\u001f\xc3\xa9\",\"samples\":[0.1,1e22,-2.5e-05,"
                               "0]}],\"seed\":null}";
    static const char *const pieces[] = { "0", "00", "1", "-", "+", ".0", ".", "e0", "e1", "E+0", " ", "\n", "\t",
        "\\u0000",
                                          "\\u0061", "\"", "\\", ",", ":", "{", "}", "[", "]", "null", "true", "NaN",
                                          "\xff",
                                          "\xc2\xa0", "\xe2\x80\xae", "\"x\":1,", ",\"x\":1", "\"value\":\"\",", "/",
                                          "//" };
    const size_t count = sizeof pieces / sizeof pieces[0];
    unsigned char seed[KEY_SEED_BYTES] = { 7 };
    struct error error;
    struct signing_key key;
    json_t *record = canonical_read(text, strlen(text), &error), *read;
    unsigned accepted = 0, changed = 0;
    uint64_t random = 88172645463325252u;
    char *whole, bytes[RECORD_MOST];
    size_t size;

    signing_key_from_seed(&key, seed);
    CHECK(record && record_sign(record, &key, &error), "%s", error.text);
    whole = json_dumps(record, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    size = strlen(whole);
    read = canonical_read(whole, size, &error);
    CHECK(read && json_equal(read, record), "what is written is read");
    for (size_t at = 0; at < size; at++) {
        for (unsigned byte = 0; byte < 256; byte++) { /* every byte replaced by every other */
            memcpy(bytes, whole, size);
            bytes[at] = (char)byte;
            damaged(bytes, size, read, &accepted);
        }
        for (size_t i = 0; i < 2 * count; i++) { /* every piece put in, and put over one byte */
            const size_t length = strlen(pieces[i / 2]), over = i % 2;

            memcpy(bytes, whole, at);
            memcpy(bytes + at, pieces[i / 2], length);
            memcpy(bytes + at + length, whole + at + over, size - at - over);
            damaged(bytes, size + length - over, read, &accepted);
        }
        memmove(memcpy(bytes, whole, size), whole, at); /* one byte taken out */
        memcpy(bytes + at, whole + at + 1, size - at - 1);
        damaged(bytes, size - 1, read, &accepted);
    }
    for (changed = 0; changed < 20000; changed++) { /* a piece of it moved elsewhere */
        size_t from, length, to;

        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        from = random % size, to = random / size % size, length = random / size / size % 64;
        length = length < size - from ? length : size - from;
        memcpy(bytes, whole, to);
        memcpy(bytes + to, whole + from, length);
        memcpy(bytes + to + length, whole + to, size - to);
        damaged(bytes, size + length, read, &accepted);
    }
    CHECK(accepted > 1000, "%u changes change nothing: spaces among them", accepted);
    free(whole);
    json_decref(read);
    json_decref(record);
}

/* ------------------------------------------------------------------ files */

static void put(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0 && chmod(path, mode) == 0, "cannot write '%s'", path);
}

static void test_files(void)
{
    static const char secret[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    char folder[] = "/tmp/test_seal-XXXXXX", path[128], text[512];
    struct seal made, loaded, published;
    struct error error = { 0 };
    struct stat status;
    bool has_secret;

    CHECK(mkdtemp(folder), "no folder");
    CHECK(!seal_create(&made, folder, "new\nline", &error) && strstr(error.text, "name"), "%s", error.text);
    CHECK(!seal_create(&made, folder, "", &error), "a seal without a name");
    CHECK(seal_create(&made, folder, "Spring 2027", &error), "%s", error.text);
    CHECK(!seal_create(&loaded, folder, "Spring 2027", &error) && strstr(error.text, "is not replaced"), "%s",
          error.text);
    snprintf(path, sizeof path, "%s/" SEAL_SECRET, folder);
    CHECK(stat(path, &status) == 0 && (status.st_mode & 07777) == 0600, "mode %o", (unsigned)status.st_mode);
    CHECK(seal_load(&loaded, path, &error) && memcmp(loaded.secret, made.secret, SEAL_BYTES) == 0 && !loaded.revealed,
          "%s", error.text);
    CHECK(chmod(path, 0640) == 0 && !seal_load(&loaded, path, &error) && strstr(error.text, "0640"), "%s", error.text);
    CHECK(sodium_is_zero(loaded.secret, SEAL_BYTES), "a refused secret stays in memory");
    chmod(path, 0600);
    CHECK(seal_reveal(&loaded, folder, &error), "%s", error.text);
    CHECK(!seal_reveal(&loaded, folder, &error), "revealed twice");
    unlink(path);
    snprintf(path, sizeof path, "%s/" SEAL_REVEALED, folder);
    CHECK(seal_load_any(&loaded, path, &has_secret, &error) && has_secret && loaded.revealed, "%s", error.text);
    unlink(path);
    snprintf(path, sizeof path, "%s/" SEAL_PUBLISHED, folder);
    CHECK(seal_load_any(&published, path, &has_secret, &error) && !has_secret, "%s", error.text);
    CHECK(strcmp(published.commitment, made.commitment) == 0, "another commitment was published");
    CHECK(!seal_load(&loaded, path, &error) && strstr(error.text, "no secret"), "%s", error.text);
    unlink(path);

    /* Damaged files are refused, and no error repeats the secret. */
    snprintf(path, sizeof path, "%s/" SEAL_SECRET, folder);
    for (int way = 0; way < 8; way++) {
        snprintf(text, sizeof text,
                 "{\"format\":%d,\"kind\":\"%s\",\"name\":\"%s\",\"commitment\":\"%s\",\"secret\":\"%s%s\"%s",
                 way == 0 ? 2 : 1, way == 1 ? "key" : "seal", way == 2 ? "a/b" : "Spring 2027",
                 way == 3 ? "12" : way == 4 ? made.commitment
                                              : "e2085068f0f4f7806dad8de6a30fb48424545a01262c84a94e2d4ffdb9cef185",
                 secret, way == 5 ? "0" : "", way == 6 ? "" : way == 7 ? ",\"secret\":\"\"}" : "}");
        put(path, text, 0600);
        error.text[0] = '\0';
        CHECK(!seal_load(&loaded, path, &error) && error.code == EXIT_USAGE, "way %d is taken", way);
        CHECK(error.text[0] && !strstr(error.text, "0001020304"), "way %d: %s", way, error.text);
        CHECK(sodium_is_zero(loaded.secret, SEAL_BYTES), "way %d: a secret stays in memory", way);
    }
    unlink(path);
    rmdir(folder);
}

static void test_key_files(void)
{
    char folder[] = "/tmp/test_seal-XXXXXX", secret[128], shown[128];
    unsigned char public_key[KEY_PUBLIC_BYTES];
    struct signing_key made, loaded;
    struct error error = { 0 };
    struct stat status;

    CHECK(mkdtemp(folder), "no folder");
    snprintf(secret, sizeof secret, "%s/" KEY_SECRET, folder);
    snprintf(shown, sizeof shown, "%s/" KEY_PUBLIC, folder);
    CHECK(signing_key_create(&made, folder, &error), "%s", error.text);
    CHECK(!signing_key_create(&loaded, folder, &error) && strstr(error.text, "is not replaced"), "%s", error.text);
    CHECK(stat(secret, &status) == 0 && (status.st_mode & 07777) == 0600, "mode %o", (unsigned)status.st_mode);
    CHECK(signing_key_load(&loaded, secret, &error) && memcmp(&loaded, &made, sizeof made) == 0, "%s", error.text);
    CHECK(public_key_load(public_key, shown, &error) && memcmp(public_key, made.public_key, sizeof public_key) == 0,
          "%s", error.text);
    CHECK(!public_key_load(public_key, secret, &error), "a secret key is taken for a public one");
    CHECK(!signing_key_load(&loaded, shown, &error), "a public key is taken for a secret one");
    chmod(secret, 0604);
    CHECK(!signing_key_load(&loaded, secret, &error) && strstr(error.text, "0604"), "%s", error.text);
    unlink(secret);
    put(secret, "{\"format\":1,\"kind\":\"record-key\","
                "\"public_key\":\"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511b\","
                "\"secret\":\"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60\"}", 0600);
    CHECK(!signing_key_load(&loaded, secret, &error) && strstr(error.text, "belong together"), "%s", error.text);
    unlink(secret);
    unlink(shown);
    rmdir(folder);
}

int main(void)
{
    CHECK(sodium_init() >= 0, "libsodium");
    test_rfc8032();
    test_digests();
    test_seal_formulas();
    test_seeds();
    test_canonical();
    test_record();
    test_reading();
    test_damage();
    test_files();
    test_key_files();
    return unit_end();
}
