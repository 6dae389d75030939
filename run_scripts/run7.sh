#!/bin/sh
# Practice problem 7: run7.sh [options for main_host]
exec "$(dirname "$0")/lib/practice.sh" 7 "$@"
