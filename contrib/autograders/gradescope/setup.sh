#!/bin/bash
# Gradescope runs this once, as root, while it builds the autograder's image: packages, then the toolkit.
#
# The image is an Ubuntu without a GPU. CUDA submissions run on the simulator there, if nvcc is in the image: it is
# NVIDIA's, and not installed here. Without it only submissions in C and in OpenCL can be judged. Where the options name
# a judge elsewhere, nothing is judged here, and only what talks to it is built.
set -euo pipefail
cd "${AUTOGRADER_ROOT:-/autograder}/source/toolkit"
# shellcheck source=/dev/null
. ../options
export PROBLEM
if [ -z "${AUTOGRADER_ROOT:-}" ]; then
    apt-get update -q
fi
if [ -n "$JUDGE" ]; then
    run_scripts/lib/packages.sh build formats batch
    make -s -j "$(nproc)" build/convert batch-program
    exit
fi
run_scripts/lib/packages.sh build formats opencl
make -s -j "$(nproc)" all build/convert
if make -s have-nvcc 2> /dev/null; then
    run_scripts/lib/packages.sh cudasim
    make -s -j "$(nproc)" cudasim-library LEVELS='2 3 4' # other machines run what this one builds
fi
