#!/bin/bash
# Prints where TSPLIB's files come from, or fetches some: get_tsplib.sh [--fetch FOLDER [NAME...]]
#
# TSPLIB is not part of this toolkit. Its home is the TSPLIB95 page of Heidelberg University, by Gerhard Reinelt.
set -euo pipefail
site=http://comopt.ifi.uni-heidelberg.de/software/TSPLIB95/tsp
[ "${1:-}" != --help ] || set --
if [ $# -eq 0 ]; then
    cat << END
TSPLIB, a library of instances of the travelling salesman problem:
    http://comopt.ifi.uni-heidelberg.de/software/TSPLIB95/
Each instance is NAME.tsp.gz, and for many the shortest tour is NAME.opt.tour.gz, below
    $site/
To fetch the ones that the bench uses (gr24, gr48, pr76, kroA100) into a folder, with curl:
    problems/cointsp/get_tsplib.sh --fetch FOLDER
and others by naming them:
    problems/cointsp/get_tsplib.sh --fetch FOLDER berlin52 pcb442
END
    exit
fi
if [ "$1" != --fetch ] || [ $# -lt 2 ]; then
    echo 'usage: get_tsplib.sh [--fetch FOLDER [NAME...]]' >&2
    exit 2
fi
folder=$2
shift 2
[ $# -gt 0 ] || set -- gr24 gr48 pr76 kroA100
for name; do
    [[ $name =~ ^[A-Za-z0-9]+$ ]] || { echo "get_tsplib.sh: '$name' is not an instance's name" >&2; exit 2; }
done
command -v curl > /dev/null || { echo 'get_tsplib.sh: curl is not installed' >&2; exit 3; }
mkdir -p "$folder"

# fetch FILE: the unpacked file into the folder, by way of a part, so that what is there is whole.
fetch() {
    curl -fsSL --max-time 60 "$site/$1.gz" | gzip -dc > "$folder/$1.part" && mv "$folder/$1.part" "$folder/$1" ||
        { rm -f "$folder/$1.part"; return 1; }
}
for name; do
    fetch "$name.tsp" || { echo "get_tsplib.sh: cannot fetch '$site/$name.tsp.gz'" >&2; exit 3; }
    fetch "$name.opt.tour" 2> /dev/null || echo "get_tsplib.sh: there is no shortest tour of $name" >&2
    echo "$folder/$name.tsp"
done
