/* SPDX-License-Identifier: MIT */
/* What happens to a cgroup while one policy is replaced by another and neither governs: the kernel's own reclaim does. */
#ifndef LOADER_GAP_H
#define LOADER_GAP_H

#include <time.h>

#include "cgroup.h"

struct gap {
	struct timespec begun;
	uint64_t reclaimed, refaulted; /* pages, from memory.stat; while the gap lasts: what they were at its begin */
	double milliseconds;
};

void gap_begin(struct gap *gap, const struct cgroup *cgroup);

/*
 * Now the numbers are those of the gap, at most: the new policy governs a little earlier than the kernel says that it is attached, which
 * is when it has been given what was cached. The kernel's counters lag by up to 64 pages for each CPU.
 */
void gap_end(struct gap *gap, const struct cgroup *cgroup);

#endif
