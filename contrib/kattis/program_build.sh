#!/bin/sh
# Makes a program of a package into one that is started as ./run: program_build.sh [NAME]
#
# Runs in a box, in a folder that has the program's files and what lies in include/ for its language. In it there is
# `build`, which makes `run`; or `run`; or sources in one language: C, C++, Python or shell. NAME is the file that is
# started where a folder of Python has several. Exit code 4: there is no compiler for it here.
# shellcheck disable=SC2016,SC2046
set -eu
files() { for suffix; do find . -name "*.$suffix"; done | sort; }
languages() { # FILE...: one word for each that there is
    for file; do
        case $file in
        *.c) echo c ;;
        *.cc | *.cpp | *.cxx | *.c++ | *.C) echo cpp ;;
        *.py | *.py2 | *.py3) echo python ;;
        *.sh | *.bash) echo shell ;;
        *.h | *.hh | *.hpp | *.md | *.txt | *.yaml) ;;
        *) echo "${file##*.}" ;;
        esac
    done | sort -u
}
# A file that starts SOURCE by PROGRAM, from wherever it is called.
start_by() { # PROGRAM SOURCE
    command -v "$1" > /dev/null || { echo "there is no $1 here" >&2; exit 4; }
    printf '#!/bin/sh\nexec %s "$(dirname "$0")/%s" "$@"\n' "$1" "${2#./}" > run
    chmod +x run 2> /dev/null || true
}

if [ -f build ]; then
    if [ -x build ]; then ./build; else sh ./build; fi
    exit
fi
[ ! -f run ] || exit 0
name=${1:-}
# shellcheck disable=SC2046
found=$(languages $(find . -type f))
case $found in
c) exec cc -std=gnu17 -O2 -o run $(files c) -lm -lpthread ;;
cpp | "c
cpp") exec c++ -std=gnu++20 -O2 -o run $(files c cc cpp cxx c++ C) -lm -lpthread ;;
python | "python
shell")
    for file in "./$name" ./main.py ./__main__.py $(files py py3 py2); do
        [ ! -f "$file" ] || { start_by python3 "$file"; exit 0; }
    done ;;
shell)
    set -- $(files sh bash)
    start_by bash "$1"
    exit 0 ;;
esac
echo "there is no compiler here for $(echo "$found" | tr '\n' ' ')" >&2
exit 4
