#!/bin/bash
# Lists the devices that can run submissions on this machine, with their properties: devices.sh
#
# It prints GPUs, the simulator and the CPU (build/main_host --devices), then the devices that OpenCL reports.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
[ $# -eq 0 ] || usage devices.sh
"$root/run_scripts/lib/packages.sh" build opencl
build_toolkit
"$build/main_host" --devices
toolkit_make "${BUILD:-build}/opencl_devices" >&2 || fail "the program that asks OpenCL does not build: see above"
"$build/opencl_devices" || [ $? = 1 ]
