/* SPDX-License-Identifier: MIT */
#ifndef LOADER_CAPACITY_H
#define LOADER_CAPACITY_H

#include "cgroup.h"

/*
 * The capacity in pages that the kernel will compute once a policy is attached (docs/kernel-interface.md, Capacity). The policy will
 * own the file pages of the cgroup, and of the cgroups below it that have no policy of their own.
 */
uint64_t capacity_at_attach(const struct cgroup *cgroup);

/*
 * The room in pages that file pages of the cgroup and of those below it have now, whoever governs them: the limit, less what else is in
 * use. Sets the limit, in pages.
 */
uint64_t capacity_now(const struct cgroup *cgroup, uint64_t *limit);

#endif
