/*
 * host_place.h - names the place in the program from which the host accessed memory, or called, for reports.
 */
#ifndef CUDASIM_HOST_PLACE_H
#define CUDASIM_HOST_PLACE_H

#include <stddef.h>
#include <stdint.h>

enum { HOST_STACK_WORDS = 32 }; /* of the stack that an access is made from: see host_place() */

/* For a handler of SIGSEGV: the first words of the stack, and the instruction. `context`: the handler's ucontext_t. */
void host_stack(const void *context, uint64_t words[HOST_STACK_WORDS]);
uint64_t host_code(const void *context);

/* "the host in main (program+0x1234)": to be given to addr2line. */
void host_place(uint64_t code, const uint64_t stack[HOST_STACK_WORDS], char *text, size_t size);

/*
 * " at file.cu:12" for the address of code, as symbol_line() writes it. For code that was inlined from the runtime's
 * header, as cudaMalloc() with a typed pointer is, it is the line of the call.
 */
void host_line(const char *path, uint64_t base, uint64_t address, char *line, size_t size);

/*
 * " (called at file.cu:12)" for the code behind a call, or "": it is not the program's own, or has no lines. In code of
 * the toolkit's headers that is the place of `outer`, the code behind the call of that code; NULL: not known.
 */
void host_call_place(const void *code, const void *outer, char *text, size_t size);

enum { HOST_FRAMES = 16 }; /* of calls in progress that are looked at */

/*
 * The code behind the calls in progress of the program's functions, innermost first. *name: the function of this
 * library that the first of them called, or NULL. Returns their number.
 */
int host_frames(void *frames[HOST_FRAMES], const char **name);

/*
 * " (WORD at file.cu:12)" for the innermost frame that has a line in the program's own code, or "". All frames are of
 * the program or library that the innermost one is in.
 */
void host_frames_place(void *const *frames, int count, const char *word, char *text, size_t size);

/*
 * Appends the same for the call in progress to a report: " (called at file.cu:12)". nvcc's functions that launch a
 * kernel do not count.
 */
void host_add_place(char *text, size_t size);

#endif
