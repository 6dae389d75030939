# Sourced after lib.sh by the scripts that read packages: words and patterns of the Kattis Problem Package Format
# 2025-09.
# shellcheck shell=bash disable=SC2034
format_types='pass-fail|scoring|multi-pass|interactive|submit-answer'
format_licenses='unknown|public domain|cc0|cc by|cc by-sa|educational|permission'
format_language='[a-z]{2,3}(-[A-Z]{2})?' # of statements; which of such codes are languages is not looked up
format_uuid='[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
# The table of programming languages, from the format's appendix.
format_languages="ada|algol68|apl|bash|c|cgmp|cobol|cpp|cppgmp|crystal|csharp|d|dart|elixir|erlang|forth|fortran|fsharp|$(
    )gerbil|go|haskell|java|javaalgs4|javascript|julia|kotlin|lisp|lua|modula2|nim|objectivec|ocaml|octave|odin|$(
    )pascal|perl|php|prolog|python2|python3|python3numpy|racket|ruby|rust|scala|simula|smalltalk|snobol|swift|$(
    )typescript|visualbasic|zig"
# The keys below `credits` and `source`, as yaml_flat prints them: persons are names or maps, one or a list.
format_person='(\.[0-9]+)?(\.(name|email|orcid|kattis))?'
format_credits="credits(\.((authors|contributors|testers|packagers|acknowledgements)|$(
    )translators\.$format_language)$format_person)?"
format_source='source(\.[0-9]+)?(\.(name|url))?'
format_limits_whole='memory|output|code|compilation_time|compilation_memory|validation_time|validation_memory|validation_output'

# is_float TEXT: a number as the format writes them, above 0, with an exponent that every reader takes.
is_float() {
    [[ $1 =~ ^\+?([0-9]*\.[0-9]+|[0-9]+\.?)([eE][+-]?[0-9]{1,2})?$ && ! $1 =~ ^\+?[0.]+([eE].*)?$ ]]
}

# is_date TEXT: YYYY-MM-DD, or with Thh:mm:ssZ, of a day that there is.
is_date() {
    [[ $1 =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?$ ]] &&
        date -u -d "$1" > /dev/null 2>&1
}

# clash_of TYPE...: two of the types that cannot be together, or one that is named twice; nothing where there is none.
clash_of() {
    local a b
    for a; do
        shift
        for b; do
            case " $a $b " in
            ' pass-fail scoring ' | ' scoring pass-fail ' | ' multi-pass submit-answer ' | \
                ' submit-answer multi-pass ' | ' interactive submit-answer ' | ' submit-answer interactive ')
                echo "$a and $b"
                ;;
            *) [ "$a" != "$b" ] || echo "$a twice" ;;
            esac
        done
    done | head -n 1
}
