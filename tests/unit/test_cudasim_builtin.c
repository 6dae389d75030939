/*
 * test_cudasim_builtin.c - what kernels call: printf, malloc, free, assert. What printf must print and return is what
 * an H200 did with the same calls, unless a comment says otherwise.
 *
 * The machine is a stub: one warp whose frame holds a call's arguments. Links builtin.c, builtin_device.c and memory.c.
 */
#include "contrib/cudasim/machine/builtin.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/base/memory.h"
#include "contrib/cudasim/base/mxcsr.h"
#include "contrib/cudasim/machine/access.h"
#include "contrib/cudasim/machine/builtin_call.h"
#include "contrib/cudasim/machine/child.h"
#include "contrib/cudasim/machine/race_family.h"
#include "contrib/cudasim/machine/device.h"
#include "contrib/cudasim/machine/machine.h"
#include "contrib/cudasim/machine/settings.h"
#include "unit.h"

#define STRIDE 1024 /* bytes of a lane's stack, 64 of them past its end */

struct sim {
    struct memory *memory;
    struct sim_limits limits;
    struct heap heap;
};

struct memory *sim_memory(struct sim *sim) { return sim->memory; }
const struct sim_limits *sim_limits(const struct sim *sim) { return &sim->limits; }
struct heap *sim_heap(struct sim *sim) { return &sim->heap; }

bool access_slow(struct warp *w, const struct ins *ins, unsigned bytes, enum access access)
{
    (void)w, (void)ins, (void)bytes, (void)access;
    return true; /* addresses are the host's here */
}

/* What kernels launch is the machine's business: here, only that calls reach it with their arguments. */
uint64_t child_buffer(struct warp *w, const struct ins *ins, unsigned lane, uint64_t function, const uint32_t grid[3],
                      const uint32_t block[3], uint32_t dynamic_shared)
{
    (void)w, (void)ins, (void)lane;
    return function + grid[0] + block[0] + dynamic_shared;
}

uint32_t child_launch(struct warp *w, unsigned lane, uint64_t buffer, uint64_t stream)
{
    (void)w, (void)lane;
    return (uint32_t)(buffer + stream);
}

uint64_t child_handle(struct sim *sim)
{
    (void)sim;
    return 0x100;
}

unsigned heap_site(struct warp *w, const struct ins *ins, unsigned lane)
{
    (void)w, (void)ins, (void)lane;
    return 0;
}

void family_streams_wait(const struct launch *l)
{
    (void)l;
}

uint64_t child_space(struct warp *w, uint64_t alignment, uint64_t size)
{
    (void)w, (void)alignment, (void)size;
    return 0;
}

bool child_name(struct warp *w, const struct ins *ins, unsigned lane, uint64_t buffer, uint64_t function,
                const uint32_t grid[3], const uint32_t block[3], uint32_t dynamic_shared)
{
    (void)w, (void)ins, (void)lane, (void)buffer, (void)function, (void)grid, (void)block, (void)dynamic_shared;
    return false;
}

uint32_t child_graph(struct warp *w, uint64_t graph, uint64_t stream)
{
    (void)w, (void)graph, (void)stream;
    return 0;
}

uint32_t child_change(struct sim *sim, const struct node_change *change)
{
    (void)sim, (void)change;
    return 0;
}

uint32_t child_copy(struct sim *sim, const struct child_copy *copy, uint64_t stream)
{
    (void)sim;
    return (uint32_t)((copy->from ? copy->to - copy->from : 0) + copy->bytes + (unsigned)copy->value + stream);
}

struct sim_kernel *child_kernel(const struct launch *launch, uint64_t address)
{
    (void)launch;
    return (struct sim_kernel *)(uintptr_t)address;
}

/* Answers with the question, so that a test sees what arrived. */
uint32_t child_answer(struct sim *sim, const struct sim_question *question, void *answer, unsigned *bytes)
{
    uint32_t words[4] = {(uint32_t)question->query, (uint32_t)question->what, (uint32_t)(uintptr_t)question->kernel,
                         (uint32_t)question->dynamic_shared};

    (void)sim;
    memcpy(answer, words, *bytes = sizeof words);
    return 0;
}

uint32_t child_error(struct sim *sim, bool clear)
{
    (void)sim;
    return clear ? 1 : 2;
}

uint64_t child_error_text(struct sim *sim, uint32_t error, bool name)
{
    (void)sim;
    return error * 2 + name;
}

bool sim_condition_set(struct sim *sim, uint64_t handle, uint32_t value)
{
    (void)sim;
    return handle == value;
}

static struct sim_fault fault;

const struct ins *fault_at(struct warp *w, const struct ins *ins, unsigned lane, enum sim_fault_kind kind,
                           uint64_t address, const char *format, ...)
{
    va_list arguments;

    (void)w, (void)ins;
    fault.kind = kind;
    fault.address = address;
    fault.thread[0] = lane;
    va_start(arguments, format);
    vsnprintf(fault.text, sizeof fault.text, format, arguments);
    va_end(arguments);
    return NULL;
}

/* ---- the stub ---- */

struct machine {
    struct sim sim;
    struct worker worker;
    struct launch launch;
    struct block block;
    struct warp warp;
    struct function function;
    struct call_site site;
    struct ins ins[2];
    uint32_t offset[16], size[16];
    char params[LANES][128];
    char local[LANES * STRIDE];
    char shared[256];
    uint64_t strings; /* address of a region that strings are put in */
    uint64_t used;
};

static struct machine *machine_new(void)
{
    struct machine *m = calloc(1, sizeof *m);

    m->sim.memory = memory_create(64u << 20);
    m->sim.limits.heap_bytes = 8u << 20;
    m->worker.sim = &m->sim;
    m->worker.mxcsr = MXCSR_DEFAULT;
    memcpy(m->launch.ntid, (uint32_t[]){4, 4, 4}, sizeof m->launch.ntid);
    memcpy(m->block.id, (uint32_t[]){5, 6, 7}, sizeof m->block.id);
    m->block.launch = &m->launch;
    m->block.shared = m->shared;
    m->block.shared_size = sizeof m->shared;
    m->warp.block = &m->block;
    m->warp.worker = &m->worker;
    m->warp.frame = &m->warp.top;
    m->warp.top.function = &m->function;
    m->warp.top.params = m->params[0];
    m->warp.local = m->local;
    m->warp.local_stride = STRIDE;
    m->warp.index = 1;
    m->warp.mask = 1;
    m->function.param_bytes = sizeof m->params[0];
    m->site.offset = m->offset;
    m->site.size = m->size;
    m->strings = memory_allocate(m->sim.memory, 8192, 0, REGION_GLOBAL)->base;
    return m;
}

static void machine_free(struct machine *m)
{
    memory_destroy(m->sim.memory);
    free(m->worker.printed.text);
    free(m);
}

static uint64_t string(struct machine *m, const char *text)
{
    uint64_t at = m->strings + m->used;

    memcpy((void *)(uintptr_t)at, text, strlen(text) + 1);
    m->used += strlen(text) + 1;
    return at;
}

/* Calls it with 8-byte arguments, the same for every lane; *result is lane 0's. False: it faulted. */
static bool call(struct machine *m, const char *name, unsigned count, const uint64_t *arguments, uint64_t *result)
{
    int number = builtin_find(name);
    const struct ins *next;

    CHECK(number >= 0, "'%s' is not known", name);
    m->site.builtin = (uint32_t)number;
    m->site.result_count = result ? 1 : 0;
    m->site.count = m->site.result_count + count;
    for (unsigned n = 0; n < m->site.count; n++) {
        m->offset[n] = n * 8;
        m->size[n] = 8;
        for (unsigned l = 0; l < LANES && n >= m->site.result_count; l++)
            memcpy(m->params[l] + n * 8, &arguments[n - m->site.result_count], 8);
    }
    fault.kind = FAULT_NONE;
    next = builtin_call(&m->warp, &m->ins[0], &m->site);
    CHECK(!next == (fault.kind != FAULT_NONE), "a fault ends the call, and nothing else: %s", fault.text);
    CHECK(!next || next == &m->ins[1], "the next instruction");
    if (result)
        memcpy(result, m->params[0], 8);
    return next != NULL;
}

/* ---- printf ---- */

/* Values for printf, as nvcc lays them out: i int, q 64 bits, d double, s string, 0 a null pointer. */
static void values(struct machine *m, const char *types, va_list list)
{
    size_t used = 0;

    for (const char *t = types; *t; t++) {
        size_t size = *t == 'i' ? 4 : 8;
        uint64_t v = 0;
        double x;

        used = (used + size - 1) / size * size;
        if (*t == 'i') {
            v = va_arg(list, unsigned);
        } else if (*t == 'q') {
            v = va_arg(list, uint64_t);
        } else if (*t == 'd') {
            x = va_arg(list, double);
            memcpy(&v, &x, 8);
        } else if (*t == 's') {
            v = string(m, va_arg(list, const char *));
        }
        for (unsigned l = 0; l < LANES; l++)
            memcpy(m->local + l * STRIDE + 64 + used, &v, size);
        used += size;
    }
}

static void expect(struct machine *m, int want, const char *text, const char *format, const char *types, ...)
{
    struct printed *p = &m->worker.printed;
    uint64_t result = 0;
    va_list list;

    va_start(list, types);
    m->used = 0;
    values(m, types, list);
    va_end(list);
    p->size = 0;
    CHECK(call(m, "vprintf", 2, (uint64_t[]){string(m, format), *types ? WINDOW(WINDOW_LOCAL) + 64 : 0}, &result),
          "'%s': %s", format, fault.text);
    CHECK((int)result == want, "'%s': returns %d, not %d", format, (int)result, want);
    CHECK(p->size == strlen(text) && (!p->size || !memcmp(p->text, text, p->size)), "'%s': prints '%.*s', not '%s'",
          format, (int)p->size, p->text, text);
}

static void test_conversions(struct machine *m)
{
    expect(m, 0, "", "", "");
    expect(m, 0, "100%\n", "100%%\n", "");
    expect(m, 1, "-42", "%d", "i", -42);
    expect(m, 3, "[44] [-3] [-1]", "[%hhd] [%hd] [%lld]", "iiq", 300, 65533, UINT64_MAX);
    expect(m, 3, "[9223372036854775808] [-1] [1]", "[%llu] [%lli] [%ho]", "qqi", UINT64_C(1) << 63, UINT64_MAX, 65537);
    expect(m, 2, "[1099511627776] [3]", "[%ld] [%d]", "qi", UINT64_C(1) << 40, 3);
    expect(m, 6, "[010] [0x8] [+8] [ 8] [+0008] [8    ]", "[%#o] [%#x] [%+i] [% i] [%+05d] [%-05d]", "iiiiii", 8, 8, 8,
           8, 8, 8);
    expect(m, 4, "[1] [  002] [003     ] [     004]", "[%i] [%5.3d] [%-8.3lld] [%08.3d]", "iiqi", 1, 2, UINT64_C(3), 4);
    expect(m, 4, "[0007] [     8]", "[%.*d] [%*d]", "iiii", 4, 7, 6, 8);
    expect(m, 4, "[7     ] [7]", "[%*d] [%.*d]", "iiii", -6, 7, -1, 7);
}

static void test_more_conversions(struct machine *m)
{
    expect(m, 4, "[4.940656e-324] [4.94066e-324] [0x0.0000000000001p-1022] [0.000000]", "[%e] [%g] [%a] [%f]", "dddd",
           5e-324, 5e-324, 5e-324, 5e-324);
    expect(m, 3, "[INF] [-inf] [0X1P+1]", "[%F] [%f] [%A]", "ddd", HUGE_VAL, -HUGE_VAL, 2.0);
    expect(m, 3, "[(nil)] [0x10] [                0x10]", "[%p] [%p] [%20p]", "0qq", UINT64_C(16), UINT64_C(16));
    expect(m, 4, "[       abc] [abc       ] [] [(null)]", "[%10.3s] [%-10s] [%.0s] [%s]", "sss0", "abcdef", "abc",
           "abc");
    expect(m, 2, "[A    ] [    B]", "[%-5c] [%5c]", "ii", 65, 66);
    expect(m, 4, "1 two 3.5 4", "%d %s %g %d", "isdi", 1, "two", 3.5, 4);
    /* The real one does not know these, and prints them unchanged or something else. */
    expect(m, 3, "[1099511627776] [-1] [5]", "[%zu] [%jd] [%td]", "qqq", UINT64_C(1) << 40, UINT64_MAX, UINT64_C(5));
    expect(m, 3, "[      3.14]", "[%*.*f]", "iid", 10, 2, 3.14159);
}

static void test_odd_formats(struct machine *m)
{
    struct printed *p = &m->worker.printed;

    expect(m, 1, "[%y] 5", "[%y] %d", "i", 5);
    expect(m, 0, "[%5%] [%-5%]", "[%5%] [%-5%]", "");
    expect(m, 0, "trailing %", "trailing %", "");
    expect(m, 0, "trailing %l", "trailing %l", "");
    expect(m, 0, "[%'d]", "[%'d]", "");
    expect(m, 1, "[%n] 6", "[%n] %d", "i", 6); /* there, it ends the program */
    memcpy(m->local + 64, (uint32_t[]){0, 'x'}, 8);
    p->size = 0;
    CHECK(call(m, "vprintf", 2, (uint64_t[]){string(m, "[%c%c]"), WINDOW(WINDOW_LOCAL) + 64}, &(uint64_t){0}), "NUL");
    CHECK(p->size == 4 && !memcmp(p->text, "[\0x]", 4), "%%c with 0");
    /* Widths without end are cut. */
    memcpy(m->local + 64, (uint32_t[]){INT32_MAX, 7}, 8);
    p->size = 0;
    CHECK(call(m, "vprintf", 2, (uint64_t[]){string(m, "%*d"), WINDOW(WINDOW_LOCAL) + 64}, &(uint64_t){0}), "wide");
    CHECK(p->size == 65535, "%zu", p->size);
    p->size = 0;
    CHECK(call(m, "vprintf", 2, (uint64_t[]){string(m, "%99999999999d"), WINDOW(WINDOW_LOCAL) + 64}, &(uint64_t){0}),
          "wide");
    CHECK(p->size == 65535, "%zu", p->size);
}

static void test_pointers(struct machine *m)
{
    struct printed *p = &m->worker.printed;
    uint64_t result = 0, end = m->strings + 8192;

    p->size = 0;
    CHECK(call(m, "vprintf", 2, (uint64_t[]){0, 0}, &result) && (int)result == -1, "no format: -1");
    CHECK(!call(m, "vprintf", 2, (uint64_t[]){5, 0}, &result) && fault.kind == FAULT_ILLEGAL_ADDRESS, "wild format");
    CHECK(!call(m, "vprintf", 2, (uint64_t[]){string(m, "%d"), 0}, &result) && fault.kind == FAULT_ILLEGAL_ADDRESS,
          "a conversion without arguments");
    CHECK(!call(m, "vprintf", 2, (uint64_t[]){string(m, "%d"), WINDOW(WINDOW_LOCAL) + STRIDE - 66}, &result) &&
              fault.kind == FAULT_ILLEGAL_ADDRESS, "arguments past the stack");
    CHECK(!call(m, "vprintf", 2, (uint64_t[]){string(m, "%d"), WINDOW(WINDOW_FUNCTION) + 1}, &result) &&
              fault.kind == FAULT_ILLEGAL_ADDRESS, "arguments in a function");
    memcpy((char *)(uintptr_t)(end - 2), "ab", 2);
    CHECK(!call(m, "vprintf", 2, (uint64_t[]){end - 2, 0}, &result), "a format that does not end");
    memcpy(m->local + 64, &(uint64_t){end - 2}, 8);
    CHECK(!call(m, "vprintf", 2, (uint64_t[]){string(m, "lost %s"), WINDOW(WINDOW_LOCAL) + 64}, &result),
          "a string that does not end");
    CHECK(p->size == 0, "nothing of it is printed");
    CHECK(call(m, "vprintf", 2, (uint64_t[]){string(m, "%.2s"), WINDOW(WINDOW_LOCAL) + 64}, &result) && p->size == 2,
          "with a precision it needs no end");
    memcpy(m->shared + 250, "shared", 6);
    memcpy(m->local + 64, &(uint64_t){WINDOW(WINDOW_SHARED) + 250}, 8);
    CHECK(!call(m, "vprintf", 2, (uint64_t[]){string(m, "%s"), WINDOW(WINDOW_LOCAL) + 64}, &result),
          "no end in shared");
    m->shared[255] = '\0';
    p->size = 0;
    CHECK(call(m, "vprintf", 2, (uint64_t[]){string(m, "%s"), WINDOW(WINDOW_LOCAL) + 64}, &result) && p->size == 5 &&
              !memcmp(p->text, "share", 5), "a string in shared memory");
    memcpy(m->local + 64, &(uint64_t){WINDOW(WINDOW_SHARED) + (UINT64_C(1) << 32)}, 8);
    CHECK(!call(m, "vprintf", 2, (uint64_t[]){string(m, "%s"), WINDOW(WINDOW_LOCAL) + 64}, &result), "no cluster");
}

static void test_lanes(struct machine *m)
{
    struct printed *p = &m->worker.printed;
    uint64_t format = string(m, "lane %d\n"), result;

    for (int l = 0; l < LANES; l++)
        memcpy(m->local + l * STRIDE, &l, 4);
    m->warp.mask = 0x80000006;
    p->size = 0;
    CHECK(call(m, "vprintf", 2, (uint64_t[]){format, WINDOW(WINDOW_LOCAL)}, &result), "three lanes");
    CHECK(p->size == 22 && !memcmp(p->text, "lane 1\nlane 2\nlane 31\n", 22), "'%.*s'", (int)p->size, p->text);
    m->warp.mask = 1;
    CHECK(builtin_find("printf") < 0 && builtin_find("") < 0, "other names");
}

/* ---- heap, assert ---- */

static void test_heap(struct machine *m)
{
    uint64_t a = 0, b = 0, c = 0;

    CHECK(call(m, "malloc", 1, (uint64_t[]){100}, &a) && a % 16 == 0 && a, "0x%jx", (uintmax_t)a);
    CHECK(call(m, "malloc", 1, (uint64_t[]){0}, &b) && b && b != a, "malloc(0) is not null");
    CHECK(atomic_load(&m->sim.heap.used) == 101, "%ju", (uintmax_t)atomic_load(&m->sim.heap.used));
    CHECK(call(m, "malloc", 1, (uint64_t[]){8u << 20}, &c) && c == 0, "more than there is");
    CHECK(call(m, "malloc", 1, (uint64_t[]){UINT64_MAX}, &c) && c == 0, "far more");
    CHECK(call(m, "malloc", 1, (uint64_t[]){(8u << 20) - 101}, &c) && c != 0, "all of it");
    CHECK(call(m, "free", 1, (uint64_t[]){c}, NULL), "free");
    CHECK(call(m, "free", 1, (uint64_t[]){0}, NULL), "free(NULL)");
    CHECK(!call(m, "free", 1, (uint64_t[]){c}, NULL) && fault.kind == FAULT_USE_AFTER_FREE && fault.address == c,
          "twice: %s", fault.text);
    CHECK(!call(m, "free", 1, (uint64_t[]){a + 16}, NULL) && fault.kind == FAULT_ILLEGAL_ADDRESS, "inside");
    CHECK(!call(m, "free", 1, (uint64_t[]){m->strings}, NULL) && fault.kind == FAULT_ILLEGAL_ADDRESS, "a variable");
    CHECK(!call(m, "free", 1, (uint64_t[]){WINDOW(WINDOW_SHARED)}, NULL), "shared memory");
    CHECK(call(m, "free", 1, (uint64_t[]){a}, NULL) && call(m, "free", 1, (uint64_t[]){b}, NULL), "the others");
    CHECK(atomic_load(&m->sim.heap.used) == 0, "%ju", (uintmax_t)atomic_load(&m->sim.heap.used));
}

static void test_assert(struct machine *m)
{
    char text[400] = "";
    FILE *file = tmpfile(), *before = stderr;
    bool ended;

    m->used = 0;
    m->warp.mask = 0x22;
    stderr = file;
    ended = !call(m, "__assertfail", 5, (uint64_t[]){string(m, "n > 5"), string(m, "x.cu"), 12, 3, 1}, NULL);
    stderr = before;
    rewind(file);
    CHECK(fread(text, 1, sizeof text - 1, file) > 0, "printed");
    fclose(file);
    CHECK(ended && fault.kind == FAULT_ASSERT && !strcmp(fault.text, "assertion `n > 5` failed"), "%s", fault.text);
    CHECK(fault.thread[0] == 1, "lane %u", fault.thread[0]);
    CHECK(!strcmp(text, "x.cu:12: ?: block: [5,6,7], thread: [1,0,2] Assertion `n > 5` failed.\n"
                        "x.cu:12: ?: block: [5,6,7], thread: [1,1,2] Assertion `n > 5` failed.\n"), "%s", text);
    m->warp.mask = 1;
}

static void test_device_runtime(struct machine *m)
{
    uint64_t result = 0;
    uint32_t device = 7;
    void *stream = NULL;

    CHECK(call(m, "__cudaCDP2LaunchDeviceV2", 2, (uint64_t[]){40, 2}, &result) && result == 42, "%ju",
          (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2GetLastError", 0, NULL, &result) && result == 1, "%ju", (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2PeekAtLastError", 0, NULL, &result) && result == 2, "%ju", (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2GetErrorString", 1, (uint64_t[]){2}, &result) && result == 4, "%ju", (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2GetErrorName", 1, (uint64_t[]){2}, &result) && result == 5, "%ju", (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2GetDevice", 1, (uint64_t[]){(uintptr_t)&device}, &result) && device == 0, "%u", device);
    CHECK(call(m, "__cudaCDP2StreamCreateWithFlags", 2, (uint64_t[]){(uintptr_t)&stream, 1}, &result) && stream,
          "no stream");
    CHECK(call(m, "cudaGraphSetConditional", 2, (uint64_t[]){5, 5}, NULL), "a handle");
    CHECK(!call(m, "cudaGraphSetConditional", 2, (uint64_t[]){5, 6}, NULL) && fault.kind == FAULT_INVALID_CALL,
          "%s", fault.text);
}

/* Each call asks its own question, with its own arguments. */
static void test_questions(struct machine *m)
{
    uint32_t words[4] = {0};
    uint64_t to = (uintptr_t)words, result = 1;

    CHECK(call(m, "__cudaCDP2DeviceGetAttribute", 3, (uint64_t[]){to, 16, 0}, &result) && !result &&
          words[0] == QUERY_ATTRIBUTE && words[1] == 16, "%u %u", words[0], words[1]);
    CHECK(call(m, "__cudaCDP2DeviceGetAttribute", 3, (uint64_t[]){to, 16, 1}, &result) && result == 101, "%ju",
          (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2DeviceGetLimit", 2, (uint64_t[]){0, 2}, &result) && result == 1, "%ju",
          (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2DeviceGetLimit", 2, (uint64_t[]){to, 2}, &result) && words[0] == QUERY_LIMIT &&
          words[1] == 2, "%u %u", words[0], words[1]);
    CHECK(call(m, "__cudaCDP2FuncGetAttributes", 2, (uint64_t[]){to, 77}, &result) && words[0] == QUERY_FUNCTION &&
          words[2] == 77, "%u %u", words[0], words[2]);
    CHECK(call(m, "__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor", 4, (uint64_t[]){to, 77, 128, 4096},
               &result) && words[0] == QUERY_OCCUPANCY && words[1] == 128 && words[2] == 77 && words[3] == 4096,
          "%u %u %u %u", words[0], words[1], words[2], words[3]);
    CHECK(call(m, "__cudaCDP2RuntimeGetVersion", 1, (uint64_t[]){to}, &result) && words[0] == QUERY_VERSION, "%u",
          words[0]);
}

static void test_device_memory(struct machine *m)
{
    uint64_t result = 1, block = 0;

    CHECK(call(m, "__cudaCDP2Malloc", 2, (uint64_t[]){(uintptr_t)&block, 64}, &result) && !result && block, "%ju",
          (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2MemcpyAsync", 5, (uint64_t[]){block + 32, block, 16, 3, 2}, &result) && result == 50,
          "%ju", (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2MemsetAsync", 4, (uint64_t[]){block, 7, 64, 2}, &result) && result == 73, "%ju",
          (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2MemsetAsync", 4, (uint64_t[]){block, 7, 0, 2}, &result) && result == 0, "%ju",
          (uintmax_t)result);
    CHECK(!call(m, "__cudaCDP2MemsetAsync", 4, (uint64_t[]){block + 32, 7, 33, 2}, NULL) &&
          fault.kind == FAULT_OUT_OF_BOUNDS, "%s", fault.text);
    CHECK(!call(m, "__cudaCDP2MemcpyAsync", 5, (uint64_t[]){block, block + 32, 33, 3, 2}, NULL) &&
          fault.kind == FAULT_OUT_OF_BOUNDS, "%s", fault.text);
    CHECK(call(m, "__cudaCDP2Memcpy2DAsync", 8, (uint64_t[]){block, 8, block + 32, 16, 8, 2, 3, 2}, &result) &&
          (uint32_t)result == (uint32_t)-22, "%ju", (uintmax_t)result);
    CHECK(call(m, "__cudaCDP2Memcpy2DAsync", 8, (uint64_t[]){block, 4, block + 32, 16, 8, 2, 3, 2}, &result) &&
          result == 12, "%ju", (uintmax_t)result);
    CHECK(!call(m, "__cudaCDP2Memset2DAsync", 6, (uint64_t[]){block, 32, 0, 8, 3, 0}, NULL) &&
          fault.kind == FAULT_OUT_OF_BOUNDS, "%s", fault.text);
    CHECK(call(m, "__cudaCDP2Free", 1, (uint64_t[]){block}, &result) && !result, "%ju", (uintmax_t)result);
    CHECK(!call(m, "__cudaCDP2Free", 1, (uint64_t[]){block}, NULL) && fault.kind == FAULT_USE_AFTER_FREE, "%s",
          fault.text);
}

int main(void)
{
    struct machine *m = machine_new();

    test_conversions(m);
    test_more_conversions(m);
    test_odd_formats(m);
    test_pointers(m);
    test_lanes(m);
    test_heap(m);
    test_assert(m);
    test_device_runtime(m);
    test_questions(m);
    test_device_memory(m);
    machine_free(m);
    return unit_end();
}
