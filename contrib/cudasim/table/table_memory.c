/*
 * table_memory.c - loads and stores. A body resolves and checks the addresses of the whole warp first, then moves the
 * data.
 */
#include "table_access.h"

/*
 * Whether elements of `size` bytes in registers of `width` are moved by gathers and scatters. These copy lanes in
 * order, as a loop does, and leave inactive lanes alone.
 */
#define BY_GATHER(size, width) (LEVEL >= 4 && (size) == (width) && ((size) == 4 || (size) == 8))

/* Elements at the lanes' addresses, `skip` bytes behind each, into D or out of S. Only if BY_GATHER(size, size). */
INLINE void gather(const struct warp *w, void *D, u64 skip, unsigned size)
{
#if LEVEL >= 4
    for (int l = 0; l < LANES; l += 8) {
        __m512i at = _mm512_add_epi64(_mm512_load_si512(w->address + l), _mm512_set1_epi64((s64)skip));
        __mmask8 on = (__mmask8)(w->mask >> l);

        if (size == 4)
            _mm256_storeu_si256((void *)((u32 *)D + l),
                                _mm512_mask_i64gather_epi32(_mm256_loadu_si256((const void *)((u32 *)D + l)), on, at,
                                                            NULL, 1));
        else
            _mm512_storeu_si512((u64 *)D + l,
                                _mm512_mask_i64gather_epi64(_mm512_loadu_si512((u64 *)D + l), on, at, NULL, 1));
    }
#else
    (void)w, (void)D, (void)skip, (void)size;
#endif
}
INLINE void scatter(const struct warp *w, const void *S, u64 skip, unsigned size)
{
#if LEVEL >= 4
    for (int l = 0; l < LANES; l += 8) {
        __m512i at = _mm512_add_epi64(_mm512_load_si512(w->address + l), _mm512_set1_epi64((s64)skip));
        __mmask8 on = (__mmask8)(w->mask >> l);

        if (size == 4)
            _mm512_mask_i64scatter_epi32(NULL, on, at, _mm256_loadu_si256((const void *)((const u32 *)S + l)), 1);
        else
            _mm512_mask_i64scatter_epi64(NULL, on, at, _mm512_loadu_si512((const u64 *)S + l), 1);
    }
#else
    (void)w, (void)S, (void)skip, (void)size;
#endif
}

/* The same for shared memory: 32-bit offsets from `base`. */
INLINE void gather_shared(u32 mask, void *D, const char *base, const u32 *O, unsigned size)
{
#if LEVEL >= 4
    for (int l = 0; l < LANES && size == 4; l += 16)
        _mm512_storeu_si512((u32 *)D + l,
                            _mm512_mask_i32gather_epi32(_mm512_loadu_si512((u32 *)D + l), (__mmask16)(mask >> l),
                                                        _mm512_load_si512(O + l), base, 1));
    for (int l = 0; l < LANES && size == 8; l += 8)
        _mm512_storeu_si512((u64 *)D + l,
                            _mm512_mask_i32gather_epi64(_mm512_loadu_si512((u64 *)D + l), (__mmask8)(mask >> l),
                                                        _mm256_load_si256((const void *)(O + l)), base, 1));
#else
    (void)mask, (void)D, (void)base, (void)O, (void)size;
#endif
}
INLINE void scatter_shared(u32 mask, const void *S, char *base, const u32 *O, unsigned size)
{
#if LEVEL >= 4
    for (int l = 0; l < LANES && size == 4; l += 16)
        _mm512_mask_i32scatter_epi32(base, (__mmask16)(mask >> l), _mm512_load_si512(O + l),
                                     _mm512_loadu_si512((const u32 *)S + l), 1);
    for (int l = 0; l < LANES && size == 8; l += 8)
        _mm512_mask_i32scatter_epi64(base, (__mmask8)(mask >> l), _mm256_load_si256((const void *)(O + l)),
                                     _mm512_loadu_si512((const u64 *)S + l), 1);
#else
    (void)mask, (void)S, (void)base, (void)O, (void)size;
#endif
}

/* Whether the lanes' vectors of `count` elements, one behind the other, are moved by the functions below. */
#define IN_VECTORS(size, width, count, pattern)                                                                        \
    (BY_GATHER(size, width) && (pattern) == PATTERN_CONSECUTIVE && ((count) == 2 || ((count) == 4 && (size) == 4)))

/* Element `n` of each lane's vector at S, into D. */
INLINE void take_element(void *D, const void *S, unsigned n, unsigned count, unsigned size)
{
#if LEVEL >= 4
    const __m512i twos = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i fours = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 28, 24, 20, 16, 12, 8, 4, 0);
    const __m512i longs = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    const char *from = S;

    for (unsigned done = 0; done < LANES * size; done += 64, from += 64 * count) {
        __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 64);

        if (size == 8) {
            low = _mm512_permutex2var_epi64(low, _mm512_add_epi64(longs, _mm512_set1_epi64(n)), high);
        } else if (count == 2) {
            low = _mm512_permutex2var_epi32(low, _mm512_add_epi32(twos, _mm512_set1_epi32((s32)n)), high);
        } else {
            __m512i at = _mm512_add_epi32(fours, _mm512_set1_epi32((s32)n)), behind = _mm512_loadu_si512(from + 128);

            low = _mm512_permutex2var_epi32(low, at, high);
            high = _mm512_permutex2var_epi32(behind, at, _mm512_loadu_si512(from + 192));
            low = _mm512_inserti64x4(low, _mm512_castsi512_si256(high), 1);
        }
        _mm512_storeu_si512((char *)D + done, low);
    }
#else
    (void)D, (void)S, (void)n, (void)count, (void)size;
#endif
}

/* The lanes' vectors of the elements in the registers of `list`, to D. */
INLINE void put_vectors(const struct warp *w, void *D, const slot *list, unsigned count, unsigned size)
{
#if LEVEL >= 4
    const __m512i words = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i longs = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i word_half = _mm512_set1_epi32(8), long_half = _mm512_set1_epi64(4);
    char *to = D;

    for (unsigned done = 0; done < LANES * size; done += 64, to += 64 * count) {
        __m512i a = _mm512_loadu_si512((const char *)slot_at(w, list[0]) + done),
                b = _mm512_loadu_si512((const char *)slot_at(w, list[1]) + done), low, high;

        if (size == 8) {
            low = _mm512_permutex2var_epi64(a, longs, b);
            high = _mm512_permutex2var_epi64(a, _mm512_add_epi64(longs, long_half), b);
        } else {
            low = _mm512_permutex2var_epi32(a, words, b);
            high = _mm512_permutex2var_epi32(a, _mm512_add_epi32(words, word_half), b);
        }
        if (count == 4) {
            __m512i c = _mm512_loadu_si512((const char *)slot_at(w, list[2]) + done),
                    d = _mm512_loadu_si512((const char *)slot_at(w, list[3]) + done);
            __m512i more = _mm512_permutex2var_epi32(c, words, d),
                    last = _mm512_permutex2var_epi32(c, _mm512_add_epi32(words, word_half), d);

            _mm512_storeu_si512(to, _mm512_permutex2var_epi64(low, longs, more));
            _mm512_storeu_si512(to + 64, _mm512_permutex2var_epi64(low, _mm512_add_epi64(longs, long_half), more));
            _mm512_storeu_si512(to + 128, _mm512_permutex2var_epi64(high, longs, last));
            _mm512_storeu_si512(to + 192, _mm512_permutex2var_epi64(high, _mm512_add_epi64(longs, long_half), last));
        } else {
            _mm512_storeu_si512(to, low);
            _mm512_storeu_si512(to + 64, high);
        }
    }
#else
    (void)w, (void)D, (void)list, (void)count, (void)size;
#endif
}

/*
 * A load of elements of type M into registers of type R. Vectors take one resolve() for all their elements.
 */
#define LOAD(name, M, R)                                                                                               \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        const u32 *on = w->lanes;                                                                                      \
        enum pattern pattern = resolve(w, i, (unsigned)sizeof(M) * i->count, ACCESS_READ);                             \
        if (pattern == PATTERN_FAULT)                                                                                  \
            return NULL;                                                                                               \
        if (i->count == 1) {                                                                                           \
            R *D = slot_at(w, list[0]);                                                                                \
            if (pattern == PATTERN_CONSECUTIVE) {                                                                      \
                const M *S = (const M *)(uintptr_t)w->address[0];                                                      \
                EACH_LANE { D[l] = (R)S[l]; }                                                                          \
            } else if (pattern == PATTERN_UNIFORM) {                                                                   \
                R v = (R)*(const volatile M *)(uintptr_t)w->address[0];                                                \
                EACH_LANE { D[l] = on[l] ? v : D[l]; }                                                                 \
            } else if (BY_GATHER(sizeof(M), sizeof(R))) {                                                              \
                gather(w, D, 0, sizeof(M));                                                                            \
            } else if (w->mask == FULL_MASK) {                                                                         \
                R T[LANES];                                                                                            \
                for (int l = 0; l < LANES; l++)                                                                        \
                    T[l] = (R)*(const M *)(uintptr_t)w->address[l];                                                    \
                memcpy(D, T, sizeof T);                                                                                \
            } else {                                                                                                   \
                for (u32 m = w->mask; m; m &= m - 1) {                                                                 \
                    int l = __builtin_ctz(m);                                                                          \
                    D[l] = (R)*(const M *)(uintptr_t)w->address[l];                                                    \
                }                                                                                                      \
            }                                                                                                          \
            return i + 1;                                                                                              \
        }                                                                                                              \
        for (unsigned n = 0; n < i->count; n++) {                                                                      \
            R *D = slot_at(w, list[n]);                                                                                \
            if (pattern == PATTERN_UNIFORM) {                                                                          \
                R v = (R)((const volatile M *)(uintptr_t)w->address[0])[n];                                            \
                EACH_LANE { D[l] = on[l] ? v : D[l]; }                                                                 \
                continue;                                                                                              \
            }                                                                                                          \
            if (IN_VECTORS(sizeof(M), sizeof(R), i->count, pattern)) {                                                 \
                take_element(D, (const void *)(uintptr_t)w->address[0], n, i->count, sizeof(M));                       \
                continue;                                                                                              \
            }                                                                                                          \
            if (BY_GATHER(sizeof(M), sizeof(R))) {                                                                     \
                gather(w, D, n * sizeof(M), sizeof(M));                                                                \
                continue;                                                                                              \
            }                                                                                                          \
            for (u32 m = w->mask; m; m &= m - 1) {                                                                     \
                int l = __builtin_ctz(m);                                                                              \
                D[l] = (R)((const M *)(uintptr_t)w->address[l])[n];                                                    \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

#define STORE(name, M, R)                                                                                              \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        enum pattern pattern = resolve(w, i, (unsigned)sizeof(M) * i->count, ACCESS_WRITE);                            \
        if (pattern == PATTERN_FAULT)                                                                                  \
            return NULL;                                                                                               \
        w->worker->progress = true;                                                                                    \
        if (i->count == 1 && pattern == PATTERN_CONSECUTIVE) {                                                         \
            const R *S = slot_at(w, list[0]);                                                                          \
            M *D = (M *)(uintptr_t)w->address[0];                                                                      \
            EACH_LANE { D[l] = (M)S[l]; }                                                                              \
            return i + 1;                                                                                              \
        }                                                                                                              \
        if (IN_VECTORS(sizeof(M), sizeof(R), i->count, pattern)) {                                                     \
            put_vectors(w, (void *)(uintptr_t)w->address[0], list, i->count, sizeof(M));                               \
            return i + 1;                                                                                              \
        }                                                                                                              \
        for (unsigned n = 0; n < i->count; n++) {                                                                      \
            const R *S = slot_at(w, list[n]);                                                                          \
            if (BY_GATHER(sizeof(M), sizeof(R))) {                                                                     \
                scatter(w, S, n * sizeof(M), sizeof(M));                                                               \
                continue;                                                                                              \
            }                                                                                                          \
            for (u32 m = w->mask; m; m &= m - 1) {                                                                     \
                int l = __builtin_ctz(m);                                                                              \
                ((M *)(uintptr_t)w->address[l])[n] = (M)S[l];                                                          \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

/* in_line() of offsets: whether O[l] is first + l * stride for all lanes. */
INLINE bool offsets_in_line(const u32 *O, u32 first, u32 stride)
{
#if LEVEL >= 4
    const __m512i each = _mm512_set1_epi32((s32)stride);
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i want = _mm512_add_epi32(_mm512_set1_epi32((s32)first), _mm512_mullo_epi32(lanes, each));
    u32 differs = _mm512_cmpneq_epu32_mask(_mm512_load_si512(O), want);

    want = _mm512_add_epi32(want, _mm512_set1_epi32((s32)(16 * stride)));
    return (differs | _mm512_cmpneq_epu32_mask(_mm512_load_si512(O + 16), want)) == 0;
#else
    u32 differs = 0;

    for (u32 l = 0; l < LANES; l++)
        differs |= O[l] ^ (first + l * stride);
    return differs == 0;
#endif
}

/* reach_of() for the offsets of an access to shared memory. */
INLINE struct reach reach_of_offsets(const u32 *O, u32 mask, unsigned bytes)
{
    u32 low = UINT32_MAX, high = 0, any = 0, first = O[0], last = first + (LANES - 1) * bytes;

    if (O[1] == first && offsets_in_line(O, first, 0))
        return (struct reach){first, first, first & (bytes - 1), PATTERN_UNIFORM};
    if (mask == FULL_MASK && first <= last && offsets_in_line(O, first, bytes))
        return (struct reach){first, last, first & (bytes - 1), PATTERN_CONSECUTIVE};
    for (int l = 0; l < LANES; l++) {
        low = O[l] < low ? O[l] : low;
        high = O[l] > high ? O[l] : high;
        any |= O[l];
    }
    return (struct reach){low, high, any & (bytes - 1), PATTERN_ANY};
}

/*
 * Shared memory by 32-bit addresses, the common case. Offsets stay 32 bits wide. PATTERN_FAULT means any access that is
 * not aligned or not inside of the block's own memory. The general body handles those.
 */
static inline enum pattern resolve_shared(struct warp *w, const struct ins *i, unsigned bytes, enum access access,
                                          u32 *O)
{
    const struct block *b = w->block;
    u32 mask = w->mask;
    struct reach reach;

    if (i->flags & INS_ADDRESS_BASE) {
        const u32 *A = slot_at(w, i->a);
        u32 imm = (u32)i->imm;

        EACH_LANE { O[l] = A[l] + imm; }
    } else {
        for (int l = 0; l < LANES; l++)
            O[l] = (u32)i->imm;
    }
    if (mask != FULL_MASK) {
        u32 stand_in = O[__builtin_ctz(mask)];
        const u32 *on = w->lanes;

        EACH_LANE { O[l] = on[l] ? O[l] : stand_in; }
    }
    reach = reach_of_offsets(O, mask, bytes);
    if (reach.high >= b->shared_size || b->shared_size - reach.high < bytes || reach.odd || i->flags & INS_SPINS)
        return PATTERN_FAULT;
    if (i->bound_place && w->worker->check_bounds && (reach.low < i->bound_low || reach.high + bytes > i->bound_high))
        access_neighbour(w, i, O, bytes, access);
    if (i->event && w->worker->counting)
        count_shared(&w->worker->events[i->event - 1], O, mask, bytes, reach.pattern);
    if (b->writes && !i->selected)
        race_shared(w, i, O, race_low_high((u32)reach.low, (u32)reach.high),
                    race_how(bytes, access, spread_of(reach.pattern)));
    return reach.pattern;
}

#define LOAD_SHARED(name, M, R)                                                                                        \
    STEP(lds_##name)                                                                                                   \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        const u32 *on = w->lanes;                                                                                      \
        const char *base = w->block->shared;                                                                           \
        u32 O[LANES] ALIGNED;                                                                                          \
        enum pattern pattern = resolve_shared(w, i, (unsigned)sizeof(M) * i->count, ACCESS_READ, O);                   \
        if (pattern == PATTERN_FAULT)                                                                                  \
            return ld_##name(w, i);                                                                                    \
        for (unsigned n = 0; n < i->count; n++, base += sizeof(M)) {                                                   \
            R *D = slot_at(w, list[n]);                                                                                \
            if (pattern == PATTERN_CONSECUTIVE && i->count == 1) {                                                     \
                const M *S = (const M *)(const void *)(base + O[0]);                                                   \
                EACH_LANE { D[l] = (R)S[l]; }                                                                          \
            } else if (pattern == PATTERN_UNIFORM) {                                                                   \
                R v = (R)*(const M *)(const void *)(base + O[0]);                                                      \
                EACH_LANE { D[l] = on[l] ? v : D[l]; }                                                                 \
            } else if (IN_VECTORS(sizeof(M), sizeof(R), i->count, pattern)) {                                          \
                take_element(D, w->block->shared + O[0], n, i->count, sizeof(M));                                      \
            } else if (BY_GATHER(sizeof(M), sizeof(R))) {                                                              \
                gather_shared(w->mask, D, base, O, sizeof(M));                                                         \
            } else if (w->mask == FULL_MASK) {                                                                         \
                EACH_LANE { D[l] = (R)*(const M *)(const void *)(base + O[l]); }                                       \
            } else {                                                                                                   \
                for (u32 m = w->mask; m; m &= m - 1) {                                                                 \
                    int l = __builtin_ctz(m);                                                                          \
                    D[l] = (R)*(const M *)(const void *)(base + O[l]);                                                 \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

#define STORE_SHARED(name, M, R)                                                                                       \
    STEP(sts_##name)                                                                                                   \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        char *base = w->block->shared;                                                                                 \
        u32 O[LANES] ALIGNED;                                                                                          \
        enum pattern pattern = resolve_shared(w, i, (unsigned)sizeof(M) * i->count, ACCESS_WRITE, O);                  \
        if (pattern == PATTERN_FAULT)                                                                                  \
            return st_##name(w, i);                                                                                    \
        w->worker->progress = true;                                                                                    \
        if (IN_VECTORS(sizeof(M), sizeof(R), i->count, pattern)) {                                                     \
            put_vectors(w, base + O[0], list, i->count, sizeof(M));                                                    \
            return i + 1;                                                                                              \
        }                                                                                                              \
        for (unsigned n = 0; n < i->count; n++, base += sizeof(M)) {                                                   \
            const R *S = slot_at(w, list[n]);                                                                          \
            if (pattern == PATTERN_CONSECUTIVE && i->count == 1) {                                                     \
                M *D = (M *)(void *)(base + O[0]);                                                                     \
                EACH_LANE { D[l] = (M)S[l]; }                                                                          \
            } else if (BY_GATHER(sizeof(M), sizeof(R))) {                                                              \
                scatter_shared(w->mask, S, base, O, sizeof(M));                                                        \
            } else {                                                                                                   \
                for (u32 m = w->mask; m; m &= m - 1) {                                                                 \
                    int l = __builtin_ctz(m);                                                                          \
                    *(M *)(void *)(base + O[l]) = (M)S[l];                                                             \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

/* Kernel parameters: the same for every lane. */
#define LOAD_PARAM(name, M, R)                                                                                         \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        const M *S = (const M *)(w->block->launch->parameters + i->imm);                                               \
        const u32 *on = w->lanes;                                                                                      \
        if (i->flags & INS_ADDRESS_BASE) {                                                                             \
            const u64 *A = slot_at(w, i->a);                                                                           \
            for (u32 m = w->mask; m; m &= m - 1) {                                                                     \
                int l = __builtin_ctz(m);                                                                              \
                for (unsigned n = 0; n < i->count; n++)                                                                \
                    ((R *)slot_at(w, list[n]))[l] = (R)((const M *)((const char *)S + A[l]))[n];                       \
            }                                                                                                          \
            return i + 1;                                                                                              \
        }                                                                                                              \
        for (unsigned n = 0; n < i->count; n++) {                                                                      \
            R *D = slot_at(w, list[n]), v = (R)S[n];                                                                   \
            EACH_LANE { D[l] = on[l] ? v : D[l]; }                                                                     \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

/* Parameters of functions: an area of bytes a lane in the frame. */
#define FRAME(name, M, R, statement)                                                                                   \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        size_t stride = w->frame->function->param_bytes;                                                               \
        char *base = w->frame->params + i->imm;                                                                        \
        for (unsigned n = 0; n < i->count; n++) {                                                                      \
            R *X = slot_at(w, list[n]);                                                                                \
            for (u32 m = w->mask; m; m &= m - 1) {                                                                     \
                int l = __builtin_ctz(m);                                                                              \
                char *p = base + (size_t)l * stride + n * sizeof(M);                                                   \
                M v;                                                                                                   \
                statement;                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

#define EACH_PAIR(X)                                                                                                   \
    X(u8, u16, u, 8, 16)                                                                                               \
    X(u8, u32, u, 8, 32)                                                                                               \
    X(u8, u64, u, 8, 64)                                                                                               \
    X(u16, u16, u, 16, 16)                                                                                             \
    X(u16, u32, u, 16, 32)                                                                                             \
    X(u16, u64, u, 16, 64)                                                                                             \
    X(u32, u32, u, 32, 32)                                                                                             \
    X(u32, u64, u, 32, 64)                                                                                             \
    X(u64, u64, u, 64, 64)                                                                                             \
    X(u128, u128, u, 128, 128)
#define EACH_SIGNED_PAIR(X)                                                                                            \
    X(s8, s16, s, 8, 16)                                                                                               \
    X(s8, s32, s, 8, 32)                                                                                               \
    X(s8, s64, s, 8, 64)                                                                                               \
    X(s16, s32, s, 16, 32)                                                                                             \
    X(s16, s64, s, 16, 64)                                                                                             \
    X(s32, s64, s, 32, 64)

#define LOAD_BODIES(M, R, s, m, r)                                                                                     \
    LOAD(ld_##M##_##R, M, R)                                                                                           \
    LOAD_SHARED(M##_##R, M, R)                                                                                         \
    LOAD_PARAM(ldp_##M##_##R, M, R)                                                                                    \
    FRAME(ldf_##M##_##R, M, R, (memcpy(&v, p, sizeof v), X[l] = (R)v))
#define STORE_BODIES(M, R, s, m, r)                                                                                    \
    STORE(st_##M##_##R, M, R)                                                                                          \
    STORE_SHARED(M##_##R, M, R)                                                                                        \
    FRAME(stf_##M##_##R, M, R, (v = (M)X[l], memcpy(p, &v, sizeof v)))
EACH_PAIR(LOAD_BODIES)
EACH_SIGNED_PAIR(LOAD_BODIES)
EACH_PAIR(STORE_BODIES)

#define LOAD_ROWS(M, R, s, m, r)                                                                                       \
    {"@ld." #s #m "." #r, ld_##M##_##R, "", 0, CLASS_GLOBAL_LOAD, 0},                                                  \
        {"@ld.shared." #s #m "." #r, lds_##M##_##R, "", 0, CLASS_SHARED_LOAD, 0},                                      \
        {"@ld.param." #s #m "." #r, ldp_##M##_##R, "", 0, CLASS_PARAMETER, 0},                                         \
        {"@ld.frame." #s #m "." #r, ldf_##M##_##R, "", 0, CLASS_PARAMETER, 0},
#define STORE_ROWS(M, R, s, m, r)                                                                                      \
    {"@st." #s #m "." #r, st_##M##_##R, "", 0, CLASS_GLOBAL_STORE, 0},                                                 \
        {"@st.shared." #s #m "." #r, sts_##M##_##R, "", 0, CLASS_SHARED_STORE, 0},                                     \
        {"@st.frame." #s #m "." #r, stf_##M##_##R, "", 0, CLASS_PARAMETER, 0},
const struct row LEVELED(rows_memory)[] = {
    EACH_PAIR(LOAD_ROWS) EACH_SIGNED_PAIR(LOAD_ROWS) EACH_PAIR(STORE_ROWS)
    ROWS_END,
};
