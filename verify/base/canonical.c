/*
 * canonical.c - writing JSON in its one canonical way.
 */
#include "canonical.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blob.h"

static const size_t FILE_MOST = (size_t)1 << 30;

static void write_string(FILE *file, const char *text)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";

    putc('"', file);
    for (; *text; text++) {
        const char *found = strchr(escaped, *text);

        if (found)
            fprintf(file, "\\%c", letters[found - escaped]);
        else if ((unsigned char)*text < 0x20)
            fprintf(file, "\\u%04X", (unsigned char)*text);
        else
            putc(*text, file);
    }
    putc('"', file);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool write_value(FILE *file, const json_t *value);

static bool write_object(FILE *file, const json_t *object, const char *without)
{
    size_t size = json_object_size(object), count = 0;
    const char **keys = calloc(size + 1, sizeof *keys), *key;
    bool ok = keys != NULL, any = false;
    json_t *member;

    json_object_foreach((json_t *)object, key, member)
        if (ok)
            keys[count++] = key;
    if (ok)
        qsort(keys, count, sizeof *keys, by_bytes);
    putc('{', file);
    for (size_t i = 0; ok && i < count; i++) {
        if (without && strcmp(keys[i], without) == 0)
            continue;
        if (any)
            putc(',', file);
        any = true;
        write_string(file, keys[i]);
        putc(':', file);
        ok = write_value(file, json_object_get(object, keys[i]));
    }
    putc('}', file);
    free(keys);
    return ok;
}

static bool write_value(FILE *file, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: return write_object(file, value, NULL);
    case JSON_ARRAY:
        putc('[', file);
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (i > 0)
                putc(',', file);
            if (!write_value(file, json_array_get(value, i)))
                return false;
        }
        putc(']', file);
        return true;
    case JSON_STRING: write_string(file, json_string_value(value)); return true;
    case JSON_INTEGER: fprintf(file, "%jd", (intmax_t)json_integer_value(value)); return true;
    case JSON_REAL: fprintf(file, "%.17g", json_real_value(value) + 0.0); return true; /* -0 + 0 is 0 */
    case JSON_TRUE: fputs("true", file); return true;
    case JSON_FALSE: fputs("false", file); return true;
    default: fputs("null", file); return true;
    }
}

static json_t *read_once(const char *bytes, size_t size, struct error *error)
{
    json_error_t where;
    json_t *value = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &where);

    if (!value || json_is_object(value))
        return value ? value : (error_usage(error, "line %d: %s", where.line, where.text), NULL);
    json_decref(value);
    error_usage(error, "it is not a JSON object");
    return NULL;
}

json_t *canonical_read(const char *bytes, size_t size, struct error *error)
{
    json_t *given = read_once(bytes, size, error), *value = NULL;
    char *text = given ? canonical_text(given, NULL) : NULL;

    if (given && !text)
        error_toolkit(error, "out of memory");
    if (text)
        value = read_once(text, strlen(text), error);
    free(text);
    json_decref(given);
    return value;
}

json_t *canonical_read_file(const char *path, struct error *error)
{
    struct blob file = { 0 };
    struct error why;
    json_t *value;

    if (!blob_read_file(&file, path, FILE_MOST, error))
        return NULL;
    value = canonical_read((const char *)file.data, file.size, &why);
    blob_release(&file);
    if (!value)
        why.code == EXIT_TOOLKIT ? error_toolkit(error, "'%s': %s", path, why.text)
                                 : error_usage(error, "'%s': %s", path, why.text);
    return value;
}

char *canonical_text(const json_t *object, const char *without)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    bool ok;

    if (!file)
        return NULL;
    ok = write_object(file, object, without) && !ferror(file);
    if (fclose(file) == 0 && ok)
        return text;
    free(text);
    return NULL;
}
