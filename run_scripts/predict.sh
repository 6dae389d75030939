#!/bin/bash
# Predicts how long a kernel takes: predict.sh SUBCOMMAND [ARGUMENT...]
#
# Subcommands: submission, features, collect, train, evaluate, predict, validate. Each has --help.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"

export CALLED_AS=predict.sh
case ${1:-} in
features) exec "$root/contrib/predict/scripts/predict_features.sh" "${@:2}" ;;
collect) exec "$root/contrib/predict/scripts/predict_collect.sh" "${@:2}" ;;
submission | validate) exec "$root/contrib/predict/scripts/predict_$1.sh" "${@:2}" ;;
train | evaluate | predict) exec "$root/contrib/predict/scripts/predict_model.sh" "$@" ;;
*) usage 'predict.sh submission|features|collect|train|evaluate|predict|validate ...' ;;
esac
