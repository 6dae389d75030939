/*
 * gpu_contest_driver.c - the main program that a judge compiles with a submission: reads an input from standard input,
 * calls device_user(), and writes its output to standard output.
 *
 * What the submission itself prints goes to standard error, so that a stray printf() is no wrong answer.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "package_text.h"

void device_user();
void device_user_setup(void) __attribute__((weak));

static int done;

/* An exit() from within the submission is a crash, not an answer of nothing. */
static void left_early(void)
{
    if (!done)
        _exit(1);
}

static int fail(const char *why)
{
    fprintf(stderr, "gpu_contest_driver: the input: %s\n", why);
    return 1;
}

int main(void)
{
    struct package_header header;
    const char *why = package_read_header(stdin, "gpu-contest-input", &header);
    unsigned char *input, *output;
    FILE *answer;

    if (why)
        return fail(why);
    /* As the toolkit aligns them: to a page, and never empty. */
    input = aligned_alloc(4096, (header.size + 4096) / 4096 * 4096);
    output = aligned_alloc(4096, (header.output_size + 4096) / 4096 * 4096);
    if (!input || !output)
        return fail("no memory for it");
    why = package_read_bytes(stdin, input, header.size);
    if (why)
        return fail(why);
    memset(output, 0xa5, header.output_size);
    answer = fdopen(dup(STDOUT_FILENO), "w");
    if (!answer || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return fail("no place for the output");
    atexit(left_early);
    if (device_user_setup)
        device_user_setup();
    call_device_user((void (*)(void))device_user,
                     &(struct user_call){ .header = input, .input = input, .input_size = header.size,
                                          .output = output, .output_size = header.output_size });
    done = 1;
    package_write_output(answer, output, header.output_size);
    return fclose(answer) != 0;
}
