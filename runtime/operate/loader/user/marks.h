/* SPDX-License-Identifier: MIT */
/*
 * When to evict, and how much. The mark is on memory.current, all that is charged to the cgroup: that is what the kernel holds against the
 * limit, so what begins its own reclaim. It is one number and always exact; the statistics by kind lag by up to two seconds.
 */
#ifndef LOADER_MARKS_H
#define LOADER_MARKS_H

#include "system/cgroup.h"

/* All in pages. */
struct marks {
	int current; /* memory.current, open */
	uint64_t page; /* bytes */
	uint64_t margin_wanted; /* 0: a share of the limit */
	uint64_t limit, margin;
	uint64_t first; /* the limit at the start */
	uint64_t hits;	/* how often the limit was reached, which memory.events.local counts */
	int quiet;     /* looks since */
	uint64_t high, low; /* above high, evict down to low */
	bool told_grown, told_above;
};

/*
 * Margin in bytes; 0: a share of the limit. -1: reported. The limit has to be the cgroup's own: a cgroup without one is an error, and one whose
 * least limit is that of a cgroup above it, since others use that up, too.
 */
int marks_begin(struct marks *marks, const struct cgroup *cgroup, uint64_t margin);

void marks_end(struct marks *marks);

/*
 * Reads the limit anew, which may have changed. If it was reached since the last look, the kernel has evicted by itself, so the margin was too
 * small: it grows, up to an eighth of the limit. It shrinks again when that has not happened for a while. A margin that the user wants stays.
 */
void marks_look(struct marks *marks, const struct cgroup *cgroup);

/* Pages that the cgroup uses now; 0: it cannot be read. */
uint64_t marks_used(const struct marks *marks);

/* Pages to evict. */
uint64_t marks_over(const struct marks *marks, uint64_t used);

/* The pages that a policy may have, which has `owned` of those that are used. */
uint64_t marks_room(const struct marks *marks, uint64_t used, uint64_t owned);

#endif
