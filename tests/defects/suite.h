/*
 * suite.h - cases by name: a program runs the case that its argument names, in a process of its own.
 */
#ifndef DEFECTS_SUITE_H
#define DEFECTS_SUITE_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

/* Whether this is the right twin of the program: with -DRIGHT. */
#ifdef RIGHT
constexpr bool right = true;
#else
constexpr bool right = false;
#endif

struct suite_case {
    const char *name;
    void (*run)(void);
};

/* Prints what failed and goes on: a wrong program may fail. */
static bool suite_failed;

static inline void suite_check(cudaError_t code, int line)
{
    if (code == cudaSuccess)
        return;
    printf("line %d: %s\n", line, cudaGetErrorName(code));
    suite_failed = true;
}

#define CHECK(call) suite_check(call, __LINE__)
/* The end of a launch. */
#define FINISH() (CHECK(cudaGetLastError()), CHECK(cudaDeviceSynchronize()))
/* A result that must be so. */
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: not so: %s\n", __LINE__, #condition);                                                     \
            suite_failed = true;                                                                                       \
        }                                                                                                              \
    } while (0)

/* count elements in device memory, copied from `from`, or zeros. */
template <typename T> static T *device_copy(const T *from, size_t count)
{
    T *memory;

    CHECK(cudaMalloc(&memory, count * sizeof(T)));
    if (from)
        CHECK(cudaMemcpy(memory, from, count * sizeof(T), cudaMemcpyHostToDevice));
    else
        CHECK(cudaMemset(memory, 0, count * sizeof(T)));
    return memory;
}

/* count elements in device memory, zeros unless `from` is given. They are freed with the variable. */
template <typename T> struct device {
    T *at;

    explicit device(size_t count, const T *from = nullptr) : at(device_copy(from, count))
    {
        CHECK(cudaDeviceSynchronize()); /* streams that do not block must not overtake the zeros */
    }
    device(const device &) = delete;
    ~device() { CHECK(cudaFree(at)); }
    operator T *() const { return at; }
};

/* A stream that is destroyed with the variable. */
struct stream {
    cudaStream_t at;

    explicit stream(unsigned flags = cudaStreamNonBlocking) { CHECK(cudaStreamCreateWithFlags(&at, flags)); }
    stream(const stream &) = delete;
    ~stream() { CHECK(cudaStreamDestroy(at)); }
    operator cudaStream_t() const { return at; }
};

/* So an event. */
struct event {
    cudaEvent_t at;

    event() { CHECK(cudaEventCreateWithFlags(&at, cudaEventDisableTiming)); }
    event(const event &) = delete;
    ~event() { CHECK(cudaEventDestroy(at)); }
    operator cudaEvent_t() const { return at; }
};

template <size_t count> static int suite_main(int argc, char **argv, const suite_case (&cases)[count])
{
    for (const suite_case &each : cases) {
        if (argc == 2 && !strcmp(argv[1], "--list"))
            printf("%s\n", each.name);
        else if (argc == 2 && !strcmp(argv[1], each.name)) {
            each.run();
            printf("%s\n", suite_failed ? "FAILED" : "PASSED");
            return suite_failed;
        }
    }
    return argc == 2 && !strcmp(argv[1], "--list") ? 0 : 2;
}

#endif
