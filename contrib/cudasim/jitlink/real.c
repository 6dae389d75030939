/*
 * real.c - finds NVIDIA's libnvJitLink. It has the same name as this library, so it is loaded by its path.
 */
#include "real.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME "libnvJitLink.so.13"

static struct real found; /* written once, by find() */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The folder's library, unless it is the one that this code is in. */
static void *open_in(const char *folder)
{
    char path[PATH_MAX];
    struct stat own, other;
    Dl_info here;

    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, NAME) >= sizeof path || stat(path, &other) != 0)
        return NULL;
    if (dladdr((void *)(uintptr_t)&real_library, &here) && stat(here.dli_fname, &own) == 0 &&
        own.st_dev == other.st_dev && own.st_ino == other.st_ino)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
}

/* In the folders where the loader looks for the program's libraries. */
static void *open_on_path(void)
{
    void *program = dlopen(NULL, RTLD_NOW), *library = NULL;
    Dl_serinfo size, *path = NULL;

    if (program && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0)
        path = malloc(size.dls_size);
    if (path && dlinfo(program, RTLD_DI_SERINFOSIZE, path) == 0 && dlinfo(program, RTLD_DI_SERINFO, path) == 0)
        for (unsigned i = 0; i < path->dls_cnt && !library; i++)
            library = open_in(path->dls_serpath[i].dls_name);
    free(path);
    return library;
}

static void *open_in_toolkit(const char *variable)
{
    const char *home = variable ? getenv(variable) : "/usr/local/cuda";
    char folder[PATH_MAX];

    return home && (size_t)snprintf(folder, sizeof folder, "%s/lib64", home) < sizeof folder ? open_in(folder) : NULL;
}

/* A function by the name that headers use; its type is the caller's. */
static void look_up(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);

    memcpy(function, &address, sizeof address);
}

static void find(void)
{
    void *library = open_on_path();

    library = library ? library : open_in_toolkit("CUDA_HOME");
    library = library ? library : open_in_toolkit("CUDA_PATH");
    library = library ? library : open_in_toolkit(NULL);
    if (!library)
        return;
    look_up(library, "nvJitLinkCreate", &found.create);
    look_up(library, "nvJitLinkDestroy", &found.destroy);
    look_up(library, "nvJitLinkAddData", &found.add);
    look_up(library, "nvJitLinkComplete", &found.complete);
    look_up(library, "nvJitLinkGetLinkedPtxSize", &found.ptx_size);
    look_up(library, "nvJitLinkGetLinkedPtx", &found.ptx);
    look_up(library, "nvJitLinkGetErrorLogSize", &found.error_size);
    look_up(library, "nvJitLinkGetErrorLog", &found.error);
    look_up(library, "nvJitLinkGetInfoLogSize", &found.info_size);
    look_up(library, "nvJitLinkGetInfoLog", &found.info);
    if (!found.create || !found.destroy || !found.add || !found.complete || !found.ptx_size || !found.ptx ||
        !found.error_size || !found.error || !found.info_size || !found.info)
        found = (struct real){ 0 };
}

const struct real *real_library(void)
{
    pthread_once(&once, find);
    return &found;
}
