/*
 * board_pages.c - the scoreboard's pages by the same code that writes them to files, made when somebody asks.
 *
 * What is made is kept until the next change. All of it belongs to the thread that talks to clients.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"
#include "server.h"
#include "verify/base/clock.h"
#include "verify/base/number.h"

enum { KEPT = 256 };

struct kept {
    char path[128];
    char *data; /* [size]; NULL for no page */
    size_t size;
};

struct board_cache {
    struct board board;
    bool loaded;
    uint64_t number; /* of the news that it was loaded at */
    struct kept pages[KEPT];
    struct board whole; /* without a freeze: for who sees its own */
    bool whole_loaded;
    int64_t version; /* of the database that it was loaded at */
};

struct board_cache *board_cache_new(void) { return calloc(1, sizeof(struct board_cache)); }

static void forget(struct board_cache *cache)
{
    for (size_t i = 0; i < KEPT; i++)
        free(cache->pages[i].data);
    memset(cache->pages, 0, sizeof cache->pages);
    if (cache->loaded)
        board_release(&cache->board);
    cache->loaded = false;
}

void board_cache_free(struct board_cache *cache)
{
    forget(cache);
    if (cache->whole_loaded)
        board_release(&cache->whole);
    free(cache);
}

static bool load(struct server *server, struct board *board, bool whole, struct error *error)
{
    bool ok;

    if (!store_run(&server->look, error, "BEGIN", ""))
        return false;
    ok = board_load(board, server->contest, &server->look, server->folder, server->root, whole, clock_wall(), error);
    sqlite3_exec(server->look.db, "COMMIT", NULL, NULL, NULL);
    return ok;
}

const struct board *board_now(struct server *server, struct error *error)
{
    struct board_cache *cache = server->boards;
    const uint64_t number = news_number(server->news, NEWS_PUBLIC);

    if (cache->loaded && cache->number == number)
        return &cache->board;
    forget(cache);
    cache->loaded = true;
    cache->number = number;
    if (load(server, &cache->board, false, error))
        return &cache->board;
    forget(cache);
    return NULL;
}

struct board *board_whole(struct server *server, struct error *error)
{
    struct board_cache *cache = server->boards;
    int64_t version;

    if (!store_number(&server->look, error, &version, "PRAGMA data_version", ""))
        return NULL;
    if (cache->whole_loaded && cache->version == version)
        return &cache->whole;
    if (cache->whole_loaded)
        board_release(&cache->whole);
    cache->version = version;
    cache->whole_loaded = load(server, &cache->whole, true, error);
    if (cache->whole_loaded)
        return &cache->whole;
    board_release(&cache->whole);
    return NULL;
}

/* "problem/ID.html" and the like: the part between prefix and ".html"; false for another path. */
static bool between(const char *path, const char *prefix, char *part, size_t size)
{
    const size_t length = strlen(path), start = strlen(prefix);

    if (strncmp(path, prefix, start) != 0 || length < start + 6 || strcmp(path + length - 5, ".html") != 0 ||
        length - start - 5 >= size)
        return false;
    snprintf(part, size, "%.*s", (int)(length - start - 5), path + start);
    return true;
}

static struct entry *entry_of(struct board *board, const char *number)
{
    int64_t id;

    if (!number_integer(number, 1, INT64_MAX, &id))
        return NULL;
    for (size_t i = 0; i < board->count; i++)
        if (board->entries[i].id == id)
            return &board->entries[i];
    return NULL;
}

static bool make_problem(struct server *server, struct page *page, enum language language, const char *id,
                         struct error *error)
{
    struct board *board = &server->boards->board;
    const struct contest_problem *problem = contest_problem(server->contest, id);
    size_t index;

    index = problem ? (size_t)(problem - server->contest->problems) : board->problems;
    if (index >= board->problems)
        return false;
    for (size_t i = 0; i < board->count; i++) {
        struct entry *entry = &board->entries[i];
        struct detail detail;

        if (entry->problem != index || entry->median > 0 || !entry->verdict || strcmp(entry->verdict, "AC") != 0)
            continue;
        if (!detail_load(&detail, board, entry, error))
            return false;
        detail_release(&detail);
    }
    return page_problem(page, language, board, index, server->style);
}

static bool make_submission(struct server *server, struct page *page, enum language language, const char *number,
                            struct error *error)
{
    struct board *board = &server->boards->board;
    struct entry *entry = entry_of(board, number);
    struct detail detail;
    bool ok;

    if (!entry)
        return false;
    ok = detail_load(&detail, board, entry, error);
    if (ok) {
        page_submission_begin(page, language, board, entry, &detail, server->style);
        if (code_may_be_shown(board, entry))
            code_put(page, server->folder, entry->id);
        layout_live_end(page);
        layout_end(page, board);
    }
    detail_release(&detail);
    return ok;
}

/* The page of a path below the language; false where there is none, with an error where it failed. */
static bool make_page(struct server *server, struct page *page, enum language language, const char *path,
                      struct error *error)
{
    char part[80];

    if (strcmp(path, "index.html") == 0)
        page_index(page, language, &server->boards->board, server->style);
    else if (between(path, "problem/", part, sizeof part))
        return make_problem(server, page, language, part, error);
    else if (between(path, "submission/", part, sizeof part))
        return make_submission(server, page, language, part, error);
    else
        return false;
    return true;
}

static struct kept *find_kept(struct board_cache *cache, const char *path)
{
    size_t place = 5381;

    for (const char *c = path; *c; c++)
        place = place * 33 + (unsigned char)*c;
    return &cache->pages[place % KEPT];
}

static bool send_copy(struct http_reply *reply, const char *data, size_t size)
{
    char *copy = malloc(size + 1);

    if (!copy)
        return false;
    memcpy(copy, data, size);
    reply->status = MHD_HTTP_OK;
    reply->type = "text/html; charset=utf-8";
    reply->data = copy;
    reply->size = size;
    reply->may_be_kept = true;
    return true;
}

bool board_get(struct server *server, const struct http_request *request, const char *path, struct http_reply *reply)
{
    const struct page_server parts = { .script = serve_script, .digest = server->script };
    const bool japanese = strncmp(path, "/ja/", 4) == 0;
    struct page page = { .server = &parts };
    struct error error = { 0 };
    struct kept *kept;
    bool ok;

    if (!board_now(server, &error))
        return server_failed(request, reply, &error), true;
    kept = find_kept(server->boards, path);
    if (strcmp(kept->path, path) != 0) {
        ok = make_page(server, &page, japanese ? JAPANESE : ENGLISH, path + (japanese ? 4 : 1), &error);
        if (!ok || page.failed || strlen(path) >= sizeof kept->path) {
            page_release(&page);
            if (!error.text[0] && !page.failed)
                return false;
            return server_failed(request, reply, &error), true;
        }
        free(kept->data);
        snprintf(kept->path, sizeof kept->path, "%s", path);
        kept->data = page.data;
        kept->size = page.size;
    }
    reply->policy = "frame-ancestors 'none'"; /* the page has the rest in itself */
    if (!send_copy(reply, kept->data, kept->size))
        server_refuse(request, reply, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
    return true;
}
