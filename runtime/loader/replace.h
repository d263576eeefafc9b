/* SPDX-License-Identifier: MIT */
/*
 * The policy that another one replaces. The kernel has one policy a cgroup and cannot exchange it. So there is a gap, in which the
 * kernel's own reclaim governs; it begins when the new policy is loaded and pinned, but not attached.
 */
#ifndef LOADER_REPLACE_H
#define LOADER_REPLACE_H

#include "gap.h"
#include "manifest.h"
#include "pins.h"

struct old_policy {
	bool governs; /* false: there is no policy, or its link is dead */
	char name[NAME_SIZE];
	int ops; /* its struct_ops map, to attach it again; or -1 */
	struct gap gap;
};

/* Reads what is pinned for the cgroup. */
void old_policy_open(struct old_policy *old, const struct pins *pins);

void old_policy_close(struct old_policy *old);

/* Detaches it; the gap begins. -1: reported, and the policy still governs. */
int old_policy_detach(struct old_policy *old, const struct pins *pins, const struct cgroup *cgroup);

/*
 * Attaches the old policy again after the new one failed, with its states, inputs and ghosts. Reports the result.
 */
void old_policy_restore(const struct old_policy *old, const struct pins *pins, const struct cgroup *cgroup);

#endif
