/*
 * test_cudasim_program.c - building a program when memory runs out: every allocation of it fails once, and each time
 * the build must end with its error and must have given back all that it took.
 *
 * The table is one of names alone: nothing is executed. Linked with --wrap for the functions below.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/machine/builtin.h"
#include "contrib/cudasim/program/program.h"
#include "unit.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
int __real_posix_memalign(void **p, size_t alignment, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __wrap_posix_memalign(void **p, size_t alignment, size_t size);
void __wrap_free(void *p);

static long allocations; /* asked for since the count was set to 0 */
static long failing;     /* the one that fails; 0: none */
static long held;        /* not given back */

static bool fails(void)
{
    return ++allocations == failing;
}

void *__wrap_malloc(size_t size)
{
    void *p = fails() ? NULL : __real_malloc(size);

    held += p != NULL;
    return p;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *p = fails() ? NULL : __real_calloc(count, size);

    held += p != NULL;
    return p;
}

void *__wrap_realloc(void *old, size_t size)
{
    void *p = fails() ? NULL : __real_realloc(old, size);

    held += p && !old;
    return p;
}

int __wrap_posix_memalign(void **p, size_t alignment, size_t size)
{
    int error = fails() ? 12 : __real_posix_memalign(p, alignment, size);

    held += !error;
    return error;
}

void __wrap_free(void *p)
{
    held -= p != NULL;
    __real_free(p);
}

/* This test has no calls to functions of the library. */
enum builtin builtin_find(const char *name)
{
    (void)name;
    return BUILTIN_NONE;
}

/* A body that the test looks for. */
static const struct ins *undefined(struct warp *warp, const struct ins *ins)
{
    (void)warp;
    return ins;
}

/* The names that the module below needs. */
static const struct row rows[] = {
    {"selp.b16 selp.b32 selp.b64", NULL, "wwwp", 0, CLASS_COMPUTATION, 0},
    {"@exit @ret @guarded @join @bra @bra.if @brx @call @call.pointer @special @pack @unpack", NULL, "", 0, 0, 0},
    {"@address.local @address.param @address.formal", NULL, "", 0, 0, 0},
    {"@ld.param.u64.64 @ld.frame.u32.32 @ld.u32.32 @st.u32.32 @st.frame.u32.32 @ld.shared.u32.32 @st.shared.u32.32",
     NULL, "", 0, 0, 0},
    {"add.u32", NULL, "www", 0, CLASS_COMPUTATION, 0},
    {"add.u64", NULL, "qqq", 0, CLASS_COMPUTATION, 0},
    {"mov.b32", NULL, "ww", 0, CLASS_COMPUTATION, 0},
    {"mov.b64", NULL, "qq", 0, CLASS_COMPUTATION, 0},
    {"mov.u32", NULL, "ww", 0, CLASS_COMPUTATION, 0},
    {"mov.u64", NULL, "qq", 0, CLASS_COMPUTATION, 0},
    {"setp.lt.u32 setp.ne.b32 setp.eq.b32", NULL, "Pww", 0, CLASS_COMPUTATION, 0},
    {"mov.pred", NULL, "pp", 0, CLASS_COMPUTATION, 0},
    {"or.pred and.pred", NULL, "ppp", 0, CLASS_COMPUTATION, 0},
    {"and.b32", NULL, "www", 0, CLASS_COMPUTATION, 0},
    {"@spread.b32.b32", NULL, "wwww", 0, CLASS_COMPUTATION, 0},
    {"@spread.pred.b32", NULL, "pwww", 0, CLASS_COMPUTATION, 0},
    {"@spread.b32.pred", NULL, "wppp", 0, CLASS_COMPUTATION, 0},
    {"@spread.b64.b32", NULL, "qwww", 0, CLASS_COMPUTATION, 0},
    {"@shade.load @shade.store", NULL, "", 0, 0, 0},
    {"@undefined", undefined, "", 0, CLASS_CONTROL, 0},
    {NULL, NULL, NULL, 0, 0, 0},
};
static const struct row *const lists[] = {rows, NULL};
static const struct table table = {lists, 0};

#define ADDITIONS 400 /* enough to make every list of the builder grow */

static const char head[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".global .align 8 .u64 pointers[2] = {numbers, helper};\n"
    ".global .align 4 .u32 numbers[4] = {1, 2, 3, 4};\n"
    ".shared .align 4 .b8 common[64];\n"
    ".func (.param .b32 result) helper(.param .b32 x) {\n"
    "  .reg .u32 %r<4>;\n"
    "  ld.param.u32 %r1, [x];\n"
    "  ld.shared.u32 %r2, [common];\n"
    "  add.u32 %r3, %r1, %r2;\n"
    "  st.param.u32 [result], %r3;\n"
    "  ret;\n}\n"
    ".visible .entry kernel(.param .u64 out) {\n"
    "  .local .align 8 .b8 stack[16];\n  .shared .align 4 .b8 own[128];\n"
    "  .reg .u32 %r<1000>;\n  .reg .u64 %d<20>;\n  .reg .pred %p<4>;\n"
    "  ld.param.u64 %d1, [out];\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  mov.u64 %d2, stack;\n"
    "  mov.b64 %d3, {%r1, %r1};\n"
    "$loop:\n";

static const char tail[] =
    "  setp.lt.u32 %p1, %r5, 100;\n"
    "  @%p1 bra $loop;\n"
    "  @%p1 add.u32 %r5, %r5, 7;\n"
    "  { .param .b32 a; .param .b32 r; st.param.u32 [a], %r5; call (r), helper, (a); ld.param.u32 %r6, [r]; }\n"
    "  st.shared.u32 [own], %r6;\n"
    "$table: .branchtargets $first, $second;\n"
    "  brx.idx %r1, $table;\n"
    "$first:\n  st.u32 [%d1], %r5;\n"
    "$second:\n  st.u32 [%d1+4], %r6;\n  ret;\n}\n";

/* The module's text, its length in *size. To be freed. */
static char *module_text(size_t *size)
{
    size_t room = sizeof head + sizeof tail + ADDITIONS * 64, length;
    char *text = __real_malloc(room);

    if (!text)
        exit(2);
    length = (size_t)snprintf(text, room, "%s", head);
    for (int n = 0; n < ADDITIONS; n++)
        length += (size_t)snprintf(text + length, room - length, "  add.u32 %%r%d, %%r%d, %d;\n", 5 + n, 4 + n,
                                   1000 + n);
    length += (size_t)snprintf(text + length, room - length, "%s", tail);
    *size = length;
    return text;
}

/*
 * Builds the module, its `fail`th allocation failing. Returns how many the build asked for, 0 if it has failed as it
 * should.
 */
static long build(const char *text, size_t size, long fail)
{
    struct memory *memory;
    struct ptx_error error = {0};
    struct ptx_module *module;
    struct row_index *index;
    struct program *program;
    unsigned checks = 0;
    long asked;

    held = 0;
    memory = memory_create(UINT64_C(1) << 30);
    index = row_index_create(&table);
    module = ptx_parse(text, size, &error);
    if (!memory || !module || !index) {
        CHECK(false, "no build at all: line %u: %s", error.line, error.message);
        exit(1);
    }
    allocations = 0;
    failing = fail;
    program = program_build(memory, module, index, BUILD_DEBUG | BUILD_UNDEFINED, &error);
    asked = allocations;
    failing = 0;
    if (program) {
        CHECK(!fail || asked < fail, "allocation %ld failed, and nobody saw it", fail);
        CHECK(program->function_count == 2 && program->code_count > ADDITIONS, "%u instructions", program->code_count);
        CHECK(program->functions[1].plain_bytes % 128 == 0 && program->functions[1].plain_bytes < 4096,
              "%u bytes of registers for a chain of additions", program->functions[1].plain_bytes);
        /* %r4 is never set: a branch and a value that goes to memory depend on it. */
        for (uint32_t n = 0; n < program->code_count; n++)
            checks += program->code[n].body == undefined;
        CHECK(checks >= 2, "%u checks of undefined registers", checks);
        CHECK(program->functions[1].shared_bytes == 64 + 128, "%ju", (uintmax_t)program->functions[1].shared_bytes);
        program_free(program);
    } else {
        CHECK(fail, "not built: line %u: %s", error.line, error.message);
        CHECK(strstr(error.message, "memory"), "allocation %ld: %s", fail, error.message);
        ptx_free(module);
    }
    CHECK(!fail || !memory_used(memory), "allocation %ld: device memory is held", fail);
    memory_destroy(memory);
    row_index_free(index);
    CHECK(held == 0, "allocation %ld: %ld of host memory are held", fail, held);
    return program ? asked : 0;
}

int main(void)
{
    size_t size;
    char *text = module_text(&size);
    long count = build(text, size, 0);

    CHECK(count > 15, "%ld allocations", count);
    for (long n = 1; n <= count; n++)
        CHECK(build(text, size, n) == 0, "allocation %ld failed, and the program was built", n);
    __real_free(text);
    return unit_end();
}
