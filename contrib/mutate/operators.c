/*
 * operators.c - walks the syntax tree of a source by libclang and notes what can be changed: operators.h.
 *
 * The tree says what a place is; the text is taken from the file. What a macro's body expands to has no text of its own
 * at its place: every range is checked against the text, and what does not fit is left as it is. Constants in the
 * bodies of macros are found as tokens of their definitions.
 */
#include "operators.h"

#include <clang-c/Index.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/error.h"

#define countof(array) (sizeof (array) / sizeof *(array))

enum { CONTEXT_BYTES = 110 }; /* an expression up to this long is shown whole around what changes in it */

struct walker {
    struct mutants *mutants;
    const struct source *source;
    CXTranslationUnit unit;
    CXFile file;      /* the submission itself: no other file is changed */
    bool cuda;
    char function[96]; /* in which the walk is */
};

/* The children of a cursor. */
struct children {
    CXCursor *items;
    size_t count, room;
};

static enum CXChildVisitResult note_child(CXCursor child, CXCursor parent, CXClientData data)
{
    struct children *children = data;

    (void)parent;
    if (children->count == children->room) {
        children->room = children->room ? 2 * children->room : 8;
        children->items = must(realloc(children->items, children->room * sizeof *children->items));
    }
    children->items[children->count++] = child;
    return CXChildVisit_Continue;
}

static struct children children_of(CXCursor cursor)
{
    struct children children = { 0 };

    clang_visitChildren(cursor, note_child, &children);
    return children;
}

/* Where a cursor's text stands in the source; false if it is not all there. */
static bool place(const struct walker *walker, CXCursor cursor, struct range *range)
{
    CXSourceRange extent = clang_getCursorExtent(cursor);
    CXFile first, last;
    unsigned start, end;
    int depth = 0;

    clang_getFileLocation(clang_getRangeStart(extent), &first, NULL, NULL, &start);
    clang_getFileLocation(clang_getRangeEnd(extent), &last, NULL, NULL, &end);
    if (!first || !last || !clang_File_isEqual(first, walker->file) || !clang_File_isEqual(last, walker->file) ||
        start >= end || end > walker->source->size)
        return false;
    for (unsigned i = start; i < end && depth >= 0; i++) {
        depth += strchr("([{", walker->source->text[i]) != NULL;
        depth -= strchr(")]}", walker->source->text[i]) != NULL;
    }
    *range = (struct range){ start, end };
    return depth == 0;
}

static void add(struct walker *walker, const char *operator, struct range context, struct range range,
                const char *replacement)
{
    mutants_add(walker->mutants, walker->source, operator, walker->function, context, range, replacement);
}

/* Adds `format` with the range's own text, on one line, in place of its %s. */
static void add_with(struct walker *walker, const char *operator, struct range context, struct range range,
                     const char *format)
{
    char *line = source_line(walker->source, range);
    size_t room = strlen(line) + strlen(format) + 1;
    char *text = must(malloc(room)), *hole = strstr(format, "%s");

    snprintf(text, room, "%.*s%s%s", (int)(hole - format), format, line, hole + 2);
    add(walker, operator, context, range, text);
    free(text);
    free(line);
}

/* ---- operators between two operands, before one, behind one ---- */

static const struct swap {
    const char *operator, *text, *others[5];
} binary[] = {
    { "compare", "<", { "<=", ">", ">=", "==" } }, { "compare", "<=", { "<", ">", ">=", "==" } },
    { "compare", ">", { ">=", "<", "<=", "==" } }, { "compare", ">=", { ">", "<", "<=", "==" } },
    { "compare", "==", { "!=", "<=", ">=" } }, { "compare", "!=", { "==", "<", ">" } },
    { "logical", "&&", { "||" } }, { "logical", "||", { "&&" } },
    { "arithmetic", "+", { "-", "*" } }, { "arithmetic", "-", { "+", "*" } }, { "arithmetic", "*", { "+", "/" } },
    { "arithmetic", "/", { "*", "-" } }, { "arithmetic", "%", { "/", "*" } }, { "arithmetic", "<<", { ">>" } },
    { "arithmetic", ">>", { "<<" } }, { "arithmetic", "&", { "|", "^" } }, { "arithmetic", "|", { "&", "^" } },
    { "arithmetic", "^", { "&", "|" } },
    { "arithmetic", "+=", { "-=", "=" } }, { "arithmetic", "-=", { "+=", "=" } },
    { "arithmetic", "*=", { "+=", "=" } }, { "arithmetic", "/=", { "*=", "=" } }, { "arithmetic", "%=", { "/=" } },
    { "arithmetic", "<<=", { ">>=" } }, { "arithmetic", ">>=", { "<<=" } }, { "arithmetic", "&=", { "|=", "=" } },
    { "arithmetic", "|=", { "&=", "=" } }, { "arithmetic", "^=", { "|=", "=" } },
}, unary[] = {
    { "arithmetic", "++", { "--" } }, { "arithmetic", "--", { "++" } },
    { "arithmetic", "-", { "" } }, { "arithmetic", "~", { "" } }, { "logical", "!", { "" } },
};

/* The operator that is all of the text between two places but spaces; NULL if that is none. */
static const struct swap *operator_in(const struct walker *walker, const struct swap *table, size_t count,
                                      struct range *range)
{
    const char *text = walker->source->text;

    while (range->start < range->end && isspace((unsigned char)text[range->start]))
        range->start++;
    while (range->start < range->end && isspace((unsigned char)text[range->end - 1]))
        range->end--;
    for (size_t i = 0; i < count; i++)
        if (strlen(table[i].text) == range->end - range->start &&
            memcmp(table[i].text, text + range->start, range->end - range->start) == 0)
            return &table[i];
    return NULL;
}

static void change_operator(struct walker *walker, const struct swap *swap, struct range context, struct range range)
{
    for (size_t i = 0; i < countof(swap->others) && swap->others[i]; i++)
        add(walker, swap->operator, context, range, swap->others[i]);
}

static void binary_operator(struct walker *walker, const struct children *children, struct range context)
{
    struct range left, right, between;
    const struct swap *swap;

    if (children->count != 2 || !place(walker, children->items[0], &left) ||
        !place(walker, children->items[1], &right) || left.end > right.start)
        return;
    between = (struct range){ left.end, right.start };
    swap = operator_in(walker, binary, countof(binary), &between);
    if (!swap)
        return;
    change_operator(walker, swap, context, between);
    /* A bound that is one too large or too small. */
    if (strcmp(swap->operator, "compare") == 0 && swap->text[0] != '=' && swap->text[0] != '!') {
        add_with(walker, "bound", context, right, "(%s) + 1");
        add_with(walker, "bound", context, right, "(%s) - 1");
    }
}

static void unary_operator(struct walker *walker, const struct children *children, struct range whole,
                           struct range context)
{
    struct range operand, part;
    const struct swap *swap;

    if (children->count != 1 || !place(walker, children->items[0], &operand))
        return;
    part = operand.start > whole.start ? (struct range){ whole.start, operand.start }
                                       : (struct range){ operand.end, whole.end };
    if (part.start < part.end && (swap = operator_in(walker, unary, countof(unary), &part)) != NULL)
        change_operator(walker, swap, context, part);
}

/* ---- constants ---- */

static void constant(struct walker *walker, struct range range, struct range context)
{
    const char *text = walker->source->text + range.start;

    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return;
    for (size_t i = 0; i < range.end - range.start; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr(".'+-", text[i]))
            return;
    add_with(walker, "constant", context, range, "(%s + 1)");
    add_with(walker, "constant", context, range, "(%s - 1)");
}

/* #define NAME ... 64 ...: its numbers, by the definition's tokens. */
static void macro_definition(struct walker *walker, CXCursor cursor)
{
    CXSourceRange extent = clang_getCursorExtent(cursor);
    struct range context;
    CXToken *tokens = NULL;
    unsigned count = 0;

    if (!place(walker, cursor, &context))
        return;
    clang_tokenize(walker->unit, extent, &tokens, &count);
    for (unsigned i = 1; i < count; i++) {
        unsigned start, end;
        CXSourceRange range = clang_getTokenExtent(walker->unit, tokens[i]);

        if (clang_getTokenKind(tokens[i]) != CXToken_Literal)
            continue;
        clang_getFileLocation(clang_getRangeStart(range), NULL, NULL, NULL, &start);
        clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
        if (start >= context.start && end <= context.end)
            constant(walker, (struct range){ start, end }, context);
    }
    if (tokens)
        clang_disposeTokens(walker->unit, tokens, count);
}

/* ---- types ---- */

/* The longest first, where one begins another. `c_only`: CUDA has no such conversion. */
static const struct narrow {
    const char *wide, *narrow;
    bool c_only;
} narrows[] = {
    { "unsigned long long", "unsigned int", false }, { "long long", "int", false },
    { "unsigned long", "unsigned int", false }, { "long", "int", false }, { "uint64_t", "uint32_t", false },
    { "int64_t", "int32_t", false }, { "size_t", "int", false }, { "ptrdiff_t", "int", false },
    { "uintptr_t", "int", false }, { "double", "float", false }, { "float", "_Float16", true },
    { "unsigned int", "unsigned short", false }, { "unsigned char", "unsigned char", false },
    { "unsigned", "unsigned short", false }, { "uint32_t", "uint16_t", false }, { "int32_t", "int16_t", false },
    { "uint16_t", "uint8_t", false }, { "int16_t", "int8_t", false }, { "int", "short", false },
};

static bool word_character(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Narrows the first type's word in `range`. */
static void narrow_word(struct walker *walker, struct range range, struct range context)
{
    const char *text = walker->source->text;

    for (size_t at = range.start; at < range.end; at++) {
        if (!word_character(text[at]) || (at > 0 && word_character(text[at - 1])))
            continue;
        for (size_t i = 0; i < countof(narrows); i++) {
            size_t length = strlen(narrows[i].wide);

            if (at + length > range.end || memcmp(text + at, narrows[i].wide, length) != 0 ||
                word_character(text[at + length]))
                continue;
            if (!narrows[i].c_only || !walker->cuda)
                add(walker, "narrow", context, (struct range){ at, at + length }, narrows[i].narrow);
            return;
        }
    }
}

/* A number, or an array of numbers. */
static bool is_number(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    return (type.kind >= CXType_Bool && type.kind <= CXType_LongDouble) || type.kind == CXType_Float16;
}

/* The type of what a declaration declares, or of a function's value: what stands before the name. */
static void declared_type(struct walker *walker, CXCursor cursor, CXType type, struct range whole,
                          struct range context)
{
    unsigned name;

    clang_getFileLocation(clang_getCursorLocation(cursor), NULL, NULL, NULL, &name);
    if (is_number(type) && name > whole.start && name < whole.end)
        narrow_word(walker, (struct range){ whole.start, name }, context);
}

/* (type)operand: another type, and none. */
static void cast(struct walker *walker, CXCursor cursor, const struct children *children, struct range whole,
                 struct range context)
{
    struct range operand;

    if (children->count == 0 || !place(walker, children->items[children->count - 1], &operand) ||
        operand.start <= whole.start || !is_number(clang_getCursorType(cursor)))
        return;
    narrow_word(walker, (struct range){ whole.start, operand.start }, context);
    if (operand.end == whole.end)
        add(walker, "narrow", context, (struct range){ whole.start, operand.start }, "");
}

/* ---- calls, conditions ---- */

static bool alike(CXType a, CXType b)
{
    a = clang_getCanonicalType(a);
    b = clang_getCanonicalType(b);
    if (is_number(a) && is_number(b))
        return true;
    if (a.kind == CXType_Pointer && b.kind == CXType_Pointer)
        return clang_getCanonicalType(clang_getPointeeType(a)).kind ==
               clang_getCanonicalType(clang_getPointeeType(b)).kind;
    return clang_equalTypes(a, b) != 0;
}

/* Exchanges two neighbouring texts. */
static void exchange(struct walker *walker, struct range first, struct range second, struct range context)
{
    struct range between = { first.end, second.start };
    char *left = source_line(walker->source, first), *right = source_line(walker->source, second);
    char *middle = source_line(walker->source, between);
    size_t room = strlen(left) + strlen(right) + strlen(middle) + 1;
    char *text = must(malloc(room));

    snprintf(text, room, "%s%s%s", right, middle, left);
    if (strcmp(left, right) != 0)
        add(walker, "swap", context, (struct range){ first.start, second.end }, text);
    free(text);
    free(middle);
    free(right);
    free(left);
}

static void call(struct walker *walker, CXCursor cursor, struct range context)
{
    int count = clang_Cursor_getNumArguments(cursor);

    for (int i = 0; i + 1 < count; i++) {
        CXCursor a = clang_Cursor_getArgument(cursor, (unsigned)i);
        CXCursor b = clang_Cursor_getArgument(cursor, (unsigned)i + 1);
        struct range first, second;

        if (place(walker, a, &first) && place(walker, b, &second) && first.end < second.start &&
            alike(clang_getCursorType(a), clang_getCursorType(b)))
            exchange(walker, first, second, context);
    }
}

/* What is asked: always, never. */
static void condition(struct walker *walker, const struct children *children, struct range context, bool statement)
{
    struct range range;

    if (children->count == 0 || !clang_isExpression(clang_getCursorKind(children->items[0])) ||
        !place(walker, children->items[0], &range))
        return;
    if (statement)
        context = range;
    add_with(walker, "logical", context, range, "!(%s)");
    add_with(walker, "logical", context, range, "((%s) || 1)");
    add_with(walker, "logical", context, range, "((%s) && 0)");
}

/* ---- statements ---- */

static const char *const barriers[] = {
    "__syncthreads", "__syncwarp", "__threadfence", ".sync(", ">sync(", "arrive", "barrier", "fence", "membar", "bar.",
    "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaStreamWaitEvent", "cudaEventSynchronize", "cp.async.wait",
    "cp.async.bulk.wait", "mbarrier", "griddepcontrol", "pthread_join", "pipeline_wait", "__nanosleep", "wait",
};

static void remove_statement(struct walker *walker, CXCursor statement)
{
    enum CXCursorKind kind = clang_getCursorKind(statement);
    bool expression = clang_isExpression(kind), barrier = false;
    const char *text = walker->source->text;
    struct range range;
    char *line;

    if (kind == CXCursor_ReturnStmt) {
        struct children value = children_of(statement);

        free(value.items);
        if (value.count > 0)
            return;
    } else if (!expression && kind != CXCursor_BreakStmt && kind != CXCursor_ContinueStmt &&
               kind != CXCursor_IfStmt && kind != CXCursor_ForStmt && kind != CXCursor_WhileStmt &&
               kind != CXCursor_DoStmt && kind != CXCursor_GCCAsmStmt) {
        return;
    }
    if (!place(walker, statement, &range))
        return;
    line = source_line(walker->source, range);
    if (expression || kind == CXCursor_GCCAsmStmt)
        for (size_t i = 0; i < countof(barriers); i++)
            barrier |= strstr(line, barriers[i]) != NULL;
    free(line);
    /* What ends with its own semicolon or brace leaves an empty statement. */
    add(walker, barrier ? "barrier" : "remove", range, range, strchr(";}", text[range.end - 1]) ? ";" : "((void)0)");
}

static bool is_statement(enum CXCursorKind kind) { return clang_isStatement(kind) || clang_isExpression(kind); }

/* The statements below one: what a loop or a condition asks is none. */
static void remove_statements(struct walker *walker, CXCursor cursor, const struct children *children)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    size_t first = children->count;

    if (kind == CXCursor_CompoundStmt)
        first = 0;
    else if (kind == CXCursor_IfStmt)
        first = 1;
    else if (kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt)
        first = children->count ? children->count - 1 : 0;
    for (size_t i = first; i < children->count; i++)
        if (is_statement(clang_getCursorKind(children->items[i])))
            remove_statement(walker, children->items[i]);
}

/* ---- the walk ---- */

static bool is_function(enum CXCursorKind kind)
{
    return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_FunctionTemplate ||
           kind == CXCursor_Constructor || kind == CXCursor_ConversionFunction;
}

static bool is_variable(enum CXCursorKind kind)
{
    return kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl || kind == CXCursor_FieldDecl ||
           kind == CXCursor_EnumConstantDecl;
}

/* What an expression or a declaration itself allows. */
static void change(struct walker *walker, CXCursor cursor, const struct children *children, struct range whole,
                   struct range context)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        binary_operator(walker, children, context);
        break;
    case CXCursor_UnaryOperator:
        unary_operator(walker, children, whole, context);
        break;
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
        constant(walker, whole, context);
        break;
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
    case CXCursor_CXXStaticCastExpr:
        cast(walker, cursor, children, whole, context);
        break;
    case CXCursor_CallExpr:
        call(walker, cursor, context);
        break;
    case CXCursor_ConditionalOperator:
        condition(walker, children, context, false);
        break;
    case CXCursor_IfStmt:
        condition(walker, children, context, true);
        break;
    default:
        break;
    }
}

static void walk(struct walker *walker, CXCursor cursor, const struct range *outer);

/* A function: its value's type, and what is in it. */
static void function(struct walker *walker, CXCursor cursor, struct range whole, const struct children *children)
{
    CXString name = clang_getCursorSpelling(cursor);
    struct range head = whole;
    char saved[sizeof walker->function];

    memcpy(saved, walker->function, sizeof saved);
    snprintf(walker->function, sizeof walker->function, "%s", clang_getCString(name));
    clang_disposeString(name);
    for (size_t i = 0; i < children->count; i++) {
        struct range body;

        if (clang_getCursorKind(children->items[i]) == CXCursor_CompoundStmt &&
            place(walker, children->items[i], &body) && body.start > head.start)
            head.end = body.start;
    }
    declared_type(walker, cursor, clang_getCursorResultType(cursor), whole, head);
    for (size_t i = 0; i < children->count; i++)
        walk(walker, children->items[i], NULL);
    memcpy(walker->function, saved, sizeof saved);
}

/* `outer`: the expression or declaration that is shown around a change, or NULL where none is short enough yet. */
static void walk(struct walker *walker, CXCursor cursor, const struct range *outer)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    struct children children;
    struct range whole;
    bool here = place(walker, cursor, &whole);

    if (kind == CXCursor_StaticAssert)
        return;
    children = children_of(cursor);
    if (here && is_function(kind)) {
        function(walker, cursor, whole, &children);
        free(children.items);
        return;
    }
    if (clang_isStatement(kind) && kind != CXCursor_DeclStmt && kind != CXCursor_ReturnStmt)
        outer = NULL;
    if (here && !outer && whole.end - whole.start <= CONTEXT_BYTES &&
        (clang_isExpression(kind) || is_variable(kind) || kind == CXCursor_ReturnStmt))
        outer = &whole;
    if (here) {
        struct range context = outer && outer->start <= whole.start && outer->end >= whole.end ? *outer : whole;

        if (is_variable(kind))
            declared_type(walker, cursor, clang_getCursorType(cursor), whole, context);
        else
            change(walker, cursor, &children, whole, context);
    }
    remove_statements(walker, cursor, &children);
    for (size_t i = 0; i < children.count; i++)
        walk(walker, children.items[i], outer);
    free(children.items);
}

bool operators_find(struct mutants *mutants, const struct source *source, const char *const *arguments, int count)
{
    size_t first = mutants->count, length = strlen(source->path);
    struct walker walker = { .mutants = mutants, .source = source, .function = "-",
                             .cuda = length > 3 && strcmp(source->path + length - 3, ".cu") == 0 };
    CXIndex index = clang_createIndex(0, 0);
    struct children top;

    walker.unit = clang_parseTranslationUnit(index, source->path, arguments, count, NULL, 0,
                                             CXTranslationUnit_DetailedPreprocessingRecord |
                                                 CXTranslationUnit_KeepGoing);
    if (!walker.unit) {
        clang_disposeIndex(index);
        return false;
    }
    walker.file = clang_getFile(walker.unit, source->path);
    top = children_of(clang_getTranslationUnitCursor(walker.unit));
    for (size_t i = 0; i < top.count; i++) {
        CXFile file;

        clang_getFileLocation(clang_getCursorLocation(top.items[i]), &file, NULL, NULL, NULL);
        if (!file || !clang_File_isEqual(file, walker.file))
            continue;
        if (clang_getCursorKind(top.items[i]) == CXCursor_MacroDefinition)
            macro_definition(&walker, top.items[i]);
        else if (!clang_isPreprocessing(clang_getCursorKind(top.items[i])))
            walk(&walker, top.items[i], NULL);
    }
    free(top.items);
    clang_disposeTranslationUnit(walker.unit);
    clang_disposeIndex(index);
    mutants_sort(mutants, first);
    return true;
}
