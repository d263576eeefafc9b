/* SPDX-License-Identifier: MIT */
#include "pins/ungoverned.h"

void ungoverned_begin(struct ungoverned *ungoverned, const struct cgroup *cgroup)
{
	ungoverned->reclaimed = cgroup_counter(cgroup->fd, "pgsteal ");
	ungoverned->refaulted = cgroup_counter(cgroup->fd, "workingset_refault_file ");
	clock_gettime(CLOCK_MONOTONIC, &ungoverned->begun);
}

void ungoverned_end(struct ungoverned *ungoverned, const struct cgroup *cgroup)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ungoverned->milliseconds = (double)(now.tv_sec - ungoverned->begun.tv_sec) * 1e3 + (double)(now.tv_nsec - ungoverned->begun.tv_nsec) / 1e6;
	ungoverned->reclaimed = cgroup_counter(cgroup->fd, "pgsteal ") - ungoverned->reclaimed;
	ungoverned->refaulted = cgroup_counter(cgroup->fd, "workingset_refault_file ") - ungoverned->refaulted;
}
