/* SPDX-License-Identifier: MIT */
#ifndef LOADER_LIST_SHOW_H
#define LOADER_LIST_SHOW_H

#include "pins/origin.h"
#include "system/cgroup.h"
#include "system/stat_text.h"

#define NOT_PINNED "not pinned" /* a state: attached, but not by pins that are here */
#define BROKEN_OFF "broken off" /* a state: a killed loader left the cgroup without a policy */

/* A line of `list`. */
struct listed {
	uint64_t id; /* of the cgroup */
	enum policy_kind kind;
	char *path; /* NULL: unknown */
	char name[POLICY_NAME_SIZE];
	char state[16]; /* a word for JSON */
	bool gone; /* the cgroup was removed */
	bool held; /* a pin holds its link: attach --replace or detach ends that */
	bool prefetches; /* by a second link */
	bool ended; /* `ending` says how */
	struct ending ending;
	struct origin origin;
};

/* Writes it, as of `now_ms` of CLOCK_BOOTTIME. */
void listed_show(const struct listed *one, bool json, bool first, uint64_t now_ms);

/* What is pinned for a cgroup. `text`: the kernel's statistics of the kind. The caller frees the path. */
struct listed listed_pinned(const struct pinned *pinned, const char *text);

/* A policy of the statistics without a pin here, whether it has ended or not. The caller frees the path. */
struct listed listed_unpinned(const struct ending *policy, enum policy_kind kind, bool ended);

#endif
