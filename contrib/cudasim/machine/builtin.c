/*
 * builtin.c - functions that kernels call and no module defines: vprintf, malloc, free, __assertfail.
 *
 * The body of call instructions calls them for the lanes of the current split, one lane after the other. So a lane's
 * text is whole, and lanes print in order. Text waits in the worker's buffer until builtin_flush().
 *
 * printf() calls the C library's once per conversion. CUDA passes the arguments as a buffer of values in their order,
 * each aligned to its size. Integers have 4 or 8 bytes; floating point is always double. The return value, null
 * pointers and unknown conversions behave as on an H200. It also knows hh, j, z, t and "%*.*f", which the real device
 * gets wrong. malloc(0) returns the same as on the H200.
 */
#include "builtin_call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "contrib/cudasim/base/memory.h"
#include "access.h"
#include "child.h"
#include "device.h"
#include "fault.h"
#include "inside.h"
#include "machine.h"
#include "probe.h"
#include "settings.h"
#include "contrib/cudasim/base/mxcsr.h"

#define WIDTH_MAX 65535        /* of a conversion, and its precision: larger values become this */
#define PRINTED_MAX (1u << 20) /* bytes of text that wait; more text is written while the kernel runs */

enum builtin builtin_find(const char *name)
{
    static const struct {
        const char *name;
        enum builtin builtin;
    } names[] = {
        {"vprintf", BUILTIN_VPRINTF},
        {"malloc", BUILTIN_MALLOC},
        {"__cuda_syscall_aligned_malloc", BUILTIN_ALIGNED_MALLOC}, /* new of types with more than 16 bytes */
        {"free", BUILTIN_FREE},
        {"__assertfail", BUILTIN_ASSERTFAIL},
        {"__cudaCDP2GetParameterBufferV2", BUILTIN_CHILD_BUFFER},
        {"__cudaCDP2LaunchDeviceV2", BUILTIN_CHILD_LAUNCH},
        {"__cudaCDP2LaunchDeviceV2_ptsz", BUILTIN_CHILD_LAUNCH},
        {"__cudaCDP2GetParameterBuffer", BUILTIN_CHILD_SPACE},
        {"__cudaCDP2LaunchDevice", BUILTIN_CHILD_LAUNCH_NAMED},
        {"__cudaCDP2LaunchDevice_ptsz", BUILTIN_CHILD_LAUNCH_NAMED},
        {"cudaGraphLaunch", BUILTIN_GRAPH_LAUNCH},
        {"cudaGraphKernelNodeSetParam", BUILTIN_NODE_PARAMETER},
        {"cudaGraphKernelNodeSetEnabled", BUILTIN_NODE_ENABLED},
        {"cudaGraphKernelNodeSetGridDim", BUILTIN_NODE_GRID},
        {"cudaGraphKernelNodeUpdatesApply", BUILTIN_NODE_CHANGES},
        {"__cudaCDP2GetLastError", BUILTIN_LAST_ERROR},
        {"__cudaCDP2PeekAtLastError", BUILTIN_PEEK_ERROR},
        {"__cudaCDP2StreamCreateWithFlags", BUILTIN_CREATE},
        {"__cudaCDP2EventCreateWithFlags", BUILTIN_CREATE},
        /* Children run in the order of their launches, whatever their stream: */
        {"__cudaCDP2StreamDestroy", BUILTIN_NOTHING},
        {"__cudaCDP2StreamWaitEvent", BUILTIN_STREAM_WAIT},
        {"__cudaCDP2StreamWaitEvent_ptsz", BUILTIN_STREAM_WAIT},
        {"__cudaCDP2EventRecord", BUILTIN_NOTHING},
        {"__cudaCDP2EventRecord_ptsz", BUILTIN_NOTHING},
        {"__cudaCDP2EventRecordWithFlags", BUILTIN_NOTHING},
        {"__cudaCDP2EventRecordWithFlags_ptsz", BUILTIN_NOTHING},
        {"__cudaCDP2EventDestroy", BUILTIN_NOTHING},
        {"__cudaCDP2DeviceGetAttribute", BUILTIN_ATTRIBUTE},
        {"__cudaCDP2DeviceGetLimit", BUILTIN_LIMIT},
        {"__cudaCDP2DeviceGetCacheConfig", BUILTIN_CACHE_CONFIG},
        {"__cudaCDP2DeviceGetSharedMemConfig", BUILTIN_SHARED_CONFIG},
        {"__cudaCDP2FuncGetAttributes", BUILTIN_FUNCTION},
        {"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor", BUILTIN_OCCUPANCY},
        {"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", BUILTIN_OCCUPANCY},
        {"__cudaCDP2RuntimeGetVersion", BUILTIN_VERSION},
        {"__cudaCDP2GetDevice", BUILTIN_DEVICE},
        {"__cudaCDP2GetDeviceCount", BUILTIN_DEVICE_COUNT},
        {"__cudaCDP2GetErrorString", BUILTIN_ERROR_TEXT},
        {"__cudaCDP2GetErrorName", BUILTIN_ERROR_NAME},
        {"__cudaCDP2Malloc", BUILTIN_DEVICE_MALLOC},
        {"__cudaCDP2Free", BUILTIN_DEVICE_FREE},
        {"__cudaCDP2MemcpyAsync", BUILTIN_MEMCPY},
        {"__cudaCDP2MemcpyAsync_ptsz", BUILTIN_MEMCPY},
        {"__cudaCDP2Memcpy2DAsync", BUILTIN_MEMCPY_2D},
        {"__cudaCDP2Memcpy2DAsync_ptsz", BUILTIN_MEMCPY_2D},
        {"__cudaCDP2Memcpy3DAsync", BUILTIN_MEMCPY_3D},
        {"__cudaCDP2Memcpy3DAsync_ptsz", BUILTIN_MEMCPY_3D},
        {"__cudaCDP2Memset2DAsync", BUILTIN_MEMSET_2D},
        {"__cudaCDP2Memset2DAsync_ptsz", BUILTIN_MEMSET_2D},
        {"__cudaCDP2Memset3DAsync", BUILTIN_MEMSET_3D},
        {"__cudaCDP2Memset3DAsync_ptsz", BUILTIN_MEMSET_3D},
        {"__cudaCDP2MemsetAsync", BUILTIN_MEMSET},
        {"__cudaCDP2MemsetAsync_ptsz", BUILTIN_MEMSET},
        {"cudaGraphSetConditional", BUILTIN_SET_CONDITION},
    };

    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (!strcmp(name, names[n].name))
            return names[n].builtin;
    return BUILTIN_NONE;
}

/* ---- strings ---- */

/* The string at `address`, without its end. `at` is NULL if the string has no end. */
static struct bytes string_at(const struct warp *w, unsigned lane, uint64_t address)
{
    struct bytes s = builtin_bytes(w, lane, address);
    size_t length = s.at ? strnlen(s.at, s.size) : 0;

    return length < s.size ? (struct bytes){s.at, length} : (struct bytes){0};
}

/* ---- text that waits ---- */

/* Makes room for `size` more bytes. False: no memory; the text is lost. */
static bool reserve(struct printed *p, size_t size)
{
    size_t capacity = p->capacity ? p->capacity : 4096;
    char *text;

    if (p->capacity - p->size >= size)
        return true;
    while (capacity - p->size < size)
        capacity *= 2;
    text = realloc(p->text, capacity);
    if (!text)
        return false;
    p->text = text;
    p->capacity = capacity;
    return true;
}

static void put_bytes(struct printed *p, const char *text, size_t size)
{
    if (!size || !reserve(p, size))
        return;
    memcpy(p->text + p->size, text, size);
    p->size += size;
}

static void put(struct printed *p, const char *format, ...)
{
    va_list arguments;
    int size;

    va_start(arguments, format);
    size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0 || !reserve(p, (size_t)size + 1))
        return;
    va_start(arguments, format);
    vsnprintf(p->text + p->size, (size_t)size + 1, format, arguments);
    va_end(arguments);
    p->size += (size_t)size;
}

void builtin_flush(struct worker *worker)
{
    struct printed *p = &worker->printed;

    if (!p->size || worker->launch->keeps_text)
        return;
    if (!worker->sim->silent) {
        fwrite(p->text, 1, p->size, stdout);
        fflush(stdout);
    }
    p->size = 0;
}

/* What follows is text of that block. False: no memory; the text is lost. */
static bool begin_part(struct printed *p, uint64_t block)
{
    size_t capacity = p->part_capacity ? 2 * p->part_capacity : 64;
    struct printed_part *parts;

    if (p->part_count && p->parts[p->part_count - 1].block == block)
        return true;
    if (p->part_count == p->part_capacity) {
        parts = realloc(p->parts, capacity * sizeof *parts);
        if (!parts)
            return false;
        p->parts = parts;
        p->part_capacity = capacity;
    }
    p->parts[p->part_count++] = (struct printed_part){block, p->size};
    return true;
}

/* A part of a worker's text, to be sorted. */
struct kept {
    uint64_t block;
    size_t place; /* among the parts: a block's own stay in order */
    const char *text;
    size_t size;
};

static int by_block(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

void builtin_flush_all(struct sim *sim, const struct launch *launch)
{
    size_t count = 0, at = 0;
    struct kept *all;

    for (unsigned n = 0; n < sim->worker_count; n++)
        count += sim->workers[n].printed.part_count;
    if (!count)
        return;
    all = calloc(count, sizeof *all);
    for (unsigned n = 0; n < sim->worker_count; n++) {
        struct printed *p = &sim->workers[n].printed;

        for (size_t k = 0; all && k < p->part_count; k++, at++) {
            size_t end = k + 1 < p->part_count ? p->parts[k + 1].from : p->size;

            all[at] = (struct kept){p->parts[k].block, at, p->text + p->parts[k].from, end - p->parts[k].from};
        }
        p->size = p->part_count = 0;
    }
    if (all)
        qsort(all, count, sizeof *all, by_block);
    for (size_t n = 0; n < at && all[n].block <= launch->fault_block && !sim->silent; n++)
        fwrite(all[n].text, 1, all[n].size, stdout);
    fflush(stdout);
    free(all);
}

/* ---- printf ---- */

/* A conversion: %, flags, width, precision, length, letter. */
struct conversion {
    char flags[8];
    int width, precision; /* 0: none; -1: none */
    unsigned size;        /* bytes of an integer: 1, 2, 4, 8 */
    char letter;          /* 0 where the format ends first */
};

/* A call of one lane. */
struct printing {
    struct warp *warp;
    unsigned lane;
    const char *at, *end;   /* what is left of the format */
    struct bytes arguments; /* [] values, see the top */
    uint64_t used;          /* bytes of them */
    int count;              /* values taken */
    bool short_of;          /* there were fewer bytes than the format asks for */
};

/* The next value. An unreadable pointer gives 0 and is noted. */
static uint64_t take(struct printing *p, unsigned size)
{
    uint64_t value = 0, from = (p->used + size - 1) / size * size;

    p->count++;
    if (from + size > p->arguments.size) {
        p->short_of = true;
        return 0;
    }
    memcpy(&value, p->arguments.at + from, size);
    p->used = from + size;
    return value;
}

/* Digits, or a star: then the value of an argument. */
static int number(struct printing *p)
{
    int value = 0;

    if (p->at < p->end && *p->at == '*') {
        p->at++;
        value = (int32_t)take(p, 4);
        return value > WIDTH_MAX ? WIDTH_MAX : value < -WIDTH_MAX ? -WIDTH_MAX : value;
    }
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
        value = value * 10 + (*p->at - '0') < WIDTH_MAX ? value * 10 + (*p->at - '0') : WIDTH_MAX;
    return value;
}

static unsigned integer_size(struct printing *p)
{
    unsigned size = 4;

    for (; p->at < p->end && strchr("hlLqjzt", *p->at) && *p->at; p->at++) {
        if (*p->at == 'h')
            size = size == 2 ? 1 : 2;
        else
            size = 8;
    }
    return size;
}

/* Reads what follows a '%'. */
static struct conversion conversion(struct printing *p)
{
    struct conversion c = {.precision = -1};
    size_t flags = 0;

    for (; p->at < p->end && *p->at && strchr("-+ #0", *p->at); p->at++)
        if (!strchr(c.flags, *p->at) && flags + 2 < sizeof c.flags)
            c.flags[flags++] = *p->at;
    c.width = number(p);
    if (c.width < 0) { /* by way of a star */
        c.width = -c.width;
        if (!strchr(c.flags, '-'))
            c.flags[flags] = '-';
    }
    if (p->at < p->end && *p->at == '.') {
        p->at++;
        c.precision = number(p);
    }
    c.size = integer_size(p);
    if (p->at < p->end)
        c.letter = *p->at++;
    return c;
}

static int64_t sign_extended(uint64_t value, unsigned size)
{
    return size == 1 ? (int8_t)value : size == 2 ? (int16_t)value : size == 4 ? (int32_t)value : (int64_t)value;
}

static uint64_t zero_extended(uint64_t value, unsigned size)
{
    return size == 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

/* %s. False: the string cannot be read. */
static bool put_string(struct printing *p, const struct conversion *c, const char *format)
{
    struct printed *out = &p->warp->worker->printed;
    uint64_t address = take(p, 8);
    struct bytes s;
    size_t length;

    if (!address) {
        put(out, format, c->width, c->precision, "(null)");
        return true;
    }
    s = builtin_bytes(p->warp, p->lane, address);
    if (c->precision >= 0 && (uint64_t)c->precision < s.size)
        s.size = (uint64_t)c->precision; /* needs no end */
    length = s.at ? strnlen(s.at, s.size) : 0;
    if (!s.at || (length == s.size && (c->precision < 0 || length < (size_t)c->precision)))
        return false;
    put(out, format, c->width, (int)length, s.at);
    return true;
}

/* Prints one conversion, which began at `from`. False: its string is unreadable. */
static bool put_conversion(struct printing *p, const char *from)
{
    struct printed *out = &p->warp->worker->printed;
    struct conversion c = conversion(p);
    char format[32];
    uint64_t bits;
    double x;

    snprintf(format, sizeof format, "%%%s*.*%s%c", c.flags, c.letter && strchr("diouxX", c.letter) ? "ll" : "",
             c.letter);
    switch (c.letter) {
    case 'd':
    case 'i':
        put(out, format, c.width, c.precision, (long long)sign_extended(take(p, c.size < 4 ? 4 : c.size), c.size));
        return true;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        put(out, format, c.width, c.precision,
            (unsigned long long)zero_extended(take(p, c.size < 4 ? 4 : c.size), c.size));
        return true;
    case 'c':
        put(out, format, c.width, c.precision, (int)(uint8_t)take(p, 4));
        return true;
    case 'p':
        put(out, format, c.width, c.precision, (void *)(uintptr_t)take(p, 8));
        return true;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        bits = take(p, 8);
        memcpy(&x, &bits, sizeof x);
        put(out, format, c.width, c.precision, x);
        return true;
    case 's':
        return put_string(p, &c, format);
    default: /* unknown: prints it unchanged and takes no argument, as on the real device */
        put_bytes(out, from, (size_t)(p->at - from));
        return true;
    }
}

/* False after a fault; *result is what printf() returns. */
static bool print_lane(struct warp *w, const struct ins *ins, unsigned lane, uint64_t format, uint64_t arguments,
                       int *result)
{
    struct printed *out = &w->worker->printed;
    struct bytes text = string_at(w, lane, format);
    struct printing p = {.warp = w, .lane = lane, .at = text.at, .end = text.at + text.size};
    size_t before = out->size;

    *result = -1;
    if (!format)
        return true;
    if (!text.at) {
        fault_at(w, ins, lane, FAULT_ILLEGAL_ADDRESS, format, "the format of printf() is at 0x%" PRIx64
                 ", where the device has no string", format);
        return false;
    }
    if (arguments)
        p.arguments = builtin_bytes(w, lane, arguments);
    while (p.at < p.end) {
        const char *from = p.at, *sign = memchr(from, '%', (size_t)(p.end - from));

        put_bytes(out, from, (size_t)((sign ? sign : p.end) - from));
        p.at = sign ? sign + 1 : p.end;
        if (sign && p.at < p.end && *p.at == '%') {
            put_bytes(out, p.at++, 1);
            continue;
        }
        if (sign && !put_conversion(&p, sign) && !p.short_of) {
            out->size = before;
            fault_at(w, ins, lane, FAULT_ILLEGAL_ADDRESS, format,
                     "argument %d of printf() is a string that the device cannot read", p.count);
            return false;
        }
        if (p.short_of) {
            out->size = before;
            fault_at(w, ins, lane, FAULT_ILLEGAL_ADDRESS, arguments,
                     "the arguments of printf() are at 0x%" PRIx64 ", where there are none", arguments);
            return false;
        }
    }
    *result = p.count;
    return true;
}

static bool print_lanes(struct warp *w, const struct ins *ins, const struct call_site *site)
{
    if (w->block->launch->keeps_text && !begin_part(&w->worker->printed, w->block->number))
        return true;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        int result;

        if (!print_lane(w, ins, lane, argument(w, site, lane, 0), argument(w, site, lane, 1), &result))
            return false;
        give(w, site, lane, (uint64_t)(int64_t)result);
    }
    if (w->worker->printed.size > PRINTED_MAX)
        builtin_flush(w->worker);
    return true;
}

/* ---- assert ---- */

/* For messages: a question mark replaces an unreadable string. */
static struct bytes readable(const struct warp *w, unsigned lane, uint64_t address)
{
    struct bytes s = string_at(w, lane, address);

    if (!s.at)
        return (struct bytes){"?", 1};
    s.size = s.size < 1000 ? s.size : 1000;
    return s;
}

/* Prints one line per lane on standard error, as on the real device. The first lane's is the fault. */
static void fail_assert(struct warp *w, const struct ins *ins, const struct call_site *site)
{
    const uint32_t *ntid = w->block->launch->ntid, *block = w->block->id;
    unsigned first = (unsigned)__builtin_ctz(w->mask);
    struct bytes message = readable(w, first, argument(w, site, first, 0));

    if (atomic_load(&w->block->launch->stop)) /* of several workers the first one counts */
        return;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m), thread = w->index * LANES + lane;
        struct bytes text = readable(w, lane, argument(w, site, lane, 0));
        struct bytes file = readable(w, lane, argument(w, site, lane, 1));
        struct bytes function = readable(w, lane, argument(w, site, lane, 3));

        fprintf(stderr, "%.*s:%u: %.*s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%.*s` failed.\n",
                (int)file.size, file.at, (unsigned)argument(w, site, lane, 2), (int)function.size, function.at,
                block[0], block[1], block[2], thread % ntid[0], thread / ntid[0] % ntid[1], thread / ntid[0] / ntid[1],
                (int)text.size, text.at);
    }
    fault_at(w, ins, first, FAULT_ASSERT, 0, "assertion `%.*s` failed", (int)message.size, message.at);
}

/* ---- calls ---- */

static void library_environment(struct worker *worker)
{
    if (worker->mxcsr == MXCSR_DEFAULT)
        return;
    worker->mxcsr = MXCSR_DEFAULT;
    _mm_setcsr(MXCSR_DEFAULT);
}

/* Calls that leave the multiprocessor are a part of a launch that is probed. */
static void count_calls(struct warp *w, enum builtin builtin)
{
    struct probe_counts *counts = w->block->probed ? &w->worker->probe->counts : NULL;
    uint64_t lanes = (uint64_t)__builtin_popcount(w->mask);

    if (!counts)
        return;
    if (builtin == BUILTIN_VPRINTF) {
        counts->print_calls++;
        counts->print_lanes += lanes;
    } else if (builtin == BUILTIN_CHILD_LAUNCH) {
        counts->child_launches += lanes;
        counts->nested_launches += w->worker->sim->children.depth > 0 ? lanes : 0;
    } else if (builtin == BUILTIN_MALLOC || builtin == BUILTIN_ALIGNED_MALLOC || builtin == BUILTIN_FREE ||
               builtin == BUILTIN_DEVICE_MALLOC || builtin == BUILTIN_DEVICE_FREE) {
        counts->heap_calls += lanes;
        counts->heap_live += lanes * atomic_load(&sim_heap(w->worker->sim)->live);
    }
}

const struct ins *builtin_call(struct warp *w, const struct ins *ins, const struct call_site *site)
{
    w->worker->progress = true;
    library_environment(w->worker);
    count_calls(w, (enum builtin)site->builtin);
    switch ((enum builtin)site->builtin) {
    case BUILTIN_VPRINTF:
        return print_lanes(w, ins, site) ? ins + 1 : NULL;
    case BUILTIN_MALLOC:
    case BUILTIN_ALIGNED_MALLOC:
        for (uint32_t m = w->mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uint64_t align = site->builtin == BUILTIN_MALLOC ? HEAP_ALIGN : argument(w, site, lane, 1);

            give(w, site, lane, heap_allocate(w, ins, lane, argument(w, site, lane, 0), align));
        }
        return ins + 1;
    case BUILTIN_FREE:
        for (uint32_t m = w->mask; m; m &= m - 1)
            if (!heap_free(w, ins, (unsigned)__builtin_ctz(m), argument(w, site, (unsigned)__builtin_ctz(m), 0)))
                return NULL;
        return ins + 1;
    case BUILTIN_ASSERTFAIL:
        fail_assert(w, ins, site);
        return NULL;
    case BUILTIN_NONE:
        return NULL;
    default:
        return builtin_device(w, ins, site) ? ins + 1 : NULL;
    }
    return NULL;
}
