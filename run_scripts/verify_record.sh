#!/bin/bash
# Checks a signed record: verify_record.sh RECORD [--key PUBLIC] [--submission FILE] [--source PATH]
#                                                 [--seal FILE] [--inputs] [--rerun]
#
# One line a check; ends with 0 when all holds, 1 when something does not, 2 usage, 3 the toolkit failed. See --help.
. "$(dirname "$0")/lib/lib.sh"
[ $# -gt 0 ] || usage 'verify_record.sh RECORD [--key PUBLIC] [--submission FILE] [--seal FILE] [--rerun]; see --help'
toolkit_make "${build#"$root"/}/verify_record" >&2 || fail "the toolkit does not build: see above"
if [[ " $* " == *' --rerun '* ]]; then
    build_toolkit
fi
exec "$build/verify_record" "$@"
