/* The filter of a list of runs: words that must all fit. Pure; any thread.
 *
 *   nvme0n1 sql         both words, in any of: id, target, model, workload, method, outcome, tags, note
 *   "batch 7"           a phrase
 *   -stopped            runs that do not have it; works with every form below too
 *   tag:fresh           a whole tag; others are parts: workload: target: model: method: note: id:
 *   outcome:stopped     complete, stopped, aborted, running, partial, unreadable
 *   is:simulated        also is:real, is:partial, is:running, is:tagged, is:noted
 *   since:2026-11-01    started then or later; also until:, which includes the day; dates are UTC and
 *                       may be cut short (2026-11) or relative: today, yesterday, 24h, 7d, 2w
 *   tag:a,b             either of them
 *
 * Upper and lower case (ASCII) are the same. */
#ifndef RESULT_FILTER_H
#define RESULT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/store.h"

struct run_filter;

/* now: unix seconds, for relative dates. An unknown key that is near to a known one, a date or an outcome that is none:
 * ERR_EXIT_USAGE, the sentence quotes it and gives an example. An empty text fits every run. The caller frees. */
int filter_parse(const char *text, int64_t now, struct run_filter **out, struct err *err);
void filter_free(struct run_filter *filter); /* NULL is fine */
bool filter_is_empty(const struct run_filter *filter);
bool filter_fits(const struct run_filter *filter, const struct store_entry *entry);
/* Keeps those that fit, in order; returns how many. */
size_t filter_apply(const struct run_filter *filter, struct store_entry *entries, size_t count);

#endif
