#!/bin/bash
# How long a kernel will take: predict.sh SUBCOMMAND [ARGUMENT...]. Each has --help.
. "$(dirname "$0")/lib.sh"

case ${1:-} in
train | evaluate | predict) exec "$root/run_scripts/predict_model.sh" "$@" ;;
*) usage 'predict.sh train|evaluate|predict ...' ;;
esac
