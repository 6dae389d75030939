/*
 * channel.c - one message, whole, with at most one descriptor. Linked into host and runner.
 */
#include "channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "verify/base/clock.h"

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
};

bool channel_send(int channel, const struct channel_message *message, int fd)
{
    struct iovec part = { (void *)message, sizeof *message };
    struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
    union control control;
    ssize_t sent;

    if (fd >= 0) {
        struct cmsghdr *c;

        memset(&control, 0, sizeof control);
        header.msg_control = control.bytes;
        header.msg_controllen = sizeof control.bytes;
        c = CMSG_FIRSTHDR(&header);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    /* The runner gives no descriptors, and its filter may forbid the call that can. */
    do
        sent = fd >= 0 ? sendmsg(channel, &header, MSG_NOSIGNAL | MSG_DONTWAIT)
                       : send(channel, message, sizeof *message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *message;
}

bool channel_spin(int channel, int64_t nanoseconds)
{
    const int64_t end = clock_ns() + nanoseconds;
    char peeked;

    do
        if (recv(channel, &peeked, sizeof peeked, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EINTR))
            return true;
    while (clock_ns() < end);
    return false;
}

static enum channel_got receive(int channel, struct channel_message *message, struct msghdr *header)
{
    struct iovec part = { message, sizeof *message };
    ssize_t got;

    header->msg_iov = &part;
    header->msg_iovlen = 1;
    do
        got = recvmsg(channel, header, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got == 0 || (got < 0 && errno == ECONNRESET))
        return CHANNEL_END;
    if (got != (ssize_t)sizeof *message || (header->msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ||
        message->magic != CHANNEL_MAGIC || memchr(message->text, '\0', sizeof message->text) == NULL)
        return CHANNEL_JUNK;
    return CHANNEL_MESSAGE;
}

enum channel_got channel_receive(int channel, struct channel_message *message, int *fd)
{
    union control control;
    struct msghdr header = { .msg_control = fd ? control.bytes : NULL,
                             .msg_controllen = fd ? sizeof control.bytes : 0 };
    enum channel_got got;

    if (fd)
        *fd = -1;
    got = receive(channel, message, &header);
    if (got == CHANNEL_MESSAGE && fd && header.msg_controllen >= CMSG_LEN(sizeof *fd)) {
        struct cmsghdr *c = CMSG_FIRSTHDR(&header);

        if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            memcpy(fd, CMSG_DATA(c), sizeof *fd);
    }
    return got;
}

static void set_ask_sender(int channel, int on) { setsockopt(channel, SOL_SOCKET, SO_PASSCRED, &on, sizeof on); }

void channel_ask_sender(int channel) { set_ask_sender(channel, 1); }

enum channel_got channel_receive_first(int channel, struct channel_message *message, pid_t *sender)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct msghdr header = { .msg_control = control.bytes, .msg_controllen = sizeof control.bytes };
    enum channel_got got = receive(channel, message, &header);
    struct cmsghdr *c = got == CHANNEL_MESSAGE ? CMSG_FIRSTHDR(&header) : NULL;
    struct ucred who;

    set_ask_sender(channel, 0);
    *sender = 0;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
        memcpy(&who, CMSG_DATA(c), sizeof who);
        *sender = who.pid;
    }
    return got;
}
