/*
 * words.h - everything that the scoreboard says, in each of its languages. A "%s" stands for what page.c is given for it.
 *
 * Messages of the host and the compiler are in English everywhere, and marked as such.
 */
#ifndef SCOREBOARD_WORDS_H
#define SCOREBOARD_WORDS_H

#include <stdbool.h>

enum language { ENGLISH, JAPANESE, LANGUAGES };

#define WORDS(X)                                                                                                          \
    X(LANGUAGE, "en", "ja")                                                                                               \
    X(OTHER_LANGUAGE, "ja", "en")                                                                                         \
    X(OTHER_LANGUAGE_NAME, "日本語", "English")                                                                           \
    X(SKIP, "Skip to the content", "本文へ移動")                                                                          \
    X(NAVIGATION, "Contest", "コンテスト")                                                                                \
    X(STANDINGS, "Standings", "順位表")                                                                                   \
    X(PROBLEM, "Problem", "問題")                                                                                         \
    X(PROBLEM_X, "Problem %s", "問題 %s")                                                                                 \
    X(SUBMISSION_X, "Submission %s", "提出 %s")                                                                           \
    X(MADE_AT, "As of", "作成日時：")                                                                                     \
    X(UTC, "Times of day are UTC.", "時刻はすべて UTC です。")                                                            \
    /* the state of the contest */                                                                                        \
    X(STATE_BEFORE, "The contest has not begun.", "コンテストはまだ始まっていません。")                                   \
    X(STATE_RUNNING, "The contest is running.", "コンテストは進行中です。")                                               \
    X(STATE_OVER, "The contest is over.", "コンテストは終了しました。")                                                   \
    X(STATE_FINAL, "All results are shown.", "すべての結果を公開しています。")                                            \
    X(STATE_FROZEN,                                                                                                       \
      "The standings are frozen: what was submitted later is shown without its result.",                                  \
      "順位表は凍結されています。凍結後の提出は、結果を表示しません。")                                                   \
    X(STATE_WILL_FREEZE, "The standings will be frozen later.", "順位表はこのあと凍結されます。")                         \
    X(START, "Start", "開始")                                                                                             \
    X(FREEZE, "Freeze", "凍結")                                                                                           \
    X(END, "End", "終了")                                                                                                 \
    /* how scores come about */                                                                                           \
    X(SCORING_PASS_FAIL,                                                                                                  \
      "Teams stand by problems solved, then by penalty: the minutes until each accepted attempt, and %s minutes for each " \
      "rejected one before it.",                                                                                          \
      "正解した問題の数、次にペナルティの小さい順です。ペナルティは正解までの分数に、それまでの誤答 1 回につき %s 分を加えたものです。")        \
    X(SCORING_FASTEST,                                                                                                    \
      "Teams stand by the sum of their places on the problems. Places are by the median time; those whose 95 % interval "  \
      "overlaps the fastest one's share a place.",                                                                        \
      "各問題での順位の合計が小さい順です。順位は時間の中央値で決まり、95 % 区間が最速のものと重なれば同じ順位です。")    \
    X(SCORING_RELATIVE,                                                                                                   \
      "Teams stand by points: a part for a right answer, the rest by how many times as fast as the baseline it is (\xc3\x97).",    \
      "得点の高い順です。正しい答えで一部の点、残りはベースラインの何倍速いか（\xc3\x97）で決まります。")                          \
    X(SCORING_GROUPS, "Teams stand by the points of their test groups.", "テストグループの得点の高い順です。")            \
    /* standings */                                                                                                       \
    X(PLACE, "Place", "順位")                                                                                             \
    X(TEAM, "Team", "チーム")                                                                                             \
    X(SOLVED, "Solved", "正解")                                                                                           \
    X(PENALTY, "Penalty", "ペナルティ")                                                                                   \
    X(POINTS, "Points", "得点")                                                                                           \
    X(SUM_OF_PLACES, "Sum", "順位の和")                                                                                   \
    X(TEAMS_SOLVED, "Teams that solved it", "正解したチーム")                                                             \
    X(NO_ATTEMPT, "no attempt", "提出なし")                                                                               \
    X(ACCEPTED, "accepted", "正解")                                                                                       \
    X(REJECTED, "rejected", "不正解")                                                                                     \
    X(ONE_TRY, "1 try", "1 回")                                                                                           \
    X(X_TRIES, "%s tries", "%s 回")                                                                                       \
    X(X_PENDING, "%s pending", "%s 件 未公開")                                                                            \
    X(PLACE_X, "place %s", "%s 位")                                                                                       \
    X(NO_TIME, "no time", "時間なし")                                                                                     \
    X(NO_SUBMISSIONS, "Nothing has been submitted yet.", "まだ提出はありません。")                                        \
    /* a problem */                                                                                                       \
    X(LEAGUE, "League", "リーグ")                                                                                         \
    X(TIMED_ON, "Timed on", "計時対象")                                                                                   \
    X(CALLS, "Calls", "呼び出し")                                                                                         \
    X(SUBMISSIONS, "Submissions", "提出")                                                                                 \
    X(TIMES, "Times", "時間")                                                                                             \
    X(NO_TIMES, "No times yet.", "まだ時間の記録はありません。")                                                          \
    X(CHART_X, "Median times of %s accepted submissions, on a logarithmic scale.",                                        \
      "正解した提出 %s 件の時間の中央値（対数目盛）。")                                                                   \
    X(CHART_ROWS,                                                                                                         \
      "Below, the fastest of each team: its median, the interval of the median, every call, and as a circle the baseline " \
      "that was measured beside it.",                                                                                     \
      "下は各チームの最速の提出です。中央値とその区間、各呼び出しの時間、同時に測ったベースライン（丸印）を示します。")   \
    X(CHART_ROWS_PLAIN, "Below, the fastest of each team: its median, the interval of the median, and every call.",       \
      "下は各チームの最速の提出です。中央値とその区間、各呼び出しの時間を示します。")                                     \
    X(CHART_CALLS, "Every call, the median and its interval, on a logarithmic scale.",                                    \
      "各呼び出しの時間、中央値とその区間（対数目盛）。")                                                                 \
    X(FIRST_X, "The first %s of them.", "上位 %s 件。")                                                                   \
    X(BASELINE, "baseline", "ベースライン")                                                                               \
    X(FLOOR, "physical floor", "物理的な下限")                                                                            \
    X(FLOOR_UNKNOWN, "No physical floor is known for this device.", "この装置での物理的な下限は分かっていません。")       \
    X(FLOOR_MEANS, "Physical floor: what must be moved and computed, at the speed that no present device exceeds.",       \
      "物理的な下限：必要なデータ転送と計算を、現存するどの装置も超えない速さで行った場合の時間です。")                   \
    X(BASELINE_NONE, "No baseline was measured beside the submissions.", "ベースラインは提出と同時には測っていません。")  \
    X(FASTEST_OF_TEAMS, "Fastest submission of each team", "各チームの最速の提出")                                        \
    X(MEDIAN, "Median", "中央値")                                                                                         \
    X(INTERVAL, "95 % interval", "95 % 区間")                                                                             \
    X(SPEEDUP, "Speedup", "速度比")                                                                                       \
    X(TIMES_FLOOR, "Times the floor", "下限の何倍")                                                                       \
    X(DEVICE, "Device", "装置")                                                                                           \
    X(ALL_SUBMISSIONS, "All submissions, newest first", "すべての提出（新しい順）")                                       \
    X(NUMBER, "No.", "番号")                                                                                              \
    X(SUBMITTED, "Submitted", "提出日時")                                                                                 \
    X(FILE_NAME, "File", "ファイル")                                                                                      \
    X(VERDICT, "Verdict", "判定")                                                                                         \
    X(TIME, "Time", "時間")                                                                                               \
    /* a submission */                                                                                                    \
    X(RESULT, "Result", "結果")                                                                                           \
    X(MESSAGE, "Message", "メッセージ")                                                                                   \
    X(NOT_COUNTED, "Submitted outside of the contest's time: it does not count.",                                         \
      "コンテストの時間外の提出なので、順位に入りません。")                                                               \
    X(REVIEW, "To be reviewed: it has no time until somebody has looked at it.",                                          \
      "確認待ちです。確認されるまで時間は採用されません。")                                                               \
    X(SIMULATED, "Times of the simulator say nothing about a GPU and do not rank.",                                       \
      "シミュレータでの時間は GPU の速さを表さず、順位に使いません。")                                                    \
    X(HIDDEN, "Its result is shown when the standings are thawed.", "結果は順位表の凍結が解かれたときに公開されます。")   \
    X(JUDGING, "It is being judged.", "判定中です。")                                                                     \
    X(LANGUAGE_USED, "Language", "言語")                                                                                  \
    X(DRIVER, "Driver", "ドライバ")                                                                                       \
    X(BOX, "Sandbox", "サンドボックス")                                                                                   \
    X(CASES, "Cases", "ケース")                                                                                           \
    X(CASE, "Case", "ケース")                                                                                             \
    X(STEP_SAMPLES, "Samples", "サンプルケース")                                                                          \
    X(STEP_SECRET, "Secret cases", "非公開ケース")                                                                        \
    X(STEP_RANKED, "Times that rank", "順位に使う時間")                                                                   \
    X(STEP_BASELINE, "The baseline, measured beside it", "同時に測ったベースライン")                                      \
    X(MEMORY, "Memory", "メモリ")                                                                                         \
    X(CALLS_OF_X, "Every call of %s", "%s の各呼び出し")                                                                  \
    X(CALL, "Call", "回")                                                                                                 \
    X(SM_CLOCK, "SM clock", "SM クロック")                                                                                \
    X(SLOWED_BY, "Slowed by", "低下の原因")                                                                               \
    X(CLOCKS, "Clocks", "クロック")                                                                                       \
    X(CLOCKS_NONE, "A processor's clocks are not recorded, only those of a GPU.", "CPU のクロックは記録しません（GPU のみ）。") \
    X(WHEN, "When", "時点")                                                                                               \
    X(BEFORE, "Before the run", "実行前")                                                                                 \
    X(AFTER, "After the run", "実行後")                                                                                   \
    X(MEMORY_CLOCK, "Memory clock", "メモリクロック")                                                                     \
    X(TEMPERATURE, "Temperature", "温度")                                                                                 \
    X(NOTHING, "nothing", "なし")                                                                                         \
    X(UNSTEADY, "not all calls were made at full clock", "一部の呼び出しはクロックが低下していました")                    \
    X(PENDING, "pending", "未公開")                                                                                       \
    X(BEING_JUDGED, "being judged", "判定中")                                                                             \
    /* verdicts, in the words of the CLICS Contest API */                                                                 \
    X(VERDICT_AC, "accepted", "正解")                                                                                     \
    X(VERDICT_WA, "wrong answer", "不正解")                                                                               \
    X(VERDICT_TLE, "time limit exceeded", "時間制限超過")                                                                 \
    X(VERDICT_RTE, "run-time error", "実行時エラー")                                                                      \
    X(VERDICT_MLE, "memory limit exceeded", "メモリ制限超過")                                                             \
    X(VERDICT_OLE, "output limit exceeded", "出力制限超過")                                                               \
    X(VERDICT_CE, "compile error", "コンパイルエラー")                                                                    \
    X(VERDICT_NO, "no verdict", "判定なし")                                                                               \
    X(VERDICT_SV, "rule or security violation", "規則・セキュリティ違反")                                                 \
    X(VERDICT_JE, "judging error", "ジャッジのエラー")

#define WORD_ENUM(name, english, japanese) WORD_##name,
enum word { WORDS(WORD_ENUM) WORD_COUNT };
#undef WORD_ENUM

extern const char *const words[WORD_COUNT][LANGUAGES];

#endif
