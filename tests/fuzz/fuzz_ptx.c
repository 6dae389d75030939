/*
 * fuzz_ptx.c - the PTX parser on broken text, for libFuzzer: make fuzz-ptx. What it accepts must hold together as ptx.h
 * says.
 *
 * The corpus is written by hand: each file shows one part of the grammar.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/features/feature_code.h"
#include "contrib/cudasim/ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool has_variable(const struct ptx_variable *variables, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (same(variables[i].name, name))
            return true;
    return false;
}

/* Whether something of the module or of the function has this name. */
static bool is_known(const struct ptx_module *module, const struct ptx_function *function, const char *name)
{
    if (function) {
        if (has_variable(function->locals, function->local_count, name) ||
            has_variable(function->parameters, function->parameter_count, name) ||
            has_variable(function->results, function->result_count, name))
            return true;
        for (size_t i = 0; i < function->statement_count; i++)
            if (function->statements[i].kind != PTX_INSTRUCTION && same(function->statements[i].name, name))
                return true;
    }
    for (size_t i = 0; i < module->function_count; i++)
        if (same(module->functions[i].name, name))
            return true;
    return has_variable(module->variables, module->variable_count, name);
}

static void check_variable(const struct ptx_module *module, const struct ptx_function *function,
                           const struct ptx_variable *variable)
{
    static volatile unsigned total;

    check(variable->name[0] != '\0' && ptx_type_size(variable->type) > 0);
    check(variable->align > 0 && (variable->align & (variable->align - 1)) == 0);
    check(variable->size <= (size_t)1 << 30 && (variable->size > 0 || variable->unbounded));
    check(variable->initial_size <= variable->size && !variable->initial == !variable->initial_size);
    for (size_t i = 0; i < variable->initial_size; i++)
        total += variable->initial[i];
    for (size_t i = 0; i < variable->relocation_count; i++) {
        const struct ptx_relocation *relocation = &variable->relocations[i];

        check(relocation->offset + relocation->size <= variable->initial_size && relocation->size > 0);
        check(relocation->shift < 64 && is_known(module, NULL, relocation->symbol));
    }
    if (function && variable->space == PTX_REG && !same(variable->name, "_") && function->defined)
        check(variable->reg >= 0 && (size_t)variable->reg < function->register_count);
}

static void check_register(const struct ptx_function *function, int reg)
{
    check(reg >= 0 && (size_t)reg < function->register_count);
}

static void check_operand(const struct ptx_module *module, const struct ptx_function *function,
                          const struct ptx_operand *operand, unsigned depth)
{
    bool group = operand->kind == PTX_OPERAND_ADDRESS || operand->kind == PTX_OPERAND_VECTOR ||
                 operand->kind == PTX_OPERAND_LIST;

    check(depth < 4 && (group || operand->count == 0) && !operand->elements == !operand->count);
    if (operand->kind == PTX_OPERAND_REGISTER)
        check_register(function, operand->reg);
    if (operand->kind == PTX_OPERAND_NAME)
        check(is_known(module, function, operand->name));
    if (operand->kind == PTX_OPERAND_SPECIAL)
        check(operand->name[0] == '%');
    if (operand->kind == PTX_OPERAND_ADDRESS)
        check(operand->count > 0 && (operand->elements[0].kind == PTX_OPERAND_REGISTER ||
                                     operand->elements[0].kind == PTX_OPERAND_NAME ||
                                     operand->elements[0].kind == PTX_OPERAND_INTEGER));
    if (operand->second >= 0)
        check_register(function, operand->second);
    for (size_t i = 0; i < operand->count; i++)
        check_operand(module, function, &operand->elements[i], depth + 1);
}

/* No name has two meanings in one function. */
static void check_unique(const struct ptx_function *function)
{
    for (size_t i = 0; i < function->local_count; i++) {
        const char *name = function->locals[i].name;

        check(!has_variable(function->locals, i, name));
        check(!has_variable(function->parameters, function->parameter_count, name));
        check(!has_variable(function->results, function->result_count, name));
        for (size_t k = 0; k < function->statement_count; k++)
            check(function->statements[k].kind == PTX_INSTRUCTION || !same(function->statements[k].name, name));
    }
    for (size_t i = 0; i < function->statement_count; i++)
        for (size_t k = 0; k < i && function->statements[i].kind != PTX_INSTRUCTION; k++)
            check(function->statements[k].kind == PTX_INSTRUCTION ||
                  !same(function->statements[k].name, function->statements[i].name));
}

static void check_function(const struct ptx_module *module, const struct ptx_function *function, unsigned depth)
{
    check(depth < 2 && function->name[0] != '\0' && (function->defined || function->statement_count == 0));
    for (size_t i = 0; i < function->result_count; i++)
        check_variable(module, function, &function->results[i]);
    for (size_t i = 0; i < function->parameter_count; i++)
        check_variable(module, function, &function->parameters[i]);
    for (size_t i = 0; i < function->local_count; i++)
        check_variable(module, function, &function->locals[i]);
    for (size_t i = 0; i < function->register_count; i++)
        check(function->registers[i].name[0] != '\0' && function->registers[i].type != PTX_NONE);
    for (size_t i = 0; i < function->statement_count; i++) {
        const struct ptx_statement *statement = &function->statements[i];

        check(statement->line > 0 && !statement->opcode == (statement->kind != PTX_INSTRUCTION));
        check(!statement->prototype == (statement->kind != PTX_CALL_PROTOTYPE));
        if (statement->guard >= 0)
            check_register(function, statement->guard);
        for (size_t k = 0; k < statement->count; k++)
            check_operand(module, function, &statement->operands[k], 0);
        if (statement->prototype)
            check_function(module, statement->prototype, depth + 1);
    }
    check_unique(function);
}

/* The features of a kernel's code, for any code. */
static void check_code(const struct ptx_module *module, const struct ptx_function *function)
{
    struct features_code code;

    if (!function->defined || !features_code_read(module, function, &code))
        return;
    check(code.instructions <= function->statement_count && code.dpc >= 0 && code.dpc <= 1);
    check(code.complexity <= code.loop_count && (code.regular || code.loop_count > 0));
    for (size_t i = 0; i < code.loop_count; i++)
        check(code.loops[i].line > 0 && code.loops[i].depth > 0);
    features_code_release(&code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_error error;
    struct ptx_module *module = ptx_parse((const char *)data, size, &error);

    if (!module) {
        check(error.line > 0 && error.message[0] != '\0' && memchr(error.message, '\0', sizeof error.message));
        return 0;
    }
    check(module->target && module->address_size == 64);
    for (size_t i = 0; i < module->variable_count; i++) {
        check_variable(module, NULL, &module->variables[i]);
        check(!has_variable(module->variables, i, module->variables[i].name));
    }
    for (size_t i = 0; i < module->function_count; i++)
        check_function(module, &module->functions[i], 0);
    for (size_t i = 0; i < module->function_count; i++)
        check_code(module, &module->functions[i]);
    for (size_t i = 0; i < module->file_count; i++)
        check(ptx_file_path(module, module->files[i].number) != NULL);
    ptx_free(module);
    return 0;
}
