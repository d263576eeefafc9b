/* SPDX-License-Identifier: MIT */
/* The gap in a replacement: neither policy governs the cgroup, the kernel's own reclaim does. */
#ifndef LOADER_UNGOVERNED_H
#define LOADER_UNGOVERNED_H

#include <time.h>

#include "system/cgroup.h"

struct ungoverned {
	struct timespec begun;
	uint64_t reclaimed, refaulted; /* pages, from memory.stat; until ungoverned_end: the counters at the begin */
	double milliseconds;
};

void ungoverned_begin(struct ungoverned *ungoverned, const struct cgroup *cgroup);

/*
 * Sets the numbers of the gap. They are upper bounds: the new policy governs before it has adopted what was cached, and only then does
 * the kernel report it as attached. The kernel's counters lag by up to 64 pages for each CPU.
 */
void ungoverned_end(struct ungoverned *ungoverned, const struct cgroup *cgroup);

#endif
