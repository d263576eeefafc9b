/* SPDX-License-Identifier: MIT */
#ifndef LOADER_CAPACITY_H
#define LOADER_CAPACITY_H

#include "system/cgroup.h"

/*
 * The capacity in pages that the kernel will compute once a policy is attached (docs/kernel-interface.md, Capacity). The policy will
 * own the file pages of the cgroup, and of the cgroups below it that have no policy of their own.
 */
uint64_t capacity_at_attach(const struct cgroup *cgroup);

/* Pages. */
struct memory_use {
	uint64_t limit; /* the least of the machine's memory and the limits of the cgroup and its ancestors */
	uint64_t own;	/* the least of its own limits; UINT64_MAX / page size: none */
	uint64_t used;	/* by the cgroup and those below it */
	uint64_t files; /* of these, pages of files, under any policy or none */
};

struct memory_use memory_use(const struct cgroup *cgroup);

#endif
