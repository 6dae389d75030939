# tests/scripts/house.sh: which folder may use which, by tests/house.txt.
load helpers/common

setup() { cd "$BATS_TEST_TMPDIR"; }

# small_house: two rooms, one of which uses the other as its table allows; prints nothing.
small_house() {
    mkdir -p tests a b build/obj/a build/obj/b
    printf '%s\n' '# the table' 'a:' 'b: a' > tests/house.txt
    for room in a b; do
        printf '%s\n' "# $room/" 'A room.' '' 'May include: all.' 'Must not know: more.' > $room/README.md
    done
    echo 'int below(void);' > a/below.h
    printf '%s\n' '#include "below.h"' 'int below(void) { return 1; }' > a/below.c
    printf '%s\n' '#include "a/below.h"' 'int above(void) { return below(); }' > b/above.c
    objects
}

# objects: compiles every source of the small house.
objects() {
    local source
    for source in [ab]/*.c; do gcc -I. -w -c -o "build/obj/${source%.c}.o" "$source" || return 1; done
}

house() { env -u BUILD "$root/tests/scripts/house.sh" "$PWD"; }

# expect_fault LINE: the small house in its current state is refused, with exactly this line.
expect_fault() {
    objects
    run -1 --separate-stderr house
    assert_output "house: $1"
}

@test "house: the code has the dependencies of its table, without a cycle" {
    make -s -C "$root" -j "$(nproc)" everything >&2
    run -0 "$root/tests/scripts/house.sh"
    assert_output --regexp '^house: [0-9]+ folders, [0-9]+ arrows, as in tests/house.txt$'
}

@test "house: two rooms that match their table" {
    small_house
    run -0 house
    assert_output 'house: 2 folders, 1 arrows, as in tests/house.txt'
}

@test "house: finds an arrow by an include or a symbol that the table lacks" {
    small_house
    echo '#include "b/above.c"' > a/reach.h
    expect_fault 'a may not use b: a/reach.h takes b/above.c'
    rm a/reach.h
    printf '%s\n' 'int above(void);' 'int around(void) { return above(); }' > a/around.c
    expect_fault 'a may not use b: a/around.c takes above from b/above.c'
}

@test "house: finds an unused arrow of the table, and a room that the table lacks or invents" {
    small_house
    echo 'int above(void) { return 1; }' > b/above.c
    expect_fault 'tests/house.txt:3: b does not use a'
    small_house
    mkdir c
    echo 'int c;' > c/c.c
    cp a/README.md c
    expect_fault 'c has code and no line in tests/house.txt'
    rm -r c
    echo 'd:' >> tests/house.txt
    expect_fault 'tests/house.txt:4: d has no code'
}

@test "house: finds cycles of folders, and of files by symbols unless the table says why" {
    small_house
    printf '%s\n' 'a: b' 'b: a' > tests/house.txt
    echo '#include "b/above.c"' > a/reach.h
    run -1 --separate-stderr house
    assert_output "$(printf '%s\n' 'house: a circle of folders: a takes b' 'house: a circle of folders: b takes a')"
    rm a/reach.h
    small_house
    printf '%s\n' 'int there(void);' 'int here(void) { return there(); }' > a/here.c
    printf '%s\n' 'int here(void);' 'int there(void) { return here(); }' > a/there.c
    objects
    run -1 --separate-stderr house
    assert_line 'house: a circle of files by symbols: a/here.c takes there from a/there.c'
    assert_line 'house: a circle of files by symbols: a/there.c takes here from a/here.c'
    echo 'circle a: here.c there.c: they call each other by turns' >> tests/house.txt
    run -0 house
    sed -i 's/: they call.*//' tests/house.txt
    run -1 house
    assert_output --partial 'tests/house.txt:4: names no reason for the circle'
}

@test "house: a room says in 15 lines what it is for, what it may include and what it must not know" {
    small_house
    rm a/README.md
    expect_fault 'a has no README.md'
    small_house
    yes 'word' | head -n 15 >> a/README.md
    expect_fault 'a/README.md is longer than 15 lines'
    small_house
    sed -i '/^Must/d' a/README.md
    expect_fault 'a/README.md lacks the line "May include:" or "Must not know:"'
}

@test "house: without objects the check does not pass" {
    small_house
    rm -r build
    run -2 house
    assert_output --partial "run 'make everything' first"
}
