/*
 * rows.h - rows of the database on standard output. results.c and rejudge.c ask; it knows no table.
 */
#ifndef GRADE_ROWS_H
#define GRADE_ROWS_H

#include "store.h"

/* Columns apart by tabs for people, CSV with all digits, or a JSON array of objects. */
enum rows_format { ROWS_TABLE, ROWS_CSV, ROWS_JSON };

/* Writes all rows of a statement and finalizes it. False where reading or writing fails. */
bool rows_write(struct store *store, sqlite3_stmt *statement, enum rows_format format, struct error *error);

#endif
