#!/bin/sh
# Practice problem 6: run6.sh [options for main_host]
exec "$(dirname "$0")/lib/practice.sh" 6 "$@"
