/*
 * script.h - live.js as a string.
 */
#ifndef SERVE_SCRIPT_H
#define SERVE_SCRIPT_H

extern const char serve_script[];

#endif
