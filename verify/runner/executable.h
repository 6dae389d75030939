/*
 * executable.h - what can be executed in the runner's process is loaded in one go, and nothing after it: filter.h.
 */
#ifndef VERIFY_EXECUTABLE_H
#define VERIFY_EXECUTABLE_H

#include <stdbool.h>

/*
 * Before the filter: loads what the C library and the driver of a GPU load when they need it. They find it there then.
 */
void executable_load_ahead(bool cuda);

/*
 * Before the submission is loaded, and after it: between the two calls the loader may map what can be executed. False
 * where the descriptors are not as they should be.
 */
bool executable_begin(void);
void executable_end(void);

#endif
