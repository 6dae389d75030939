/*
 * main_ptx_dump.c - prints what the PTX parser read: one line per variable, function, register and statement.
 *
 * For tests and for looking at a module. Exit code 0 is success, 1 a faulty text, 2 wrong usage.
 */
#include "contrib/cudasim/ptx/ptx.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: ptx_dump [-q] FILE|-\n"
    "Prints what FILE, a PTX module, declares and holds; with -q, only whether it can be read.\n";

static const char *type_name(enum ptx_type type)
{
    static const char *const names[] = {"b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16",
                                        "s32", "s64", "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64",
                                        "u16x2", "s16x2", "pred"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ptx_type_named(names[i]) == type)
            return names[i];
    return "none";
}

static const char *space_name(enum ptx_space space)
{
    static const char *const names[] = {[PTX_SPACE_NONE] = "none", [PTX_REG] = "reg",     [PTX_CONST] = "const",
                                        [PTX_GLOBAL] = "global",   [PTX_LOCAL] = "local", [PTX_PARAM] = "param",
                                        [PTX_SHARED] = "shared"};

    return names[space];
}

static void print_variable(const char *what, const struct ptx_variable *variable)
{
    printf("%s %s %s %s align %u size %zu", what, space_name(variable->space), type_name(variable->type),
           variable->name, variable->align, variable->size);
    printf("%s%s%s line %u\n", variable->external ? " extern" : "", variable->unbounded ? " unbounded" : "",
           variable->managed ? " managed" : "", variable->line);
    for (size_t i = 0; i < variable->initial_size; i++)
        printf("%s%02x%s", i % 16 == 0 ? "  = " : " ", variable->initial[i],
               i % 16 == 15 || i + 1 == variable->initial_size ? "\n" : "");
    for (size_t i = 0; i < variable->relocation_count; i++) {
        const struct ptx_relocation *relocation = &variable->relocations[i];

        printf("  at %zu: %s%s%+" PRId64 " size %u shift %u\n", relocation->offset,
               relocation->generic ? "generic " : "", relocation->symbol, relocation->addend, relocation->size,
               relocation->shift);
    }
}

static void print_register(const struct ptx_function *function, int reg)
{
    printf("%s#%d", function->registers[reg].name, reg);
}

static void print_operand(const struct ptx_function *function, const struct ptx_operand *operand)
{
    static const char open[] = {[PTX_OPERAND_ADDRESS] = '[', [PTX_OPERAND_VECTOR] = '{', [PTX_OPERAND_LIST] = '('};
    static const char close[] = {[PTX_OPERAND_ADDRESS] = ']', [PTX_OPERAND_VECTOR] = '}', [PTX_OPERAND_LIST] = ')'};

    if (operand->negated)
        printf("-");
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        print_register(function, operand->reg);
        if (operand->part)
            printf(".%s", operand->part);
        break;
    case PTX_OPERAND_INTEGER: printf("%" PRId64, (int64_t)operand->value); break;
    case PTX_OPERAND_FLOAT: printf(operand->single ? "0f%08" PRIX64 : "0d%016" PRIX64, operand->value); break;
    case PTX_OPERAND_NAME: printf("%s", operand->name); break;
    case PTX_OPERAND_SPECIAL: printf("special %s", operand->name); break;
    case PTX_OPERAND_SINK: printf("_"); break;
    default:
        putchar(open[operand->kind]);
        for (size_t i = 0; i < operand->count; i++) {
            printf("%s", i > 0 ? ", " : "");
            print_operand(function, &operand->elements[i]);
            if (i == 0 && operand->kind == PTX_OPERAND_ADDRESS && operand->offset != 0)
                printf("%+" PRId64, operand->offset);
        }
        putchar(close[operand->kind]);
    }
    if (operand->kind == PTX_OPERAND_NAME && operand->offset != 0)
        printf("%+" PRId64, operand->offset);
    if (operand->second >= 0) {
        printf("|");
        print_register(function, operand->second);
    }
}

static void print_function(const char *indent, const struct ptx_function *function);

static void print_statement(const struct ptx_function *function, const struct ptx_statement *statement)
{
    printf("  %u", statement->line);
    if (statement->source_line > 0)
        printf(" (%u:%u)", statement->source_file, statement->source_line);
    printf("\t");
    if (statement->guard >= 0) {
        printf("@%s", statement->guard_negated ? "!" : "");
        print_register(function, statement->guard);
        printf(" ");
    }
    switch (statement->kind) {
    case PTX_INSTRUCTION: printf("%s", statement->opcode); break;
    case PTX_LABEL: printf("%s:", statement->name); break;
    case PTX_BRANCH_TARGETS: printf("%s: branch targets", statement->name); break;
    case PTX_CALL_TARGETS: printf("%s: call targets", statement->name); break;
    case PTX_CALL_PROTOTYPE: printf("%s: prototype", statement->name); break;
    }
    for (size_t i = 0; i < statement->count; i++) {
        printf("%s", i > 0 ? ", " : " ");
        print_operand(function, &statement->operands[i]);
    }
    printf("\n");
    if (statement->kind == PTX_CALL_PROTOTYPE)
        print_function("  ", statement->prototype);
}

static void print_extents(const char *name, const unsigned *extents)
{
    if (extents[0] > 0)
        printf(" %s %u,%u,%u", name, extents[0], extents[1], extents[2]);
}

static void print_function(const char *indent, const struct ptx_function *function)
{
    char what[32];

    printf("%s%s %s line %u%s%s", indent, function->entry ? "entry" : "func", function->name, function->line,
           function->defined ? "" : " undefined", function->noreturn ? " noreturn" : "");
    print_extents("maxntid", function->maxntid);
    print_extents("reqntid", function->reqntid);
    print_extents("reqnctapercluster", function->reqnctapercluster);
    if (function->minnctapersm > 0)
        printf(" minnctapersm %u", function->minnctapersm);
    if (function->maxclusterrank > 0)
        printf(" maxclusterrank %u", function->maxclusterrank);
    printf("%s\n", function->explicit_cluster ? " explicitcluster" : "");
    snprintf(what, sizeof what, "%s  result", indent);
    for (size_t i = 0; i < function->result_count; i++)
        print_variable(what, &function->results[i]);
    snprintf(what, sizeof what, "%s  parameter", indent);
    for (size_t i = 0; i < function->parameter_count; i++)
        print_variable(what, &function->parameters[i]);
    snprintf(what, sizeof what, "%s  variable", indent);
    for (size_t i = 0; i < function->local_count; i++)
        print_variable(what, &function->locals[i]);
    for (size_t i = 0; i < function->register_count; i++)
        printf("%s  register %s %s#%zu\n", indent, type_name(function->registers[i].type), function->registers[i].name,
               i);
    for (size_t i = 0; i < function->statement_count; i++)
        print_statement(function, &function->statements[i]);
}

static void print_module(const struct ptx_module *module)
{
    printf("module version %u.%u target %s address %u\n", module->version_major, module->version_minor,
           module->target, module->address_size);
    for (size_t i = 0; i < module->file_count; i++)
        printf("file %u %s\n", module->files[i].number, module->files[i].path);
    for (size_t i = 0; i < module->variable_count; i++)
        print_variable("variable", &module->variables[i]);
    for (size_t i = 0; i < module->function_count; i++)
        print_function("", &module->functions[i]);
}

/* The whole file, or NULL with errno. */
static char *read_all(const char *path, size_t *size)
{
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char *text = NULL;
    size_t room = 0, got;
    bool ok = in != NULL;

    *size = 0;
    while (ok) {
        if (room - *size < 1 << 16) {
            char *larger = realloc(text, room = room * 2 + (1 << 17));

            if (!larger) {
                ok = false;
                break;
            }
            text = larger;
        }
        got = fread(text + *size, 1, room - *size, in);
        *size += got;
        if (got == 0) {
            ok = !ferror(in);
            break;
        }
    }
    if (in && in != stdin)
        fclose(in);
    if (!ok) {
        free(text);
        return NULL;
    }
    return text;
}

int main(int argc, char **argv)
{
    bool quiet = argc == 3 && strcmp(argv[1], "-q") == 0;
    struct ptx_module *module;
    struct ptx_error error;
    const char *path;
    size_t size;
    char *text;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if ((argc != 2 && !quiet) || (argv[argc - 1][0] == '-' && argv[argc - 1][1] != '\0')) {
        fputs(usage, stderr);
        return 2;
    }
    path = argv[argc - 1];
    text = read_all(path, &size);
    if (!text) {
        fprintf(stderr, "ptx_dump: cannot read '%s': %s\n", path, strerror(errno));
        return 2;
    }
    module = ptx_parse(text, size, &error);
    free(text);
    if (!module) {
        fprintf(stderr, "%s:%u: %s\n", path, error.line, error.message);
        return 1;
    }
    if (!quiet)
        print_module(module);
    ptx_free(module);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "ptx_dump: cannot write: %s\n", strerror(errno));
        return 2;
    }
    return 0;
}
