/*
 * server.h - the parts of the contest's server, and who may ask for what.
 */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <jansson.h>
#include <limits.h>

#include "contrib/clics/source.h"
#include "contrib/clics/words.h"
#include "contrib/grade/contest.h"
#include "contrib/grade/intake.h"
#include "contrib/scoreboard/pages.h"
#include "http.h"
#include "limits.h"
#include "news.h"

struct server {
    const struct contest *contest;
    const char *folder, *root; /* the contest's, the toolkit's */
    const char *id;            /* the contest's in the Contest API */
    struct news *news;
    char style[64], script[64]; /* digests of what pages may use, for their policies */
    /* of the thread that talks to clients */
    struct store look;         /* what everybody may read */
    struct store accounts;     /* opened for secrets: who asks, and where in the queue something stands */
    struct limits *limits;
    struct board_cache *boards;
    struct feed_reader *readers; /* of streams (api.c) */
    /* of the thread that makes changes */
    struct store store;
    struct intake intake;
    double stamp;              /* the last moment that server_now() gave, seconds since 1970; and when, clock_ns() */
    int64_t stamp_ns;
    bool behind;               /* the machine's clock is, and the log has it */
    int64_t beat;              /* of the last tick */
    char said[1024];           /* what was wrong then, so that the log has it once; or "" */
    char upload[PATH_MAX];     /* a folder of its own, in which uploads are made */
};

/* http_config's functions. */
bool server_begin(void *context, struct http_request *request, const char *authorization, const char *session,
                  struct http_reply *reply);
void server_get(void *context, struct http_request *request, struct http_reply *reply);
void server_post(void *context, struct http_request *request, struct http_reply *reply);
bool server_tick(void *context);
bool server_holds(void *context, const struct http_request *request);

/* ---- reply.c */

/* A refusal, in JSON for the API and else as plain text. */
void server_refuse(const struct http_request *request, struct http_reply *reply, unsigned status, const char *words);
void server_failed(const struct http_request *request, struct http_reply *reply, const struct error *error);

/* Whether the contest has begun; else it fills the reply. The jury need not wait. Of the thread that makes changes. */
bool server_has_begun(struct server *server, const struct http_request *request, struct http_reply *reply);

/*
 * What is wrong with a JSON object that a client sent: it is none, or has a key that is not in known[], or a key of
 * texts[] is there and neither text nor null. NULL ends both. NULL where nothing is wrong, else a line, perhaps in
 * `line`.
 */
const char *server_refuse_keys(const json_t *object, const char *const *known, const char *const *texts,
                               char line[160]);

/* The team that asks; "", which no team is called, for another account, whatever its name. */
const char *server_team(const struct http_request *request);

/*
 * The moment of what is handed in now, seconds since 1970. It never goes back, whatever the machine's clock does, nor
 * does it stand still. Of the thread that makes changes.
 */
double server_now(struct server *server);

/* Goes up every 25 s: streams that have nothing to say say so. */
int64_t server_beat(void);

/* Refuses what an account or an address does too often; false. */
bool server_too_often(const struct http_request *request, struct http_reply *reply, const char *why);

/* The part of a path behind `prefix`, or NULL. */
const char *server_below(const char *path, const char *prefix);

/* ---- api.c: the Contest API, below /api */

/* Who reads a stream. */
struct feed_reader {
    struct server *server;
    enum news_view view;
    char account[ACCOUNT_NAME]; /* of NEWS_TEAMS; "" else */
    char team[CLICS_ID];        /* the same in the Contest API */
    struct feed_reader *next;
};

/* Who asks, as a reader, kept until the server ends: there is one for each view, and each team. NULL: no memory. */
struct feed_reader *api_reader(struct server *server, const struct http_request *request);
void api_get(struct server *server, struct http_request *request, struct http_reply *reply);
void api_post(struct server *server, struct http_request *request, struct http_reply *reply);
void api_release(struct server *server);

/* ---- upload.c */

/* One file of a submission. */
struct upload_file {
    const char *name, *data;
    size_t size;
};

/*
 * Hands in files[count] of a team: one .c, .cu or archive alone, or several files as a folder called `title`. The
 * submission's number in *number; else a reply is filled.
 */
bool upload_take(struct server *server, const struct http_request *request, const char *team, const char *problem,
                 const struct upload_file *files, size_t count, const char *title, int64_t *number,
                 struct http_reply *reply);

/* What is wrong with the names of files[count], or of the folder they are to be in; NULL where nothing is. */
const char *upload_refuse(const struct upload_file *files, size_t count, const char *title);

/* ---- board_pages.c: the scoreboard's pages, as they are now */
struct board_cache;
struct board_cache *board_cache_new(void);
void board_cache_free(struct board_cache *cache);

/* The page of that path, such as "/ja/problem/A.html"; false where there is none. */
bool board_get(struct server *server, const struct http_request *request, const char *path, struct http_reply *reply);

/* The board as it is now, for pages around it: until the next call. NULL with an error. */
const struct board *board_now(struct server *server, struct error *error);

/* The same without a freeze, of which each team is shown its own. Read again when the database has changed. */
struct board *board_whole(struct server *server, struct error *error);

/* ---- batch.c: the door for programs, below /judge */
bool batch_get(struct server *server, const struct http_request *request, struct http_reply *reply);
void batch_post(struct server *server, struct http_request *request, struct http_reply *reply);

/* ---- result.c */

/* What waits to be built, in the queue's order: read once an answer, whatever the number of its submissions. */
struct result_queue {
    int64_t *judgements; /* [count] */
    size_t count, room;
    bool read;
};

/*
 * A submission with its judgement that counts, as its owner may see it; NULL for none, or with an error. `whole`: with
 * all that was counted and explained. The queue may be all zero; the caller releases it.
 */
json_t *result_json(struct server *server, int64_t id, bool whole, struct result_queue *queue, struct error *error);

/* Where a judgement stands among those that wait to be built, from 1; 0 where it does not wait. */
size_t result_place_in_queue(struct server *server, struct result_queue *queue, int64_t judgement,
                             struct error *error);
void result_queue_release(struct result_queue *queue);

/* ---- extras.c */

/* A judgement, and what of it decides which extras there are. */
struct extras {
    int64_t judgement;
    const char *verdict; /* NULL until it has one */
    const char *kind;    /* gpu, sim, cpu, pocl; or NULL */
    bool explains;       /* its owner wanted an explanation, or the contest has them */
};

/*
 * Objects with a `why`, which is null where it is all there. `whole`: with the report and the counts themselves. A JSON
 * null until the judging is over, or the explanation is there.
 */
json_t *extras_explanation(struct server *server, const struct extras *of, bool whole, struct error *error);
json_t *extras_counters(struct server *server, const struct extras *of, bool whole, struct error *error);

/* The same of times: whether there are any, and whether the contest has those of CPUs. */
json_t *extras_times(const struct extras *of, bool timed, bool ranks_cpu);

/* ---- question.c */
enum {
    QUESTION_BYTES = 4000,
    QUESTIONS_OPEN = 20,     /* that a team may have without an answer, */
    QUESTION_SECONDS = 3600, /* of those that it asked in so many seconds */
};

struct question {
    const char *text, *problem; /* problem: an id of contest.yaml, or NULL */
    const char *to;             /* the team that the jury writes to; NULL for all, and of a team */
    int64_t reply_to;           /* the number of a clarification; 0 for none */
    bool to_asker;              /* it goes to the team that asked what is replied to */
};

/* The clarification's number in *number; else a reply is filled. */
bool question_take(struct server *server, const struct http_request *request, const struct question *question,
                   int64_t *number, struct http_reply *reply);

/* ---- code.c */

/*
 * Whether everybody may read what was handed in: with show_code, from `final` on, or from `end` where there is no
 * `final`. Never of what the freeze hides, nor of what was handed in outside of the contest's time.
 */
bool code_may_be_shown(const struct board *board, const struct entry *entry);

/* The files of a submission, as text; or that there are none. */
void code_put(struct page *page, const char *folder, int64_t id);

/* ---- statement.c */

/* Puts the problem's statement, in the page's language where there is one; false where it has none. */
bool statement_put(struct page *page, const char *root, const char *problem);

/* ---- team_pages.c: a participant's own */
bool team_get(struct server *server, struct http_request *request, struct http_reply *reply);
void team_post(struct server *server, struct http_request *request, struct http_reply *reply);

#endif
