#!/bin/sh
# Practice problem 5: run5.sh [options for main_host]
exec "$(dirname "$0")/lib/practice.sh" 5 "$@"
