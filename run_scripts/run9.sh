#!/bin/sh
# Practice problem 9: run9.sh [options for main_host]
exec "$(dirname "$0")/lib/practice.sh" 9 "$@"
