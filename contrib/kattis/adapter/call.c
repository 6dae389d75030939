/*
 * call.c - runs a participant's main() or device_user() on the text of a case. Linked into the runner.
 *
 * main() has the text as its standard input and a file in memory as its standard output. Both files are made before the
 * runner gives up to make such, and are the submission's alone: what stands in them is believed no more than anything
 * else that it says.
 */
#include "verify/wire/call.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

/* As include/device_user.h has it, which is for submissions. */
struct device_user_case {
    const char *input;
    size_t size;
    char *output;
    size_t room, written;
    int status;
};

/* For the runner's life: standard input and output of main(). */
static int files[2] = { -1, -1 };

/* Nothing in it can be executed, where the kernel knows how (6.3). */
static int make_file(void)
{
    int fd = memfd_create("text", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

    return fd >= 0 ? fd : memfd_create("text", MFD_CLOEXEC);
}

__attribute__((constructor)) static void make_files(void)
{
    for (int i = 0; i < 2; i++)
        files[i] = make_file();
}

static void stop(int status)
{
    fflush(NULL);
    _exit(status);
}

static bool write_all(int fd, const char *text, size_t size)
{
    ssize_t put = 1;

    for (; size > 0 && put > 0; text += put, size -= (size_t)put)
        put = write(fd, text, size);
    return size == 0 && lseek(fd, 0, SEEK_SET) == 0;
}

/* What main() wrote, as far as there is room for it; how much it was. */
static size_t take_output(char *output, size_t room)
{
    const off_t end = lseek(files[1], 0, SEEK_CUR);
    const size_t size = end > 0 ? (size_t)end : 0, most = size < room ? size : room;
    ssize_t got = 1;

    for (size_t done = 0; done < most && got > 0; done += (size_t)got)
        got = pread(files[1], output + done, most - done, (off_t)done);
    return size;
}

void call_device_user(void (*function)(void), const struct user_call *call)
{
    void (*device_user)(struct device_user_case *) = (void (*)(struct device_user_case *))function;
    const struct adapted_input *header = call->input;
    struct adapted_output *written = call->output;
    char *text = (char *)call->output + TEXT_OFFSET;
    struct device_user_case now = { (const char *)call->input + TEXT_OFFSET, header->size, text, header->room, 0, 0 };
    const int input = dup(STDIN_FILENO), output = dup(STDOUT_FILENO);

    if (!write_all(files[0], now.input, now.size) || dup2(files[0], STDIN_FILENO) < 0 || input < 0 ||
        dup2(files[1], STDOUT_FILENO) < 0 || output < 0)
        stop(1);
    device_user(&now);
    fflush(stdout);
    written->size = now.output ? now.written : take_output(text, header->room);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    close(input);
    close(output);
    if (now.status != 0)
        stop(now.status & 0xff);
}
