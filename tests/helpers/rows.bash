# For results that are made up, in SQL: the columns that they give, and that nothing of them is secret.
# shellcheck shell=bash
export submission_columns='(id, team, problem, path, sha256, stamp, submitted, found)'
export run_columns='(id, judgement, step, number, name, verdict, message, median, low, high)'
export step_columns='(judgement, step, started, ended, exit_code, record, log)'
export all_public='UPDATE runs SET timed = 1, reason = message;
    UPDATE steps SET public = record; UPDATE judgements SET reason = message'
