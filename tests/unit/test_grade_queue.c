/*
 * test_grade_queue.c - whose turn it is: one team's flood, arrivals by chance, rejudgings, and a cluster's hand-outs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/grade/store/queue.h"
#include "contrib/grade/store/store.h"
#include "unit.h"

enum { TEAMS = 7, MOST = 250 };

static struct store store;
static struct error error;

static void run(const char *sql) { CHECK(store_run(&store, &error, sql, ""), "%s: %s", sql, error.text); }

static void begin(void)
{
    CHECK(store_open(&store, ":memory:", STORE_WRITE, &error), "%s", error.text);
    run("CREATE TEMP TABLE handed (judgement PRIMARY KEY)");
}

static int64_t arrive(const char *team, double now)
{
    int64_t id = 0;

    CHECK(store_run(&store, &error,
                    "INSERT INTO submissions (team, problem, path, sha256, stamp, submitted, found)"
                    " SELECT ?, 'A', count(*), '', '', 0, 0 FROM submissions", "s", team), "%s", error.text);
    CHECK(store_run(&store, &error, "INSERT INTO judgements (submission, created) SELECT max(id), ? FROM submissions",
                    "d", now), "%s", error.text);
    store_number(&store, &error, &id, "SELECT max(id) FROM judgements", "");
    return id;
}

/* The judgement whose turn it is, 0 for none; its team in team[8]. */
static int64_t next(enum queue_kind kind, double now, char team[8])
{
    sqlite3_stmt *statement = queue_open(&store, kind, now, &error);
    int64_t id = 0;

    CHECK(statement != NULL, "%s", error.text);
    if (store_step(&store, statement, &error) == STORE_ROW) {
        id = sqlite3_column_int64(statement, QUEUE_JUDGEMENT);
        snprintf(team, 8, "%s", (const char *)sqlite3_column_text(statement, QUEUE_TEAM));
    }
    sqlite3_finalize(statement);
    return id;
}

static void set(int64_t id, const char *state, double now)
{
    CHECK(store_run(&store, &error,
                    "UPDATE judgements SET state = ?1, verdict = CASE ?1 WHEN 'done' THEN 'TLE' END,"
                    " begun = coalesce(begun, ?2) WHERE id = ?3", "sdi", state, now, id), "%s", error.text);
}

/* 60 looping submissions of one team, and one each of three others that come later: they are next, in their order. */
static void test_flood(void)
{
    int64_t flood[60], others[3];
    char team[8];

    begin();
    for (int i = 0; i < 60; i++)
        flood[i] = arrive("loop", 1000);
    for (int i = 0; i < 2; i++) { /* two of them are done before anybody else comes */
        CHECK(next(QUEUE_BUILD, 1000, team) == flood[i], "first come, first served, alone");
        set(flood[i], "done", 1000);
    }
    others[0] = arrive("b", 1010), others[1] = arrive("a", 1011), others[2] = arrive("b", 1012);
    CHECK(next(QUEUE_BUILD, 1020, team) == others[0], "b before the flood");
    set(others[0], "building", 1020);
    CHECK(next(QUEUE_BUILD, 1020, team) == others[1], "a, too");
    set(others[1], "building", 1020);
    CHECK(next(QUEUE_BUILD, 1020, team) == others[2], "b's second: it has had one, the flood two");
    set(others[2], "building", 1020);
    CHECK(next(QUEUE_BUILD, 1020, team) == flood[2], "then the flood");
    /* Builds run in the order of the queue, whichever was built first. */
    for (int i = 2; i < 60; i++)
        set(flood[i], "samples", 1020 + i);
    for (int i = 0; i < 3; i++)
        set(others[i], "samples", 2000);
    for (int i = 0; i < 3; i++) {
        CHECK(next(QUEUE_RUN, 2000, team) == others[i == 0 ? 0 : i], "run %d", i);
        set(others[i], "done", 2000);
    }
    CHECK(next(QUEUE_RUN, 2000, team) == flood[2], "then the flood");
    store_close(&store);
}

/* Submissions judged long ago do not count. */
static void test_forgotten(void)
{
    char team[8];
    int64_t a, b;

    begin();
    for (int i = 0; i < 5; i++)
        set(arrive("a", 0), "done", 100);
    a = arrive("a", 200), b = arrive("b", 201);
    CHECK(next(QUEUE_BUILD, 300, team) == b, "a had five");
    CHECK(next(QUEUE_BUILD, 101 + QUEUE_SECONDS, team) == a, "which are forgotten");
    store_close(&store);
}

/* A rejudging of everything waits for fresh submissions, and is round-robin in itself. */
static void test_rejudging(void)
{
    char team[8];
    int64_t fresh;

    begin();
    run("INSERT INTO rejudgings (id, reason, filter, created) VALUES (1, '', '', 0)");
    for (int i = 0; i < 4; i++)
        set(arrive(i < 3 ? "a" : "b", 0), "done", 0);
    run("INSERT INTO judgements (submission, valid, created, rejudging)"
        " SELECT id, 0, 0, 1 FROM submissions ORDER BY id");
    fresh = arrive("a", 5);
    CHECK(next(QUEUE_BUILD, 5, team) == fresh, "fresh first");
    set(fresh, "done", 5);
    for (int i = 0; i < 4; i++) {
        const int64_t id = next(QUEUE_BUILD, 5, team);

        CHECK(strcmp(team, i == 1 ? "b" : "a") == 0, "rejudging %d is of %s", i, team);
        set(id, "done", 5);
    }
    store_close(&store);
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state >> 11;
}

/*
 * Arrivals by chance, of teams of very different zeal, on `slots` slots. While two teams both wait, neither is begun
 * two times more than the other, beyond what the other was ahead at the start of that time; within a team the order is
 * that of arrival; all come to an end. The order of all is hashed into the result.
 */
static uint64_t simulate(uint64_t seed, int slots)
{
    uint64_t state = seed * 2654435761u + 1, hash = 14695981039346656037u;
    int waiting[TEAMS] = { 0 }, begun[TEAMS] = { 0 }, ahead[TEAMS][TEAMS] = { { 0 } }, arrived = 0, done = 0;
    int64_t running[8] = { 0 }, last[TEAMS] = { 0 };
    double now = 1000;

    begin();
    while (done < MOST) {
        now += 1;
        for (int t = 0; t < TEAMS && arrived < MOST; t++)
            if (draw(&state) % (uint64_t)(2 + 5 * t) == 0) {
                char name[8] = { (char)('a' + t), '\0' };

                if (waiting[t]++ == 0)
                    for (int o = 0; o < TEAMS; o++)
                        ahead[t][o] = ahead[o][t] = begun[t] - begun[o] > 0 ? begun[t] - begun[o] : begun[o] - begun[t];
                arrive(name, now);
                arrived++;
            }
        for (int s = 0; s < slots; s++) {
            char team[8] = "";
            int t;

            if (running[s] && draw(&state) % 3 == 0) {
                set(running[s], "done", now);
                running[s] = 0, done++;
            }
            if (running[s] || !(running[s] = next(QUEUE_BUILD, now, team)))
                continue;
            t = team[0] - 'a';
            set(running[s], "building", now);
            CHECK(running[s] > last[t], "the team's order is that of arrival");
            last[t] = running[s];
            for (int o = 0; o < TEAMS; o++) {
                CHECK(o == t || waiting[o] == 0 || begun[t] <= begun[o] + ahead[t][o] + 1,
                      "%c, begun %d times, goes before %c, begun %d times", 'a' + t, begun[t], 'a' + o, begun[o]);
                CHECK(o == t || waiting[o] == 0 || begun[t] <= begun[o], "the fewest first: %d, %d", begun[t],
                      begun[o]);
            }
            begun[t]++, waiting[t]--;
            hash = (hash ^ (uint64_t)running[s]) * 1099511628211u;
        }
        CHECK(now < 1e5, "nobody waits for ever");
        if (now >= 1e5)
            break;
    }
    store_close(&store);
    return hash;
}

static void test_chance(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        CHECK(simulate(seed, 1 + (int)seed % 4) == simulate(seed, 1 + (int)seed % 4), "the same order again");
}

/* Submissions handed out count as the team's first turns; later ones alternate. */
static void test_hand_out(void)
{
    char team[8], order[32] = "";

    begin();
    for (int i = 0; i < 6; i++)
        arrive("a", i);
    for (int i = 0; i < 3; i++)
        arrive("b", 10 + i);
    run("INSERT INTO temp.handed SELECT id FROM judgements ORDER BY id LIMIT 2");
    for (int i = 0; i < 7; i++) {
        const int64_t id = next(QUEUE_HAND_OUT, 100, team);

        strcat(order, team);
        store_run(&store, &error, "INSERT INTO temp.handed VALUES (?)", "i", id);
    }
    CHECK(strcmp(order, "bbabaaa") == 0, "the order is %s", order);
    store_close(&store);
}

int main(void)
{
    test_flood();
    test_forgotten();
    test_rejudging();
    test_hand_out();
    test_chance();
    return unit_end();
}
