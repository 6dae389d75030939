/*
 * head.c - the head of a request: what it says, by whom it was sent, and whether it says it clearly.
 */
#include "head.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

const char *http_header(const struct http_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

/* What has one name exactly: the library looks names up without regard to case, and gives the first. */
struct named {
    const char *name, *value;
    size_t count;
};

static enum MHD_Result count_named(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct named *named = context;

    if (kind == MHD_HEADER_KIND ? strcasecmp(name, named->name) == 0 : strcmp(name, named->name) == 0) {
        named->value = value;
        named->count++;
    }
    return MHD_YES;
}

static struct named named_values(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *name)
{
    struct named named = { name, NULL, 0 };

    MHD_get_connection_values(connection, kind, count_named, &named);
    return named;
}

static struct named session_of(const struct http_request *request)
{
    return named_values(request->connection, MHD_COOKIE_KIND, request->local ? HTTP_SESSION_LOCAL : HTTP_SESSION);
}

const char *http_session(const struct http_request *request) { return session_of(request).value; }

bool http_query(const struct http_request *request, const char *name, const char **value)
{
    const struct named named = named_values(request->connection, MHD_GET_ARGUMENT_KIND, name);

    *value = named.value;
    return named.count < 2;
}

/* Decodes %XX in place, but for %00: the path would end there, and be that of something else. */
size_t head_decode(void *context, struct MHD_Connection *connection, char *text)
{
    char *to = text;

    (void)context, (void)connection;
    for (const char *from = text; *from; to++) {
        const char digits[3] = { from[1], from[1] ? from[2] : '\0' };

        if (*from == '%' && isxdigit((unsigned char)digits[0]) && isxdigit((unsigned char)digits[1]) &&
            strcmp(digits, "00") != 0) {
            *to = (char)strtoul(digits, NULL, 16);
            from += 3;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}

/* The last header of that name: a web server that adds one adds it behind those that the client sent. */
static enum MHD_Result take_forwarded(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    if (value && strcasecmp(name, "X-Forwarded-For") == 0)
        *(const char **)context = value;
    return MHD_YES;
}

/* Who has an IPv6 address has 2^64 of them: they are one for the limits. */
static void join_addresses(struct http_request *request)
{
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff }; /* an IPv4 address follows */
    struct in6_addr v6;

    if (inet_pton(AF_INET6, request->address, &v6) != 1 || memcmp(&v6, mapped, sizeof mapped) == 0)
        return;
    memset(&v6.s6_addr[8], 0, 8);
    inet_ntop(AF_INET6, &v6, request->address, sizeof request->address);
}

void head_find_address(struct http_request *request, bool proxy)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const char *forwarded = NULL;

    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, take_forwarded, &forwarded);
    snprintf(request->address, sizeof request->address, "unknown");
    if (info && info->client_addr->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)info->client_addr)->sin_addr, request->address,
                  sizeof request->address);
    else if (info && info->client_addr->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)info->client_addr)->sin6_addr, request->address,
                  sizeof request->address);
    request->local = !forwarded && (strcmp(request->address, "127.0.0.1") == 0 || strcmp(request->address, "::1") == 0);
    if (proxy && forwarded) {
        const char *comma = strrchr(forwarded, ','); /* what stands before it is the client's own word */
        const char *last = comma ? comma + 1 : forwarded;

        snprintf(request->address, sizeof request->address, "%.60s", last + strspn(last, " "));
    }
    join_addresses(request);
}

/*
 * Counts what says how long the body is: once as it is, twice where it is not clear. The library takes
 * "Content-Length : 5" for a header of another name.
 */
static enum MHD_Result count_length(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    const size_t digits = value ? strspn(value, "0123456789") : 0;
    const bool length = strcasecmp(name, "Content-Length") == 0, coding = strcasecmp(name, "Transfer-Encoding") == 0;
    const bool token = !name[strcspn(name, " \t\v\f")];
    const bool clear = length ? digits > 0 && digits < 19 && !value[digits]
                              : value && strcasecmp(value, "chunked") == 0;

    (void)kind;
    *(int *)context += !token || ((length || coding) && !clear) ? 2 : length || coding;
    return MHD_YES;
}

/*
 * Whether the head says in two ways how long the body is, or not clearly. A server in front may read it in another way,
 * and take for a body what is a request here.
 */
static bool is_unclear(struct MHD_Connection *connection)
{
    int count = 0;

    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_length, &count);
    return count > 1;
}

/* What the head says twice, and only one may be meant of it; NULL where there is no such thing. */
static const char *said_twice(const struct http_request *request)
{
    static const char *const once[] = { "Host", "Authorization", "Content-Type", "Cookie", "Origin", "Sec-Fetch-Site" };

    for (size_t i = 0; i < sizeof once / sizeof once[0]; i++)
        if (named_values(request->connection, MHD_HEADER_KIND, once[i]).count > 1)
            return once[i];
    return session_of(request).count > 1 ? "a session's cookie" : NULL;
}

const char *head_refuse(const struct http_request *request, char line[80])
{
    const char *twice = said_twice(request);

    if (is_unclear(request->connection))
        return "the request does not say clearly how long it is\n";
    if (!twice)
        return NULL;
    snprintf(line, 80, "the request has %s twice\n", twice);
    return line;
}
