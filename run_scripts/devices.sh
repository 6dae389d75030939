#!/bin/bash
# What this machine can run submissions on, with properties: devices.sh
#
# GPUs, the simulator and the CPU as build/main_host --devices lists them; then OpenCL's devices, by OpenCL itself.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
[ $# -eq 0 ] || usage devices.sh
"$root/run_scripts/lib/packages.sh" build opencl
build_toolkit
"$build/main_host" --devices
toolkit_make "${BUILD:-build}/opencl_devices" >&2 || fail "the program that asks OpenCL does not build: see above"
"$build/opencl_devices" || [ $? = 1 ]
