/* SPDX-License-Identifier: MIT */
#ifndef LOADER_CAPACITY_H
#define LOADER_CAPACITY_H

#include "cgroup.h"

/*
 * The capacity of a cgroup in pages, as the kernel will compute it once a policy is attached (docs/kernel-interface.md, Capacity).
 * The policy will own the file pages of the cgroup and of those below it that have no policy of their own.
 */
uint64_t capacity_at_attach(const struct cgroup *cgroup);

#endif
