#!/bin/sh
# Practice problem 2: run2.sh [options for main_host]
exec "$(dirname "$0")/lib/practice.sh" 2 "$@"
