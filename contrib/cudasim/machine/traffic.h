/*
 * traffic.h - the bytes of global memory that work touched, for the checks between streams and between host and device.
 *
 * It is a byte map of the device's memory. The lower half of a byte notes the accesses of the work that runs now. The
 * upper half notes the accesses of other work that nothing orders with it; the owner of the map fills it in before the
 * launch. If both meet in a byte, a warning names the kernel's line. `tell` gives its text.
 */
#ifndef CUDASIM_TRAFFIC_H
#define CUDASIM_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

struct memory;
struct traffic;

/* Strong accesses are atomics, and loads and stores that are volatile, relaxed, acquire or release. */
enum { TRAFFIC_READ = 1, TRAFFIC_WRITE = 2, TRAFFIC_STRONG_READ = 4, TRAFFIC_STRONG_WRITE = 8 };

/* Told with the kinds of an access: its block has waited for the kernel ahead in the stream. */
#define TRAFFIC_AWAITED 16u
/* Told with a strong write: its block stored to page-locked memory before, and made no fence for the system since. */
#define TRAFFIC_UNFENCED 32u
/* Told with an atomic that does not reach the host, in a kernel that neither waits for words nor makes fences. */
#define TRAFFIC_OF_DEVICE 64u

enum { TRAFFIC_TOLD = TRAFFIC_AWAITED | TRAFFIC_UNFENCED | TRAFFIC_OF_DEVICE };

/* The bytes [low, high), all touched alike. */
struct traffic_span {
    uint64_t low, high; /* addresses */
    unsigned kinds;     /* TRAFFIC_* */
};

/*
 * Returns the kind of the warning for an access of `kinds` at `address`, or FAULT_NONE, and writes the sentence to
 * `text`. It is called if work that nothing orders with the access touched the byte, and one of the two wrote, or the
 * access is strong.
 */
typedef enum sim_fault_kind traffic_tell(void *context, uint64_t address, unsigned kinds, char *text, size_t size);

/* NULL: no memory, or no address space. */
struct traffic *traffic_create(struct memory *memory, traffic_tell *tell, void *context);
void traffic_free(struct traffic *traffic);

/* Bytes that the work itself, or other work, touches. What is not the device's reserved range is left out. */
void traffic_note(struct traffic *traffic, uint64_t low, uint64_t high, unsigned kinds);
void traffic_note_other(struct traffic *traffic, uint64_t low, uint64_t high, unsigned kinds);

/* Whether all other work is the kernel ahead. What a block does after its wait for it is then not compared. */
void traffic_only_ahead(struct traffic *traffic, bool only);

/* What the work itself touched, in order, to be freed; the map is empty again. False: too scattered, or no memory. */
bool traffic_take(struct traffic *traffic, struct traffic_span **spans, size_t *count);

/* Whether accesses of these kinds to one byte collide where nothing orders them. */
static inline bool traffic_collides(unsigned a, unsigned b)
{
    return (a & TRAFFIC_WRITE && b) || (b & TRAFFIC_WRITE && a) ||
           (a & TRAFFIC_STRONG_WRITE && b & TRAFFIC_READ) || (b & TRAFFIC_STRONG_WRITE && a & TRAFFIC_READ);
}

#endif
