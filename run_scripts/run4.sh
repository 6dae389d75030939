#!/bin/sh
# Practice problem 4: run4.sh [options for main_host]
exec "$(dirname "$0")/lib/practice.sh" 4 "$@"
