/* SPDX-License-Identifier: MIT */
/*
 * The policy that a cgroup has while another one is to take its place. The kernel has one policy a cgroup and cannot exchange it, so
 * there is a gap, in which the kernel's own reclaim governs: it begins when all of the new policy is loaded and pinned but not attached.
 */
#ifndef LOADER_REPLACE_H
#define LOADER_REPLACE_H

#include "gap.h"
#include "manifest.h"
#include "pins.h"

struct old_policy {
	bool governs; /* else there is none; a dead link is none */
	char name[NAME_SIZE];
	int ops; /* its map, to attach it again; or -1 */
	struct gap gap;
};

/* What is pinned for a cgroup. */
void old_policy_open(struct old_policy *old, const struct pins *pins);

void old_policy_close(struct old_policy *old);

/* The gap begins. -1: said why; the policy still governs. */
int old_policy_detach(struct old_policy *old, const struct pins *pins, const struct cgroup *cgroup);

/*
 * After the new policy could not be attached: attaches the old one again, with what it has in states, inputs and ghosts. Says what
 * became of it.
 */
void old_policy_restore(const struct old_policy *old, const struct pins *pins, const struct cgroup *cgroup);

#endif
