#!/bin/sh
# Practice problem 8: run8.sh [options for main_host]
exec "$(dirname "$0")/lib/practice.sh" 8 "$@"
