/*
 * rows.c - the rows of a statement as a table, CSV or JSON.
 */
#include "rows.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verify/base/text.h"

static void write_csv_text(const char *text)
{
    if (!text[strcspn(text, "\",\r\n")]) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            putchar('"');
        putchar(*c);
    }
    putchar('"');
}

/* A field that people read at a terminal: in one line, and nothing that a terminal obeys. */
static void write_plain_text(const char *text)
{
    char piece[TEXT_PIECE];
    uint32_t before = 0;
    size_t length = 1;

    for (; *text; text += length) {
        if (*text == '\n' || *text == '\t')
            strcpy(piece, " "), length = 1, before = 0;
        else
            text_piece(piece, text, SIZE_MAX, &before, &length);
        fputs(piece, stdout);
    }
}

static json_t *json_of(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: return json_null();
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT: return json_real(sqlite3_column_double(statement, column));
    default: return json_string((const char *)sqlite3_column_text(statement, column));
    }
}

/* A row of the table for people, columns apart by tabs, or of the CSV. Doubles with all their digits in the CSV. */
static void write_row(sqlite3_stmt *statement, bool csv)
{
    const bool terminal = isatty(1); /* a file has the CSV as it was chosen */

    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *text = (const char *)sqlite3_column_text(statement, i);

        if (i > 0)
            putchar(csv ? ',' : '\t');
        if (sqlite3_column_type(statement, i) == SQLITE_FLOAT)
            printf(csv ? "%.17g" : "%.6f", sqlite3_column_double(statement, i));
        else if (csv && !terminal)
            write_csv_text(text ? text : "");
        else
            write_plain_text(text ? text : csv ? "" : "-");
    }
    putchar('\n');
}

bool rows_write(struct store *store, sqlite3_stmt *statement, enum rows_format format, struct error *error)
{
    json_t *all = json_array();
    const int columns = sqlite3_column_count(statement);
    enum store_row row;

    for (int i = 0; i < columns && format != ROWS_JSON; i++)
        printf("%s%s", i == 0 ? "" : format == ROWS_CSV ? "," : "\t", sqlite3_column_name(statement, i));
    if (format != ROWS_JSON)
        putchar('\n');
    while ((row = store_step(store, statement, error)) == STORE_ROW) {
        json_t *object = format == ROWS_JSON ? json_object() : NULL;

        for (int i = 0; i < columns && object; i++)
            json_object_set_new(object, sqlite3_column_name(statement, i), json_of(statement, i));
        if (object)
            json_array_append_new(all, object);
        else
            write_row(statement, format == ROWS_CSV);
    }
    sqlite3_finalize(statement);
    if (row == STORE_END && format == ROWS_JSON) {
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII);
        putchar('\n');
    }
    json_decref(all);
    return row == STORE_END && (fflush(stdout) == 0 || error_system(error, "cannot write"));
}
