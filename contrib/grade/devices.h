/*
 * devices.h - which model's times rank, where a contest's times are of more than one.
 *
 * Times of two GPU models say nothing about two submissions, nor do those of two CPU models. Of each kind (gpu, cpu)
 * one model's times rank: contest.yaml's scoring.device, or the model that most accepted submissions have times of.
 * The others keep their verdicts and their times, and do not rank before they were judged again on that model. C on a
 * CPU beside CUDA on a GPU is another matter: the organiser wants that, or leaves rank_cpu away.
 */
#ifndef GRADE_DEVICES_H
#define GRADE_DEVICES_H

#include "contest.h"
#include "contrib/grade/store/store.h"

/* Whether the times of judgement ?1 rank: part of a statement's WHERE, after devices_choose(). */
#define DEVICES_RANKED                                                                                                 \
    "NOT EXISTS (SELECT 1 FROM judgements d JOIN temp.other_devices o ON o.machine = d.machine WHERE d.id = ?1)"

/* Fills temp.other_devices (machine), the machines whose times do not rank; once a connection. */
bool devices_choose(const struct contest *contest, struct store *store, struct error *error);

/* A line on standard error for each model whose times are left out, and how many; nothing where there are none. */
bool devices_tell(const struct contest *contest, struct store *store, struct error *error);

#endif
