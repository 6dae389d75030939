/*
 * device_user.h - what a submission for adapted is: one of two. The build includes this before each of its files.
 *
 *   int main()         reads the case from standard input and writes its answer to standard output, as on other judges.
 *                      It is called once a process, so that its times cannot be ranked: ranking takes many calls.
 *   size_t device_user(const char *input, size_t size, char *output, size_t room)
 *                      gets the case as size bytes of text, writes its answer to output, which has room for that many
 *                      bytes, and returns how many it wrote. It may be called many times.
 *
 * What main() returns, or gives to exit(), is 0 where all went well.
 */
#ifndef ADAPTED_DEVICE_USER_H
#define ADAPTED_DEVICE_USER_H

#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <iostream>
extern "C" {
#endif

/* One case, as the runner hands it to the submission. */
struct device_user_case {
    const char *input;
    size_t size;     /* bytes of input */
    char *output;    /* standard output where that is NULL on return */
    size_t room;     /* bytes of output */
    size_t written;  /* bytes of output that were written */
    int status;      /* of main() */
};

/* A function that the submission lacks is NULL. */
extern size_t device_user_of_text(const char *input, size_t size, char *output, size_t room)
    __attribute__((weak, visibility("hidden")));
extern int device_user_main(int argc, char **argv) __asm__("main") __attribute__((weak, visibility("hidden")));

/* Where main() was called from, for exit() to end. */
static jmp_buf device_user_left;
static struct device_user_case *device_user_now;

static void device_user_exit(int status, void *unused)
{
    struct device_user_case *now = device_user_now;

    (void)unused;
    if (!now)
        return;
    device_user_now = NULL;
    now->status = status;
    longjmp(device_user_left, 1);
}

extern void device_user(struct device_user_case *now) __attribute__((weak, visibility("default")));
void device_user(struct device_user_case *now)
{
    static char name[] = "main", *arguments[] = { name, NULL };
    static int calls;

    now->status = 0;
    if (device_user_of_text) {
        now->written = device_user_of_text(now->input, now->size, now->output, now->room);
        return;
    }
    now->output = NULL;
    if (!device_user_main || calls++ > 0)
        abort(); /* neither function is there, or main() is to be called again, with all that it has left behind */
    if (setjmp(device_user_left) == 0) {
        device_user_now = now;
        on_exit(device_user_exit, NULL);
        now->status = device_user_main(1, arguments);
        device_user_now = NULL;
    }
#ifdef __cplusplus
    std::cout.flush();
#endif
}

#ifdef __cplusplus
}
#endif

/* A submission's function of that name is the one for text. */
#define device_user device_user_of_text
#ifdef __cplusplus
extern "C"
#endif
size_t device_user(const char *input, size_t size, char *output, size_t room);

#endif
