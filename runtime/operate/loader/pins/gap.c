/* SPDX-License-Identifier: MIT */
#include "pins/gap.h"

void gap_begin(struct gap *gap, const struct cgroup *cgroup)
{
	gap->reclaimed = cgroup_counter(cgroup->fd, "pgsteal ");
	gap->refaulted = cgroup_counter(cgroup->fd, "workingset_refault_file ");
	clock_gettime(CLOCK_MONOTONIC, &gap->begun);
}

void gap_end(struct gap *gap, const struct cgroup *cgroup)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	gap->milliseconds = (double)(now.tv_sec - gap->begun.tv_sec) * 1e3 + (double)(now.tv_nsec - gap->begun.tv_nsec) / 1e6;
	gap->reclaimed = cgroup_counter(cgroup->fd, "pgsteal ") - gap->reclaimed;
	gap->refaulted = cgroup_counter(cgroup->fd, "workingset_refault_file ") - gap->refaulted;
}
