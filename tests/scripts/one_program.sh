#!/bin/bash
# Prints one CUDA program made of many: one_program.sh FILE.cu...
#
# Each file becomes a namespace case_NAME, and the program's argument NAME says which main() runs. nvcc then reads the
# headers of CUDA, which are most of its work for a short program, once and not for each of them.
set -euo pipefail
[[ $# -gt 0 && $1 != -* ]] || {
    echo 'usage: one_program.sh FILE.cu...'
    exit $(($# == 0 ? 2 : 0))
}
# In a namespace no header may be read for the first time.
sed -n '/^#include </p' "$@" | sort -u
sed -n 's|^#include "\(\.\./\)*|#include "|p' "$@" | sort -u
echo '#define main run'
for file; do
    printf 'namespace case_%s {\n#include "%s"\n}\n' "$(basename "$file" .cu)" "$file"
done
printf '%s\n' '#undef main' '#include <cstring>' 'int main(int argc, char **argv)' '{'
for file; do
    name=$(basename "$file" .cu)
    printf '    if (argc > 1 && !strcmp(argv[1], "%s"))\n        return case_%s::run();\n' "$name" "$name"
done
printf '%s\n' '    return 3;' '}'
