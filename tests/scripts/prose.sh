#!/bin/bash
# Reports text that is hard to read: prose.sh [FILE...]. Called by `make lint`.
#
# In Markdown it reports a phrase that tests/scripts/prose.phrases lists, a paragraph or list item of more than six
# lines (120 columns each), a table cell of more than forty words, a top README of more than 120 lines, and a
# page of docs/ that does not open with who it is for and what they can do after it. In scripts and C it reports listed
# phrases only: in messages (strings and here documents), in --help (the comment at the top of a script, the targets
# of a makefile), and in comments. In tests/ it reads comments and the names of tests, not their code, and skips
# fixtures. Without FILE it reads all files. Exit code 1 if it reports anything. It knows no
# grammar: text that passes may still be hard to read.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
cd "$root"
here=tests/scripts
comments='^(run_scripts|problems|verify|contrib)/|^main_host.c|^getrndstr.c|^device_user.cu'

# Pages, the messages of scripts and programs, and the tests but for their fixtures.
all_files() {
    tracked_files build | tr '\0' '\n' | grep -E '\.(md|c|h|cu|cuh|cl|sh|bash|bats|mk)$|^Makefile$' |
        grep -v /fixtures/
}

case ${1:-} in
-*) usage 'prose.sh [FILE...]' ;;
'') mapfile -t files < <(all_files) ;;
*) files=("$@") ;;
esac
LC_ALL=C exec awk -v phrases="$here/prose.phrases" -v comments="$comments" -f "$here/prose.awk" "${files[@]}"
