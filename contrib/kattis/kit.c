/*
 * kit.c - memory, text, files and processes of the commands.
 */
#include "kit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verify/base/text.h"

/* ------------------------------------------------------------------ ends */

static void complain(const char *format, va_list list)
{
    char text[2048];

    vsnprintf(text, sizeof text, format, list);
    text_defuse(text, sizeof text);
    fflush(stdout);
    fprintf(stderr, "kattis: %s\n", text);
}

void kit_refuse(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    complain(format, list);
    va_end(list);
    exit(2);
}

void kit_fail(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    complain(format, list);
    va_end(list);
    exit(3);
}

void kit_end(const struct error *error)
{
    if (error->code == EXIT_USAGE)
        kit_refuse("%s", error->text);
    kit_fail("%s", error->text);
}

/* ------------------------------------------------------------------ memory and text */

static void *keep(struct kit *kit, void *memory)
{
    if (memory && (kit->kept_count & (kit->kept_count - 1)) == 0) {
        void **grown = reallocarray(kit->kept, kit->kept_count ? 2 * kit->kept_count : 1, sizeof *grown);

        kit->kept = grown ? grown : kit->kept;
        memory = grown ? memory : NULL;
    }
    if (!memory)
        kit_fail("out of memory");
    return kit->kept[kit->kept_count++] = memory;
}

void kit_release(struct kit *kit)
{
    for (size_t i = 0; i < kit->kept_count; i++)
        free(kit->kept[i]);
    free(kit->kept);
    for (size_t i = 0; i < kit->rule_count; i++)
        regfree(&kit->rules[i].regex);
    kit->kept_count = kit->rule_count = 0;
}

void *kit_alloc(struct kit *kit, size_t size) { return keep(kit, calloc(1, size ? size : 1)); }

static char *format_text(struct kit *kit, const char *format, va_list list)
{
    char *text;

    return keep(kit, vasprintf(&text, format, list) < 0 ? NULL : text);
}

char *kit_text(struct kit *kit, const char *format, ...)
{
    va_list list;
    char *text;

    va_start(list, format);
    text = format_text(kit, format, list);
    va_end(list);
    return text;
}

char *kit_shown(struct kit *kit, const char *text)
{
    char *shown = text_shown(text, false), *kept = shown ? kit_text(kit, "%s", shown) : NULL;

    free(shown);
    if (!kept)
        kit_fail("out of memory");
    return kept;
}

static void add(struct kit *kit, struct lines *lines, char *text)
{
    if ((lines->count & (lines->count - 1)) == 0) {
        char **grown = kit_alloc(kit, (2 * lines->count + 1) * sizeof *grown);

        for (size_t i = 0; i < lines->count; i++)
            grown[i] = lines->items[i];
        lines->items = grown;
    }
    lines->items[lines->count++] = text;
}

void lines_add(struct kit *kit, struct lines *lines, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    add(kit, lines, format_text(kit, format, list));
    va_end(list);
}

bool lines_have(const struct lines *lines, const char *text)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->items[i], text) == 0)
            return true;
    return false;
}

struct lines lines_split(struct kit *kit, const char *text, const char *ends)
{
    struct lines lines = { 0 };
    char *rest = kit_text(kit, "%s", text), *part;

    while ((part = strsep(&rest, ends)))
        if (part[0])
            add(kit, &lines, part);
    return lines;
}

char *lines_join(struct kit *kit, const struct lines *lines, const char *between)
{
    size_t size = 1;
    char *text, *end;

    for (size_t i = 0; i < lines->count; i++)
        size += strlen(lines->items[i]) + strlen(between);
    end = text = kit_alloc(kit, size);
    for (size_t i = 0; i < lines->count; i++)
        end = stpcpy(stpcpy(end, i ? between : ""), lines->items[i]);
    return text;
}

static const regex_t *rule(struct kit *kit, const char *pattern)
{
    for (size_t i = 0; i < kit->rule_count; i++)
        if (strcmp(kit->rules[i].pattern, pattern) == 0)
            return &kit->rules[i].regex;
    if (kit->rule_count == KIT_RULES ||
        regcomp(&kit->rules[kit->rule_count].regex, kit_text(kit, "^(%s)$", pattern), REG_EXTENDED) != 0)
        kit_fail("the rule '%s' is none, or one too many", pattern);
    kit->rules[kit->rule_count].pattern = pattern;
    return &kit->rules[kit->rule_count++].regex;
}

bool kit_matches(struct kit *kit, const char *text, const char *pattern, char *found[KIT_GROUPS])
{
    regmatch_t places[KIT_GROUPS + 2];

    if (regexec(rule(kit, pattern), text, KIT_GROUPS + 2, places, 0) != 0)
        return false;
    for (size_t i = 0; found && i < KIT_GROUPS; i++) {
        const int from = places[i + 2].rm_so, to = places[i + 2].rm_eo;

        found[i] = from < 0 ? "" : kit_text(kit, "%.*s", to - from, text + from);
    }
    return true;
}

bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

char *kit_stem(struct kit *kit, const char *path)
{
    const char *dot = strrchr(base_name(path), '.');

    return kit_text(kit, "%.*s", dot ? (int)(dot - path) : INT_MAX, path);
}

/* ------------------------------------------------------------------ trees */

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static void read_folder(struct kit *kit, struct tree *tree, const char *below)
{
    DIR *folder = opendir(kit_text(kit, "%s/%s", tree->folder, below));
    struct dirent *each;

    if (!folder)
        kit_fail("cannot list '%s': %s", below, strerror(errno));
    while ((each = readdir(folder))) {
        struct entry *entry = &tree->items[tree->count];
        struct stat status;

        if (strcmp(each->d_name, ".") == 0 || strcmp(each->d_name, "..") == 0)
            continue;
        if (tree->count == KIT_ENTRIES)
            kit_refuse("there are more than %d files and folders", KIT_ENTRIES);
        if (fstatat(dirfd(folder), each->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
            kit_refuse("'%s' is a link or a special file: use only files and folders", each->d_name);
        *entry = (struct entry){ kit_text(kit, "%s%s%s", below, below[0] ? "/" : "", each->d_name),
                                 S_ISDIR(status.st_mode), status.st_mode & 0100 };
        tree->bytes += entry->folder ? 0 : (size_t)status.st_size;
        tree->count++;
    }
    closedir(folder);
}

struct tree tree_read(struct kit *kit, const char *folder)
{
    struct tree tree = { .folder = kit_text(kit, "%s", folder),
                         .items = kit_alloc(kit, KIT_ENTRIES * sizeof *tree.items) };

    read_folder(kit, &tree, "");
    for (size_t i = 0; i < tree.count; i++) /* those that are found on the way are appended */
        if (tree.items[i].folder)
            read_folder(kit, &tree, tree.items[i].path);
    qsort(tree.items, tree.count, sizeof *tree.items, by_path);
    return tree;
}

const struct entry *tree_at(const struct tree *tree, const char *path)
{
    return bsearch(&(struct entry){ .path = path }, tree->items, tree->count, sizeof *tree->items, by_path);
}

bool tree_has(struct kit *kit, const struct tree *tree, const char *stem, const char *suffix)
{
    const struct entry *entry = tree_at(tree, kit_text(kit, "%s%s", stem, suffix));

    return entry && !entry->folder;
}

/* What of a path is below a folder; NULL where nothing is. */
static const char *below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);

    if (length == 0)
        return path;
    return starts_with(path, folder) && path[length] == '/' ? path + length + 1 : NULL;
}

struct lines tree_list(struct kit *kit, const struct tree *tree, const char *folder)
{
    struct lines found = { 0 };

    for (size_t i = 0; i < tree->count; i++) {
        const char *rest = below(tree->items[i].path, folder);

        if (rest && !strchr(rest, '/'))
            lines_add(kit, &found, "%s", tree->items[i].path);
    }
    return found;
}

bool tree_has_folder(const struct tree *tree, const char *folder, size_t depth)
{
    for (size_t i = 0; i < tree->count; i++) {
        const char *rest = below(tree->items[i].path, folder);
        size_t slashes = 0;

        for (const char *c = rest; c && *c; c++)
            slashes += *c == '/';
        if (rest && tree->items[i].folder && slashes + 1 >= depth && !strstr(rest, ".files"))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ files */

char *file_read(struct kit *kit, const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;
    size_t done = 0;
    ssize_t got = 1;
    char *text;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        kit_refuse("'%s' is not a file", path);
    text = kit_alloc(kit, (size_t)status.st_size + 1);
    while (done < (size_t)status.st_size && (got = read(fd, text + done, (size_t)status.st_size - done)) > 0)
        done += (size_t)got;
    if (got < 0)
        kit_fail("cannot read '%s': %s", path, strerror(errno));
    close(fd);
    if (size)
        *size = done;
    return text;
}

void folder_make(struct kit *kit, const char *path)
{
    char *copy = kit_text(kit, "%s/", path);

    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            kit_fail("cannot make '%s': %s", copy, strerror(errno));
        *slash = '/';
    }
}

/* A new file in the place of an older one; below 0 where it cannot be. */
static int create(struct kit *kit, const char *path, bool executable)
{
    folder_make(kit, kit_text(kit, "%.*s", (int)(base_name(path) - path), path));
    unlink(path);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, executable ? 0777 : 0666);
}

void file_write(struct kit *kit, const char *path, const char *text, size_t size, bool executable)
{
    int fd = create(kit, path, executable);
    size_t done = 0;
    ssize_t put = 1;

    while (fd >= 0 && done < size && (put = write(fd, text + done, size - done)) > 0)
        done += (size_t)put;
    if (fd < 0 || put < 0 || close(fd) != 0)
        kit_fail("cannot write '%s': %s", path, strerror(errno));
}

void file_copy(struct kit *kit, const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), out;
    struct stat status;
    ssize_t sent = 1;

    if (in < 0 || fstat(in, &status) != 0)
        kit_fail("cannot read '%s': %s", from, strerror(errno));
    out = create(kit, to, status.st_mode & 0100);
    while (out >= 0 && (sent = sendfile(out, in, NULL, 1 << 20)) > 0)
        ;
    if (out < 0 || sent < 0 || close(out) != 0)
        kit_fail("cannot write '%s': %s", to, strerror(errno));
    close(in);
}

void tree_copy(struct kit *kit, const struct tree *tree, const char *from, const char *to)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct entry *entry = &tree->items[i];
        const char *rest = strcmp(entry->path, from) == 0 ? "" : below(entry->path, from);
        char *path = kit_text(kit, "%s%s%s", to, rest && rest[0] ? "/" : "", rest ? rest : "");

        if (rest && entry->folder)
            folder_make(kit, path);
        else if (rest)
            file_copy(kit, kit_text(kit, "%s/%s", tree->folder, entry->path), path);
    }
}

/* ------------------------------------------------------------------ programs */

static void redirect(const char *path, int flags, int to)
{
    int fd = open(path ? path : "/dev/null", flags | O_NOFOLLOW, 0666);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(126);
    if (fd != to)
        close(fd);
}

int kit_run(struct kit *kit, const struct command *command, const struct lines *arguments)
{
    struct lines words = { 0 };
    int status;
    pid_t child;

    if (command->seconds) {
        lines_add(kit, &words, "timeout");
        lines_add(kit, &words, "-k5");
        lines_add(kit, &words, "%s", command->seconds);
    }
    if (command->box) {
        lines_add(kit, &words, "%s/run_scripts/lib/compile_box.sh", kit->root);
        lines_add(kit, &words, "%s", command->box);
        for (size_t i = 0; i < 4 && command->sees[i]; i++)
            lines_add(kit, &words, "%s", command->sees[i]);
        lines_add(kit, &words, "--");
    }
    for (size_t i = 0; i < arguments->count; i++)
        add(kit, &words, arguments->items[i]);
    add(kit, &words, NULL);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* what is in a box ends with this process */
        redirect(command->input, O_RDONLY, STDIN_FILENO);
        redirect(command->output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
        if (!command->errors || command->errors[0])
            redirect(command->errors, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
        if (!command->folder || chdir(command->folder) == 0)
            execvp(words.items[0], words.items);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        kit_fail("cannot start '%s': %s", words.items[0], strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
