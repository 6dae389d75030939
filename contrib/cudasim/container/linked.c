/*
 * linked.c - images of several PTX texts: a header, then each text behind its size. The images have no pointers, so
 * that programs may copy them and write them to files.
 */
#include "linked.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LINKED_MAGIC UINT64_C(0x6B6E696C6D697363)

struct header {
    uint64_t magic; /* LINKED_MAGIC */
    uint64_t size;  /* bytes of all */
    uint64_t count; /* of texts */
};

bool linked_make(const struct linked_text *texts, size_t count, void **image, size_t *size)
{
    struct header header = { LINKED_MAGIC, sizeof header, count };
    char *bytes, *at;

    for (size_t i = 0; i < count; i++)
        header.size += sizeof texts[i].size + texts[i].size;
    bytes = malloc(header.size);
    if (!bytes)
        return false;
    memcpy(bytes, &header, sizeof header);
    at = bytes + sizeof header;
    for (size_t i = 0; i < count; i++) {
        memcpy(at, &texts[i].size, sizeof texts[i].size);
        memcpy(at + sizeof texts[i].size, texts[i].text, texts[i].size);
        at += sizeof texts[i].size + texts[i].size;
    }
    *image = bytes;
    *size = header.size;
    return true;
}

size_t linked_size(const void *image)
{
    struct header header;

    if (memcmp(image, &(uint64_t){ LINKED_MAGIC }, sizeof(uint64_t)) != 0)
        return 0;
    memcpy(&header, image, sizeof header);
    return header.size;
}

size_t linked_texts(const void *image, struct linked_text **texts)
{
    struct header header;
    const char *at = (const char *)image + sizeof header;

    memcpy(&header, image, sizeof header);
    *texts = calloc(header.count + 1, sizeof **texts);
    for (size_t i = 0; *texts && i < header.count; i++) {
        memcpy(&(*texts)[i].size, at, sizeof (*texts)[i].size);
        (*texts)[i].text = at + sizeof (*texts)[i].size;
        at += sizeof (*texts)[i].size + (*texts)[i].size;
    }
    return *texts ? header.count : 0;
}
