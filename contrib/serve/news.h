/*
 * news.h - the contest as it is published: the Contest API's objects and event feeds, made anew when something changes.
 *
 * Two views: what everybody may see, and what the jury may. One thread makes them, others read.
 */
#ifndef SERVE_NEWS_H
#define SERVE_NEWS_H

#include <jansson.h>

#include "contrib/clics/feed.h"
#include "contrib/grade/contest.h"
#include "contrib/grade/store/store.h"

/* NEWS_TEAMS is what everybody may see and all clarifications, of which each team gets those that are for it. */
enum news_view { NEWS_PUBLIC, NEWS_JURY, NEWS_TEAMS, NEWS_VIEWS };

struct news;

/* The feeds go on where grading/feed-public.ndjson, feed-jury.ndjson and feed-teams.ndjson end. NULL with an error. */
struct news *news_open(const struct contest *contest, const char *folder, const char *root, const char *id,
                       struct error *error);
void news_close(struct news *news);

/*
 * Looks whether there is anything new, and publishes it; *changed then. By one thread. False with an error where
 * something cannot be read or written: what was published stays.
 */
bool news_look(struct news *news, bool *changed, struct error *error);

/*
 * Goes up with every change. While the standings are frozen it goes up for others than the jury only if they can see
 * the change in their feed: an accepted submission takes more steps than another, and who counted them would know it.
 */
uint64_t news_number(const struct news *news, enum news_view view);

/* Whether the standings were frozen at the last look. */
bool news_is_frozen(const struct news *news);

/*
 * All objects, as objects_read() gives them; NULL before the first look. They are other threads' as well: not to be
 * changed, nor may what is in them be put into something else but as a copy. news_release() gives them back.
 */
json_t *news_objects(struct news *news, enum news_view view);
void news_release(struct news *news, json_t *objects);

/*
 * Up to `size` bytes of a feed from its byte *place on, whole lines or parts, and moves it; 0 where there is nothing
 * yet, -1 where there will be nothing any more. With NEWS_TEAMS what is not for the team of that ID is left out.
 */
ptrdiff_t news_read(struct news *news, enum news_view view, const char *team, int64_t *place, char *buffer,
                    size_t size);

/* Whether a clarification is for the team of that ID: to all, or from or to it. */
bool news_is_for(const json_t *clarification, const char *team);

/* Where the feed goes on after the notification with that token, bytes; -1 where it has none. */
int64_t news_after(struct news *news, enum news_view view, const char *token);

#endif
