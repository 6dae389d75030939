# Packages of other judges that are judged as they are: main() with standard input and output, and the package's own
# output validator. See docs/formats/packages.md.
setup_file() {
    load helpers/common
    make -s -C "$root" format-programs >&3 2>&1
    export container=$build/tests/container
    load helpers/copy
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR copy_toolkit built
}

setup() {
    load helpers/common
    requires box
    cd "$BATS_FILE_TMPDIR/copy"
    unset root build host practice BUILD
    package=$BATS_TEST_TMPDIR/two
    result=$BATS_TEST_TMPDIR/result.json
    mkdir -p "$package"/{data/sample,data/secret,input_validators,submissions/{accepted,wrong_answer}}
    mkdir -p "$package"/submissions/{run_time_error,time_limit_exceeded}
}

teardown() { rm -rf "$BATS_FILE_TMPDIR"/copy/problems/{two,near,broken}; touch "$BATS_FILE_TMPDIR/copy/problems"; }

# describe TYPE: problem.yaml.
describe() {
    printf '%s\n' 'problem_format_version: 2025-09' "type: $1" 'name: Two' 'license: cc0' 'rights_owner: The authors' \
        'uuid: 5b45ba7c-d0f8-47c9-ad46-3cd9d8ab2f41' 'limits: { time_limit: 1, memory: 256, output: 1 }' \
        > "$package/problem.yaml"
    echo '# two numbers with this sum' > "$package/statement.en.md"
    echo 'int main(void) { return 42; }' > "$package/input_validators/all.c"
}

# case_of GROUP/NAME INPUT ANSWER
case_of() { echo "$2" > "$package/data/$1.in"; echo "$3" > "$package/data/$1.ans"; }

# two: a package with its own validator, in C++, since any two numbers with that sum are right.
two() {
    describe pass-fail
    case_of sample/1 5 '2 3'
    case_of secret/2_large 1000000 '1 999999'
    mkdir "$package/output_validator"
    cat > "$package/output_validator/check.cpp" <<'END'
#include <fstream>
#include <iostream>
int main(int argc, char **argv)
{
    long sum, a, b;
    std::string more;
    std::ifstream(argv[1]) >> sum;
    bool right = bool(std::cin >> a >> b) && a + b == sum && !(std::cin >> more);
    if (!right)
        std::ofstream(std::string(argv[3]) + "judgemessage.txt") << "their sum is not " << sum << "\n";
    return right ? 42 : 43;
}
END
    cd "$package/submissions"
    echo '#include <stdio.h>
int main(void) { long n; if (scanf("%ld", &n) != 1) return 1; printf("%ld\n%ld\n", n, 0L); }' > accepted/main.c
    echo '#include <bits/stdc++.h>
int main(int argc, char **argv) { std::ios::sync_with_stdio(false); long n; std::cin >> n;
std::cout << -1 << " " << n + 1; }' > accepted/stream.cpp
    echo '#include <stdio.h>
#include <stdlib.h>
int main(void) { long n; scanf("%ld", &n); printf("7 %ld", n - 7); exit(0); }' > accepted/leaves.c
    echo '#include <stdio.h>
#include <stdlib.h>
size_t device_user(const char *input, size_t size, char *output, size_t room)
{ (void)size; return (size_t)snprintf(output, room, "%ld 1", strtol(input, 0, 10) - 1); }' > accepted/bytes.c
    echo 'n = int(input()); print(n, 0)' > accepted/main.py
    echo '#include <stdio.h>
int main(void) { puts("2 3"); }' > wrong_answer/sample.c
    echo 'int main(void) { }' > wrong_answer/silent.cc
    echo '#include <stdio.h>
int main(void) { puts("5 0"); return 3; }' > run_time_error/status.c
    echo '#include <stdlib.h>
#include <stdio.h>
int main(void) { puts("5 0"); exit(1); }' > run_time_error/leaves.c
    echo 'int main(void) { for (;;) ; }' > time_limit_exceeded/loops.c
    cd "$OLDPWD"
}

# bats test_tags=long
@test "adapter: every jury submission gets its verdict, by main() or device_user(), in C and C++" {
    two
    run -0 run_scripts/package.sh import "$package" two
    assert_line 'problems/two: judged as it is: 2 cases, 9 submissions'
    assert_output --partial '1 are in other languages'
    run -0 timeout 600 run_scripts/check_problem.sh two
    assert_line --partial 'accepted/stream.cc: AC'
    assert_line --partial 'wrong_answer/sample.c: WA (device_user() wrote what the output validator rejects: their sum is not'
    assert_line --partial 'run_time_error/status.c: RTE (device_user() exited with code 3'
    assert_line --partial 'run_time_error/leaves.c: RTE (device_user() exited with code 1'
    assert_equal "$(grep -c '^ok  *submission: ' <<< "$output")" 11
    # The public view of a secret case has no text of the validator.
    run -1 run_scripts/judge.sh problems/two/submissions/wrong_answer/sample.c two --json "$result"
    assert_equal "$(json '.cases[1] | .name, .reason' "$result" | paste -sd ' ')" \
        'secret/2_large a wrong value in case secret/2_large'
    # A program that is to answer many times gets many calls; main() is called once. Times of neither rank.
    run -0 run_scripts/judge.sh problems/two/submissions/accepted/bytes.c two --repeat 3 --group sample
    run -1 run_scripts/judge.sh problems/two/submissions/accepted/main.c two --repeat 3 --group sample
    run -2 run_scripts/judge.sh problems/two/submissions/accepted/bytes.c two --ranked --group sample
    assert_output --partial "--ranked: every call of 'two' gets the same input"
    # It is a problem like others, also where there are no namespaces.
    run -0 "$container" run_scripts/judge.sh problems/two/submissions/accepted/stream.cc two --json "$result"
    assert_equal "$(json .box "$result")" landlock
    # Its own checker judges in a box: a validator sees only the files of the case.
    echo '#include <fstream>
int main() { return std::ifstream("/etc/passwd").good() ||
    std::ifstream("../../problems/problem.h").good() ? 42 : 43; }' \
        > problems/two/imported/output_validator/check.cpp
    run_scripts/lib/frozen.sh update two
    run -1 run_scripts/judge.sh problems/two/submissions/accepted/main.c two --group sample
    assert_output --partial 'wrote what the output validator rejects'
    # Nor does the host read what a validator cannot: by a link in place of its message, or of the folder, or a FIFO.
    mkdir "$BATS_TEST_TMPDIR/seal"
    echo secret-words > "$BATS_TEST_TMPDIR/seal/judgemessage.txt"
    for made in "symlink(\"$BATS_TEST_TMPDIR/seal/judgemessage.txt\", \"feedback/judgemessage.txt\")" \
        "rmdir(\"feedback\") || symlink(\"$BATS_TEST_TMPDIR/seal\", \"feedback\")" \
        'mkfifo("feedback/judgemessage.txt", 0666)'; do
        echo "#include <sys/stat.h>
#include <unistd.h>
int main() { return $made ? 42 : 43; }" > problems/two/imported/output_validator/check.cpp
        run_scripts/lib/frozen.sh update two
        run -1 timeout 60 run_scripts/judge.sh problems/two/submissions/accepted/main.c two --group sample
        assert_output --partial 'wrote what the output validator rejects'
        refute_output --partial secret-words
    done
}

@test "adapter: the default validator with its arguments, from the nearest file; samples alone; groups of points" {
    package=$BATS_TEST_TMPDIR/near
    mv "$BATS_TEST_TMPDIR/two" "$package"
    describe scoring
    case_of sample/1 2 0.5
    mkdir "$package/data/secret/exact"
    case_of secret/exact/1 3 0.333
    case_of secret/3 4 0.25
    echo 'output_validator_args: [float_tolerance, "1e-2"]' > "$package/data/test_group.yaml"
    printf '%s\n' 'output_validator_args: [case_sensitive]' 'max_score: 40' \
        > "$package/data/secret/exact/test_group.yaml"
    echo '#include <stdio.h>
int main(void) { double x; if (scanf("%lf", &x) != 1) return 1; printf("%.3f", 1 / x); }' \
        > "$package/submissions/accepted/three.c"
    echo '#include <stdio.h>
int main(void) { double x; if (scanf("%lf", &x) != 1) return 1; printf("%.6f", 1 / x); }' \
        > "$package/submissions/wrong_answer/six.c"
    run -0 run_scripts/package.sh import "$package" near
    assert_equal "$(cat problems/near/imported/args/secret/exact/1)" case_sensitive
    assert_equal "$(cat problems/near/imported/args/secret/3)" $'float_tolerance\n1e-2'
    assert_equal "$(cat problems/near/data/secret/exact/test_group.yaml)" 'max_score: 40'
    run -0 timeout 300 run_scripts/check_problem.sh near
    assert_line --partial "wrong_answer/six.c: WA (device_user() wrote '0.333333' as word 1 where '0.333' is right in case"
}

@test "adapter: a package whose validator does not build, or that is interactive, is imported and not judged" {
    package=$BATS_TEST_TMPDIR/broken
    mv "$BATS_TEST_TMPDIR/two" "$package"
    describe pass-fail
    case_of sample/1 1 1
    mkdir "$package/output_validator"
    echo '#include "not_there.h"' > "$package/output_validator/check.c"
    run -0 run_scripts/package.sh import "$package" broken
    assert_output --partial 'imported/output_validator: it does not build here: '
    [ ! -e problems/broken/problem.c ]
    run -0 make -s print-submission
    rm -r problems/broken
    rm -r "$package/output_validator"
    sed -i 's/^type: .*/type: interactive/' "$package/problem.yaml"
    run -0 run_scripts/package.sh import "$package" broken
    [ ! -e problems/broken/problem.c ]
}

@test "adapter: links in a folder are followed, but not links to the outside" {
    two
    ln -s ../sample/1.in "$package/data/secret/1.in"
    ln -s ../sample/1.ans "$package/data/secret/1.ans"
    echo 'secret' > "$BATS_TEST_TMPDIR/outside"
    ln -s "$BATS_TEST_TMPDIR/outside" "$package/data/secret/out.in"
    ln -s /etc/passwd "$package/data/secret/out.ans"
    run -0 run_scripts/package.sh import "$package" two
    assert_line 'problems/two: judged as it is: 3 cases, 9 submissions'
    assert_output --partial "'two/data/secret/out.in' is left out"
    [ -f problems/two/imported/data/secret/1.in ] && [ ! -L problems/two/imported/data/secret/1.in ]
    [ -z "$(find problems/two -name 'out.*')" ]
}

@test "check-package: programs in C, C++, Python and shell are built; others are named" {
    two
    mkdir -p "$package/statement"
    mv "$package/statement.en.md" "$package/statement/problem.en.md"
    sed -i 's/^name: .*/name: {en: Two}/' "$package/problem.yaml"
    echo 'import sys
sys.exit(42 if sys.stdin.read().strip().isdigit() else 43)' > "$package/input_validators/digits.py"
    echo 'x' > "$package/input_validators/other.viva"
    echo 'class A { }' > "$package/submissions/accepted/A.java"
    rm "$package/submissions/accepted/bytes.c" # a program of ours, not of that format
    run -0 run_scripts/package.sh check "$package" --submissions
    assert_line --index 0 'check-package: programs in C, C++, Python and shell are run; others are only listed'
    assert_line --partial 'not checked: input_validators/other.viva: there is no compiler here for viva'
    assert_line --partial 'not checked: submissions/accepted/A.java: there is no compiler here for java'
    refute_output --partial 'submissions/accepted/main.py'
    refute_output --partial 'does not build'
    # It fails if a program does not get its folder's verdict, in any language.
    echo 'print(1, 1)' > "$package/submissions/accepted/wrong.py"
    echo 'a' > "$package/data/sample/1.in"
    run -1 run_scripts/package.sh check "$package" --submissions
    assert_line --partial 'FAILED submissions/accepted/wrong.py: '
    assert_line 'FAILED data/sample/1.in: an input validator rejects it'
}
