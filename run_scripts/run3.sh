#!/bin/sh
# Practice problem 3: run3.sh [options for main_host]
exec "$(dirname "$0")/lib/practice.sh" 3 "$@"
