/*
 * main_kattis.c - packages of the Kattis Problem Package Format: kattis COMMAND ARGUMENT...
 *
 *   check ZIP|FOLDER [--submissions]     holds a package against the rules of the format 2025-09
 *   export PROBLEM [--limit BYTES] [--league NAME]   writes a problem as packages/PROBLEM.zip in the build folder
 *   import ZIP|FOLDER NAME [--by-hand]         starts problems/NAME from a package of 2025-09, legacy or legacy-icpc
 *   groups DATA                          prints the test groups of a package's folder data/
 *   yaml FILE KEY...                     prints a YAML file, a line each: key, tab, value; other keys are refused
 *   unpack FROM FOLDER BYTES FILE-BYTES  is for the program itself, in a box
 *
 * Exit codes: 0, 1 a check failed, 2 the package or the arguments are at fault, 3 the toolkit or the machine is. A
 * process of its own does the work; this one waits for it, and removes its folder however it ends.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive.h"
#include "check.h"
#include "contrib/grade/groups.h"
#include "export.h"
#include "import.h"
#include "verify/base/root.h"
#include "verify/base/settings.h"
#include "verify/base/text.h"
#include "verify/base/tree.h"

static int print_groups(struct kit *kit, int argc, char **argv)
{
    struct test_groups groups;
    struct error error = { 0 };

    (void)kit;
    if (argc != 1)
        kit_refuse("usage: groups DATA");
    if (!test_groups_read(&groups, argv[0], &error))
        kit_end(&error);
    for (size_t i = 0; groups.scoring && i <= groups.count; i++) {
        const struct test_group *group = i == 0 ? &groups.secret : &groups.groups[i - 1];

        printf("%s\t%s\t", group->name, aggregation_names[group->aggregation]);
        printf(isinf(group->max_score) ? "unbounded" : "%.0f", group->max_score);
        printf("\t%zu\n", group->cases);
    }
    test_groups_release(&groups);
    return 0;
}

static int print_yaml(struct kit *kit, int argc, char **argv)
{
    struct settings settings;
    struct error error = { 0 };

    (void)kit;
    if (argc < 2)
        kit_refuse("usage: yaml FILE KEY...");
    if (!settings_load(&settings, argv[0], (const char *const *)argv + 1, &error) || !settings_show(&settings, &error))
        kit_end(&error);
    for (size_t i = 0; i < settings.count; i++)
        printf("%s\t%s\n", settings.items[i].key, settings.items[i].value);
    settings_release(&settings);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(struct kit *kit, int argc, char **argv); /* with the arguments behind the name */
} commands[] = {
    { "check", check_main }, { "export", export_main }, { "import", import_main },
    { "groups", print_groups }, { "yaml", print_yaml },
};

static volatile sig_atomic_t worker;

static void pass_on(int number) { kill((pid_t)worker, number); }

static int work(int argc, char **argv, const char *folder)
{
    struct kit *kit = calloc(1, sizeof *kit);
    struct error error = { 0 };
    int code = 2;

    if (!kit)
        return 3;
    kit->work = folder;
    if (!root_find(kit->build, kit->root, sizeof kit->root, &error))
        kit_end(&error);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (argc > 1 && strcmp(argv[1], commands[i].name) == 0) {
            code = commands[i].run(kit, argc - 2, argv + 2);
            argc = 0;
        }
    if (argc > 0)
        fprintf(stderr, "usage: kattis check|export|import|groups|yaml ARGUMENT...\n");
    kit_release(kit);
    free(kit);
    return code;
}

int main(int argc, char **argv)
{
    const char *above = getenv("TMPDIR");
    char folder[PATH_MAX];
    int status = 0;

    if (argc > 1 && strcmp(argv[1], "unpack") == 0)
        return archive_main(argc, argv);
    snprintf(folder, sizeof folder, "%s/kattis-XXXXXX", above && above[0] == '/' ? above : "/tmp");
    if (!mkdtemp(folder))
        kit_fail("cannot make '%s': %s", folder, strerror(errno));
    worker = fork();
    if (worker == 0)
        exit(work(argc, argv, folder));
    for (const int *each = (const int[]){ SIGINT, SIGTERM, SIGHUP, 0 }; *each; each++)
        signal(*each, worker > 0 ? pass_on : SIG_DFL);
    while (worker > 0 && waitpid((pid_t)worker, &status, 0) < 0 && errno == EINTR)
        ;
    tree_remove(folder);
    if (worker < 0)
        kit_fail("cannot start a process: %s", strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
