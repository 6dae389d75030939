#!/bin/bash
# For action.yml: prints where the simulator is built, and a key of all that the build depends on, as NAME=VALUE.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -eq 0 ] || usage key.sh
cd "$root"
# Processors differ in the instructions that the simulator is built for.
digest=$({
    find contrib/cudasim contrib/mk Makefile -type f ! -path '*/action/*' -print0 | LC_ALL=C sort -z |
        xargs -0 sha256sum
    make -s print-runnable-levels
    gcc --version | head -n 1
    "$(make -s print-nvcc)" --version || true
} | sha256sum)
echo "build=$build/cudasim"
echo "key=cudasim-$(uname -m)-${digest:0:32}"
