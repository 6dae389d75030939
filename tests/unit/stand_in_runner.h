/*
 * stand_in_runner.h - a program in the place of the runner, for tests of its start without a GPU. It maps an output and
 * makes no call. What it does instead of a CUDA context, and instead of ending one, is its includer's.
 */
#ifndef TESTS_STAND_IN_RUNNER_H
#define TESTS_STAND_IN_RUNNER_H

#include <string.h>
#include <unistd.h>

#include "verify/base/limits.h"
#include "verify/judge/session.h"
#include "verify/wire/channel.h"
#include "verify/wire/guard.h"

/* What a session needs to start `program` without a box; `place` is given to it as its submission. */
static struct session_config stand_in_config(const char *program, const char *place)
{
    return (struct session_config){ .box = { .level = BOX_NONE, .filter = FILTER_NONE, .runner = program,
                                             .submission = place, .gpu_minor = -1 },
                                    .start_limit = limit_start, .call_limit = 1, .end_limit = limit_end,
                                    .output_limit = 1 << 20, .processor = -1, .page_lock = true };
}

/* The messages of a runner, from LOADING to QUIT; begin(place) and end(place) stand for making and ending a context. */
static int stand_in_runner(const char *place, void (*begin)(const char *), void (*end)(const char *))
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_LOADING };
    int fd;

    begin(place);
    if (!channel_send(CHANNEL_FD, &message, -1))
        return RUNNER_LOST_CHANNEL;
    while (channel_receive(CHANNEL_FD, &message, &fd) == CHANNEL_MESSAGE && message.kind != CHANNEL_QUIT) {
        const enum channel_kind answer = message.kind == CHANNEL_LOAD ? CHANNEL_READY : CHANNEL_MAPPED;

        if (fd >= 0)
            close(fd);
        message = (struct channel_message){ .magic = CHANNEL_MAGIC, .kind = answer };
        if (!channel_send(CHANNEL_FD, &message, -1))
            return RUNNER_LOST_CHANNEL;
    }
    end(place);
    return 0;
}

/* Whether this process was started by a session; then *code is what it is to return from main(). */
static bool stand_in_serves(int argc, char **argv, void (*begin)(const char *), void (*end)(const char *), int *code)
{
    if (argc > 2 && strcmp(argv[1], GUARD_ARGUMENT) == 0)
        *code = guard(argv + 2);
    else if (argc == 3 && strcmp(argv[1], filter_name(FILTER_NONE)) == 0)
        *code = stand_in_runner(argv[2], begin, end);
    else
        return false;
    return true;
}

#endif
