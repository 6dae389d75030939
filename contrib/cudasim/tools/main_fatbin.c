/*
 * main_fatbin.c - lists what nvcc embedded in a file, or writes its PTX.
 *
 * FILE is a program, a shared object or an object file with a .nv_fatbin section, a fatbin, or a cubin. Exit code 0 is
 * success, 1 a faulty file, 2 a faulty command line.
 */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "contrib/cudasim/container/fatbin.h"

enum { EXIT_OK, EXIT_FILE, EXIT_USAGE };

struct image {
    const unsigned char *data;
    size_t size; /* bytes */
};

static bool fail(const char *path, const char *reason)
{
    fprintf(stderr, "fatbin: '%s': %s\n", path, reason);
    return false;
}

/* The whole file, to be freed. */
static bool read_file(const char *path, struct image *image)
{
    struct stat status;
    unsigned char *data = NULL;
    FILE *file = fopen(path, "rb");
    bool ok = false;

    if (!file || fstat(fileno(file), &status) < 0) {
        fail(path, strerror(errno));
        goto out;
    }
    if (!S_ISREG(status.st_mode)) {
        fail(path, "not a regular file");
        goto out;
    }
    data = malloc((size_t)status.st_size + 1);
    if (!data) {
        fail(path, "too large for this machine's memory");
        goto out;
    }
    if (fread(data, 1, (size_t)status.st_size, file) != (size_t)status.st_size) {
        fail(path, "cannot read all of it");
        goto out;
    }
    *image = (struct image){ data, (size_t)status.st_size };
    data = NULL;
    ok = true;
out:
    free(data);
    if (file)
        fclose(file);
    return ok;
}

/* Finds the section of an ELF file. */
static bool find_section(Elf *elf, const struct image *file, const char *wanted, struct image *found)
{
    Elf_Scn *section = NULL;
    size_t names;
    bool ok = false;

    if (elf_getshdrstrndx(elf, &names) < 0)
        return false;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name;

        if (!gelf_getshdr(section, &header) || !(name = elf_strptr(elf, names, header.sh_name)))
            continue;
        if (strcmp(name, wanted) != 0 || header.sh_type == SHT_NOBITS || header.sh_offset > file->size ||
            header.sh_size > file->size - header.sh_offset)
            continue;
        *found = (struct image){ file->data + header.sh_offset, header.sh_size };
        ok = true;
    }
    return ok;
}

static void list_kernels(const void *elf, size_t size)
{
    struct cubin_kernel *kernels;
    size_t count = cubin_kernels(elf, size, &kernels);

    for (size_t i = 0; i < count; i++) {
        printf("  %s: %u registers, %u bytes shared, %u bytes local", kernels[i].name, kernels[i].registers,
               kernels[i].shared, kernels[i].local);
        if (kernels[i].max_threads)
            printf(", at most %u threads", kernels[i].max_threads);
        putchar('\n');
    }
    cubin_free(kernels, count);
}

/* One container: a line for each entry, or its PTX. *texts counts the PTX written so far. */
static void show(const struct fatbin *fatbin, bool want_ptx, size_t *texts)
{
    for (size_t i = 0; i < fatbin->count; i++) {
        const struct fatbin_entry *entry = &fatbin->entries[i];

        if (want_ptx && entry->kind == FATBIN_PTX) {
            if ((*texts)++ > 0)
                printf("\n// the next module: sm_%u%s\n", entry->arch, entry->specific ? "a" : "");
            fwrite(entry->data, 1, entry->size, stdout);
        } else if (!want_ptx) {
            printf("%s sm_%u%s, %zu bytes%s\n", entry->kind == FATBIN_PTX ? "PTX" : "ELF", entry->arch,
                   entry->specific ? "a" : "", entry->size, entry->owned ? ", compressed" : "");
            if (entry->kind == FATBIN_ELF)
                list_kernels(entry->data, entry->size);
        }
    }
}

static bool show_containers(const char *path, const struct image *image, bool want_ptx)
{
    size_t at = 0, containers = 0, texts = 0;

    while (at < image->size) {
        struct fatbin fatbin;
        char error[240];
        static const unsigned char zeros[8];
        size_t left = image->size - at, size;

        if (containers && left < sizeof zeros && memcmp(image->data + at, zeros, left) == 0)
            break;
        if (!fatbin_open(&fatbin, image->data + at, left, error, sizeof error))
            return fail(path, error);
        show(&fatbin, want_ptx, &texts);
        fatbin_release(&fatbin);
        containers++;
        size = fatbin_size(image->data + at, left);
        size = (size + 7) / 8 * 8;
        at += size < left ? size : left;
    }
    if (!containers)
        return fail(path, "it is empty");
    if (want_ptx && !texts)
        return fail(path, "it has no PTX; build with -gencode arch=compute_90,code=[sm_90,compute_90]");
    return true;
}

/* What the program has as a whole, and what each object of a program built with -rdc=true has. False: neither. */
static bool show_sections(const char *path, Elf *elf, const struct image *file, bool want_ptx, bool *ok)
{
    static const char *const names[] = { ".nv_fatbin", "__nv_relfatbin" };
    bool found = false;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct image image;

        if (!find_section(elf, file, names[i], &image))
            continue;
        *ok = show_containers(path, &image, want_ptx) && (*ok || !found);
        found = true;
    }
    return found;
}

static bool show_file(const char *path, bool want_ptx)
{
    struct image file = { 0 }, image;
    Elf *elf = NULL;
    GElf_Ehdr header;
    bool ok = false;

    if (!read_file(path, &file))
        return false;
    image = file;
    if (file.size >= SELFMAG && memcmp(file.data, ELFMAG, SELFMAG) == 0) {
        elf_version(EV_CURRENT);
        elf = elf_memory((char *)(uintptr_t)file.data, file.size);
        if (!elf || !gelf_getehdr(elf, &header)) {
            fail(path, "a broken ELF file");
            goto out;
        }
        if (header.e_machine == EM_CUDA && !want_ptx) {
            list_kernels(file.data, file.size);
            ok = true;
            goto out;
        }
        if (!show_sections(path, elf, &file, want_ptx, &ok))
            fail(path, "it has no section .nv_fatbin; was it built by nvcc?");
        goto out;
    }
    ok = show_containers(path, &image, want_ptx);
out:
    elf_end(elf);
    free((void *)(uintptr_t)file.data);
    return ok;
}

int main(int argc, char **argv)
{
    bool want_ptx = argc == 3 && strcmp(argv[1], "-p") == 0;

    if ((argc != 2 && !want_ptx) || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: fatbin [-p] FILE\n"
                        "Lists the code that nvcc embedded in FILE (a program, a shared object or a fatbin) and its "
                        "kernels;\n-p writes its PTX.\n");
        return EXIT_USAGE;
    }
    if (!show_file(argv[argc - 1], want_ptx))
        return EXIT_FILE;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "fatbin: cannot write: %s\n", strerror(errno));
        return EXIT_FILE;
    }
    return EXIT_OK;
}
