#!/usr/bin/env bash
# Counts which PTX of compute capability 9.0 the simulator runs: it writes every form of grammar.txt, asks ptxas which
# of them exist for sm_90a, and lets ptx_check load those.
#
#   census.sh [-o FILE] [-l N] [-s SEED]
#
# It prints each refused form with the reason, and last how many of the forms run. -o writes one form per line to
# FILE: runs or refused, a tab, the statement. refused.txt has the forms that are known to be refused. -l takes at most
# N forms of a family, drawn with SEED (1). BUILD (default: build at the top of the tree) holds ptx_check. Exit code
# 0: all run, 1: some are refused, 2: it could not find out.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=${BUILD:-$top/build}
PTXAS=${PTXAS:-$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)}
CHUNK=4000
out='' limit=0 seed=1

exec 3>&2 # ptxas may crash, of which bash writes to standard error
die() { echo "census.sh: $*" >&3; exit 2; }

while getopts o:l:s: option; do
    case $option in
    o) out=$OPTARG ;;
    l) limit=$OPTARG ;;
    s) seed=$OPTARG ;;
    *) die 'usage: census.sh [-o FILE] [-l N] [-s SEED]' ;;
    esac
done
[[ -x $BUILD/ptx_check ]] || die "$BUILD/ptx_check is missing: make build/ptx_check"
[[ -x $PTXAS ]] || die "cannot find ptxas"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# module FORMS PTX: one kernel per line, number N on line HEADER + N. Forms of a module of their own come in one file.
HEADER=8
module() {
    awk -F '\t' '
        BEGIN {
            print ".version 9.0\n.target sm_90a\n.address_size 64"
            print ".shared .align 128 .b8 smem[1024];"
            print ".func callee() { ret; }"
            print ".func (.param .b32 d) twice(.param .b32 a)"
            print "{ .reg .b32 %r; ld.param.b32 %r, [a]; add.u32 %r, %r, %r; st.param.b32 [d], %r; ret; }"
        }
        NR == 1 {
            if ($1 == "texture") print ".global .texref texture_of_module;"
            else if ($1 == "registers") print ".func (.reg .b32 d) reg_twice(.reg .b32 a) { add.u32 d, a, a; ret; }"
            else print ""
        }
        { print ".visible .entry k" NR "() {" $3 " " $4 " " $5 " ret; }" }' "$1" >"$2"
}

# keep_accepted FORMS: takes out of the file what ptxas refuses. ptxas looks again at what is left, for it stops early
# where the text has errors. If it stops without a word about a line, or crashes, one of the forms is to blame: halves.
keep_accepted() {
    local forms=$1 count
    while [[ -s $forms ]]; do
        module "$forms" "$work/module.ptx"
        ( "$PTXAS" -arch=sm_90a -O0 "$work/module.ptx" -o /dev/null ) 2>"$work/errors" && return
        sed -n 's/^ptxas .*, line \([0-9]*\); error .*/\1/p' "$work/errors" | sort -un >"$work/lines"
        count=$(wc -l <"$forms")
        if [[ -s $work/lines ]]; then
            awk -v header=$HEADER 'NR == FNR { bad[$1 - header] = 1; next } !(FNR in bad)' "$work/lines" "$forms" \
                >"$work/left"
            cmp -s "$work/left" "$forms" && die "ptxas stopped: $(head -n 3 "$work/errors")"
            mv "$work/left" "$forms"
        elif ((count == 1)); then
            : >"$forms"
        else
            head -n $((count / 2)) "$forms" >"$forms.1"
            tail -n +$((count / 2 + 1)) "$forms" >"$forms.2"
            keep_accepted "$forms.1"
            keep_accepted "$forms.2"
            cat "$forms.1" "$forms.2" >"$forms"
            rm "$forms.1" "$forms.2"
            return
        fi
    done
}

awk -v limit="$limit" -v seed="$seed" -f "$here/grammar.awk" "$here/grammar.txt" >"$work/forms"
awk -F '\t' -v chunk=$CHUNK -v work="$work" '
    !seen[$0]++ {
        number = $1 == "-" ? int(count / chunk) : ""
        count += $1 == "-"
        print >(work "/chunk." $1 number)
    }' "$work/forms"
: >"$work/result"
for forms in "$work"/chunk.*; do
    keep_accepted "$forms" 2>/dev/null
    [[ -s $forms ]] || continue
    module "$forms" "$work/module.ptx"
    "$BUILD/ptx_check" "$work/module.ptx" >"$work/refused" 2>"$work/errors" || [[ $? -eq 1 ]] ||
        die "$(cat "$work/errors")"
    # A module that cannot be read at all counts as refused, form by form.
    awk -F '\t' -v whole="$(head -n 1 "$work/errors")" '
        FILENAME == ARGV[1] {
            split($0, word, " ")
            why[substr(word[1], 2)] = substr($0, length(word[1] word[2]) + 3)
            next
        }
        {
            if (whole != "") why[FNR] = whole
            print ((FNR in why) ? "refused" : "runs") "\t" $4 ((FNR in why) ? "\t" why[FNR] : "")
        }' "$work/refused" "$forms" >>"$work/result"
done
awk -F '\t' '$1 == "refused" { print $2 "\t" $3 }' "$work/result"
[[ -z $out ]] || cut -f 1,2 "$work/result" >"$out"
awk -F '\t' -v tried="$(wc -l <"$work/forms")" '
    { total++; runs += $1 == "runs" }
    END {
        printf "%d of %d forms run (%.2f %%); ptxas accepts them of %d that were tried\n", runs, total, \
            100 * runs / total, tried
        exit runs != total
    }' "$work/result"
