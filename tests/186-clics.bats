#!/usr/bin/env bats
# A contest as the files of the CLICS Contest API 2023-06, and test groups as the package format has them.
# bats file_tags=grade,formats

setup_file() {
    "$BATS_TEST_DIRNAME/../run_scripts/lib/packages.sh" build grade formats clics schema >&2
    make -s -C "$root" DEV=1 clics-programs grade-programs format-programs >&2
}

setup() {
    load helpers/common
    load helpers/rows
    contest=$BATS_TEST_TMPDIR/contest db=$contest/grading/results.db out=$BATS_TEST_TMPDIR/out
    schema=$root/contrib/clics/clics-2023-06.schema.json
}

query() { sqlite3 "$db" "$1"; }
clics() { timeout 60 "$build/clics" "$contest" --out "$out" "$@"; }
token() { jq -r .token <<< "$1"; }

# contest_yaml [LINE...]: one hour from 2026-01-01, frozen for its last 15 minutes.
contest_yaml() {
    printf '%s\n' 'name: Test' 'start: 2026-01-01T00:00:00Z' 'freeze: 2026-01-01T00:45:00Z' \
        'end: 2026-01-01T01:00:00Z' "$@" 'require_box: namespaces' 'problems:' '  - id: A' \
        '    problem: mergesort' '    secret: secret/pairs' \
        '  - id: B' '    problem: editdistance' '    secret: sample' '    points: 40' > "$contest/contest.yaml"
}

# a_contest [LINE...]: graded; every verdict in it came 10 seconds after the submission.
#   ada   A: WA at 10 min, AC at 30 (2.0 s); B: AC at 20 (1.0 s)
#   bob   A: CE at 5, AC at 40 (2.1 s, which overlaps 2.0)
#   Žoë   A: AC at 50, in the freeze; "zed" A: being judged, at 42; late: after the end
a_contest() {
    mkdir -p "$contest/teams" "$contest/grading"
    contest_yaml "$@"
    printf '%s\n' 'name: Ada & "Co" <b>' 'affiliation: Göttingen' 'country: DEU' > "$contest/teams/ada.yaml"
    printf '%s\n' 'name: ärger' 'affiliation: Göttingen' > "$contest/teams/bob.yaml"
    printf '%s\n' 'name: Zed' > "$contest/teams/zed.yaml"
    printf '%s\n' 'name: Nobody' > "$contest/teams/idle.yaml"
    printf "%s\n" "name: Žoë" > "$contest/teams/Žoë.yaml"
    sqlite3 "$db" < "$BATS_TEST_DIRNAME/fixtures/grade_schema_1.sql"
    mkdir -p "$build/grading"
    "$build/grader" results "$contest" > /dev/null 2>&1 || true
    "$build/grader" cancel "$contest" 1 > /dev/null 2>&1 || true # brings the schema up to date
    query "DELETE FROM samples; DELETE FROM runs; DELETE FROM judgements; DELETE FROM submissions;
        CREATE TEMP TABLE given (id, team, problem, path, minute, verdict, median, low, high, language);
        INSERT INTO given VALUES (1, 'ada', 'A', '1.c', 10, 'WA', NULL, NULL, NULL, 'C'),
            (2, 'ada', 'A', '2.c', 30, 'AC', 2.0, 1.9, 2.2, 'C'),
            (3, 'bob', 'A', '1.zip', 5, 'CE', NULL, NULL, NULL, NULL),
            (4, 'bob', 'A', 'f', 40, 'AC', 2.1, 2.1, 2.3, 'OpenCL'),
            (5, 'Žoë', 'A', '1.cu', 50, 'AC', 1.5, 1.4, 1.6, 'CUDA'),
            (6, 'ada', 'B', '1.c', 20, 'AC', 1.0, 0.9, 1.1, 'C'),
            (7, 'ada', 'A', 'late.c', 61, 'AC', 0.1, 0.1, 0.1, 'C'),
            (8, 'zed', 'A', '1.c', 42, NULL, NULL, NULL, NULL, 'C');
        INSERT INTO submissions $submission_columns SELECT id, team, problem, path, id, id,
            1767225600 + 60 * minute + 0.25, 0 FROM given;
        INSERT INTO judgements (id, submission, state, verdict, created, ended, language) SELECT id + 100, id,
            iif(verdict IS NULL, 'secret', 'done'), verdict, 1767225601 + 60 * minute,
                iif(verdict IS NULL, NULL, 1767225610 + 60 * minute),
            language FROM given;
        INSERT INTO clarifications VALUES (1, 'ada', NULL, NULL, 'A', 'Is 0 a key?', 1767225700),
            (2, NULL, 'ada', 1, 'A', 'It is.', 1767225710), (3, NULL, NULL, 1, NULL, 'To all: 0 is a key.', 1767225720);
        INSERT INTO steps $step_columns SELECT id + 100, 'samples', 1767225602 + 60 * minute,
            1767225604 + 60 * minute, 0, NULL, ''
            FROM given
            WHERE id <> 3;
        INSERT INTO runs $run_columns SELECT id * 10, id + 100, 'samples', 0,
            iif(problem = 'A', 'sample/1-ten', 'sample/1-small'), 'AC', '', 0.0123456, 0, 0
            FROM given WHERE id <> 3;
        INSERT INTO runs $run_columns SELECT id * 10 + 1, id + 100, 'secret', 0,
            iif(problem = 'A', 'secret/pairs/06-few', 'sample/1-small'), verdict, '',
            median, low, high FROM given WHERE verdict IN ('AC', 'WA');
        INSERT INTO runs $run_columns SELECT id * 10 + 2, id + 100, 'ranked', 0, 'x', 'AC', '', median, low, high
            FROM given WHERE verdict = 'AC';
        INSERT INTO runs $run_columns SELECT id * 10 + 3, id + 100, 'baseline', 0, 'x', 'AC', '', 4.0, 4.0, 4.0
            FROM given WHERE verdict = 'AC'; $all_public"
}

# document [FOLDER]: all files of an API as one object.
document() {
    local folder=${1:-$out} file name files=()
    for file in "$folder"/*.json; do files+=(--slurpfile "$(basename "$file" .json)" "$file"); done
    # The arguments of jq, each a list of one value except the feed.
    jq -nc "${files[@]}" --slurpfile event-feed "$folder/event-feed.ndjson" \
        '$ARGS.named | with_entries(if .key == "event-feed" then . else .value |= .[0] end)'
}

# True of every API: references exist, IDs are unique, one judgement per submission, the feed gives the same objects.
holds() {
    document > "$BATS_TEST_TMPDIR/document.json"
    run -0 jq -r -f /dev/stdin "$BATS_TEST_TMPDIR/document.json" <<'JQ'
def collections: ["judgement-types", "languages", "problems", "groups", "organizations", "teams", "clarifications",
    "awards", "submissions", "judgements", "runs"];
def wrong($s):
    def there($type; $id): $id == null or ($s[$type] // {} | has($id));
    [($s.teams // {})[] | select(there("organizations"; .organization_id) | not) | "team \(.id)"]
    + [($s.submissions // {})[] | select((there("languages"; .language_id) and there("problems"; .problem_id)
        and there("teams"; .team_id)) | not) | "submission \(.id)"]
    + [($s.awards // {})[] | select(there("teams"; .team_ids[]) | not) | "award \(.id)"]
    + [($s.clarifications // {})[] | select((there("teams"; .from_team_id) and there("teams"; .to_team_id)
        and there("problems"; .problem_id) and there("clarifications"; .reply_to_id)) | not) | "clarification \(.id)"]
    + [($s.judgements // {})[] |
        select((there("submissions"; .submission_id) and there("judgement-types"; .judgement_type_id)) | not)
        | "judgement \(.id)"]
    + [($s.runs // {})[] |
        select((there("judgements"; .judgement_id) and there("judgement-types"; .judgement_type_id)) | not) |
        "run \(.id)"]
    + [($s.judgements // {}) | [.[].submission_id] | group_by(.)[] | select(length > 1) | "two judgements of \(.[0])"];
. as $d
| (reduce collections[] as $type ({contest: $d.contest, state: $d.state};
    .[$type] = ($d[$type] | map({(.id): .}) | add // {}))) as $now
| (collections[] | . as $type | $d[$type] | select((map(.id) | unique | length) != length) | "an ID twice: \($type)"),
  wrong($now)[],
  ($d.runs | group_by(.judgement_id)[] | select((map(.ordinal) | unique | length) != length) | "an ordinal twice"),
  ($d.runs[] | . as $run | ($now.submissions[$now.judgements[$run.judgement_id].submission_id].problem_id) as $problem
    | select($run.ordinal > $now.problems[$problem].test_data_count) | "ordinal of run \(.id)"),
  ($d.scoreboard.rows | select((map(.team_id) | sort) != ($d.teams | map(.id) | sort)) | "rows are not the teams"),
  ($d.scoreboard.rows[].problems[] | select($now.problems[.problem_id] | not) | "a row's problem"),
  ($d.access.endpoints[] | . as $e | ($d[$e.type] | if type == "object" then [.] else . end)[] |
    keys - $e.properties | .[]
    | "\($e.type).\(.) is not in access"),
  (if $d.scoreboard.state != $d.state then "the scoreboard's state" else empty end),
  (reduce $d["event-feed"][] as $e ({state: {}, wrong: []};
        .state |= (if $e.id == null then .[$e.type] = $e.data elif $e.data == null then del(.[$e.type][$e.id])
                   else .[$e.type][$e.id] = $e.data end)
        | .wrong += (.state | wrong(.) | map("\(.) after \($e.token)")))
    | .wrong[],
      ((reduce collections[] as $type (.state; .[$type] //= {})) | select(. != $now) |
        "the feed comes to something else")),
  ($d["event-feed"] | to_entries[] | select((.value.token | split("-")[1] | tonumber) != .key + 1) |
    "token \(.value.token)"),
  ($d["event-feed"] | map(.type == "state" and .data.end_of_updates != null) | index(true) as $i
    | select($i != null and $i != length - 1) | "something after end_of_updates")
JQ
    assert_output ''
}

@test "clics: the files match the specification's tables for every scoring, view and moment" {
    local scoring view moment documents=()
    a_contest
    for scoring in pass-fail fastest relative groups; do
        contest_yaml "scoring: { type: $scoring }" 'thaw: 2026-01-01T02:00:00Z' 'final: 2026-01-01T03:00:00Z'
        for view in '' --public; do
            for moment in 2025-12-31T23:00:00Z 2026-01-01T00:50:00Z 2026-01-01T01:30:00Z 2026-01-02T00:00:00Z; do
                [ $scoring = pass-fail ] || [ $moment = 2026-01-01T00:50:00Z ] || continue
                out=$BATS_TEST_TMPDIR/$scoring$view$moment
                # shellcheck disable=SC2086
                run -0 clics $view --at $moment
                holds
                documents+=(-i "$out.document")
                mv "$BATS_TEST_TMPDIR/document.json" "$out.document"
            done
        done
    done
    # Without a freeze.
    sed -i '/^freeze/d; /^thaw/d' "$contest/contest.yaml"
    out=$BATS_TEST_TMPDIR/plain
    run -0 clics
    holds
    [ ${#documents[@]} -eq 28 ]
    run -0 /usr/bin/jsonschema "${documents[@]}" -i "$BATS_TEST_TMPDIR/document.json" "$schema"
}

@test "clics: the schema refuses wrong files" {
    local change documents=() number=0
    a_contest
    run -0 clics
    document > "$BATS_TEST_TMPDIR/right"
    while IFS= read -r change; do
        number=$((number + 1))
        jq -c "$change" "$BATS_TEST_TMPDIR/right" > "$BATS_TEST_TMPDIR/wrong.$number"
        run ! cmp -s "$BATS_TEST_TMPDIR/right" "$BATS_TEST_TMPDIR/wrong.$number"
        documents+=(-i "$BATS_TEST_TMPDIR/wrong.$number")
    done <<'JQ'
del(.contest.penalty_time)
.contest.duration = "1:00"
.contest.scoreboard_type = "fastest"
.contest.start_time = "2026-01-01 00:00:00"
.state.finalized = .state.started | .state.ended = null
del(.state.frozen)
.teams[0].id = "ein Name"
.teams[0].organisation_id = "x"
.judgements[0].end_time = null
.judgements[0].score = 1
.judgements[0].start_contest_time = "0:5:00.000"
.runs[0].ordinal = 0
.runs[0].run_time = -1
.scoreboard.rows[0].score.time = null
.scoreboard.rows[-1].score.time = null
.scoreboard.rows[0].problems[0].score = 3
del(.scoreboard.rows[0].problems[0].time)
.["event-feed"][0].id = "1"
.["event-feed"][-1].data.started = "soon"
.["event-feed"][3].type = "judgements"
.access.endpoints[0].type = "contests"
del(.problems[0].label)
JQ
    [ $number -eq 22 ]
    run -1 --separate-stderr /usr/bin/jsonschema --output pretty "${documents[@]}" -i "$BATS_TEST_TMPDIR/right" \
        "$schema"
    # Each wrong file is refused, and the right one is not.
    for ((number = 1; number <= 21; number++)); do [[ $output$stderr == *"wrong.$number)"* ]]; done
}

@test "clics: the content of the objects" {
    a_contest
    run -0 clics --id spring26
    equal() { assert_equal "$(jq -c "$2" "$out/$1.json")" "$3"; } # ENDPOINT FILTER JSON
    equal api .version '"2023-06"'
    equal contest '[.id, .start_time, .duration, .scoreboard_freeze_duration, .penalty_time]' \
        '["spring26","2026-01-01T00:00:00.000Z","1:00:00.000","0:15:00.000",20]'
    equal state '[.started, .frozen, .ended, .thawed]' \
        '["2026-01-01T00:00:00.000Z","2026-01-01T00:45:00.000Z","2026-01-01T01:00:00.000Z",null]'
    # A judgement of each verdict that there is; CE and JE cost nothing.
    equal judgement-types '[.[] | [.id, .penalty, .solved]] | map(select(.[1] == .[2]))' \
        '[["CE",false,false],["JE",false,false]]'
    equal judgement-types '[.[] | select(.solved).id]' '["AC"]'
    equal languages '.[] | select(.id == "c").extensions' '["c","cc"]'
    # Teams that never submitted are there; two of one affiliation share an organization;
    # a name that is no ID is digested.
    equal teams 'map(.label)' '["ada","bob","idle","zed","Žoë"]'
    equal teams '.[4] | [.id[0:2], (.id | length), .name]' '["t-",18,"Žoë"]'
    equal teams '[.[].organization_id] | map(select(. != null)) | unique | length' 1
    equal organizations '.[0] | [.name, .country]' '["Göttingen","DEU"]'
    equal problems 'map([.id, .ordinal, .name, .time_limit])' '[["A",1,"Merge sort",10],["B",2,"Edit distance",10]]'
    # Those after the end are not listed. An archive that did not build is in no language.
    equal submissions 'map([.id, .language_id])' \
        '[["1","c"],["2","c"],["3","unknown"],["4","opencl"],["5","cuda"],["6","c"],["8","c"]]'
    equal submissions '.[0] | [.time, .contest_time]' '["2026-01-01T00:10:00.250Z","0:10:00.250"]'
    equal judgements '.[0]' \
        '{"id":"101","submission_id":"1","judgement_type_id":"WA","start_time":"2026-01-01T00:10:02.000Z","start_contest_time":"0:10:02.000","end_time":"2026-01-01T00:10:10.000Z","end_contest_time":"0:10:10.000","max_run_time":0.012}'
    equal judgements '.[-1] | [.id, .judgement_type_id, .end_time]' '["108",null,null]'
    # sample/1-small is among B's samples and its secret cases: one run. A run without a time has none.
    equal runs '[.[] | select(.judgement_id == "106") | [.ordinal, .run_time]]' '[[1,1]]'
    equal runs '[.[] | select(.id == "11")][0] | [.ordinal, .judgement_type_id, has("run_time")]' '[9,"WA",false]'
    equal scoreboard '[.time, .contest_time]' '["2026-01-01T00:50:10.000Z","0:50:10.000"]'
    run -0 make -s -C "$root" clics CONTEST="$contest" OUT="$out" ARGS='--id spring26'
    run -0 "$root/run_scripts/clics.sh" --help
}

@test "clics: the scoreboard of every scoring" {
    a_contest
    rows() { jq -c "[.rows[] | $1]" "$out/scoreboard.json"; }
    clics
    # ada solved two. Žoë and bob have one with 50 and 40 minutes; the others are last, in order of their names.
    assert_equal "$(rows '[.rank, .team_id[0:4], .score.num_solved, .score.total_time, .score.time]')" \
        '[[1,"ada",2,70,30],[2,"bob",1,40,40],[3,"t-83",1,50,50],[4,"idle",0,0,null],[4,"zed",0,0,null]]'
    assert_equal "$(rows '.problems[0] | [.num_judged, .num_pending, .solved, .time]')" \
        '[[2,0,true,30],[1,0,true,40],[1,0,true,50],[0,0,false,null],[0,1,false,null]]'
    # fastest: Žoë alone is first on A, ada and bob share the place after; ada alone has a time on B. The points are the
    # teams with a time, and one, less the place: the most points are the least sum of places.
    contest_yaml 'scoring: { type: fastest }'
    out+=2
    clics
    assert_equal "$(rows '[.rank, .team_id[0:4], .score.score, (.problems | map(.score))]')" \
        '[[1,"ada",3,[2,1]],[1,"t-83",3,[3,0]],[3,"bob",2,[2,0]],[4,"idle",0,[0,0]],[4,"zed",0,[0,0]]]'
    assert_equal "$("$build/grader" results "$contest" standings --json |
        jq -c '[.teams[] | [.rank, (.score | round)]]')" \
        '[[1,3],[1,3],[3,4],[4,6],[4,6]]'
    assert_equal "$(jq -c '[.[] | [.id, (.score // -1 | . * 1e6 | round)]]' "$out/judgements.json")" \
        '[["101",0],["102",500000],["103",0],["104",476190],["105",666667],["106",1000000],["108",-1000000]]'
    # relative: half for a right answer, and 4 / 2.0 is a third of the way from 1 to 4.
    contest_yaml 'scoring: { type: relative }'
    out+=2
    clics
    assert_equal "$(rows '[.rank, .team_id[0:3], (.score.score * 1000 | round), .score.time]')" \
        '[[1,"ada",106667,30],[2,"t-8",77778,50],[3,"bob",65079,40],[4,"idl",0,null],[4,"zed",0,null]]'
    assert_equal "$(jq -c 'map(.max_score)' "$out/problems.json")" '[100,40]'
}

@test "clics: times round down, equal minutes tie, pending runs count, and teams no longer listed are hidden" {
    a_contest
    equal() { assert_equal "$(jq -c "$2" "$out/$1.json")" "$3"; } # ENDPOINT FILTER JSON
    row() { equal scoreboard ".rows[] | select(.team_id == \"$1\") | $2" "$3"; } # TEAM FILTER JSON
    # 0.3 ms before the end of the first minute, and before the freeze: neither rounds up.
    query "UPDATE submissions SET submitted = 1767225659.9997 WHERE id = 1;
        UPDATE submissions SET submitted = 1767225600 + 2699.9997 WHERE id = 4"
    clics
    equal submissions '.[] | select(.id == "1" or .id == "4") | .contest_time' '"0:00:59.999"
"0:44:59.999"'
    equal judgements '.[] | select(.submission_id == "4") | .judgement_type_id' '"AC"'
    assert_equal "$("$build/grader" results "$contest" submissions --json |
        jq -r '.[] | select(.submission == 4).submitted')" 2026-01-01T00:44:59.999Z
    # Another moment of the same minute is a tie.
    query "UPDATE submissions SET submitted = 1767225600 + 3001 WHERE id = 4;
        UPDATE submissions SET submitted = 1767225600 + 3030 WHERE id = 5"
    assert_equal "$("$build/grader" results "$contest" standings --json |
        jq -c '[.teams[] | [.rank, .team, .penalty]][1:3]')" '[[2,"bob",50],[2,"Žoë",50]]'
    # A better answer that the freeze hides is pending, if later answers can still gain points.
    query "UPDATE submissions SET submitted = 1767225600 + 3000, problem = 'A', team = 'ada' WHERE id = 4"
    contest_yaml 'scoring: { type: relative }'
    out+=2
    clics --public
    row ada '.problems[0] | [.num_judged, .num_pending]' '[2,1]'
    # JE is to be judged again.
    query "UPDATE judgements SET verdict = 'JE' WHERE submission = 1"
    out+=2
    clics
    row ada '.problems[0] | [.num_judged, .num_pending]' '[1,1]'
    rm "$contest/teams/bob.yaml"
    out+=2
    clics
    equal teams 'map(select(.hidden).label)' '["bob"]'
    equal scoreboard '[.rows[].team_id] | index("bob")' null
}

@test "clics: the feed continues after its last line; its tokens stay" {
    local first count
    a_contest
    run -0 clics
    holds
    cp "$out/event-feed.ndjson" "$BATS_TEST_TMPDIR/first"
    # Nothing new: nothing is added.
    run -0 clics
    assert_output ''
    cmp "$BATS_TEST_TMPDIR/first" "$out/event-feed.ndjson"
    count=$(wc -l < "$BATS_TEST_TMPDIR/first")
    first=$(token "$(sed -n 5p "$BATS_TEST_TMPDIR/first")")
    run -0 clics --since "$first"
    assert_equal "$output" "$(tail -n +6 "$BATS_TEST_TMPDIR/first")"
    # The pending one gets its verdict, a team gets a new name, one submission a review, and bob a submission.
    query "UPDATE judgements SET state = 'done', verdict = 'TLE', ended = 1767225600 + 2600 WHERE id = 108;
        INSERT INTO submissions $submission_columns VALUES (9, 'bob', 'B', '2.cu', 9, 9, 1767225600 + 2650, 0);
        INSERT INTO judgements (id, submission, created) VALUES (109, 9, 1767225600 + 2651)"
    sed -i 's/ärger/Ärger/' "$contest/teams/bob.yaml"
    run -0 clics --since "$(token "$(tail -n 1 "$BATS_TEST_TMPDIR/first")")"
    assert_equal "$(jq -c '[.type, .id]' <<< "$output" | xargs)" '[teams,bob] [judgements,108] [submissions,9]'
    holds
    cmp -n "$(stat -c %s "$BATS_TEST_TMPDIR/first")" "$BATS_TEST_TMPDIR/first" "$out/event-feed.ndjson"
    assert_equal "$(wc -l < "$out/event-feed.ndjson")" $((count + 3))
    # As live: a judgement begins, has runs and ends; the state changes in between.
    assert_equal "$(jq -r 'select(.type == "state" or .data.submission_id == "5" or .data.judgement_id == "105" or
        (.type == "submissions" and .id == "5")) |
            "\(.type) \(.data.judgement_type_id // .data.ended // .data.frozen // "")"' \
        "$BATS_TEST_TMPDIR/first" | paste -sd, -)" \
        "state ,state 2026-01-01T00:45:00.000Z,submissions ,judgements ,runs AC,runs AC,$(
        )judgements AC,state 2026-01-01T01:00:00.000Z"
    # A clock that was set back does not put a run before its judgement.
    query "UPDATE steps SET ended = 1767225600 - 9999 WHERE judgement = 102"
    out+=2
    run -0 clics
    holds
    # A removed problem and team are deleted, after the objects that refer to them.
    query "DELETE FROM judgements WHERE submission = 9; DELETE FROM submissions WHERE id = 9"
    rm "$contest/teams/idle.yaml"
    run -0 clics
    holds
    assert_equal "$(jq -c 'select(.data == null) | [.type, .id]' "$out/event-feed.ndjson" |
        xargs)" '[submissions,9] [teams,idle]'
}

@test "clics: the public view hides the freeze until the thaw, and problems before the start" {
    a_contest 'thaw: 2026-01-01T02:00:00Z'
    run -0 clics --public --at 2025-12-31T00:00:00Z
    assert_equal "$(cat "$out/problems.json" "$out/submissions.json" | tr -d '\n')" '[][]'
    holds
    run ! grep -q 'Merge sort' "$out/event-feed.ndjson"
    run -0 clics --public --at 2026-01-01T01:30:00Z
    holds
    # Submission 5 of the freeze is there, and neither its judgement nor its runs.
    assert_equal "$(jq -c 'map(.id)' "$out/submissions.json")" '["1","2","3","4","5","6","8"]'
    run ! grep -rqE '"(105|50|51)"' "$out"
    assert_equal "$(jq -c '.rows[] | select(.team_id[0:2] == "t-") | [.score.num_solved, .problems[0].num_pending]' \
        "$out/scoreboard.json")" '[0,1]'
    assert_equal "$(jq -c '[.frozen, .thawed]' "$out/state.json")" '["2026-01-01T00:45:00.000Z",null]'
    # The organiser's view has it, as another feed: it may not be written into the same folder.
    run -2 clics --at 2026-01-01T01:30:00Z
    assert_output --partial 'line 1 is not a notification of this contest and view'
    out=$BATS_TEST_TMPDIR/full clics --at 2026-01-01T01:30:00Z
    grep -q '"105"' "$BATS_TEST_TMPDIR/full/judgements.json"
    # Thawed.
    run -0 clics --public --at 2026-01-01T02:00:00Z
    holds
    assert_equal "$(jq -c '.rows[] | select(.team_id[0:2] == "t-") | [.rank, .score.num_solved]' \
        "$out/scoreboard.json")" '[3,1]'
    assert_equal "$(jq -r \
        'select(.id == "105" or .id == "50" or .id == "51" or (.type == "state" and .data.thawed)) | .type' \
        "$out/event-feed.ndjson" | xargs)" 'judgements runs runs judgements state'
    # results.sh --public thaws, too: the thaw is long ago.
    assert_equal "$("$build/grader" results "$contest" standings --public --json |
        jq -c '[.frozen, .teams[2].solved]')" '[false,1]'
    # Final: later changes are refused, because clients have disconnected.
    contest_yaml 'thaw: 2026-01-01T02:00:00Z' 'final: 2026-01-01T03:00:00Z'
    run -0 clics --public
    holds
    assert_equal "$(tail -n 1 "$out/event-feed.ndjson" | jq -r '.data.end_of_updates')" 2026-01-01T03:00:00.001Z
    run -0 clics --public
    query "UPDATE judgements SET verdict = 'WA' WHERE id = 106"
    run -2 clics --public
    assert_output --partial 'has told that there are no more updates'
    assert_equal "$(jq -c '.[] | select(.id == "106").judgement_type_id' "$out/judgements.json")" '"AC"'
}

@test "clics: a rejudging deletes the old judgement and its runs before it adds the new one" {
    local last
    a_contest 'scoring: { type: relative }'
    run -0 clics
    last=$(token "$(tail -n 1 "$out/event-feed.ndjson")")
    run -0 "$build/grader" rejudge "$contest" --submission 2 --start --reason 'hot GPU'
    query "UPDATE judgements SET state = 'done', verdict = 'WA', ended = created + 5 WHERE rejudging = 1;
        INSERT INTO steps $step_columns SELECT id, 'samples', created + 1, created + 2, 0, NULL, '' FROM judgements
            WHERE rejudging = 1;
        INSERT INTO runs $run_columns SELECT 999, id, 'samples', 0, 'sample/1-ten', 'WA', '', 0.5, 0, 0 FROM judgements
            WHERE rejudging = 1; $all_public"
    # A judgement beside the one that counts: the feed does not have it.
    run -0 clics --since "$last"
    assert_output ''
    run -0 "$build/grader" commit "$contest" 1
    run -0 clics --since "$last"
    holds
    assert_equal "$(jq -c '[.type, .id, .data.judgement_type_id?]' \
        <<< "$(run -0 clics --since "$last"; echo "$output")" | xargs)" \
        '[awards,first-to-solve-A,null] [runs,20,null] [runs,21,null] [judgements,102,null] [judgements,109,null]'\
' [runs,999,WA] [judgements,109,WA]'
    assert_equal "$(jq -c '.[] | select(.submission_id == "2") | [.id, .judgement_type_id, .score]' \
        "$out/judgements.json")" '["109","WA",0]'
    # A review takes the points and gives them back: the feed has the judgement again.
    query 'UPDATE judgements SET review = 1 WHERE id = 106'
    last=$(token "$(tail -n 1 "$out/event-feed.ndjson")")
    run -0 clics --since "$last"
    assert_equal "$(jq -c '[.type, .id, .data.score]' <<< "$output")" '["judgements","106",0]'
    run -0 "$build/grader" clear-review "$contest" 6
    run -0 clics
    holds
    assert_equal "$(jq -c '.[] | select(.id == "106").score > 0' "$out/judgements.json")" true
}

@test "clics: every mistake gives one line, and no file is half-written" {
    local pid
    mkdir -p "$contest"
    contest_yaml
    run -2 clics
    assert_output --partial 'was not graded yet'
    a_contest
    for words in "start|needs the contest's" "end|needs the contest's"; do
        sed "/^${words%|*}/d; /^freeze/d" "$contest/contest.yaml" > "$BATS_TEST_TMPDIR/yaml"
        (
            cp "$BATS_TEST_TMPDIR/yaml" "$contest/contest.yaml"
            run -2 clics
            assert_output --partial "${words#*|}"
        )
    done
    contest_yaml 'scoring: { penalty: 2.5 }'
    run -2 clics
    assert_output --partial 'whole minutes'
    [ ! -e "$out/event-feed.ndjson" ]
    contest_yaml 'thaw: 2026-01-01T00:50:00Z'
    run -2 clics
    assert_output --partial "'thaw' must be after 'end'"
    contest_yaml
    run -2 clics --id ../x
    assert_output --partial 'is not an ID'
    run -2 clics --at yesterday
    run -2 "$build/clics" "$contest"
    assert_output --partial 'give a contest'
    run -2 "$build/clics" "$BATS_TEST_TMPDIR/none" --out "$out"
    run -2 "$root/run_scripts/clics.sh" "$BATS_TEST_TMPDIR/none" --out "$out"
    assert_output --partial 'there is no folder'
    run -0 clics
    for words in f-1 "$(head -c 13 <(token "$(head -n 1 "$out/event-feed.ndjson")"))-999" \
        "$(token "$(head -n 1 "$out/event-feed.ndjson")")0x" ''; do
        run -2 clics --since "$words"
        assert_output --partial 'there is no token'
    done
    # A feed that something else has cut or changed.
    cp "$out/event-feed.ndjson" "$BATS_TEST_TMPDIR/kept"
    head -c -5 "$BATS_TEST_TMPDIR/kept" > "$out/event-feed.ndjson"
    run -2 clics
    assert_output --regexp 'line [0-9]+ is not a notification'
    sed 3d "$BATS_TEST_TMPDIR/kept" > "$out/event-feed.ndjson"
    run -2 clics
    assert_output --partial 'line 3 is not a notification'
    cp "$BATS_TEST_TMPDIR/kept" "$out/event-feed.ndjson"
    # Another writer, and a folder that cannot be written.
    (exec 9< "$out" && flock 9 && exec sleep 60 3>&-) &
    pid=$!
    until ! flock -n "$out" true; do sleep 0.05; done
    run -2 clics
    assert_output --partial 'another clics is writing'
    kill $pid
    wait $pid || true
    echo x > "$BATS_TEST_TMPDIR/file"
    out=$BATS_TEST_TMPDIR/file run -3 clics
    run -3 env -- "$build/clics" "$contest" --out /proc/none
    # A full disk: what was there stays as it was, and the parts are gone.
    for i in {100..400}; do echo "name: Team $i" > "$contest/teams/$i.yaml"; done
    query "UPDATE judgements SET verdict = 'TLE' WHERE id = 106"
    run -3 bash -c 'ulimit -f 40; trap "" XFSZ; exec "$@"' - "$build/clics" "$contest" --out "$out"
    assert_output --partial 'cannot write'
    cmp "$BATS_TEST_TMPDIR/kept" "$out/event-feed.ndjson"
    assert_equal "$(find "$out" -name '*.part')" ''
    run -0 clics
    holds
}

@test "clics: a contest that was graded, from files to the feed" {
    requires box
    local sort=$root/problems/mergesort/submissions
    mkdir -p "$contest"/submissions/{ada,bob}/A
    contest_yaml
    sed -i 's/secret: secret\/pairs/secret: sample/; /^  - id: B/,$d' "$contest/contest.yaml"
    cp "$sort/accepted/qsort.c" "$contest/submissions/ada/A/1.c"
    cp "$sort/wrong_answer/unsigned_keys.c" "$contest/submissions/bob/A/1.c"
    echo '#error no' > "$contest/submissions/bob/A/2.c"
    touch -d 2026-01-01T00:10:00Z "$contest"/submissions/*/A/1.c
    touch -d 2026-01-01T00:20:00Z "$contest"/submissions/bob/A/2.c
    run -0 timeout 120 "$root/run_scripts/grade.sh" "$contest" < /dev/null
    run -0 clics
    holds
    run -0 /usr/bin/jsonschema -i "$BATS_TEST_TMPDIR/document.json" "$schema"
    assert_equal "$(jq -c '[.rows[] | [.team_id, .score.num_solved, .score.total_time]]' "$out/scoreboard.json")" \
        '[["ada",1,10],["bob",0,0]]'
    assert_equal "$(jq -r '.[].judgement_type_id' "$out/judgements.json" | sort | xargs)" 'AC CE WA'
    # Every case of the samples once, though they are the secret cases too;
    # all but one that stopped the other submission.
    assert_equal "$(jq -c '[.[] | select(.judgement_type_id == "AC" and has("run_time")).ordinal] | unique' \
        "$out/runs.json")" '[1,2,3]'
    assert_equal "$(jq -r '.[].time | .[0:16]' "$out/submissions.json" | sort -u |
        xargs)" '2026-01-01T00:10 2026-01-01T00:20'
}

# ---- test groups

# group FOLDER CASES [LINE...]: cases, and a test_group.yaml of these lines if there are any.
group() {
    local i
    mkdir -p "$1"
    for ((i = 1; i <= $2; i++)); do echo 1 > "$1/$i.in"; echo 1 > "$1/$i.ans"; done
    [ $# -eq 2 ] || printf '%s\n' "${@:3}" > "$1/test_group.yaml"
}

@test "groups: test_group.yaml is read and checked by the package format's rules" {
    local data=$BATS_TEST_TMPDIR/data words
    group "$data/secret/a" 2 'max_score: 10' 'require_pass: sample'
    group "$data/secret/b" 3 'max_score: 30' 'score_aggregation: sum' 'require_pass: [sample, secret/a]' 'args: [-x]'
    group "$data/secret/c" 1 'max_score: 60' 'score_aggregation: min'
    run -0 "$build/kattis" groups "$data"
    assert_output $'secret\tsum\t100\t0
secret/a\tpass-fail\t10\t2
secret/b\tsum\t30\t3
secret/c\tmin\t60\t1'
    while IFS='|' read -r file line words; do
        cp -R "$data" "$BATS_TEST_TMPDIR/bad"
        # shellcheck disable=SC2059
        printf "$line\n" > "$BATS_TEST_TMPDIR/bad/$file/test_group.yaml"
        run -2 "$build/kattis" groups "$BATS_TEST_TMPDIR/bad"
        assert_output --partial "$words"
        rm -r "$BATS_TEST_TMPDIR/bad"
    done <<'LINES'
secret/a|max_score: 1.5|secret/a/test_group.yaml:1: 'max_score: 1.5' must be a whole number
secret/a|max_score: -1|must be a whole number
secret/a|score_aggregation: avg|must be one of: sum, min, pass-fail
secret/a|score_agregation: sum|unknown key 'score_agregation'
secret/a|require_pass: sample|secret/a/test_group.yaml: max_score: it is needed, as that of secret is bounded (100)
secret/b|max_score: 1\nrequire_pass: secret/c|'secret/c' is not a group before this one
secret/c|max_score: 1\nrequire_pass: [secret/b]|'secret/b' is not pass-fail
secret/b|max_score: 1\nrequire_pass: secret/x|'secret/x' is not a group
secret/b|max_score: 1\nfull_feedback: yes|must be true or false
secret/b|max_score: 1\nstatic_validation_score: x|must be a whole number or pass-fail
secret|score_aggregation: pass-fail|secret/b/test_group.yaml: score_aggregation: as secret is pass-fail, so must be its
secret|score_aggregation: pass-fail\nmax_score: unbounded|what is pass-fail cannot be unbounded
secret|require_pass: secret/a|secret may require sample alone
LINES
    # The format allows unbounded; it does not allow a group without a case.
    echo 'max_score: unbounded' > "$data/secret/test_group.yaml"
    printf 'score_aggregation: sum\n' > "$data/secret/c/test_group.yaml"
    run -0 "$build/kattis" groups "$data"
    assert_line --index 3 $'secret/c\tsum\tunbounded\t1'
    rm "$data"/secret/c/*.in
    run -2 "$build/kattis" groups "$data"
    assert_output --partial 'secret/c: the group has no case'
}

@test "groups: a contest scores by the problem's own test_group.yaml: sum, min, pass-fail and what they require" {
    local t=$BATS_TEST_TMPDIR/toolkit data
    # A toolkit whose mergesort has groups: programs look for problems/ above their own folder.
    mkdir -p "$t/build/grading" "$t/problems"
    touch "$t/problems/problem.h"
    cp "$build/grader" "$build/clics" "$t/build/"
    cp -R "$root/problems/mergesort" "$root/problems/editdistance" "$t/problems/"
    data=$t/problems/mergesort/data
    printf '%s\n' 'max_score: 20' 'require_pass: sample' > "$data/secret/keys/test_group.yaml"
    printf '%s\n' 'max_score: 50' 'score_aggregation: sum' 'require_pass: secret/keys' \
        > "$data/secret/large/test_group.yaml"
    printf '%s\n' 'max_score: 30' 'score_aggregation: min' > "$data/secret/pairs/test_group.yaml"
    a_contest
    rm -r "$contest/teams"
    # tries ID TEAM SAMPLES KEYS LARGE PAIRS: right and wrong cases of each as letters, such as AAW.
    tries() {
        local id=$1 number=0 part letter names=(sample secret/keys secret/large secret/pairs)
        query "INSERT INTO submissions $submission_columns VALUES ($id, '$2', 'A', $id, $id, $id, 1767225600 + $id, 0);
            INSERT INTO judgements (id, submission, state, verdict, created, ended)
                VALUES ($id, $id, 'done', 'WA', 1, 1)"
        shift 2
        for part in 0 1 2 3; do
            while read -r letter; do
                number=$((number + 1))
                query "INSERT INTO runs (judgement, step, number, name, verdict, message) VALUES ($id,
                    '$([ $part = 0 ] && echo samples || echo secret)', $number, '${names[part]}/$number',
                        '${letter/A/AC}', '')"
            done < <(fold -w1 <<< "${1/W/W}" | sed 's/W/WA/')
            shift
        done
    }
    query "DELETE FROM runs; DELETE FROM steps; DELETE FROM judgements; DELETE FROM submissions"
    scored() {
        "$t/build/grader" results "$contest" standings --json |
            jq -c '[.teams[] | select(.score > 0) | [.team, .score]]'
    }
    contest_yaml 'scoring: { type: groups }'
    sed -i 's/secret\/pairs/secret/' "$contest/contest.yaml"
    tries 1000 all AA AA AAAA AA
    tries 1001 half AA AA AAWA AW
    tries 1002 nokeys AA AW AAAA AA
    tries 1003 nosample AW AA AAAA AA
    # half: 20, three quarters of 50, and nothing of min. nokeys: large is not run. nosample: neither keys
    # nor large.
    assert_equal "$(scored)" '[["all",100],["half",57.5],["nokeys",30],["nosample",30]]'
    "$t/build/clics" "$contest" --out "$out"
    assert_equal "$(jq -c '[.[].max_score]' "$out/problems.json") $(jq -c '[.rows[].score.score] | map(select(. > 0))' \
        "$out/scoreboard.json")" '[100,40] [100,57.5,30,30]'
    assert_equal "$(jq -c '[.[] | .score]' "$out/judgements.json")" '[100,57.5,30,30]'
    # The least of the groups; or all or nothing.
    printf '%s\n' 'score_aggregation: min' 'max_score: 50' > "$data/secret/test_group.yaml"
    assert_equal "$(scored)" '[["all",20]]'
    printf '%s\n' 'score_aggregation: pass-fail' 'max_score: 70' > "$data/secret/test_group.yaml"
    rm "$data"/secret/*/test_group.yaml
    assert_equal "$(scored)" '[["all",70],["nosample",70]]'
    echo 'require_pass: sample' >> "$data/secret/test_group.yaml"
    assert_equal "$(scored)" '[["all",70]]'
    # A single group, if the contest says so; without settings in the package all cases have equal worth.
    rm "$data/secret/test_group.yaml"
    assert_equal "$(scored)" '[["all",100],["nosample",100],["nokeys",87.5],["half",75]]'
    sed -i 's/^    secret: secret$/    secret: secret\/pairs/' "$contest/contest.yaml"
    assert_equal "$(scored)" '[["all",100],["nokeys",100],["nosample",100],["half",50]]'
    # Scores that the toolkit cannot compute are refused when the contest is read, and so are too high ones.
    sed -i 's/^    secret: secret\/pairs$/    secret: secret/' "$contest/contest.yaml"
    printf '%s\n' 'max_score: 80' > "$data/secret/keys/test_group.yaml"
    printf '%s\n' 'max_score: 10' > "$data/secret/large/test_group.yaml"
    printf '%s\n' 'max_score: 30' > "$data/secret/pairs/test_group.yaml"
    run -2 "$t/build/grader" results "$contest" standings
    assert_output --partial 'its groups give 120 points and its secret/test_group.yaml allows 100'
    printf '%s\n' 'max_score: 20' 'static_validation_score: 5' > "$data/secret/keys/test_group.yaml"
    run -2 "$t/build/grader" results "$contest" standings
    assert_output --partial 'the toolkit has none'
    printf '%s\n' 'score_aggregation: sum' > "$data/secret/keys/test_group.yaml"
    echo 'max_score: unbounded' > "$data/secret/test_group.yaml"
    run -2 "$t/build/grader" results "$contest" standings
    assert_output --partial 'has no bound of its score'
    # contest.yaml overrides the package, and has the same rules.
    printf '%s\n' '    groups:' '      - name: sample/w' '        max_score: 7' '      - name: sample/x' \
        '        score_aggregation: sum' '        require_pass: [sample]' >> "$contest/contest.yaml"
    sed -i '/^  - id: B/,$!b; s/^  - id: B/  - id: B/' "$contest/contest.yaml"
    rm "$data/secret/test_group.yaml" "$data"/secret/*/test_group.yaml
    run -0 "$t/build/grader" results "$contest" standings
    sed -i 's/require_pass: \[sample\]/require_pass: secret\/none/' "$contest/contest.yaml"
    run -2 "$t/build/grader" results "$contest" standings
    assert_output --regexp \
        "contest.yaml:[0-9]+: 'problems.1.groups.1.require_pass: secret/none' must be sample or a group before this one"
}

@test "groups: a legacy package's testdata.yaml becomes test_group.yaml; the rest is listed" {
    requires box
    local p=$BATS_TEST_TMPDIR/points data
    load helpers/copy
    mkdir -p "$p"/{data/sample,data/secret,problem_statement,submissions/accepted,input_format_validators}
    printf '%s\n' 'name: Points' 'type: scoring' 'license: cc0' 'author: N. N.' \
        'validator_flags: float_tolerance 1e-6' > "$p/problem.yaml"
    echo 'Text' > "$p/problem_statement/problem.en.tex"
    echo 'print(1)' > "$p/submissions/accepted/a.py"
    group "$p/data/sample" 1
    group "$p/data/secret/1" 2
    group "$p/data/secret/2" 3
    group "$p/data/secret/3" 2
    printf '%s\n' 'on_reject: continue' 'range: 0 100' 'input_validator_flags: n=5' > "$p/data/testdata.yaml"
    printf '%s\n' 'accept_score: 25' 'range: 0 25' 'grader_flags: min' 'output_validator_flags: case_sensitive' \
        > "$p/data/secret/1/testdata.yaml"
    printf '%s\n' 'on_reject: continue' 'accept_score: 20' 'input_validator_flags: n=9 connected' \
        > "$p/data/secret/2/testdata.yaml"
    printf '%s\n' 'accept_score: 7.5' 'range: 0 15' 'grader_flags: max' > "$p/data/secret/3/testdata.yaml"
    (cd "$BATS_TEST_TMPDIR" && zip -qr points.zip points)
    copy_toolkit built
    run -0 run_scripts/package.sh import "$BATS_TEST_TMPDIR/points.zip" points --by-hand
    assert_output --partial "imported/data/secret/3: 'max' is not a score_aggregation of 2025-09"
    assert_output --partial 'imported/data/secret/3: it stopped at the first case that failed'
    refute_output --partial 'secret/2:'
    refute_output --partial 'left out'
    data=problems/points/imported/data
    assert_equal "$(find $data -name testdata.yaml)" ''
    run -0 build/kattis groups $data
    assert_output $'secret\tsum\t100\t0
secret/1\tmin\t25\t2
secret/2\tsum\t60\t3
secret/3\tsum\t15\t2'
    assert_equal "$(cat $data/secret/2/test_group.yaml)" 'output_validator_args:
  - "float_tolerance"
  - "1e-6"
input_validator_args:
  - "n=9"
  - "connected"
score_aggregation: sum
max_score: 60'
    # The nearest file above counts, as a whole: group 1 has no flags for input validators.
    assert_equal "$(grep -c input_validator_args $data/secret/1/test_group.yaml)" 0
    assert_equal "$(grep -A1 input_validator_args $data/sample/test_group.yaml | tail -n 1)" '  - "n=5"'
    # Keys about scores that change no score.
    rm -r problems/points
    printf '%s\n' 'on_reject: continue' 'accept_score: 7' 'range: 0 15' 'grader_flags: sum first_error' \
        > "$p/data/secret/3/testdata.yaml"
    printf '%s\n' 'on_reject: continue' 'range: -5 12.5' > "$p/data/secret/2/testdata.yaml"
    printf '%s\n' 'range: 0 3' 'grader_flags: min' > "$p/data/sample/testdata.yaml"
    mv "$p/data/testdata.yaml" "$p/data/secret/"
    sed -i 's/continue/break/' "$p/data/secret/testdata.yaml"
    (cd "$BATS_TEST_TMPDIR" && rm points.zip && zip -qr points.zip points)
    run -0 run_scripts/package.sh import "$BATS_TEST_TMPDIR/points.zip" points --by-hand
    run -0 grep '^- imported' problems/points/IMPORTED.md
    assert_output "- imported/data/secret: it stopped at the first group that failed; here every group counts
- imported/data/secret/2: range: '-5 12.5': scores are from 0 up to a whole number
- imported/data/secret/3: grader_flags: 'first_error' is left out
- imported/data/secret/3: accept_score: '7' is left out: its 2 cases are worth 15 together
- imported/data/sample/testdata.yaml: range: '0 3' is left out
- imported/data/sample/testdata.yaml: grader_flags: 'min' is left out"
    # A broken file is reported with its name and line, and the grader does not start.
    rm -r problems/points
    echo 'on_rejekt: break' > "$p/data/secret/1/testdata.yaml"
    (cd "$BATS_TEST_TMPDIR" && rm points.zip && zip -qr points.zip points)
    run -2 run_scripts/package.sh import "$BATS_TEST_TMPDIR/points.zip" points --by-hand
    assert_output --partial "data/secret/1/testdata.yaml: 1: unknown key 'on_rejekt'"
    [ ! -e problems/points ]
}

# won: the awards but those of first solutions, "ID team team" each.
won() { jq -r '.[] | select(.id | startswith("first") | not) | [.id, .team_ids[]] | join(" ")' "$out/awards.json"; }

@test "CLICS: winner, medals and group winners, once the contest is over, thawed and fully judged" {
    local zoe
    a_contest 'scoring: { type: pass-fail }' 'thaw: 2026-01-01T02:00:00Z' 'awards: { gold: 1, silver: 2, bronze: 4 }' \
        'groups: [{ id: young, name: "First year <b>" }, { id: old }, { id: nobody }]'
    echo 'group: young' >> "$contest/teams/bob.yaml"
    echo 'group: young' >> "$contest/teams/Žoë.yaml"
    echo 'group: old' >> "$contest/teams/ada.yaml"
    at() { rm -rf "$out"; run -0 clics --at "2026-01-01T$1Z" "${@:2}"; holds; }
    # One has no verdict.
    at 01:30:00
    assert_equal "$(won)" ''
    query "UPDATE judgements SET state = 'done', verdict = 'WA', ended = created + 1 WHERE submission = 8"
    at 00:59:59
    assert_equal "$(won)" ''
    at 01:30:00 --public
    assert_equal "$(won)" ''
    at 01:30:00
    zoe=$(jq -r '.[] | select(.label == "Žoë").id' "$out/teams.json")
    assert_equal "$(won | paste -sd ,)" \
        "winner ada,gold-medal ada,silver-medal bob $zoe,group-winner-young bob,group-winner-old ada"
    assert_equal "$(jq -c 'map(.citation)' "$out/awards.json")" \
        '["First to solve problem A","First to solve problem B","Contest winner","Gold medal","Silver medal",'\
'"Winner of First year <b>","Winner of old"]'
    assert_equal "$(jq -c 'map([.id, .name])' "$out/groups.json") $(jq -c 'map(select(.id == "bob"))[0].group_ids' \
        "$out/teams.json")" '[["young","First year <b>"],["old","old"],["nobody","nobody"]] ["young"]'
    run -0 /usr/bin/jsonschema -i "$BATS_TEST_TMPDIR/document.json" "$schema"
    at 03:00:00 --public
    assert_equal "$(won | head -n 2)" $'winner ada\ngold-medal ada'
    # Teams that share a place share the medal, and there is one fewer of the next.
    query "UPDATE submissions SET submitted = (SELECT submitted FROM submissions WHERE id = 4) WHERE id = 2;
        UPDATE submissions SET submitted = 1767232800 WHERE id IN (1, 6)"
    at 03:00:00
    assert_equal "$(won | paste -sd ,)" \
        "winner ada bob,gold-medal ada bob,silver-medal $zoe,group-winner-young bob,group-winner-old ada"
}

@test "CLICS: a team of an unknown group, and invalid groups and medals, are refused by line" {
    mkdir -p "$contest/teams"
    printf '%s\n' 'name: Bob' 'country: DEU' > "$contest/teams/bob.yaml"
    contest_yaml 'awards: { gold: -1 }'
    run -2 --separate-stderr "$build/grader" check "$contest"
    assert_regex "$stderr" "contest.yaml:5: 'awards.gold: -1' is not a whole number from 0 to 1000"
    contest_yaml 'groups: [{ id: a }, { id: a }]'
    run -2 --separate-stderr "$build/grader" check "$contest"
    assert_regex "$stderr" "occurs twice"
    contest_yaml 'groups: [{ name: x }]'
    run -2 --separate-stderr "$build/grader" check "$contest"
    assert_regex "$stderr" "group of teams number 1 has no 'id'"
    contest_yaml 'groups: [{ id: a }]'
    echo 'group: b' >> "$contest/teams/bob.yaml"
    run -2 --separate-stderr "$build/grader" check "$contest"
    assert_regex "$stderr" "teams/bob.yaml:3: .*is not a group of contest.yaml"
}
