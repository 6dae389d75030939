#!/bin/bash
# Writes, imports and checks packages of the Kattis Problem Package Format: package.sh export|import|check ARGUMENT...
#
#   package.sh export PROBLEM [--limit BYTES] [--league NAME]   writes the problem to build/packages
#   package.sh import ZIP|FOLDER NAME [--by-hand]               starts the problem NAME from a package
#   package.sh check ZIP|FOLDER [--submissions]                 checks a package by the format's rules
#
# A validator may run for PACKAGE_SECONDS (600); after one that takes longer no other program of the package is run.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
[[ ${1:-} =~ ^(export|import|check)$ ]] || usage 'package.sh export|import|check ARGUMENT...; see --help'
"$root/run_scripts/lib/packages.sh" build formats
toolkit_make "${build#"$root"/}/kattis" >&2 || fail "the toolkit does not build: see above"
exec "$build/kattis" "$@"
