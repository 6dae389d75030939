/*
 * ptx_directive.c - directives that modules and bodies share: files and places in them, functions and prototypes with
 * their parameters, linking. ptx_parse.c and ptx_code.c call it.
 */
#include "ptx_parse.h"

#include <string.h>

/* ---- in modules and bodies ---- */

/* .section name { … }: data for debuggers. */
static bool section(struct ptx_parser *parser)
{
    unsigned depth = 0, line = parser->lexer.token.line;

    while (parser->lexer.token.kind != PTX_TOKEN_END) {
        if (ptx_is_mark(parser, '{')) {
            depth++;
        } else if (ptx_is_mark(parser, '}') && --depth == 0) {
            ptx_lex_next(&parser->lexer);
            return !parser->lexer.failed;
        } else if (depth == 0 && parser->lexer.token.kind != PTX_TOKEN_NAME &&
                   parser->lexer.token.kind != PTX_TOKEN_DIRECTIVE) {
            return ptx_lex_expected(&parser->lexer, "'{'");
        }
        ptx_lex_next(&parser->lexer);
    }
    return ptx_lex_fail(&parser->lexer, line, "the section never ends");
}

static bool is_toolkit_path(const char *path)
{
    return strstr(path, "/targets/x86_64-linux/include/") || strstr(path, "/include/cccl/") ||
           !strncmp(path, "/usr/include/crt/", 17) ||
           (!strncmp(path, "/usr/local/cuda", 15) && strstr(path, "/include/"));
}

/* .file number "path", time, size */
static bool file(struct ptx_parser *parser)
{
    const struct ptx_token *token = &parser->lexer.token;
    struct ptx_file *files, entry = {0};
    struct ptx_symbol *path;
    uint64_t number;

    if (!ptx_count(parser, "a file's number", UINT32_MAX, &number))
        return false;
    if (token->kind != PTX_TOKEN_STRING)
        return ptx_lex_expected(&parser->lexer, "a file's path");
    path = ptx_intern(parser, token->text, token->length);
    if (!path)
        return false;
    ptx_lex_next(&parser->lexer);
    while (ptx_accept(parser, ','))
        if (!ptx_count(parser, "a file's time or size", INT64_MAX, &(uint64_t){0}))
            return false;
    entry.number = (unsigned)number;
    entry.path = path->text;
    entry.toolkit = is_toolkit_path(path->text);
    files = ptx_grow(parser, parser->files, &parser->file_capacity, parser->file_count + 1, sizeof *files);
    if (!files)
        return false;
    parser->files = files;
    files[parser->file_count++] = entry;
    return !parser->lexer.failed;
}

static bool pragma(struct ptx_parser *parser)
{
    do {
        if (parser->lexer.token.kind != PTX_TOKEN_STRING)
            return ptx_lex_expected(&parser->lexer, "a string");
        ptx_lex_next(&parser->lexer);
    } while (ptx_accept(parser, ','));
    return ptx_expect(parser, ';');
}

bool ptx_common_directive(struct ptx_parser *parser)
{
    if (ptx_accept_directive(parser, ".pragma"))
        pragma(parser);
    else if (ptx_accept_directive(parser, ".section"))
        section(parser);
    else if (ptx_accept_directive(parser, ".file"))
        file(parser);
    else
        return false;
    return true;
}

enum ptx_linkage ptx_linking(struct ptx_parser *parser)
{
    static const struct {
        const char *directive;
        enum ptx_linkage linkage;
    } list[] = {{".extern", PTX_EXTERN}, {".visible", PTX_VISIBLE}, {".weak", PTX_WEAK}, {".common", PTX_COMMON}};
    enum ptx_linkage linkage = PTX_PRIVATE;
    size_t n = 0;

    while (n < sizeof list / sizeof *list) {
        if (ptx_accept_directive(parser, list[n].directive)) {
            linkage = list[n].linkage > linkage ? list[n].linkage : linkage;
            n = 0;
        } else {
            n++;
        }
    }
    return linkage;
}

/* ---- of functions and prototypes ---- */

bool ptx_parameters(struct ptx_parser *parser, bool bind, struct ptx_variable **list, size_t *count)
{
    parser->parameter_count = 0;
    if (!ptx_expect(parser, '('))
        return false;
    if (!ptx_is_mark(parser, ')')) {
        do {
            struct ptx_variable variable, *parameters;

            if (!ptx_parameter(parser, bind, &variable))
                return false;
            parameters = ptx_grow(parser, parser->parameters, &parser->parameter_capacity,
                                  parser->parameter_count + 1, sizeof *parameters);
            if (!parameters)
                return false;
            parser->parameters = parameters;
            parameters[parser->parameter_count++] = variable;
        } while (ptx_accept(parser, ','));
    }
    *count = parser->parameter_count;
    *list = ptx_keep(parser, parser->parameters, parser->parameter_count, sizeof *parser->parameters);
    return ptx_expect(parser, ')');
}

/* One to three numbers, the missing ones being 1. */
static bool extents(struct ptx_parser *parser, unsigned *list)
{
    uint64_t number;

    list[0] = list[1] = list[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!ptx_count(parser, "an extent", INT32_MAX, &number))
            return false;
        list[i] = (unsigned)number;
        if (!ptx_accept(parser, ','))
            break;
    }
    return !parser->lexer.failed;
}

bool ptx_function_directives(struct ptx_parser *parser, struct ptx_function *function)
{
    unsigned ignored[3];
    bool managed;

    while (parser->lexer.token.kind == PTX_TOKEN_DIRECTIVE) {
        bool ok = true;

        if (ptx_accept_directive(parser, ".noreturn"))
            function->noreturn = true;
        else if (ptx_accept_directive(parser, ".explicitcluster"))
            function->explicit_cluster = true;
        else if (ptx_accept_directive(parser, ".maxntid"))
            ok = extents(parser, function->maxntid);
        else if (ptx_accept_directive(parser, ".reqntid"))
            ok = extents(parser, function->reqntid);
        else if (ptx_accept_directive(parser, ".reqnctapercluster"))
            ok = extents(parser, function->reqnctapercluster);
        else if (ptx_accept_directive(parser, ".minnctapersm")) {
            ok = extents(parser, ignored);
            function->minnctapersm = ignored[0];
        } else if (ptx_accept_directive(parser, ".maxclusterrank")) {
            ok = extents(parser, ignored);
            function->maxclusterrank = ignored[0];
        } else if (ptx_accept_directive(parser, ".maxnreg") || ptx_accept_directive(parser, ".maxnctapersm") ||
                   ptx_accept_directive(parser, ".abi_preserve") ||
                   ptx_accept_directive(parser, ".abi_preserve_control"))
            ok = extents(parser, ignored);
        else if (ptx_accept_directive(parser, ".attribute"))
            ok = ptx_attribute(parser, &managed);
        else if (ptx_accept_directive(parser, ".pragma"))
            ok = pragma(parser);
        else if (ptx_accept_directive(parser, ".blocksareclusters"))
            function->blocks_are_clusters = true;
        else if (!ptx_accept_directive(parser, ".unique"))
            return ptx_lex_expected(&parser->lexer, "'{', ';' or a directive of functions");
        if (!ok)
            return false;
    }
    return !parser->lexer.failed;
}

/* ---- locations ---- */

static size_t location_slot(const struct ptx_parser *parser, unsigned file, unsigned line, unsigned column)
{
    uint64_t hash = ((uint64_t)file * 0x9E3779B97F4A7C15u) ^ ((uint64_t)line * 0xC2B2AE3D27D4EB4Fu) ^
                    (uint64_t)column * 0x165667B19E3779F9u;
    size_t at = (size_t)(hash ^ hash >> 29);

    for (;; at++) {
        uint32_t index = parser->location_index[at & (parser->location_slots - 1)];
        const struct ptx_location *x = index ? &parser->locations[index - 1] : NULL;

        if (!x || (x->file == file && x->line == line && x->column == column))
            return at & (parser->location_slots - 1);
    }
}

/* The last location noted at that place, plus 1, or 0. */
static unsigned location_at(const struct ptx_parser *parser, unsigned file, unsigned line, unsigned column)
{
    return parser->location_slots ? parser->location_index[location_slot(parser, file, line, column)] : 0;
}

static bool grow_location_index(struct ptx_parser *parser)
{
    size_t slots = parser->location_slots ? 2 * parser->location_slots : 256;
    uint32_t *index = ptx_allocate(parser, &parser->scratch, slots * sizeof *index);

    if (!index)
        return false;
    memset(index, 0, slots * sizeof *index);
    parser->location_index = index;
    parser->location_slots = slots;
    for (size_t i = 0; i < parser->location_count; i++) { /* a later one replaces an earlier one at the same place */
        const struct ptx_location *x = &parser->locations[i];

        index[location_slot(parser, x->file, x->line, x->column)] = (uint32_t)i + 1;
    }
    return true;
}

/* Notes a location, whose number becomes parser->location. False: out of memory. */
static bool note_location(struct ptx_parser *parser, struct ptx_location location)
{
    struct ptx_location *locations;
    size_t slot;

    if (2 * (parser->location_count + 1) > parser->location_slots && !grow_location_index(parser))
        return false;
    slot = location_slot(parser, location.file, location.line, location.column);
    parser->location = parser->location_index[slot];
    if (parser->location && parser->locations[parser->location - 1].parent == location.parent)
        return true;
    locations = ptx_grow(parser, parser->locations, &parser->location_capacity, parser->location_count + 1,
                         sizeof *locations);
    if (!locations)
        return false;
    parser->locations = locations;
    locations[parser->location_count++] = location;
    parser->location = parser->location_index[slot] = (unsigned)parser->location_count;
    return true;
}

static bool plain_number(struct ptx_parser *parser, unsigned *number)
{
    uint64_t value;

    if (!ptx_count(parser, "a line's number", UINT32_MAX, &value))
        return false;
    *number = (unsigned)value;
    return true;
}

/* file line column, function_name symbol, inlined_at file line column: it ends without a mark. */
bool ptx_location_directive(struct ptx_parser *parser)
{
    struct ptx_location place = {0};
    unsigned file, line, column;

    if (!plain_number(parser, &place.file) || !plain_number(parser, &place.line) ||
        !plain_number(parser, &place.column))
        return false;
    while (ptx_accept(parser, ',')) {
        struct ptx_symbol *word = ptx_expect_name(parser, "'function_name' or 'inlined_at'");
        int64_t offset = 0;
        bool ok;

        if (word && strcmp(word->text, "function_name") == 0) {
            ok = ptx_expect_name(parser, "a name") && ptx_offset(parser, &offset);
        } else if (word && strcmp(word->text, "inlined_at") == 0) {
            ok = plain_number(parser, &file) && plain_number(parser, &line) && plain_number(parser, &column);
            place.parent = ok ? location_at(parser, file, line, column) : 0;
            if (ok && !place.parent) { /* nothing of the caller's own line came before it */
                ok = note_location(parser, (struct ptx_location){file, line, column, 0});
                place.parent = parser->location;
            }
        } else {
            ok = ptx_lex_expected(&parser->lexer, "'function_name' or 'inlined_at'");
        }
        if (!ok)
            return false;
    }
    parser->source_file = place.file;
    parser->source_line = place.line;
    return note_location(parser, place);
}
