/*
 * kit.h - what the commands of kattis share: kept memory, rules as regular expressions, files, and boxed programs.
 *
 * Memory of a kit lives until kit_release(). What fails ends the program: kit_refuse() where a package or the caller is
 * at fault, kit_fail() where the machine is; main_kattis.c removes the working folder then. It knows no format.
 */
#ifndef KATTIS_KIT_H
#define KATTIS_KIT_H

#include <limits.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

enum { KIT_RULES = 128, KIT_GROUPS = 4, KIT_ENTRIES = 20000 };

struct kit {
    char root[PATH_MAX];        /* the toolkit's folder */
    char build[PATH_MAX];       /* the folder of this program */
    const char *work;           /* a folder of this run's own, with an absolute path */
    void **kept;                /* [kept_count], memory to free */
    size_t kept_count;
    struct {
        const char *pattern;    /* as it was given */
        regex_t regex;          /* it, anchored at both ends */
    } rules[KIT_RULES];         /* [rule_count], those that were used */
    size_t rule_count;
};

/* Lines of text, kept. All zero is an empty list. */
struct lines {
    char **items; /* [count] */
    size_t count;
};

/* A file or folder of a tree. */
struct entry {
    const char *path; /* below the tree's folder */
    bool folder;      /* else a file */
    bool executable;
};

struct tree {
    char *folder;        /* its path */
    struct entry *items; /* [count], by path */
    size_t count;
    size_t bytes;        /* of all files */
};

_Noreturn void kit_refuse(const char *format, ...) __attribute__((format(printf, 1, 2))); /* exit code 2 */
_Noreturn void kit_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));   /* exit code 3 */
_Noreturn void kit_end(const struct error *error); /* with its words and code */
void kit_release(struct kit *kit);

void *kit_alloc(struct kit *kit, size_t size); /* zero bytes */
char *kit_text(struct kit *kit, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text as one line that is harmless to print (verify/base/text.h). */
char *kit_shown(struct kit *kit, const char *text);
void lines_add(struct kit *kit, struct lines *lines, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool lines_have(const struct lines *lines, const char *text);
/* The parts of a text between the characters of `ends`, without empty ones. */
struct lines lines_split(struct kit *kit, const char *text, const char *ends);
char *lines_join(struct kit *kit, const struct lines *lines, const char *between);

/*
 * Whether the whole text is as the extended regular expression says. Where found is not NULL, the texts of the first
 * KIT_GROUPS groups are in it, "" for one that is not there. Patterns are constants: their number is bounded.
 */
bool kit_matches(struct kit *kit, const char *text, const char *pattern, char *found[KIT_GROUPS]);
bool starts_with(const char *text, const char *start);
bool ends_with(const char *text, const char *end);
char *kit_stem(struct kit *kit, const char *path); /* without the last ending */
const char *base_name(const char *path);

/* What is below a folder that others filled: links, other kinds of files and more than KIT_ENTRIES are refused. */
struct tree tree_read(struct kit *kit, const char *folder);
const struct entry *tree_at(const struct tree *tree, const char *path);       /* NULL where there is none */
bool tree_has(struct kit *kit, const struct tree *tree, const char *stem, const char *suffix); /* such a file */
/* The entries right below a folder ("" for the tree's own), as lines. */
struct lines tree_list(struct kit *kit, const struct tree *tree, const char *folder);
/* Whether something that is no part of a case (NAME.files) lies below a folder, `depth` levels down or more. */
bool tree_has_folder(const struct tree *tree, const char *folder, size_t depth);

/* A whole file, ended by a zero byte and kept; no link is followed. NULL where there is none. */
char *file_read(struct kit *kit, const char *path, size_t *size);
/* Writes a new file, and the folders above it. */
void file_write(struct kit *kit, const char *path, const char *text, size_t size, bool executable);
void file_copy(struct kit *kit, const char *from, const char *to);
/* FROM, a folder or file of the tree, with what is below it, to the path TO. What is there stays or is replaced. */
void tree_copy(struct kit *kit, const struct tree *tree, const char *from, const char *to);
void folder_make(struct kit *kit, const char *path);

/* A command, and where it runs. */
struct command {
    const char *folder;   /* NULL for this process's */
    const char *input;    /* a file, or NULL for /dev/null */
    const char *output;   /* a new file, or NULL for /dev/null */
    const char *errors;   /* the same; "" for this process's */
    const char *seconds;  /* then it is killed: exit code 124; NULL for no limit */
    const char *box;      /* the only folder that it may write to, or NULL for no box */
    const char *sees[4];  /* further files and folders that it may read in the box */
};

/* Its exit code, or 128 and the signal's number. */
int kit_run(struct kit *kit, const struct command *command, const struct lines *arguments);

#endif
