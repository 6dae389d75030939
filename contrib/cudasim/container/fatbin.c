/*
 * fatbin.c - reading the container that nvcc embeds, by libzstd; the registration calls and main_fatbin.c come here.
 *
 * The format, as nvcc 12 and 13 write it (numbers little-endian):
 *
 *     container   +0 magic 0xBA55ED50   +4 u16 version 1   +6 u16 bytes of this header   +8 u64 bytes of entries
 *     entry       +0 u16 kind           +2 u16 version     +4 u32 bytes of this header   +8 u64 bytes of payload
 *                 +16 u32 compressed bytes in the payload, 0 if plain
 *                 +20 u32 offset of the options, 0 if none  +28 u32 architecture
 *                 +40 u64 flags                             +56 u64 bytes when decompressed
 *     options     +0 u32 offset of the text in the entry    +4 u32 its bytes
 *
 * The payload follows its header, filled up to a multiple of 8. --compress-mode=default, balance and size compress by
 * zstd, speed by LZ4, and all but size do so for PTX only.
 */
#include "fatbin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define FATBIN_MAGIC UINT32_C(0xBA55ED50)
#define FLAG_LZ4 UINT64_C(0x2000)
#define FLAG_ZSTD UINT64_C(0x8000)
#define FLAG_SPECIFIC UINT64_C(0x100000) /* for sm_90a */

enum {
    CONTAINER_HEADER = 16,
    ENTRY_HEADER = 64,
    LZ4_RATIO = 255,    /* the most bytes that one compressed byte may stand for */
    ZSTD_RATIO = 1 << 17 /* a block of 128 KiB takes more than one byte */
};

#define DECOMPRESSED_MOST ((size_t)1 << 30)

/* The entry being read. */
struct entry_header {
    uint16_t kind;
    uint32_t header_size;  /* bytes */
    uint64_t payload_size; /* bytes */
    uint32_t compressed;   /* bytes, 0 if plain */
    uint32_t options;      /* offset from the entry's start, 0 if none */
    uint32_t arch;
    uint64_t flags;
    uint64_t decompressed; /* bytes */
};

struct reader {
    struct fatbin *fatbin;
    char *error;
    size_t error_size;
};

static bool __attribute__((format(printf, 2, 3))) fail(struct reader *reader, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->error, reader->error_size, format, arguments);
    va_end(arguments);
    return false;
}

static uint16_t read16(const unsigned char *at)
{
    uint16_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t read32(const unsigned char *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t read64(const unsigned char *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

/* A length that the input continues in bytes of 255. */
static bool lz4_length(const unsigned char **in, const unsigned char *in_end, size_t *length)
{
    unsigned char more;

    if (*length != 15)
        return true;
    do {
        if (*in == in_end)
            return false;
        more = *(*in)++;
        *length += more;
    } while (more == 255);
    return true;
}

/* Decodes one LZ4 block that fills `out`; padding behind it is ignored. */
static bool lz4_decode(unsigned char *out, size_t out_size, const unsigned char *in, size_t in_size)
{
    const unsigned char *in_end = in + in_size;
    size_t done = 0;

    while (in < in_end) {
        unsigned token = *in++;
        size_t literals = token >> 4, match = token & 15, offset;

        if (!lz4_length(&in, in_end, &literals) || literals > (size_t)(in_end - in) || literals > out_size - done)
            return false;
        memcpy(out + done, in, literals);
        in += literals;
        done += literals;
        if (done == out_size)
            return true;
        if (in_end - in < 2)
            return false;
        offset = read16(in);
        in += 2;
        if (!lz4_length(&in, in_end, &match))
            return false;
        match += 4;
        if (offset == 0 || offset > done || match > out_size - done)
            return false;
        for (size_t i = 0; i < match; i++, done++) /* byte by byte: source and target may overlap */
            out[done] = out[done - offset];
    }
    return false;
}

static bool zstd_decode(unsigned char *out, size_t out_size, const unsigned char *in, size_t in_size)
{
    size_t frame;

    if (ZSTD_getFrameContentSize(in, in_size) != out_size)
        return false;
    frame = ZSTD_findFrameCompressedSize(in, in_size); /* the rest is padding */
    return !ZSTD_isError(frame) && ZSTD_decompress(out, out_size, in, frame) == out_size;
}

/* PTX ends with its text. */
static void trim(struct fatbin_entry *entry)
{
    while (entry->kind == FATBIN_PTX && entry->size > 0 && entry->data[entry->size - 1] == '\0')
        entry->size--;
}

static bool decompress(struct reader *reader, struct fatbin_entry *entry)
{
    bool zstd = entry->flags & FLAG_ZSTD, lz4 = entry->flags & FLAG_LZ4;
    const unsigned char *payload = (const unsigned char *)entry->data;
    size_t size = entry->decompressed;

    if (zstd == lz4)
        return fail(reader, "a fatbin entry is compressed in an unknown way (flags %#jx); build with "
                    "'nvcc --compress-mode=none'", (uintmax_t)entry->flags);
    if (size == 0 || size > DECOMPRESSED_MOST - reader->fatbin->decompressed)
        return fail(reader, "a fatbin has more than %zu MiB when decompressed, or an entry none",
                    DECOMPRESSED_MOST >> 20);
    if (size / (zstd ? ZSTD_RATIO : LZ4_RATIO) > entry->compressed)
        return fail(reader, "a fatbin entry says its %ju bytes become %zu: too many", (uintmax_t)entry->compressed,
                    size);
    /* Known before the allocation: a broken length asks for no memory. */
    if (zstd && ZSTD_getFrameContentSize(payload, entry->compressed) != size)
        return fail(reader, "a fatbin entry is not a zstd frame of %zu bytes", size);
    entry->owned = malloc(size);
    if (!entry->owned)
        return fail(reader, "out of memory for a fatbin entry of %zu bytes", size);
    if (!(zstd ? zstd_decode : lz4_decode)(entry->owned, size, payload, entry->compressed)) {
        free(entry->owned);
        entry->owned = NULL;
        return fail(reader, "a fatbin entry compressed by %s is broken", zstd ? "zstd" : "LZ4");
    }
    reader->fatbin->decompressed += size;
    entry->data = entry->owned;
    entry->size = size;
    entry->packed = false;
    trim(entry);
    return true;
}

static bool add_entry(struct reader *reader, const struct entry_header *header, const unsigned char *at)
{
    struct fatbin *fatbin = reader->fatbin;
    struct fatbin_entry entry = { .arch = header->arch }, *entries;
    const unsigned char *payload = at + header->header_size;

    if (header->kind != FATBIN_PTX && header->kind != FATBIN_ELF)
        return true;
    entry.kind = (enum fatbin_kind)header->kind;
    entry.data = (const char *)payload;
    entry.size = header->payload_size;
    entry.packed = header->compressed || header->flags & (FLAG_LZ4 | FLAG_ZSTD);
    entry.compressed = header->compressed;
    if (entry.packed && (header->compressed == 0 || header->compressed > header->payload_size))
        return fail(reader, "a fatbin entry of %ju bytes says it has %ju compressed ones",
                    (uintmax_t)header->payload_size, (uintmax_t)header->compressed);
    entry.flags = header->flags;
    entry.specific = header->flags & FLAG_SPECIFIC;
    entry.decompressed = header->decompressed;
    if (!entry.packed)
        trim(&entry);
    entries = realloc(fatbin->entries, (fatbin->count + 1) * sizeof *entries);
    if (!entries)
        return fail(reader, "out of memory for a fatbin of %zu entries", fatbin->count + 1);
    fatbin->entries = entries;
    fatbin->entries[fatbin->count++] = entry;
    return true;
}

/* Reads the entry at `at`, which has at most `limit` bytes, and stores how many it takes. */
static bool read_entry(struct reader *reader, const unsigned char *at, size_t limit, size_t *taken)
{
    struct entry_header header;

    if (limit < ENTRY_HEADER)
        return fail(reader, "a fatbin ends within an entry");
    header.kind = read16(at);
    header.header_size = read32(at + 4);
    header.payload_size = read64(at + 8);
    header.compressed = read32(at + 16);
    header.options = read32(at + 20);
    header.arch = read32(at + 28);
    header.flags = read64(at + 40);
    header.decompressed = read64(at + 56);
    if (header.header_size < ENTRY_HEADER)
        return fail(reader, "a fatbin entry has a header of %ju bytes: at least %d are expected",
                    (uintmax_t)header.header_size, ENTRY_HEADER);
    if (header.header_size > limit || header.payload_size > limit - header.header_size)
        return fail(reader, "a fatbin entry of %ju bytes is longer than the %zu that are left",
                    (uintmax_t)header.payload_size, limit);
    *taken = header.header_size + header.payload_size;
    return add_entry(reader, &header, at);
}

size_t fatbin_size(const void *data, size_t limit)
{
    const unsigned char *bytes = data;
    uint64_t header, rest;

    if (limit < CONTAINER_HEADER || read32(bytes) != FATBIN_MAGIC)
        return 0;
    header = read16(bytes + 6);
    rest = read64(bytes + 8);
    if (header < CONTAINER_HEADER || header > limit || rest > limit - header)
        return 0;
    return header + rest;
}

void *fatbin_search(const void *data, size_t size, size_t *at, size_t *bytes)
{
    void *copy;

    for (; *at + CONTAINER_HEADER <= size; *at += 2) {
        *bytes = fatbin_size((const char *)data + *at, size - *at);
        if (!*bytes)
            continue;
        copy = malloc(*bytes);
        if (copy)
            memcpy(copy, (const char *)data + *at, *bytes);
        *at += (*bytes + 1) / 2 * 2;
        return copy;
    }
    return NULL;
}

bool fatbin_list(struct fatbin *fatbin, const void *data, size_t limit, char *error, size_t error_size)
{
    struct reader reader = { .fatbin = fatbin, .error = error, .error_size = error_size };
    const unsigned char *bytes = data;
    size_t size = fatbin_size(data, limit), at;

    *fatbin = (struct fatbin){ 0 };
    if (limit < CONTAINER_HEADER || read32(bytes) != FATBIN_MAGIC)
        return fail(&reader, "this is not a fatbin: its first bytes are not 0x%X", (unsigned)FATBIN_MAGIC);
    if (read16(bytes + 4) != 1)
        return fail(&reader, "a fatbin of version %u: only version 1 is known", read16(bytes + 4));
    if (!size)
        return fail(&reader, "a fatbin of %ju bytes is longer than the %zu there are", (uintmax_t)read64(bytes + 8),
                    limit);
    at = read16(bytes + 6);
    while (at < size) {
        size_t taken = 0;

        if (!read_entry(&reader, bytes + at, size - at, &taken)) {
            fatbin_release(fatbin);
            return false;
        }
        at += taken;
    }
    return true;
}

struct fatbin_entry *fatbin_best(const struct fatbin *fatbin, enum fatbin_kind kind, unsigned arch)
{
    struct fatbin_entry *best = NULL;

    for (size_t i = 0; i < fatbin->count; i++) {
        struct fatbin_entry *entry = &fatbin->entries[i];

        if (entry->kind == kind && entry->arch <= arch &&
            (!best || entry->arch > best->arch || (entry->arch == best->arch && entry->specific && !best->specific)))
            best = entry;
    }
    return best;
}

bool fatbin_unpack(struct fatbin *fatbin, struct fatbin_entry *entry, char *error, size_t error_size)
{
    return !entry->packed ||
           decompress(&(struct reader){ .fatbin = fatbin, .error = error, .error_size = error_size }, entry);
}

bool fatbin_open(struct fatbin *fatbin, const void *data, size_t limit, char *error, size_t error_size)
{
    if (!fatbin_list(fatbin, data, limit, error, error_size))
        return false;
    for (size_t i = 0; i < fatbin->count; i++)
        if (!fatbin_unpack(fatbin, &fatbin->entries[i], error, error_size)) {
            fatbin_release(fatbin);
            return false;
        }
    return true;
}

void fatbin_release(struct fatbin *fatbin)
{
    for (size_t i = 0; i < fatbin->count; i++)
        free(fatbin->entries[i].owned);
    free(fatbin->entries);
    *fatbin = (struct fatbin){ 0 };
}
