#!/bin/sh
# Practice problem 1: run1.sh [options for main_host]
exec "$(dirname "$0")/lib/practice.sh" 1 "$@"
