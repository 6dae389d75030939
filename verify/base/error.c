/*
 * error.c - filling a struct error.
 */
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* Fills the text: names from outside among the words are shown, never obeyed. */
static void fill(struct error *error, const char *format, va_list arguments)
{
    vsnprintf(error->text, sizeof error->text, format, arguments);
    text_defuse(error->text, sizeof error->text);
}

bool error_usage(struct error *error, const char *format, ...)
{
    va_list arguments;

    error->code = EXIT_USAGE;
    va_start(arguments, format);
    fill(error, format, arguments);
    va_end(arguments);
    return false;
}

bool error_toolkit(struct error *error, const char *format, ...)
{
    va_list arguments;

    error->code = EXIT_TOOLKIT;
    va_start(arguments, format);
    fill(error, format, arguments);
    va_end(arguments);
    return false;
}

bool error_option(struct error *error, int id, const char *word, const char *program)
{
    if (id == ':')
        return error_usage(error, "option '%.100s' needs a value; see %s --help", word, program);
    return error_usage(error, "unknown option '%.100s'; see %s --help", word, program);
}

bool error_system(struct error *error, const char *format, ...)
{
    const char *reason = strerror(errno);
    va_list arguments;
    size_t used;

    error->code = EXIT_TOOLKIT;
    va_start(arguments, format);
    fill(error, format, arguments);
    va_end(arguments);
    used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, ": %s", reason);
    return false;
}
