/* SPDX-License-Identifier: MIT */
#ifndef LOADER_BEGUN_H
#define LOADER_BEGUN_H

#include "system/cgroup.h"
#include "system/kind.h"

/*
 * The kernel runs the init of a policy after its link is made or updated, in a worker. Waits for that. false: init has failed, so nothing
 * new governs the cgroup, or it takes too long; errno says which. `since_ms`: when the link was made, of CLOCK_BOOTTIME.
 */
bool has_begun(const struct cgroup *cgroup, enum policy_kind kind, uint64_t since_ms);

/* The code with which the init of a policy of the cgroup failed since then, according to the kernel; 0: it tells of none. */
int64_t init_code(uint64_t cgroup, enum policy_kind kind, uint64_t since_ms);

#endif
