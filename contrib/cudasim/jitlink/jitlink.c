/*
 * jitlink.c - libnvJitLink: links PTX, fat binaries and objects for the simulator.
 *
 * NVIDIA's library, where there is one, does the same link. Its results and logs are the program's. Its machine code is
 * thrown away: the program gets an image of the PTX texts, which the runtime links when it is loaded. Where the program
 * asks for link time optimisation, NVIDIA's library makes PTX of that part, in a second link.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/container/fatbin.h"
#include "contrib/cudasim/container/linked.h"
#include "real.h"

/* The calls, and the names that they have in headers of these versions. */
#define CALLS(row) \
    row(Create, (void **handle, uint32_t count, const char **options)) row(Destroy, (void **handle)) \
    row(AddData, (void *handle, int type, const void *data, size_t size, const char *name)) \
    row(AddFile, (void *handle, int type, const char *path)) row(Complete, (void *handle)) \
    row(GetLinkedCubinSize, (void *handle, size_t *size)) row(GetLinkedCubin, (void *handle, void *cubin)) \
    row(GetLinkedPtxSize, (void *handle, size_t *size)) row(GetLinkedPtx, (void *handle, char *text)) \
    row(GetErrorLogSize, (void *handle, size_t *size)) row(GetErrorLog, (void *handle, char *text)) \
    row(GetInfoLogSize, (void *handle, size_t *size)) row(GetInfoLog, (void *handle, char *text)) \
    row(Version, (unsigned *major, unsigned *minor))
#define DECLARE(name, parameters) \
    enum result nvJitLink##name parameters; \
    enum result __nvJitLink##name##_13_0 parameters __attribute__((alias("nvJitLink" #name))); \
    enum result __nvJitLink##name##_13_1 parameters __attribute__((alias("nvJitLink" #name))); \
    enum result __nvJitLink##name##_13_2 parameters __attribute__((alias("nvJitLink" #name)));

CALLS(DECLARE)

enum { DEVICE_ARCH = 90 }; /* the highest PTX that is loaded */

/* What the program added: kept for the second link. */
struct added {
    struct added *next;
    int type;    /* enum input */
    char *data;  /* [size], and a NUL */
    size_t size; /* bytes */
    char *name;  /* or NULL */
    bool has_ptx; /* found by add_input() */
};

/* Behind an nvJitLinkHandle. */
struct link {
    const struct real *real;
    void *checker;           /* the same link of NVIDIA's library, or NULL */
    char **options;          /* [option_count] */
    uint32_t option_count;
    bool optimises, gives_ptx; /* -lto, -ptx */
    struct added *first, **end;
    struct linked_text *texts;  /* [text_count], each its own copy */
    size_t text_count;
    void *image;             /* after nvJitLinkComplete(), or NULL */
    size_t image_size;       /* bytes */
};

/* ------------------------------------------------------------------ texts */

static bool add_text(struct link *link, const char *text, size_t size)
{
    struct linked_text *texts = realloc(link->texts, (link->text_count + 1) * sizeof *texts);
    char *copy = malloc(size + 1);

    if (texts)
        link->texts = texts;
    if (!texts || !copy) {
        free(copy);
        return false;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    texts[link->text_count++] = (struct linked_text){ copy, size };
    return true;
}

/* The PTX of a container, or of nothing if it has none. */
static void add_container(struct link *link, const void *data, size_t size)
{
    const struct fatbin_entry *best;
    struct fatbin fatbin;
    char message[256];

    if (!fatbin_open(&fatbin, data, size, message, sizeof message)) {
        fprintf(stderr, "cudasim: nvJitLink: %s\n", message);
        return;
    }
    best = fatbin_best(&fatbin, FATBIN_PTX, DEVICE_ARCH);
    if (best)
        add_text(link, best->data, best->size);
    fatbin_release(&fatbin);
}

/* All containers in an object, or in an archive of objects. */
static void add_containers(struct link *link, const char *data, size_t size)
{
    size_t at = 0, bytes;
    void *container;

    while ((container = fatbin_search(data, size, &at, &bytes)) != NULL) {
        add_container(link, container, bytes);
        free(container);
    }
}

/* The simulator has the device's runtime (libcudadevrt.a) itself. */
static bool is_device_runtime(const char *name)
{
    return name && strstr(name, "cudadevrt");
}

/* Adds the PTX of what the program added. Says so if there is none, and none will come of an optimisation either. */
static void add_input(struct link *link, struct added *input)
{
    size_t before = link->text_count, size = input->size;

    if (size >= sizeof(uint64_t) && linked_size(input->data) && linked_size(input->data) <= size) {
        struct linked_text *texts;
        size_t count = linked_texts(input->data, &texts);

        for (size_t i = 0; i < count; i++)
            add_text(link, texts[i].text, texts[i].size);
        free(texts);
    } else if (input->type == INPUT_PTX ||
               (input->type == INPUT_ANY && size > 4 && strstr(input->data, ".version"))) {
        add_text(link, input->data, strnlen(input->data, size));
    } else if (input->type != INPUT_LTOIR && input->type != INPUT_INDEX) {
        if (!is_device_runtime(input->name))
            add_containers(link, input->data, size);
    }
    input->has_ptx = link->text_count > before;
    if (!input->has_ptx && !link->optimises && input->type != INPUT_INDEX && !is_device_runtime(input->name))
        fprintf(stderr, "cudasim: nvJitLink: '%s' has no PTX: kernels cannot use it\n",
                input->name ? input->name : "an input");
}

/* ------------------------------------------------------------------ link time optimisation */

/*
 * Links what has no PTX once more, to PTX, and adds that. A function that only PTX calls is removed there: kernels that
 * call it are refused.
 */
static enum result add_optimised(struct link *link)
{
    const char **options = malloc((link->option_count + 1) * sizeof *options);
    enum result result = RESULT_INTERNAL;
    void *handle = NULL;
    size_t size = 0;
    char *text = NULL;

    if (!options)
        return RESULT_INTERNAL;
    for (uint32_t i = 0; i < link->option_count; i++)
        options[i] = link->options[i];
    options[link->option_count] = "-ptx";
    if (link->real->create(&handle, link->option_count + !link->gives_ptx, options) != RESULT_SUCCESS)
        goto out;
    for (const struct added *input = link->first; input; input = input->next)
        if (!input->has_ptx &&
            link->real->add(handle, input->type, input->data, input->size, input->name) != RESULT_SUCCESS)
            goto out;
    if (link->real->complete(handle) != RESULT_SUCCESS || link->real->ptx_size(handle, &size) != RESULT_SUCCESS)
        goto out;
    text = malloc(size + 1);
    if (text && link->real->ptx(handle, text) == RESULT_SUCCESS && add_text(link, text, strnlen(text, size)))
        result = RESULT_SUCCESS;
out:
    if (handle)
        link->real->destroy(&handle);
    free(text);
    free(options);
    return result;
}

/* ------------------------------------------------------------------ the calls */

static enum result check_options(const struct link *link)
{
    for (uint32_t i = 0; i < link->option_count; i++)
        if (!strncmp(link->options[i], "-arch=", 6))
            return RESULT_SUCCESS;
    return RESULT_MISSING_ARCH;
}

static void link_free(struct link *link)
{
    for (struct added *input = link->first, *next; input; input = next) {
        next = input->next;
        free(input->data);
        free(input->name);
        free(input);
    }
    for (size_t i = 0; i < link->text_count; i++)
        free((void *)(uintptr_t)link->texts[i].text);
    for (uint32_t i = 0; link->options && i < link->option_count; i++)
        free(link->options[i]);
    if (link->checker)
        link->real->destroy(&link->checker);
    free(link->options);
    free(link->texts);
    free(link->image);
    free(link);
}

enum result nvJitLinkCreate(void **handle, uint32_t count, const char **options)
{
    struct link *link = calloc(1, sizeof *link);
    enum result result = RESULT_SUCCESS;

    if (!handle || (count && !options) || !link) {
        free(link);
        return RESULT_NULL_INPUT;
    }
    link->end = &link->first;
    link->real = real_library();
    link->options = calloc(count + 1, sizeof *link->options);
    for (; link->options && link->option_count < count; link->option_count++) {
        link->options[link->option_count] = strdup(options[link->option_count]);
        link->optimises |= !strcmp(options[link->option_count], "-lto");
        link->gives_ptx |= !strcmp(options[link->option_count], "-ptx");
    }
    if (link->real->create)
        result = (enum result)link->real->create(&link->checker, count, options);
    else
        result = check_options(link);
    if (result != RESULT_SUCCESS) {
        link_free(link);
        link = NULL;
    }
    *handle = link;
    return result;
}

enum result nvJitLinkDestroy(void **handle)
{
    if (!handle || !*handle)
        return RESULT_NULL_INPUT;
    link_free(*handle);
    *handle = NULL;
    return RESULT_SUCCESS;
}

enum result nvJitLinkAddData(void *handle, int type, const void *data, size_t size, const char *name)
{
    struct link *link = handle;
    enum result result = RESULT_SUCCESS;
    struct added *input;

    if (!link || !data || !size)
        return RESULT_NULL_INPUT;
    if (type == INPUT_LTOIR && !link->optimises && !link->checker)
        return RESULT_LTO_NOT_ENABLED;
    /* An image of this library's is no cubin to NVIDIA's. */
    if (link->checker && (size < sizeof(uint64_t) || !linked_size(data)))
        result = (enum result)link->real->add(link->checker, type, data, size, name);
    input = result == RESULT_SUCCESS ? calloc(1, sizeof *input) : NULL;
    if (!input)
        return result == RESULT_SUCCESS ? RESULT_INTERNAL : result;
    *link->end = input;
    link->end = &input->next;
    input->type = type;
    input->data = malloc(size + 1);
    input->name = name ? strdup(name) : NULL;
    if (!input->data)
        return RESULT_INTERNAL;
    memcpy(input->data, data, size);
    input->data[size] = '\0';
    input->size = size;
    return RESULT_SUCCESS;
}

enum result nvJitLinkAddFile(void *handle, int type, const char *path)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    enum result result = RESULT_INVALID_INPUT;
    char *data = NULL;
    long size = 0;

    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0)
        data = malloc((size_t)size);
    if (data && fread(data, 1, (size_t)size, file) == (size_t)size)
        result = nvJitLinkAddData(handle, type, data, (size_t)size, path);
    free(data);
    if (file)
        fclose(file);
    return result;
}

enum result nvJitLinkComplete(void *handle)
{
    struct link *link = handle;
    enum result result = RESULT_SUCCESS;
    bool left = false; /* inputs without PTX */

    if (!link)
        return RESULT_NULL_INPUT;
    if (link->checker)
        result = (enum result)link->real->complete(link->checker);
    if (result != RESULT_SUCCESS || link->image)
        return result;
    for (struct added *input = link->first; input; input = input->next)
        add_input(link, input);
    for (const struct added *input = link->first; input; input = input->next)
        left |= !input->has_ptx;
    if (left && link->optimises && link->checker)
        result = add_optimised(link);
    else if (left && link->optimises)
        fprintf(stderr, "cudasim: nvJitLink: link time optimisation needs NVIDIA's libnvJitLink.so.13\n");
    if (result == RESULT_SUCCESS && !linked_make(link->texts, link->text_count, &link->image, &link->image_size))
        result = RESULT_INTERNAL;
    return result;
}

enum result nvJitLinkGetLinkedCubinSize(void *handle, size_t *size)
{
    struct link *link = handle;

    if (!link || !size)
        return RESULT_NULL_INPUT;
    if (!link->image || link->gives_ptx)
        return RESULT_INTERNAL;
    *size = link->image_size;
    return RESULT_SUCCESS;
}

enum result nvJitLinkGetLinkedCubin(void *handle, void *cubin)
{
    struct link *link = handle;

    if (!link || !cubin)
        return RESULT_NULL_INPUT;
    if (!link->image || link->gives_ptx)
        return RESULT_INTERNAL;
    memcpy(cubin, link->image, link->image_size);
    return RESULT_SUCCESS;
}

enum result nvJitLinkGetLinkedPtxSize(void *handle, size_t *size)
{
    struct link *link = handle;

    return !link || !size ? RESULT_NULL_INPUT
           : link->checker ? (enum result)link->real->ptx_size(link->checker, size)
                           : RESULT_INTERNAL;
}

enum result nvJitLinkGetLinkedPtx(void *handle, char *text)
{
    struct link *link = handle;

    return !link || !text ? RESULT_NULL_INPUT
           : link->checker ? (enum result)link->real->ptx(link->checker, text)
                           : RESULT_INTERNAL;
}

/* ------------------------------------------------------------------ logs: NVIDIA's, or empty ones */

static enum result log_size(const struct link *link, int (*real)(void *, size_t *), size_t *size)
{
    if (!link || !size)
        return RESULT_NULL_INPUT;
    *size = 1;
    return link->checker ? (enum result)real(link->checker, size) : RESULT_SUCCESS;
}

static enum result log_text(const struct link *link, int (*real)(void *, char *), char *text)
{
    if (!link || !text)
        return RESULT_NULL_INPUT;
    if (link->checker)
        return (enum result)real(link->checker, text);
    text[0] = '\0';
    return RESULT_SUCCESS;
}

enum result nvJitLinkGetErrorLogSize(void *handle, size_t *size)
{
    return log_size(handle, real_library()->error_size, size);
}

enum result nvJitLinkGetErrorLog(void *handle, char *text)
{
    return log_text(handle, real_library()->error, text);
}

enum result nvJitLinkGetInfoLogSize(void *handle, size_t *size)
{
    return log_size(handle, real_library()->info_size, size);
}

enum result nvJitLinkGetInfoLog(void *handle, char *text)
{
    return log_text(handle, real_library()->info, text);
}

enum result nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    if (!major || !minor)
        return RESULT_NULL_INPUT;
    *major = 13;
    *minor = 0;
    return RESULT_SUCCESS;
}
