/* SPDX-License-Identifier: MIT */
/* `list`: the attached policies, from the pins; how policies ended, from the kernel's statistics. */
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "command/list_show.h"
#include "pins/attached.h"
#include "system/stat_read.h"
#include "system/system.h"

static bool is_held(const struct ending *policy, enum policy_kind kind, bool ended, const struct listed *held, int n_held)
{
	for (int i = 0; i < n_held; i++)
		if (held[i].id == policy->cgroup &&
		    ((held[i].kind == kind && (!ended || (held[i].ended && held[i].ending.ended_ms == policy->ended_ms))) ||
		     (kind == PREFETCHES && !ended && held[i].prefetches)))
			return true;
	return false;
}

static bool is_attached(const char *text, uint64_t cgroup)
{
	struct ending policy;
	char *line = stat_line_of(text, cgroup);
	bool attached = line && !stat_ending(line, &policy);

	free(line);
	return attached;
}

/* What `list` reads: the kernel's statistics before and after the pins, which may change meanwhile. */
struct seen {
	char *before[POLICY_KINDS], *after[POLICY_KINDS];
	struct listed *held;
	int n_held;
	bool whole; /* no pinned policy is missing */
};

/* A policy of the kernel's that is not among those held. */
struct other {
	struct ending policy;
	enum policy_kind kind;
};

static int compare_ends(const void *a, const void *b)
{
	const struct other *left = a, *right = b;

	if (left->policy.ended_ms != right->policy.ended_ms)
		return left->policy.ended_ms < right->policy.ended_ms ? -1 : 1;
	return (int)left->kind - (int)right->kind;
}

/* Those that have ended, or that have not. The caller frees them. */
static int others_of(const struct seen *seen, bool ended, struct other **others)
{
	int count = 0;

	*others = NULL;
	for (int kind = 0; kind < POLICY_KINDS; kind++) {
		struct ending *policies;
		int n = stat_policies(seen->after[kind], ended, &policies);

		*others = need(realloc(*others, (size_t)(count + n + 1) * sizeof(**others)));
		for (int i = 0; i < n; i++) {
			if (is_held(&policies[i], (enum policy_kind)kind, ended, seen->held, seen->n_held))
				continue;
			/* Attached before the pins were read, and after: else they belong to a command that is at work now. */
			if (!ended && !is_attached(seen->before[kind], policies[i].cgroup))
				continue;
			(*others)[count++] = (struct other){ policies[i], (enum policy_kind)kind };
		}
		free(policies);
	}
	return count;
}

/* Shows them; those that have ended in the order of their ends. Returns how many. */
static int show_others(const struct seen *seen, bool ended, bool json, bool first)
{
	struct other *others;
	int n = others_of(seen, ended, &others);

	if (ended)
		qsort(others, (size_t)n, sizeof(*others), compare_ends);
	for (int i = 0; i < n; i++) {
		struct listed one = listed_unpinned(&others[i].policy, others[i].kind, ended);

		listed_show(&one, json, first && !i, boot_ms());
		free(one.path);
	}
	free(others);
	return n;
}

static int read_texts(char *texts[POLICY_KINDS])
{
	for (int kind = 0; kind < POLICY_KINDS; kind++) {
		texts[kind] = stat_read((enum policy_kind)kind, false);
		if (!texts[kind])
			return -1;
	}
	return 0;
}

/* -1: reported; the caller frees it all the same. */
static int read_seen(struct seen *seen)
{
	struct pinned *pinned = NULL;
	int n = read_texts(seen->before) ? -1 : pins_list(&pinned, &seen->whole);
	int status = n < 0 ? -1 : read_texts(seen->after);

	seen->held = need(calloc((size_t)(n < 0 ? 0 : n) + 1, sizeof(*seen->held)));
	for (int i = 0; i < n && !status; i++)
		seen->held[seen->n_held++] = listed_pinned(pinned + i, seen->after[pinned[i].kind]);
	free(pinned);
	return status;
}

static void seen_free(struct seen *seen)
{
	for (int i = 0; i < seen->n_held; i++)
		free(seen->held[i].path);
	free(seen->held);
	for (int kind = 0; kind < POLICY_KINDS; kind++) {
		free(seen->before[kind]);
		free(seen->after[kind]);
	}
}

static void show(const struct seen *seen, bool all, bool json)
{
	int shown = seen->n_held;

	if (json)
		putchar('[');
	for (int i = 0; i < seen->n_held; i++)
		listed_show(&seen->held[i], json, i == 0, boot_ms());
	for (int ended = 0; ended <= all; ended++)
		shown += show_others(seen, ended, json, !shown);
	if (json)
		puts("]");
	else if (!shown)
		puts("no policy is attached");
}

int command_list(bool all, bool json)
{
	struct seen seen = {};
	int status;

	if (check_privileges())
		return -1;
	status = read_seen(&seen);
	if (!status)
		show(&seen, all, json);
	seen_free(&seen);
	return status || !seen.whole ? -1 : 0;
}
