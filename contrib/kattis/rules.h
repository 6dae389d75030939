/*
 * rules.h - the Kattis Problem Package Format 2025-09 as tables: what may be in a package, and what is done with it.
 *
 * https://www.kattis.com/problem-package-format/spec/2025-09.html. check.c reads the tables as what must hold, import.c
 * as what becomes of each part. Patterns are extended regular expressions of whole texts.
 */
#ifndef KATTIS_RULES_H
#define KATTIS_RULES_H

#include "kit.h"
#include "verify/base/settings.h"

#define RULE_LANGUAGE "[a-z]{2,3}(-[A-Z]{2})?" /* of statements; whether there is such a language is not looked up */
#define RULE_UUID "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
#define RULE_CONSTANT "constants\\.[a-zA-Z_][a-zA-Z0-9_]*"
#define RULE_TYPES "pass-fail|scoring|multi-pass|interactive|submit-answer"
#define RULE_LICENSES "unknown|public domain|cc0|cc by|cc by-sa|educational|permission"
/* The table of programming languages, from the format's appendix. */
#define RULE_LANGUAGES \
    "ada|algol68|apl|bash|c|cgmp|cobol|cpp|cppgmp|crystal|csharp|d|dart|elixir|erlang|forth|fortran|fsharp|gerbil|go|" \
    "haskell|java|javaalgs4|javascript|julia|kotlin|lisp|lua|modula2|nim|objectivec|ocaml|octave|odin|pascal|perl|" \
    "php|prolog|python2|python3|python3numpy|racket|ruby|rust|scala|simula|smalltalk|snobol|swift|typescript|" \
    "visualbasic|zig"
/* The keys at and below credits and source: persons are names or maps, one or a list. */
#define RULE_CREDITS \
    "credits(\\.((authors|contributors|testers|packagers|acknowledgements)|translators\\." RULE_LANGUAGE ")" \
    "(\\.[0-9]+)?(\\.(name|email|orcid|kattis))?)?"
#define RULE_SOURCE "source(\\.[0-9]+)?(\\.(name|url))?"

/* The keys of files (settings.h): of problem.yaml in the legacy formats too, of a case, of groups, of testdata.yaml. */
extern const char *const import_keys[], *const case_keys[], *const plain_group_keys[], *const scoring_group_keys[];
extern const char *const all_group_keys[], *const testdata_keys[];

/* A key of problem.yaml. The first rule whose key matches counts. */
struct key_rule {
    const char *key;                                     /* a pattern */
    const char *value;                                   /* a pattern, or NULL */
    bool (*holds)(struct kit *kit, const char *value);   /* or NULL; with both NULL no such key may be */
    const char *words;                                   /* what is wrong: {k} is the key, {v} the value */
    bool or_none;                                        /* it may be empty */
};
extern const struct key_rule key_rules[]; /* ended by a key of NULL */
/* What a value breaks, as words, or NULL. */
char *key_rule_broken(struct kit *kit, const char *key, const char *value);

/* What lies at a package's top. */
struct part_rule {
    const char *name;    /* a file's or folder's */
    bool format;         /* 2025-09 has it: a folder, but for problem.yaml; else a legacy format alone */
    const char *becomes; /* where an import lays it, below imported/; "" for what is read or laid elsewhere */
};
extern const struct part_rule part_rules[]; /* ended by a name of NULL */
const struct part_rule *part_rule(const char *name);

/* Two files of a case. */
struct pair_rule {
    const char *suffix, *other;
    bool needs; /* the first is not without the other; else not with it */
};
extern const struct pair_rule pair_rules[]; /* ended by a suffix of NULL */

/* What becomes of submissions. */
enum run_outcome { RUN_AC = 1, RUN_WA = 2, RUN_TLE = 4, RUN_RTE = 8 };
struct outcome_rule {
    const char *folder; /* below submissions/; NULL for any other, which ends the table */
    unsigned one_of;    /* one of these must come; 0 for none */
    unsigned none_of;   /* and none of these */
};
extern const struct outcome_rule outcome_rules[];

/* A number as the format writes them, above 0, with an exponent that every reader takes. */
bool is_float(struct kit *kit, const char *text);
bool is_float_from_1(struct kit *kit, const char *text);
/* YYYY-MM-DD, or with Thh:mm:ssZ, of a day that there is. */
bool is_date(struct kit *kit, const char *text);
/* Two of the types that cannot be together, or one that is named twice, as words; NULL where there is none. */
char *type_clash(struct kit *kit, const struct lines *types);

/* The items whose key is NAME or below it, "type" and "type.0", with values that are not empty. */
struct lines values_of(struct kit *kit, const struct settings *settings, const char *name);
/* The value of a key, or "". */
const char *value_of(const struct settings *settings, const char *key);

#endif
