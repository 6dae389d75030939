#!/usr/bin/env bats
# Contests with mistakes and attacks: broken files, hostile names and archives, full and read-only disks, killed
# graders; and the organiser's guide, command by command.
# bats file_tags=grade

load helpers/contest
load helpers/copy

setup_file() {
    make -s -C "$root" DEV=1 grade-programs "${BUILD:-build}/tests/test_grade_progress" >&2
    mkdir -p "$build/grading"
}

setup() {
    load helpers/common
    contest_places
    cd "$BATS_TEST_TMPDIR"
}

message() {
    query "SELECT verdict || ' ' || message FROM judgements j JOIN submissions s ON s.id = j.submission
        WHERE path = '$1'"
}

# As root of a user namespace, with its own mounts: a script from standard input, which has the tests' variables.
with_mounts() {
    export contest db build root
    unshare --user --map-root-user --mount bash -euo pipefail -s
}

@test "contest.yaml: truncated or with random bytes, it is read, or refused with one line per fault" {
    local length i text
    contest 'start: 2026-01-01T00:00:00Z' 'scoring: { type: relative, full_at: 4 }' 'limits: { files: 8 }'
    cp "$contest/contest.yaml" whole
    length=$(wc -c < whole)
    one_line() { # what `check` says of it: nothing broken is accepted silently, and nothing ends by a signal
        run timeout 10 "$build/grader" check "$contest"
        [ "$status" -ne 0 ] || return 0
        [ "$status" -eq 2 ] && [ ${#lines[@]} -ge 1 ] || return 1
        if [ ${#lines[@]} -gt 1 ] && [[ ${lines[-1]} != *contest.yaml* ]]; then
            [ "${lines[-1]}" = "grader: $((${#lines[@]} - 1)) faults: correct them before grading" ]
            unset 'lines[-1]'
        fi
        ! printf '%s\n' "${lines[@]}" | grep -v '^grader: .*contest\.yaml'
    }
    for ((i = 0; i < length; i += 3)); do
        head -c "$i" whole > "$contest/contest.yaml"
        one_line
    done
    for ((i = 0; i < length; i += 7)); do
        { head -c "$i" whole; printf '\x00\xff{[*&!'; tail -c +$((i + 1)) whole; } > "$contest/contest.yaml"
        one_line
        [ "$status" -eq 2 ]
    done
    # Content that is no map of keys, is too deep or too long, and a path that is no file.
    text=$(printf '[%.0s' {1..100})
    for text in "$text" 'words' '- a' '%YAML 9.9' "name: $(printf 'x%.0s' {1..300})" 'name: &a x' 'name: *a' \
        $'name: x\nname: y' $'name: "\e[31m\xe2\x80\xaeevil"\nproblems: 5' $'\tname: x' \
        "$(yes 'name: x' | head -n 10000)"; do
        printf '%s\n' "$text" > "$contest/contest.yaml"
        one_line
        [ "$status" -eq 2 ]
        [[ $output != *$'\e'* && $output != *$'\xe2\x80\xae'* ]]
    done
    rm "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    assert_output "grader: cannot open '$contest/contest.yaml': No such file or directory"
    mkdir "$contest/contest.yaml"
    one_line
    [ "$status" -eq 2 ]
    # Lines that end as on other systems, with a mark of the byte order, are read.
    rmdir "$contest/contest.yaml"
    { printf '\xef\xbb\xbf'; sed 's/$/\r/' whole; } > "$contest/contest.yaml"
    run -0 "$build/grader" check "$contest"
}

@test "contest.yaml: the box is cgroup unless it says otherwise; without cgroups the grader says what to do" {
    local without='main_host: --require-box cgroup: '
    contest
    sed -i '/require_box/d' "$contest/contest.yaml"
    run -0 --separate-stderr "$build/grader" check "$contest"
    assert_line $'box\tcgroup'
    # A machine without cgroups, on any machine.
    hidden=(bwrap --dev-bind / / --tmpfs /sys)
    run -0 --separate-stderr "${hidden[@]}" "$build/grader" check "$contest"
    [[ $stderr == \
        'grader: this machine cannot grade: '*"run in the box 'cgroup' or none (require_box), and this"* ]] ||
        fail "$stderr"
    [[ $stderr == *"systemd-run --user --scope, or write 'require_box: namespaces'"* ]] || fail "$stderr"
    [ "$(wc -l <<< "$stderr")" = 1 ] || fail "$stderr"
    submit ada 1.c "$sort/accepted/baseline.c"
    run -2 --separate-stderr "${hidden[@]}" "$build/grader" run "$contest"
    [[ $stderr == *"write 'require_box: namespaces' to do without"* ]] || fail "$stderr"
    [ ! -e "$db" ] || assert_equal "$(query 'SELECT count(*) FROM judgements')" 0
    contest
    run -0 --separate-stderr "${hidden[@]}" "$build/grader" check "$contest"
    assert_equal "$stderr" ''
    # A compile error needs the box too: the grader uses it to test the box.
    run -3 --separate-stderr "${hidden[@]}" "$host" mergesort --compile-error VERSION --require-box cgroup
    [[ $stderr == "$without"* ]] || fail "$stderr"
}

@test "devices: OpenCL on a CPU is its own device, and its times do not rank with those of C" {
    [ ! -e /dev/nvidiactl ] || skip "there is a GPU"
    requires box
    contest 'scoring: { rank_cpu: yes }'
    submit ada 1.c "$sort/accepted/qsort.c"
    submit ada kernels "$sort/accepted/opencl"
    run -0 grade
    sound
    assert_equal "$(query "SELECT m.kind || ' ' || j.language || ' ' || j.verdict || ' ' ||
        EXISTS (SELECT 1 FROM runs r WHERE r.judgement = j.id AND r.step = 'ranked')
        FROM judgements j JOIN machines m ON m.id = j.machine ORDER BY m.kind")" $'cpu C AC 1\npocl OpenCL AC 0'
    assert_equal "$(query "SELECT name LIKE 'PoCL on %' FROM machines WHERE kind = 'pocl'")" 1
}

@test "contest.yaml: a name of something that does not exist is reported with its line, before grading starts" {
    local edit words
    contest
    echo '#error x' > "$contest/submissions/ada/A/1.c"
    cp "$contest/contest.yaml" whole
    while IFS='|' read -r edit words; do
        sed "$edit" whole > "$contest/contest.yaml"
        run grade
        assert_equal "$status $edit" "2 $edit"
        assert_output --partial "$words"
        run -2 "$build/grader" check "$contest"
        assert_output --partial "$words"
    done <<'EDITS'
s/mergesort/mergesirt/|contest.yaml:5: there is no problem 'mergesirt'; there are: attention cointsp
s/secret: sample/secret: secret\/none/|contest.yaml:6: the problem 'mergesort' has no group of cases 'secret/none'
s/2-pairs/9-pairs/|contest.yaml:7: the problem 'mergesort' has no case 'sample/9-pairs'
$a\    league: mine|contest.yaml:8: main_host: there is no league 'mine'; there are: merge open
$a\    baseline: problems/none.c|contest.yaml:8: there is no baseline 'problems/none.c' in the toolkit
$a\    baseline: docs|contest.yaml:8: there is no baseline 'docs' in the toolkit: a .cu, .c or .cc
$a\    baseline: README.md|contest.yaml:8: there is no baseline 'README.md'
$a\    groups: [ { name: sample/none } ]|contest.yaml:8: the problem 'mergesort' has no group of cases 'sample/none'
$a\seal: seal.json|contest.yaml:8: 'seal: seal.json': cannot read
$a\key: key.json|contest.yaml:8: 'key: key.json': cannot read
EDITS
    # Every key of a problem that the guide lists is in the list of an unknown one.
    sed '$a\    limit: 1' whole > "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    for words in $(sed -n '/^| key of a problem/,/^$/p' "$root/docs/CONTEST.md" | sed '1,2d' |
        cut -d '|' -f 2 | grep -oE '[a-z_]+'); do
        assert_output --regexp "contest.yaml:8: .* is an unknown key of a problem: there are .*\\b$words\\b"
    done
    # Lines that are no YAML.
    while IFS='|' read -r edit words; do
        sed "$edit" whole > "$contest/contest.yaml"
        run -2 "$build/grader" check "$contest"
        assert_output --partial "$words"
    done <<'EDITS'
s/^ *secret/\tsecret/|; indent with spaces, not with tabs
s/^name: .*/name: Spring: 2026/|contest.yaml:1: mapping values are not allowed in this context; put text with a colon in
s/^ *secret/     secret/|; put text with a colon in quotes, or correct the indentation
s/^name: .*/name: "Spring/|; a quote or a bracket is not closed
EDITS
    cp whole "$contest/contest.yaml"
    mkdir "$contest/teams"
    echo 'nmae: Ada' > "$contest/teams/ada.yaml"
    run -2 grade
    assert_output --partial "teams/ada.yaml:1: unknown key 'nmae'"
    run -2 grade --builds 0
    assert_output "grader: --builds: '0' is not a number from 1 to 64"
    run -2 grade --frob
    assert_output "grader: unknown option '--frob'; see build/grader --help"
    run -2 grade --builds
    assert_output "grader: option '--builds' needs a value; see build/grader --help"
    assert_equal "$(ls "$contest")" $'contest.yaml\nsubmissions\nteams'
    run -2 "$build/grader" token "$contest" --frob
    assert_output "grader: unknown option '--frob'; see build/grader --help"
}

@test "archives and files of every bad kind are refused, each with its reason, and leave nothing behind" {
    requires box
    local to words
    contest 'limits: { files: 16, megabytes: 1 }'
    to=$contest/submissions/ada/A
    mkdir plain && cp "$sort/wrong_answer/unsigned_keys.c" plain/main.c
    zip -qr "$to/good.zip" plain
    truncate -s 5G "$to/large.c" "$to/large.tar" large.c
    printf x >> large.c
    tar -cSf "$to/holes.tar" large.c
    { tar -cf - large.c 2> /dev/null || true; } | head -c 1M | gzip > "$to/promise.tar.gz"
    head -c 64M /dev/zero | gzip > zeros
    { { tar -cf - large.c 2> /dev/null || true; } | head -c 512 | gzip; cat zeros zeros zeros; } > "$to/bomb.tar.gz"
    rm large.c
    gzip < zeros | gzip > "$to/thrice.tar.gz"
    # What libarchive would read, some of it by starting a program, and no such archive is by its name.
    { echo 'begin-base64 644 x' && tar -cf - plain | base64 && echo ====; } > "$to/letters.tar"
    head -c 200 "$to/good.zip" > "$to/cut.zip"
    zip -qr -P secret "$to/locked.zip" plain
    mkdir many && touch many/{1..20}.c && tar -cf "$to/many.tar" many
    mkdir -p deep/1/2/3/4/5/6/7/8/9 && cp plain/main.c deep/1/2/3/4/5/6/7/8/9/ && tar -cf "$to/deep.tar" deep
    cp -r plain above && (cd above && zip -q "$to/above.zip" ../plain/main.c)
    tar -cPf "$to/absolute.tar" --transform "s|^plain|$BATS_TEST_TMPDIR/escaped|" plain
    tar -cPf "$to/inside.tar" --transform 's|^plain|plain/../../escaped|' plain
    mkdir links && ln -s /etc links/out && ln plain/main.c links/hard.c && ln links/hard.c links/again.c
    tar -cf "$to/soft.tar" links/out
    tar -cf "$to/hard.tar" links/hard.c links/again.c
    tar -cf through.tar links/out && rm links/out && mkdir links/out && echo '#error' > links/out/escaped.c
    tar -rf through.tar links/out/escaped.c && mv through.tar "$to/through.tar"
    mkfifo links/pipe && tar -cf "$to/pipe.tar" links/pipe
    touch $'links/a\nb.c' 'links/-o.c' links/ü.c
    tar -cf "$to/line.tar" $'links/a\nb.c'
    tar -cf "$to/option.tar" --transform 's|links/||' ./links/-o.c
    tar -cf "$to/umlaut.tar" links/ü.c
    tar -cf "$to/twofold.tar" plain/main.c && tar -rf "$to/twofold.tar" plain/main.c
    tar -cf "$to/empty.tar" -T /dev/null
    run -0 grade
    assert_equal "$(message good.zip | cut -c 1-2)" WA
    while IFS='|' read -r name words; do
        [[ $(message "$name") == "CE "*"$words"* ]] || fail "$name: $(message "$name")"
    done <<'REASONS'
large.c|'large.c' makes the submission larger than the contest allows
large.tar|'large.tar' makes the submission larger than the contest allows
holes.tar|unpacks to more bytes than the contest allows
promise.tar.gz|cannot be read: it is damaged
bomb.tar.gz|unpacks to more bytes than the contest allows
thrice.tar.gz|compressed more than once
letters.tar|cannot be read: it is damaged
cut.zip|cannot be read: it is damaged
locked.zip|cannot be read: it is damaged or encrypted
many.tar|has more files than the contest allows
deep.tar|is not a name of letters, digits and _ . + - below the archive's folder
above.zip|'../plain/main.c' is not a name of letters
absolute.tar|/escaped/' is not a name of letters
inside.tar|'plain/../../escaped/' is not a name of letters
soft.tar|'links/out' is a link
hard.tar|'links/again.c' is a link
through.tar|'links/out' is a link
pipe.tar|'links/pipe' is not a file or a folder
line.tar|'links/a b.c' is not a name of letters
option.tar|is not a name of letters
umlaut.tar|is not a name of letters
twofold.tar|'plain/main.c' occurs twice
empty.tar|has no .cu, .c or .cc file
REASONS
    assert_equal "$(query 'SELECT count(*) FROM judgements')" 24
    sound
    # The submission makes the compiler read foreign files: each of these gets CE, with the compiler's message.
    rm -r "$to" && mkdir "$to"
    cp "$root"/tests/exploits/compile_{incbin,include_passwd,says_box,says_make,says_status,stdin}.c "$to"
    run -0 grade
    for name in "$to"/*; do
        [[ $(message "${name##*/}") == "CE "*[Ee]rror:* ]] || fail "$name: $(message "${name##*/}")"
    done
    sound
    # No file was written outside of its place, and no copy of a too large file is kept.
    [ -z "$(find "$BATS_TEST_TMPDIR" "$build/grading" /tmp -maxdepth 2 -name 'escaped*' -print -quit 2> /dev/null)" ]
    [ "$(du -sm "$contest/grading" | cut -f 1)" -lt 8 ]
    [ ! -e "$build/grading/$(query 'SELECT token FROM contest')" ]
}

# mark_utf8 ZIP: says twice of its only name that it is UTF-8, as Windows, Python and Java do: bit 11 of the flags.
mark_utf8() {
    local second
    second=$(LC_ALL=C grep -abo $'PK\x01\x02' "$1" | cut -d : -f 1)
    for at in 7 $((second + 9)); do
        printf '\b' | dd of="$1" bs=1 seek=$at conv=notrunc status=none
    done
}

@test "archives: files that macOS and Windows add are left out, and a name beyond ASCII is reported as such" {
    requires box
    local to name
    contest 'limits: { files: 5, megabytes: 1 }'
    to=$contest/submissions/ada/A
    mkdir -p plain/sol && cp "$sort/wrong_answer/unsigned_keys.c" plain/sol/device_user.c
    # An archive as the Finder makes it; names in its own folder may be anything.
    cp -r plain mac && mkdir -p mac/__MACOSX/sol
    touch mac/__MACOSX/._sol mac/__MACOSX/sol/._{device_user,a,b,答}.c
    (cd mac && zip -qr "$to/mac.zip" sol __MACOSX)
    cp -r plain top && touch top/.DS_Store top/._sol
    (cd top && tar -czf "$to/top.tgz" .DS_Store ._sol sol)
    cp -r plain windows && touch windows/{sol/,}{Thumbs.db,Desktop.ini} && (cd windows && zip -qr "$to/windows.zip" .)
    # A folder beside them is entered too; and other names still count.
    cp -r top "$to/folder"
    cp -r plain "$to/beside" && touch "$to/beside/notes.txt"
    # Flat, with as many files as allowed; the system's files do not count.
    mkdir -p flat/__MACOSX && cp plain/sol/device_user.c flat/ && touch flat/{a,b,c,d}.h flat/__MACOSX/._{a,b,c,d}.h
    (cd flat && zip -qr "$to/flat.zip" .)
    # Names in Japanese, raw and marked as UTF-8; and an owner's name, which is ignored.
    mkdir japanese && cp plain/sol/device_user.c japanese/解答.c
    (cd japanese && zip -q "$to/raw.zip" 解答.c && zip -q "$to/marked.zip" 解答.c)
    mark_utf8 "$to/marked.zip"
    tar --format=pax -cf "$to/pax.tar" -C japanese 解答.c
    tar --format=pax --owner=数学:1000 -cf "$to/owner.tar" -C plain sol
    run -0 grade
    for name in mac.zip top.tgz windows.zip folder flat.zip owner.tar; do
        [[ $(message $name) == WA* ]] || fail "$name: $(message $name)"
    done
    [[ $(message beside) == "CE "*"has no .cu, .c or .cc file" ]] || fail "beside: $(message beside)"
    for name in raw.zip marked.zip pax.tar; do
        assert_equal "$(message $name)" \
            "CE error: the archive: '解答.c' is not a name of letters, digits and _ . + - below the archive's folder"
    done
    sound
}

@test "random text: tables, pages and feeds contain no control and no invisible character" {
    local i words points state=1 file
    contest 'start: 2026-01-01T00:00:00Z' 'end: 2036-01-01T00:00:00Z'
    make -s -C "$root" "${BUILD:-build}/scoreboard" "${BUILD:-build}/clics"
    echo '#error x' > "$contest/submissions/ada/A/1.c"
    run -0 grade
    {
        # Characters of the dangerous blocks, others, and broken bytes, in what is shown of a submission.
        for i in {1..40}; do
            points=
            for _ in {1..30}; do
                state=$(((state * 1103515245 + 12345) % 2147483648))
                case $((state / 65536 % 4)) in
                0) points+=,$((0x2000 + state / 256 % 0x70)) ;;
                1) points+=,$((1 + state / 256 % 0x17f)) ;;
                2) points+=,$((0xfe00 + state / 256 % 0x200)) ;;
                *) points+=,$((0xe0000 + state / 256 % 0x1000)) ;;
                esac
            done
            words="char(${points#,}) || CAST(x'9b32ffc080' AS TEXT)"
            echo "INSERT INTO submissions (id, team, problem, path, sha256, stamp, submitted, found) VALUES
                ($((100 + i)), 'ada', 'A', $words, $i, '', 1775000000 + $i, 0);
                INSERT INTO judgements (submission, state, verdict, message, created, ended) VALUES
                ($((100 + i)), 'done', 'WA', $words, 1775000000, 1775000001);
                INSERT INTO runs (judgement, step, number, name, verdict, message) VALUES (last_insert_rowid(),
                'secret', 1, $words, 'WA', $words);"
        done
        echo 'UPDATE judgements SET reason = message; UPDATE runs SET reason = message;'
    } > insert.sql
    sqlite3 "$db" < insert.sql
    run -0 "$build/grader" results "$contest" submissions
    printf '%s\n' "$output" > table
    run -0 "$build/grader" results "$contest" runs --json
    printf '%s\n' "$output" > json
    run -0 "$root/run_scripts/scoreboard.sh" "$contest" --out site
    run -0 "$root/run_scripts/clics.sh" "$contest" --out api
    [ "$(find site -name '*.html' | wc -l)" -gt 80 ]
    # Joiners and selectors (U+200C, 200D, FE0E, FE0F) stay where scripts need them, which test_text checks.
    while IFS= read -r -d '' file; do
        iconv -f UTF-8 -t UTF-8 "$file" > /dev/null || fail "$file is not UTF-8"
        ! LC_ALL=C.UTF-8 grep -nP '[\x{1}-\x{8}\x{b}-\x{1f}\x{7f}-\x{9f}\x{ad}\x{200b}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{fe00}-\x{fe0d}\x{feff}\x{fff0}-\x{fffb}\x{e0000}-\x{e0fff}]' "$file" |
            head -c 300 | grep . || fail "$file"
    done < <(printf 'table\0json\0'; find site api -type f ! -name '*.css' ! -path 'api/submissions/*' -print0)
}

@test "names in any script and hostile names appear unchanged in the results, and do nothing else" {
    requires box
    local name names
    contest
    rm -r "$contest/submissions/ada"
    names=('Ада Лавлейс' '高木貞治' 'الخوارزمي' 'आर्यभट' 'Ωμέγα' '👩‍💻' "'; DROP TABLE submissions; --"
        '<img src=x onerror=alert(1)>'
        '$(touch pwned)' '`touch pwned`' '-rf' '--watch' '%s%n' 'a"b,c' '&amp;' '~' '*' "$(printf 'x%.0s' {1..250})"
            ' ')
    for name in "${names[@]}"; do
        mkdir -p "$contest/submissions/$name/A"
        echo "#error $RANDOM" > "$contest/submissions/$name/A/${name:0:240}.c"
    done
    # Characters that control a terminal or reverse its text are named by number, and left out.
    mkdir -p "$contest/submissions/"$'steer\e[2J' "$contest/submissions/"$'turn\u202eedoc' \
        "$contest/submissions/"$'line\nbreak' "$contest/submissions/"$'broken\xff'
    run -0 --separate-stderr grade --builds 2
    assert_equal "${#stderr_lines[@]}" 4
    [[ $stderr == *'submissions/steer<U+001B>[2J: left out'* && $stderr == *'submissions/turn<U+202E>edoc: left out'* &&
        $stderr == *'submissions/line break: left out'* && $stderr == *'submissions/broken<xFF>: left out'* ]]
    "$build/grader" results "$contest" submissions --json > out.json
    "$build/grader" results "$contest" submissions --csv > out.csv
    printf '%s\n' "${names[@]}" | LC_ALL=C sort > wanted
    jq -r '.[].team' out.json | LC_ALL=C sort | cmp wanted -
    sqlite3 :memory: '.mode csv' '.import out.csv t' '.mode list' 'SELECT team FROM t' | LC_ALL=C sort | cmp wanted -
    assert_equal "$("$build/grader" results "$contest" submissions --team "'; DROP TABLE submissions; --" --json |
        jq length)" 1
    [ -z "$(find "$BATS_TEST_TMPDIR" "$root" -maxdepth 3 -name pwned -print -quit)" ]
    # Whatever the database has: its tables control no terminal, not even with C1 in UTF-8 or as a byte.
    sqlite3 "$db" "UPDATE judgements SET reason = 'a' || char(10, 9, 27) || '[2J' || char(155) || '2J' ||
        CAST(x'9b' AS TEXT) || '2J' || char(127, 233, 0x9ad8) WHERE submission =
        (SELECT id FROM submissions WHERE team = '-rf')"
    run -0 "$build/grader" results "$contest" submissions --team -rf
    assert_line --partial $'\tCE\ta  <U+001B>[2J<U+009B>2J<x9B>2J<U+007F>é高\t'
    sound
    # A team that is not listed is named and not graded, and neither are its later submissions.
    mkdir "$contest/teams"
    echo 'name: Takagi' > "$contest/teams/高木貞治.yaml"
    cp "$contest/submissions/-rf/A/-rf.c" "$contest/submissions/Ωμέγα/A/new.c"
    echo '#error new' > "$contest/submissions/高木貞治/A/new.c"
    run -0 --separate-stderr grade
    assert_output --regexp '^#[0-9]+ 高木貞治 A new\.c: CE device_user\.c:1:2: error: #error new$'
    [[ $stderr == *'submissions/Ωμέγα: left out: there is no such team in teams/'* ]]
}

@test "a full disk: the grader ends and says so, and gives every verdict once there is space" {
    requires box
    contest
    cp "$sort/wrong_answer/unsigned_keys.c" "$contest/submissions/ada/A/1.c"
    cp "$sort/run_time_error/null_payloads.c" "$contest/submissions/ada/A/2.c"
    echo '#error x' > "$contest/submissions/ada/A/3.c"
    # The contest's disk, with room for more each time: it fills at another place.
    with_mounts <<'SCRIPT' > out
    here=$PWD
    cp -r "$contest" source
    mount -t tmpfs -o size=24M none "$contest"
    cp -r source/. "$contest"
    for room in 0 16 64 110 160 240 1000; do
        head -c $((24 - 1))M /dev/zero > "$contest/ballast" 2> /dev/null || true
        cat /dev/zero > "$contest/more" 2> /dev/null || true
        truncate -s -$((room * 1024)) "$contest/more"
        status=0
        timeout 60 "$build/grader" run "$contest" > said 2>&1 < /dev/null || status=$?
        echo "$room KiB: $status $(tail -n 1 said)"
        mkdir copy
        cp "$contest"/grading/results.db* copy/ 2> /dev/null || true
        [ ! -s copy/results.db ] || sqlite3 copy/results.db "PRAGMA integrity_check" | grep -vx ok || true
        rm -r copy
    done
    rm "$contest/ballast" "$contest/more"
    timeout 60 "$build/grader" run "$contest" < /dev/null
    sqlite3 "$contest/grading/results.db" 'PRAGMA integrity_check;
        SELECT path, verdict, attempts, (SELECT count(*) FROM judgements o WHERE o.submission = j.submission)
            FROM judgements j
        JOIN submissions s ON s.id = j.submission ORDER BY path'
    cd "$here"
SCRIPT
    run -0 cat out
    assert_line --regexp "^0 KiB: 3 grader: "
    refute_output --regexp "KiB: ([1245]|1[0-9]+) "
    # Each time it says what to repair.
    [ "$(grep -c " KiB: 3 " out)" -ge 2 ]
    [ -z "$(grep " KiB: 3 " out | grep -vE "No space left|full|disk I/O error")" ]
    assert_equal "$(tail -n 4 out)" 'ok
1.c|WA|0|1
2.c|RTE|0|1
3.c|CE|0|1'
    # The disk where submissions are built.
    cp "$contest/submissions/ada/A/1.c" "$contest/submissions/ada/A/4.c"
    with_mounts <<'SCRIPT' > out
    mount -t tmpfs -o size=8M none "$build/grading"
    status=0
    timeout 60 "$build/grader" run "$contest" > said 2>&1 < /dev/null || status=$?
    echo "$status $(tail -n 1 said)"
    sqlite3 "$contest/grading/results.db" 'SELECT max(attempts), sum(verdict IN ("CE", "JE")) FROM judgements'
SCRIPT
    run -0 cat out
    assert_output --regexp \
        "^3 grader: the disk of '.*' is full \(less than 16 MiB left\): make room and start again; no verdict is lost
0\|0$"
    run -0 grade
    assert_equal "$(query "SELECT count(*) FROM judgements WHERE state = 'done' AND verdict <> 'JE'")" 4
    sound
}

@test "a read-only database is read but not graded into; a broken one is reported and kept" {
    requires box
    contest
    echo '#error x' > "$contest/submissions/ada/A/1.c"
    grade
    with_mounts <<'SCRIPT' > out 2>&1
    mount --bind "$contest" "$contest"
    mount -o remount,bind,ro,nosuid,nodev "$contest"
    for command in 'run' 'results' 'rejudge' 'clear-review'; do
        argument=
        [ "$command" != clear-review ] || argument=1
        [ "$command" != rejudge ] || argument=--start
        status=0
        timeout 20 "$build/grader" "$command" "$contest" $argument \
            ${argument:+$([ "$command" != rejudge ] || echo --reason x)} \
            < /dev/null > said 2>&1 || status=$?
        echo "$command $status $(tail -n 1 said)"
    done
SCRIPT
    run -0 cat out
    assert_line --regexp "^run 3 grader: cannot .*: Read-only file system$"
    assert_line --partial 'results 0 1'
    assert_line --regexp "^rejudge 3 grader: .*/results.db: it is read-only here: no result can be stored$"
    assert_line --regexp "^clear-review 3 grader: .*: it is read-only here"
    # Half of it is gone: no program writes into the rest.
    cp "$db" whole.db
    head -c 6000 whole.db > "$db"
    printf 'no database, whatever it was' | dd of="$db" conv=notrunc status=none
    cp "$db" broken.db
    run -3 grade
    assert_output --partial \
        'results.db: file is not a database: keep the file, and put a backup of the folder in its place'
    cmp "$db" broken.db
    cp whole.db "$db"
    run -0 grade
    sound
}

@test "progress: the remaining time in words; the host measures times and uses no database" {
    run -0 "$build/tests/test_grade_progress"
    assert_output '10 checks, 0 failed'
    run -0 ldd "$build/main_host"
    refute_output --partial sqlite
}

@test "without a box nothing is graded, and no submission is blamed" {
    contest
    cp "$sort/accepted/qsort.c" "$contest/submissions/ada/A/1.c"
    run -3 timeout 120 "$build/tests/container" --no-landlock "$root/run_scripts/grade.sh" "$contest"
    assert_line --index -1 'grade.sh: submissions cannot be built here: install bubblewrap and allow user namespaces'
    [ ! -e "$db" ]
    # A container that forbids namespaces grades a contest that allows it: the box is then Landlock.
    run -2 timeout 120 "$build/tests/container" "$root/run_scripts/grade.sh" "$contest"
    assert_output --partial "strongest box here is 'landlock'"
    sed -i 's/^require_box: .*/require_box: landlock/' "$contest/contest.yaml"
    run -0 timeout 120 "$build/tests/container" "$root/run_scripts/grade.sh" "$contest"
    assert_equal "$(query 'SELECT verdict FROM judgements')" AC
}

@test "several graders on one contest: one grades, and the others say so" {
    requires box
    local i refused=0 graded=0 status
    contest
    cp "$sort/wrong_answer/unsigned_keys.c" "$contest/submissions/ada/A/1.c"
    sed '/^{/a for (volatile int i = 0; i == 0;) ;' "$sort/accepted/qsort.c" > "$contest/submissions/ada/A/2.c"
    for i in 1 2 3 4; do
        grade > "out.$i" 2>&1 &
        pids[i]=$!
    done
    for i in 1 2 3 4; do
        status=0
        wait "${pids[i]}" || status=$?
        if [ $status -eq 0 ]; then
            graded=$((graded + 1))
        else
            assert_equal "$status $(cat "out.$i")" "2 grader: '$contest' is being graded already"
            refused=$((refused + 1))
        fi
    done
    assert_equal "$graded $refused" '1 3'
    assert_equal "$(message 2.c | cut -c 1-3)" TLE
    sound
}

# bats test_tags=long
@test "a grader killed at random moments, alone or with its children, gives the verdicts of an undisturbed one" {
    requires box
    run -0 timeout 100 "$root/tests/scripts/grade_soak.sh" --kills 8 --seed 2
    assert_line --regexp \
        '^8 kills in [0-9]+ s, 4 of the grader alone and 4 with all its processes; [0-9]+ steps were cut off$'
    assert_line --regexp '^[0-9]+ submissions: [0-9]+ AC,[0-9]+ CE,[0-9]+ RTE,[0-9]+ WA$'
    assert_line 'each has one final verdict, the same as undisturbed'
}

# bats test_tags=long
@test "records: judged again from the kept source, by the guide's commands; another source is reported" {
    requires box
    local guide words
    contest 'key: key/key-secret.json' 'seal: seal/seal-secret.json' 'scoring: { rank_cpu: yes }'
    "$build/seal" key "$contest/key" > /dev/null
    "$build/seal" make "$contest/seal" --name Test > /dev/null
    # Paths and times that a compiler may write into what it makes; one file, a folder, an archive.
    { echo '#include <assert.h>'; cat "$sort/accepted/qsort.c"
        echo '__attribute__((used)) static const char *const made[] = { __FILE__, __BASE_FILE__, __DATE__, __TIME__ };'
        echo '__attribute__((used)) static void check(int n) { assert(n > 0); }'; } > qsort.c
    cp qsort.c "$contest/submissions/ada/A/1.c"
    mkdir -p 2/sol && cp qsort.c 2/sol/main.c && cp -r 2 "$contest/submissions/ada/A/2"
    touch "$contest/submissions/ada/A/2/.DS_Store"
    (cd 2 && zip -qr "$contest/submissions/ada/A/3.zip" sol)
    cp "$sort/wrong_answer/unsigned_keys.c" "$contest/submissions/ada/A/4.c"
    touch -d '2026-01-01' "$contest/submissions/ada/A/1.c"
    run -0 grade
    sound
    mkdir home && cp -r "$contest" home/contest
    guide=$(sed -n '/^### Signed records/,/^## /{/^```sh$/,/^```$/{/^```/!p}}' "$root/docs/CONTEST.md")
    cd "$root"
    # again SUBMISSION STEP: the guide's commands for that submission.
    again() {
        HOME=$BATS_TEST_TMPDIR/home bash -euo pipefail -c "$(sed -e "s/submission = 3/submission = $1/" \
            -e "s/'secret'/'$2'/" -e "s|sources/3|sources/$1|" -e "s|record\.json|$BATS_TEST_TMPDIR/record.json|" \
            <<< "$guide")"
    }
    record() { jq -r "$1" "$BATS_TEST_TMPDIR/record.json"; }
    sleep 1
    for words in '1 secret AC' '1 ranked AC' '2 ranked AC' '3 ranked AC'; do
        read -r number step verdict <<< "$words"
        run -0 again "$number" "$step"
        assert_line --regexp '^submission  ok +.* was judged, SHA-256 [0-9a-f]{64}$'
        assert_line --regexp '^source +ok '
        assert_line --regexp "^rerun +ok +$verdict again, "
        assert_line 'GOOD: all checks passed'
    done
    # From the submitted files too: the folder with the folder in it.
    cd "$BATS_TEST_TMPDIR"
    run -0 "$root/run_scripts/rerun_record.sh" record.json 2 --seal "$contest/seal/seal-secret.json"
    # A rejection by samples, which have no seal.
    cd "$root"
    guide=${guide% --seal *}
    run -0 again 4 samples
    assert_line --regexp '^rerun +ok +WA again, '
    # A source other than the record's.
    run -1 run_scripts/rerun_record.sh "$BATS_TEST_TMPDIR/record.json" "$BATS_TEST_TMPDIR/qsort.c"
    assert_line --regexp '^submission  FAILED .* differs'
    assert_line --partial "rerun_record.sh: '$BATS_TEST_TMPDIR/qsort.c' built here differs from the record"
    echo '#error not so' > "$BATS_TEST_TMPDIR/broken.c"
    run -2 run_scripts/rerun_record.sh "$BATS_TEST_TMPDIR/record.json" "$BATS_TEST_TMPDIR/broken.c"
    assert_line 'device_user.c:1:2: error: #error not so'
    assert_line --partial "broken.c' does not build, so it is not what ran in this record: see above"
    run -2 run_scripts/rerun_record.sh "$BATS_TEST_TMPDIR/record.json"
    run -2 run_scripts/rerun_record.sh "$BATS_TEST_TMPDIR/none.json" "$BATS_TEST_TMPDIR/broken.c"
    assert_output "rerun_record.sh: there is no record '$BATS_TEST_TMPDIR/none.json'"
    run -2 run_scripts/rerun_record.sh README.md "$BATS_TEST_TMPDIR/broken.c"
    assert_output "rerun_record.sh: 'README.md' is not a record: it names no problem"
}

@test "builds: equal sources give equal bytes, also in CUDA, in any folder and at any time" {
    requires box
    requires nvcc
    local file place
    mkdir -p one elsewhere/deep/one
    cp "$root/problems/diffevo/submissions/accepted/baseline.cu" device_user.cu
    echo '__attribute__((used)) static const char *const made[] = { __FILE__, __DATE__, __TIME__ };' >> device_user.cu
    "$root/contrib/grade/grade_build.sh" device_user.cu diffevo "$PWD/one" > /dev/null
    # The compilers write within their box, which has a limit: only the built file has come out.
    assert_equal "$(find "$BATS_TEST_TMPDIR/one/out" -mindepth 1)" ''
    cp device_user.cu elsewhere/deep/ && touch -d '2026-01-01' elsewhere/deep/device_user.cu
    # Another toolkit. It needs no simulator: the build is for a GPU.
    copy_toolkit built
    sed -i 's|\[ ! -e /dev/nvidiactl \]|false|' contrib/grade/grade_build.sh
    contrib/grade/grade_build.sh "$BATS_TEST_TMPDIR/elsewhere/deep/device_user.cu" diffevo \
        "$BATS_TEST_TMPDIR/elsewhere/deep/one" > /dev/null
    cmp "$BATS_TEST_TMPDIR/one/device_user.so" "$BATS_TEST_TMPDIR/elsewhere/deep/one/device_user.so"
    run -1 grep -cF "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/one/device_user.so"
    assert_output 0
}

# The guide's ten commands come from the document, one per line. The test changes only what a reader changes: address,
# an editor's work, and sudo, which root does not need.
# bats test_tags=long
@test "guide: the ten commands of docs/CONTEST.md lead from a clone to a contest that grades submissions" {
    requires box
    local commands number line grader
    mapfile -t commands < <(sed -n '/^## From an empty machine/,/^## /{/^```sh$/,/^```$/{/^```/!p}}' \
        "$root/docs/CONTEST.md")
    assert_equal "${#commands[@]}" 10
    # What is cloned is the toolkit as it is here. What of it is built already is put where make would build it, which
    # tests/60-make.bats is about.
    local built=$build
    copy_toolkit
    git init -q . && git add -A && git -c user.name=x -c user.email=x@localhost commit -qm toolkit
    cd "$BATS_TEST_TMPDIR"
    editor() {
        case $1 in
        */contest.yaml)
            sed -i -e 's/^name: .*/name: Spring/' -e 's|^practice: yes.*|seal: seal/seal-secret.json|' "$1"
            ;;
        */teams/gauss.yaml) sed -i 's/^name: .*/name: Gauss and friends/' "$1" ;;
        *) return 1 ;;
        esac
    }
    sudo() { if [ "$(id -u)" = 0 ]; then "$@"; else command sudo -n "$@"; fi; }
    echo 'DPkg::Lock::Timeout "300";' > apt.conf
    export HOME=$BATS_TEST_TMPDIR/home APT_CONFIG=$BATS_TEST_TMPDIR/apt.conf
    mkdir "$HOME"
    for number in 1 2 3 4 5 6 7 8 9; do
        line=${commands[number - 1]}
        [[ $line =~ \#\ $number($|\ ) ]]
        line=${line/URL/"'$BATS_TEST_TMPDIR/copy'"}
        echo "\$ $line" >> log
        eval "$line" >> log 2>&1 || { cat log; false; }
        if [ $number -eq 2 ]; then
            find . -exec touch -h -d '2000-01-01' {} +
            (cd "$built/.." && tar -cf - --exclude=build/grading --exclude=build/tests --exclude=build/grade-soak \
                --exclude=build/submissions --exclude=build/demo build) | tar -xf -
            mkdir -p build/submissions
        fi
    done
    [[ ${commands[9]} =~ \#\ 10 ]]
    # The last one stays: a submission arrives, and has its verdict.
    bash -c "exec ${commands[9]}" > out 2>&1 < /dev/null &
    grader=$!
    cp problems/mergesort/submissions/accepted/qsort.c ~/contest/submissions/gauss/sort/first.c
    for _ in {1..400}; do
        ! grep -q '^#1 gauss sort first.c: AC [0-9.]* s$' out || break
        sleep 0.1
    done
    kill -INT $grader
    wait $grader
    run -0 cat out
    assert_line --regexp '^#1 gauss sort first\.c: AC [0-9.]+ s$'
    run -0 run_scripts/results.sh ~/contest standings
    assert_line --regexp $'^1\tgauss\tGauss and friends\t1\t'
    # With inputs of the seal.
    assert_equal "$(sqlite3 ~/contest/grading/results.db "SELECT count(*) FROM steps WHERE step = 'secret' AND
        json_extract(record, '\$.seal.commitment') = '$(jq -r .commitment ~/contest/seal/seal-published.json)'")" 1
}

@test "check: every fault of contest.yaml and teams/ is reported with its line; stray entries are named" {
    local line
    mkdir -p "$contest"/{teams,submissions/{ada/{A,Z},eve/A}}
    cat > "$contest/contest.yaml" <<'YAML'
name: Test
strat: 2026-05-01T09:00:00Z
end: 2026-05-32T09:00:00Z
freeze: 2026-05-01T12:00:00Z
colours: { red: [1, 2], blue: { deep: 3 } }
scoring: { type: fastest, penalty: many }
problems:
  - id: A
    problem: mergesirt
    secret: sample
  - id: B
    problem: mergesort
    secret: secret/none
    repeat: 4
  - id: C
    problem: mergesort
    league: none
    secret: sample
    time_limit: -1
  - id: a
    problem: matmul
    secret: sample
    baseline: none.cu
practice: yes
YAML
    printf 'nmae: Ada\nname: ""\n' > "$contest/teams/ada.yaml"
    echo 'name: [1]' > "$contest/teams/bob.yaml"
    run -2 "$build/grader" check "$contest"
    while IFS= read -r line; do
        assert_line --partial "$line"
    done <<'FAULTS'
contest.yaml:2: unknown key 'strat'
contest.yaml:3: 'end: 2026-05-32T09:00:00Z' is not a time
contest.yaml:5: unknown key 'colours'
contest.yaml:6: 'scoring.penalty: many' is not a number from 0
contest.yaml:9: there is no problem 'mergesirt'
contest.yaml:13: the problem 'mergesort' has no group of cases 'secret/none'
contest.yaml:14: 'problems.1.repeat: 4' is not an odd number
contest.yaml:17: main_host: there is no league 'none'
contest.yaml:19: 'problems.2.time_limit: -1' is not a number from 0.001
contest.yaml:20: 'problems.3.id: a' occurs twice
contest.yaml:23: there is no baseline 'none.cu'
teams/ada.yaml:1: unknown key 'nmae'
teams/ada.yaml:2: 'name' is empty
teams/bob.yaml:1: 'name' must have one value
grader: 14 faults: correct them before grading
FAULTS
    [ ${#lines[@]} -eq 15 ] || fail "$output"
    run -2 grade
    assert_line 'grader: 14 faults: correct them before grading'
    # Sound files in places that no program reads.
    contest
    echo 'name: Ada' > "$contest/teams/ada.yaml"
    rm "$contest/teams/bob.yaml"
    touch "$contest/teams/notes.txt" "$contest/submissions/readme" "$contest/submissions/ada/1.c"
    run -0 --separate-stderr "$build/grader" check "$contest"
    assert_equal "$(grep -v 'this machine cannot grade' <<< "$stderr")" \
        "$(printf 'grader: %s; nothing in it is graded\n' \
        'teams/notes.txt: a team is a file TEAM.yaml' \
        'submissions/ada/1.c: contest.yaml has no problem of that id; there are: A' \
        'submissions/ada/Z: contest.yaml has no problem of that id; there are: A' \
        'submissions/eve: there is no such team in teams/' \
        'submissions/readme: it is a file: a team is a folder')"
}

# bats test_tags=long
@test "contest.yaml: groups without their folder if the name is unique, and limits for a single problem" {
    requires box
    local slow=$BATS_TEST_TMPDIR/slow.c
    contest
    cat > "$contest/contest.yaml" <<'YAML'
name: Test
require_box: namespaces
practice: yes
scoring: { type: groups }
problems:
  - id: A
    problem: mergesort
    secret: pairs
    ranked: pairs
    time_limit: 3.5
    memory: 700
    groups:
      - { name: pairs, max_score: 30 }
YAML
    run -0 "$build/grader" check "$contest"
    sed 's/^    if (n == 0)$/    sleep(60);\n&/; 1i #include <unistd.h>' "$sort/accepted/qsort.c" > "$slow"
    grep -q sleep "$slow"
    submit ada slow.c "$slow"
    submit bob quick.c "$sort/accepted/qsort.c"
    run -0 grade
    assert_equal "$(query "SELECT team || ' ' || verdict FROM judgements j JOIN submissions s ON s.id = j.submission
        ORDER BY team")" $'ada TLE\nbob AC'
    assert_equal "$("$build/grader" results "$contest" standings --json | jq -c '[.teams[] | .score]')" '[30,0]'
    assert_equal "$(query "SELECT DISTINCT json_extract(record, '$.asked.time_limit') || ' ' ||
        json_extract(record, '$.asked.memory_limit') FROM steps WHERE step = 'secret'")" '3.5 700'
    # A name that two folders have, or none has, is invalid.
    sed -i 's/secret: pairs/secret: nothing/' "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    assert_line --partial "contest.yaml:8: the problem 'mergesort' has no group of cases 'nothing'"
}

# bats test_tags=long
@test "builds: equal bytes and rules share one kept build; other names, bytes, rules or compilers are built anew" {
    requires box
    requires nvcc
    local kept=build/grading/cache work
    mkdir -p one two three four five six seven eight
    cp "$root/device_user.cu" device_user.cu
    copy_toolkit built
    rm -rf $kept && mkdir -p build/grading
    build_again() { # SOURCE WORK: what is kept afterwards
        contrib/grade/grade_build.sh "$1" editdistance "$BATS_TEST_TMPDIR/$2" > /dev/null
        find $kept -mindepth 1 -maxdepth 1 | wc -l
    }
    assert_equal "$(build_again "$BATS_TEST_TMPDIR/device_user.cu" one)" 1
    touch -d '2026-01-01' "$BATS_TEST_TMPDIR/device_user.cu"
    assert_equal "$(build_again "$BATS_TEST_TMPDIR/device_user.cu" two)" 1
    cmp "$BATS_TEST_TMPDIR/one/device_user.so" "$BATS_TEST_TMPDIR/two/device_user.so"
    # The kept build is the one used.
    echo changed > "$(echo $kept/*)/device_user.so"
    build_again "$BATS_TEST_TMPDIR/device_user.cu" three
    assert_equal "$(cat "$BATS_TEST_TMPDIR/three/device_user.so")" changed
    echo '// another' >> "$BATS_TEST_TMPDIR/device_user.cu"
    assert_equal "$(build_again "$BATS_TEST_TMPDIR/device_user.cu" four)" 2
    mv "$BATS_TEST_TMPDIR/device_user.cu" "$BATS_TEST_TMPDIR/another.cu"
    assert_equal "$(build_again "$BATS_TEST_TMPDIR/another.cu" five)" 3
    echo '# another rule' >> contrib/mk/30-submission.mk
    assert_equal "$(build_again "$BATS_TEST_TMPDIR/another.cu" six)" 4
    # A build that fails is not kept, so the compiler's messages appear each time.
    echo 'no C' > "$BATS_TEST_TMPDIR/another.cu"
    for work in seven eight; do
        run -1 contrib/grade/grade_build.sh "$BATS_TEST_TMPDIR/another.cu" editdistance "$BATS_TEST_TMPDIR/$work"
        assert_output --partial 'error'
    done
    assert_equal "$(find $kept -mindepth 1 -maxdepth 1 | wc -l)" 4
}
