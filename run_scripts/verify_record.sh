#!/bin/bash
# Checks a signed record: verify_record.sh RECORD [--key PUBLIC] [--submission FILE] [--source PATH]
#                                                 [--seal FILE] [--inputs] [--rerun]
#
# It prints one line per check. Exit codes: 0 every check passed, 1 a check failed, 2 usage, 3 the toolkit failed. See
# --help.
. "$(dirname "$0")/lib/lib.sh"
[ $# -gt 0 ] || usage 'verify_record.sh RECORD [--key PUBLIC] [--submission FILE] [--seal FILE] [--rerun]; see --help'
toolkit_make "${build#"$root"/}/verify_record" >&2 || fail "the toolkit does not build: see above"
if [[ " $* " == *' --rerun '* ]]; then
    build_toolkit
fi
exec "$build/verify_record" "$@"
