/*
 * validator.c - a folder with the output, a process in the compilers' box, and what it says.
 */
#include "validator.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verify/base/text.h"
#include "verify/base/tree.h"

enum { ACCEPTS = 42, REJECTS = 43 };

/* The command line, which points into itself. */
struct command {
    char paths[7][PATH_MAX + 64];
    char *words[96];
};

static bool write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "we");
    const bool ok = file && fwrite(text, 1, size, file) == size;

    return (!file || fclose(file) == 0) && ok;
}

static void compose(struct command *command, const char *root, const char *build, const char *stem, const char *folder,
                    const struct adapted_arguments *arguments)
{
    char (*paths)[PATH_MAX + 64] = command->paths;
    size_t count = 0;

    snprintf(paths[0], sizeof paths[0], "%.3000s/run_scripts/lib/compile_box.sh", root);
    snprintf(paths[1], sizeof paths[1], "%.3000s/validators/adapted", build);
    snprintf(paths[2], sizeof paths[2], "%.3000s/problems/adapted/imported/data/%.240s.in", root, stem);
    snprintf(paths[3], sizeof paths[3], "%.3000s/problems/adapted/imported/data/%.240s.ans", root, stem);
    snprintf(paths[4], sizeof paths[4], "%.3000s/validators/adapted/run", build);
    snprintf(paths[5], sizeof paths[5], "%.3000s/feedback/", folder);
    snprintf(paths[6], sizeof paths[6], "%.3000s", folder);
    /* The time is kept outside of the box, where the validator cannot end who keeps it. */
    for (char *const *word = (char *const[]){ "timeout", "-k5", "60", paths[0], paths[6], paths[1], paths[2], paths[3],
                                              "--", paths[4], paths[2], paths[3], paths[5], NULL }; *word; word++)
        command->words[count++] = *word;
    for (size_t i = 0; i < arguments->count; i++)
        command->words[count++] = (char *)arguments->items[i];
    command->words[count] = NULL;
}

/* The exit code; -1 where it had none. */
static int run(const struct command *command, const char *folder, const char *output)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        const int in = open(output, O_RDONLY), null = open("/dev/null", O_RDWR);

        if (chdir(folder) == 0 && dup2(in, 0) == 0 && dup2(null, 1) == 1 && dup2(null, 2) == 2)
            execvp(command->words[0], command->words);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
 * The first line of what the validator tells the judges. It may have made a link to a file that it cannot read, or a
 * FIFO, of that name.
 */
static void read_message(const char *folder, char *line, size_t size)
{
    const int fd = tree_open(folder, "feedback/judgemessage.txt");
    const ssize_t got = fd >= 0 ? read(fd, line, size - 1) : 0;

    line[got > 0 ? got : 0] = '\0';
    if (fd >= 0)
        close(fd);
    line[strcspn(line, "\r\n")] = '\0';
    text_defuse(line, size);
}

enum check_result adapted_validate(const char *root, const char *build, const char *stem,
                                   const struct adapted_arguments *arguments, const char *output, size_t size,
                                   struct finding *finding)
{
    struct command *command = calloc(1, sizeof *command);
    char folder[] = "/tmp/validator-XXXXXX", path[64], message[160];
    enum check_result result = CHECK_FAILED;
    int code = -1;

    if (!command || !mkdtemp(folder)) {
        free(command);
        return CHECK_FAILED;
    }
    compose(command, root, build, stem, folder, arguments);
    snprintf(path, sizeof path, "%s/feedback", folder);
    if (mkdir(path, 0755) == 0) {
        chmod(path, 0777); /* behind Landlock the validator is another user */
        chmod(folder, 0711);
        snprintf(path, sizeof path, "%s/output", folder);
        if (write_file(path, output, size))
            code = run(command, folder, path);
    }
    if (code == ACCEPTS) {
        result = CHECK_RIGHT;
    } else if (code == REJECTS) {
        read_message(folder, message, sizeof message);
        result = found_wrong(finding, REASON_VALUE, "wrote what the output validator rejects%s%s",
                             message[0] ? ": " : "", message);
    }
    tree_remove(folder);
    free(command);
    return result;
}
