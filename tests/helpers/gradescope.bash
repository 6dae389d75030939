# Gradescope's results.json, by its specification.
# shellcheck shell=bash

# gradescope_valid FILE: by the specification of results.json.
gradescope_valid() {
    jq -e '
        def visibility: . == "hidden" or . == "after_due_date" or . == "after_published" or . == "visible";
        def text_format: . == "text" or . == "html" or . == "simple_format" or . == "md" or . == "ansi";
        ((keys - ["score", "execution_time", "output", "output_format", "test_output_format", "test_name_format",
                  "visibility",
            "stdout_visibility", "extra_data", "tests", "leaderboard"]) == []) and
        (.score | type == "number" and . >= 0) and (.output | type == "string") and (.output_format | text_format) and
        (.visibility | visibility) and (.stdout_visibility | visibility) and
        (.execution_time // 0 | type == "number" and . >= 0) and
        (.tests // [] | all(
            ((keys - ["score", "max_score", "status", "name", "name_format", "number", "output", "output_format",
                "tags",
                "visibility", "extra_data"]) == []) and
            (.score >= 0) and (.score <= .max_score) and (.status == "passed" or .status == "failed") and
            (.name | type == "string") and (.number | type == "string") and (.output | type == "string") and
            (.output_format | text_format) and (.name_format | text_format) and (.visibility | visibility))) and
        (.leaderboard // [] | all((keys - ["name", "value", "order"]) == [] and (.name | type == "string") and
            (.value | type == "number") and (.order == "asc" or .order == "desc")))' "$1" > /dev/null
}
