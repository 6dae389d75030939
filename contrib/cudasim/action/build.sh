#!/bin/bash
# For action.yml: installs what the simulator needs and builds it, unless the cache had it.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -eq 0 ] || usage build.sh
[ -x "$(toolkit_make print-nvcc)" ] ||
    fail "nvcc is not found: run the job in a container with the CUDA Toolkit 13, or install it in a step before"
"$root/run_scripts/lib/packages.sh" build cudasim
# A checkout is newer than what the cache had, which its key says is of the same sources.
[ ! -e "$build/cudasim/libcudart.so.13" ] || find "$build/cudasim" -type f -exec touch {} +
toolkit_make -j "$(nproc)" cudasim-library >&2 || fail "the simulator does not build: see above"
