/*
 * device_code.c - what is registered is in the file, as the judge has read it, and stays so.
 */
#include "device_code.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verify/base/containers.h"
#include "verify/wire/channel.h"

enum { PRELINKED_MOST = 64, REGISTERED_MOST = 1024 };

/* As nvcc writes it into .nvFatBinSegment. */
struct descriptor {
    uint32_t magic, version;
    const unsigned char *data;             /* a container */
    const unsigned char *const *prelinked; /* of version 2: more of them, up to NULL */
};

/* What the runtime gets in the place of a descriptor, which the submission could change afterwards. */
struct registration {
    struct descriptor descriptor;
    const unsigned char *prelinked[PRELINKED_MOST + 1]; /* ended by NULL */
};

/* For the process's life. */
static struct {
    void **(*original)(void *);
    const char *path;
    const unsigned char *section; /* .nv_fatbin in memory, where nobody can write any more; NULL before it is sealed */
    size_t size;                  /* bytes of it */
    struct registration *all;     /* [count], of REGISTERED_MOST */
    size_t count;
} expected;

/* Where .nv_fatbin is in the file, and in memory once it is loaded. */
struct device_section {
    uint64_t address, offset, size;
};

void device_code_expect(void *library, const char *path)
{
    void *symbol = dlsym(library, "__cudaRegisterFatBinary");

    memcpy(&expected.original, &symbol, sizeof symbol);
    expected.path = path;
}

/* The host has read the file before: a file that is unreadable now has changed. */
static bool find_section(int fd, struct device_section *found)
{
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    char name[11];

    if (pread(fd, &header, sizeof header, 0) != sizeof header || header.e_shentsize != sizeof section ||
        pread(fd, &names, sizeof names, (off_t)(header.e_shoff + header.e_shstrndx * sizeof names)) != sizeof names)
        return false;
    for (unsigned i = 0; i < header.e_shnum; i++)
        if (pread(fd, &section, sizeof section, (off_t)(header.e_shoff + i * sizeof section)) == sizeof section &&
            pread(fd, name, sizeof name, (off_t)(names.sh_offset + section.sh_name)) == sizeof name &&
            memcmp(name, ".nv_fatbin", sizeof name) == 0) {
            *found = (struct device_section){ section.sh_addr, section.sh_offset, section.sh_size };
            return true;
        }
    return false;
}

/* Where the submission lies in memory. */
static int find_base(struct dl_phdr_info *library, size_t size, void *base)
{
    (void)size;
    if (!library->dlpi_name || strcmp(library->dlpi_name, expected.path) != 0)
        return 0;
    memcpy(base, &library->dlpi_addr, sizeof library->dlpi_addr);
    return 1;
}

/*
 * Puts the file's own pages in the place of the loaded ones, shared with it and only to be read: the kernel lets no
 * process write to such pages, nor make them writable. False if the loaded ones are not as in the file any more.
 */
static bool seal(int fd, const struct device_section *found, uintptr_t base)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = base + found->address, first = start / page * page;
    const size_t size = (size_t)(start - first + found->size);
    const off_t offset = (off_t)(found->offset - (start - first));
    const unsigned char *file;
    bool same;

    if (found->offset % page != start % page)
        return false;
    file = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offset);
    if (file == MAP_FAILED)
        return false;
    same = memcmp(file, (const void *)first, size) == 0 &&
           mmap((void *)first, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, offset) == (void *)first;
    munmap((void *)file, size);
    return same;
}

/* At the first registration: before it no code of the device is used. */
static bool seal_section(void)
{
    struct device_section found;
    uintptr_t base = 0;
    int fd = open(expected.path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && find_section(fd, &found) && dl_iterate_phdr(find_base, &base) == 1 && seal(fd, &found, base);

    if (fd >= 0)
        close(fd);
    expected.all = ok ? calloc(REGISTERED_MOST, sizeof *expected.all) : NULL;
    if (!expected.all)
        return false;
    expected.section = (const unsigned char *)(base + found.address);
    expected.size = found.size;
    return true;
}

/* Whether the judge has read it: a container of the section. */
static bool is_known(const unsigned char *container)
{
    const uintptr_t start = (uintptr_t)expected.section, at = (uintptr_t)container;

    return at >= start && at - start < expected.size && container_begins(expected.section, expected.size, at - start);
}

/* A copy of what is right; else NULL. */
static struct registration *take(const struct descriptor *given)
{
    struct registration *taken;
    bool right;
    size_t i = 0;

    if ((!expected.section && !seal_section()) || expected.count == REGISTERED_MOST)
        return NULL;
    taken = &expected.all[expected.count++];
    taken->descriptor = *given;
    right = is_known(taken->descriptor.data);
    if (taken->descriptor.version == 2 && taken->descriptor.prelinked) {
        for (; right && i < PRELINKED_MOST && (taken->prelinked[i] = given->prelinked[i]); i++)
            right = is_known(taken->prelinked[i]);
        taken->descriptor.prelinked = taken->prelinked;
    }
    return right && i < PRELINKED_MOST ? taken : NULL;
}

void **__cudaRegisterFatBinary(void *descriptor)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_FOREIGN_CODE };
    struct registration *taken;

    if (!expected.original)
        abort();
    taken = take(descriptor);
    if (!taken) {
        channel_send(CHANNEL_FD, &message, -1);
        _exit(RUNNER_FAILED);
    }
    return expected.original(&taken->descriptor);
}
