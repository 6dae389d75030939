/*
 * stand_in.h - a thread in the place of the warden, for tests of resident calls without a GPU: its slots are
 * memory of the CPU, which the runner maps by the driver of tests/fixtures/series.
 */
#ifndef TESTS_STAND_IN_H
#define TESTS_STAND_IN_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"
#include "verify/base/clock.h"
#include "verify/base/poison.h"
#include "verify/gpu/warden.h"
#include "verify/wire/resident.h"

enum { STAND_IN_LOG = 64 };

static struct {
    int channel;
    volatile struct resident_page *page;
    unsigned char *staging, *slots; /* as the warden has them mapped; the output at `offset` of the slots */
    size_t staging_size, slots_size, offset;
    uint32_t log[STAND_IN_LOG]; /* the operations that it was asked for */
    size_t logged;
    int64_t poisoned, arrived; /* when the output was, and the last input, clock_ns() */
    double gap, look; /* its report of a watch, and of the last look at an output, seconds */
    uint32_t fails;   /* the operation that fails; or WARDEN_READY */
    size_t after;     /* so often it works before */
    unsigned char *seen; /* [seen_size], the output at "done" */
    size_t seen_size;
} stand_in;

static bool receive(struct warden_message *message, int *fd)
{
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec part = { message, sizeof *message };
    struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes };
    const struct cmsghdr *c;

    *fd = -1;
    if (recvmsg(stand_in.channel, &header, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *message)
        return false;
    c = CMSG_FIRSTHDR(&header);
    if (c && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return true;
}

static void reply(const struct warden_message *message, int fd)
{
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control = { 0 };
    struct iovec part = { (void *)message, sizeof *message };
    struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

    if (fd >= 0) {
        struct cmsghdr *c;

        header.msg_control = control.bytes;
        header.msg_controllen = sizeof control.bytes;
        c = CMSG_FIRSTHDR(&header);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    CHECK(sendmsg(stand_in.channel, &header, MSG_NOSIGNAL) == (ssize_t)sizeof *message, "an answer of the warden");
}

static unsigned char *map(int fd, size_t size)
{
    unsigned char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    CHECK(memory != MAP_FAILED, "%zu bytes", size);
    return memory;
}

/* New slots; their descriptor. */
static int make_slots(const struct warden_message *message, int staging)
{
    int fd = memfd_create("slots", MFD_CLOEXEC);

    if (stand_in.slots) {
        munmap(stand_in.slots, stand_in.slots_size);
        munmap(stand_in.staging, stand_in.staging_size);
    }
    stand_in.offset = resident_output_offset(message->input_size);
    stand_in.slots_size = stand_in.offset + message->output_size;
    stand_in.staging_size = WARDEN_STAGING + stand_in.slots_size;
    CHECK(ftruncate(fd, (off_t)stand_in.slots_size) == 0, "slots");
    stand_in.slots = map(fd, stand_in.slots_size);
    stand_in.staging = map(staging, stand_in.staging_size);
    return fd;
}

static void poison(uint64_t key, size_t size)
{
    for (size_t i = 0; i < size; i++)
        stand_in.slots[stand_in.offset + i] = (unsigned char)(poison_word(key, i / 8) >> 8 * (i % 8));
}

static void wait_for_done(const struct warden_message *message)
{
    const volatile struct warden_staging *staging = (const volatile struct warden_staging *)stand_in.staging;

    stand_in.page->run = message->nonce;
    while (stand_in.page->done != message->nonce && !staging->stop)
        usleep(50);
    free(stand_in.seen);
    stand_in.seen = malloc(message->output_size + 1);
    stand_in.seen_size = message->output_size;
    memcpy(stand_in.seen, stand_in.slots + stand_in.offset, message->output_size);
}

/* The thread: answers until the host closes the channel. */
static void *stand_in_serve(void *nothing)
{
    struct warden_message message, answer;
    int given, slots;

    while (receive(&message, &given)) {
        answer = (struct warden_message){ .operation = message.operation, .ok = 1, .megahertz = 1000 };
        slots = -1;
        if (stand_in.logged < STAND_IN_LOG)
            stand_in.log[stand_in.logged++] = message.operation;
        if (message.operation == stand_in.fails && stand_in.after-- == 0)
            answer.ok = 0;
        switch ((enum warden_operation)message.operation) {
        case WARDEN_PAGE: stand_in.page = (volatile struct resident_page *)map(given, RESIDENT_PAGE); break;
        case WARDEN_SLOTS:
            slots = make_slots(&message, given);
            answer.input_size = stand_in.slots_size;
            break;
        case WARDEN_POISON:
            poison(message.nonce, message.output_size);
            stand_in.poisoned = clock_ns();
            break;
        case WARDEN_UNWATCH: answer.seconds = stand_in.gap; break;
        case WARDEN_DECOY:
        case WARDEN_CALL:
            memcpy(stand_in.slots, stand_in.staging + WARDEN_STAGING, message.input_size);
            answer.start = stand_in.arrived = clock_ns();
            if (message.operation == WARDEN_DECOY)
                break;
            wait_for_done(&message);
            answer.seconds = stand_in.look;
            break;
        case WARDEN_TAKE:
            memcpy(stand_in.staging + WARDEN_STAGING + stand_in.offset, stand_in.slots + stand_in.offset,
                   message.output_size);
            answer.late = stand_in.seen && stand_in.seen_size == message.output_size &&
                          memcmp(stand_in.seen, stand_in.slots + stand_in.offset, message.output_size) != 0;
            answer.start = clock_ns();
            break;
        default: break;
        }
        if (given >= 0)
            close(given);
        reply(&answer, slots);
        if (slots >= 0)
            close(slots);
    }
    return nothing;
}

#endif
