#!/usr/bin/env bats
# The list of public programs, and run_scripts/population.sh on a suite made here.

setup() {
    load helpers/common
    list=$root/tests/population/programs.tsv
}

@test "population: 300 programs or more, each once, of known suites; HeCBench from a to l alone" {
    run -0 awk -F '\t' '!/^#/ { n++; if (NF != 9 || seen[$1]++ || $1 !~ /^[A-Za-z0-9+_-]+$/ || $6 !~ /^[0-9]+$/) print }
        END { print (n >= 300 ? "enough" : n) }' "$list"
    assert_output enough
    for suite in $(sed '/^#/d' "$list" | cut -f 2 | sort -u); do
        run -0 grep -cP "^$suite\thttps://\S+\t[0-9a-f]{40}$" "$root/tests/population/suites.tsv"
        assert_output 1
    done
    run -1 grep -P '\tsrc/[^a-l][^\t]*\t' "$list"
    # Words are regular expressions that grep takes.
    sed '/^#/d' "$list" | cut -f 7 | sort -u | while IFS= read -r words; do
        grep -E -- "$words" /dev/null || [ $? = 1 ] || fail "not a regular expression: $words"
    done
}

@test "population: every list has nine columns, each name once, and suites that are known" {
    for list in "$root"/tests/population/{programs,courses,benchmarks,large}.tsv; do
        run -0 awk -F '\t' '!/^#/ && (NF != 9 || seen[$1]++)' "$list"
        assert_output ''
        for suite in $(sed '/^#/d' "$list" | cut -f 2 | sort -u); do
            grep -qP "^$suite\thttps://" "$root/tests/population/suites.tsv" || fail "$list: no suite '$suite'"
        done
    done
}

@test "population: outcome, alarms and time of each program in a folder" {
    requires nvcc
    requires x86-64
    cd "$BATS_TEST_TMPDIR"
    mkdir -p suites/own/p
    cat > suites/own/p/p.cu << 'END'
#include <cstdio>
#include <cstdlib>
__global__ void race(int *data)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    data[threadIdx.x] = tile[63 - threadIdx.x];
}
int main(int count, char **words)
{
    int *data, what = std::atoi(words[1]);

    cudaMalloc(&data, 64 * sizeof *data);
    race<<<1, what == 1 ? 32 : 64>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
    while (what == 3)
        ;
    if (what == 4)
        std::abort();
    std::puts(what == 5 ? "all WRONG" : "all right");
    return what == 6;
}
END
    echo '# what nobody builds' > suites/own/p/notes
    row() { printf '%s\town\tp\t%s\t%s\t%s\t%s\t%s\t-\n' "$@" >> list; }
    make="nvcc -o p p.cu"
    row right "$make" './p 2' 0 'all right$' shared-race,uninitialised
    row other "$make" './p 2' 0 - -
    row endless "$make" './p 3' 0 - -
    row abort "$make" './p 4' 0 - -
    row words "$make" './p 5' 0 'all right' -
    row code "$make" './p 6' 0 - -
    row refused "$make" "echo 'cudasim: textures are not supported' >&2; exit 1" 0 - -
    row kernel "$make" "echo 'cudasim: warning: refused: f: the launch returned cudaErrorInvalidPtx: no row' >&2" 0 - -
    row build 'false' './p 2' 0 - -
    run -1 --separate-stderr env BUILD="${BUILD:-build}" "$root/run_scripts/population.sh" --from suites --list list \
        --seconds 2
    rm -rf "$build/population/own" "$build"/population/log/{right,other,endless,abort,words,code,refused,kernel,build}.*
    assert_line --regexp '^right +[1-9][0-9]* +0 +[0-9.]+  right$'
    assert_line --regexp '^right +0 +[1-9][0-9]* +[0-9.]+  other$'
    assert_line --regexp '^slow +.*  endless$'
    assert_line --regexp '^crashed +.*  abort$'
    assert_line --regexp '^wrong +.*  words$'
    assert_line --regexp '^wrong +.*  code$'
    assert_line --regexp '^refused +.*  refused$'
    assert_line --regexp '^refused +.*  kernel$'
    assert_line --regexp '^unbuilt +- +- +-  build$'
    assert_line '# 9 programs: 2 right, 2 wrong, 2 refused, 1 crashed, 1 slow, 1 unbuilt'
    run -0 "$root/run_scripts/population.sh" --help
    run -2 "$root/run_scripts/population.sh" --seconds 0
    run -2 "$root/run_scripts/population.sh" --only '('
    assert_output "population.sh: --only: '(' is not a regular expression"
}
