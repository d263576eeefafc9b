/* SPDX-License-Identifier: MIT */
/*
 * Where an attached policy lives on without a process: a folder of PINS for each cgroup, named by its id, that holds the maps
 * and, last of all, `link`. The link is the policy: a folder without one is what a killed loader left, and is swept away by
 * the next attach or detach. Whoever changes anything holds the lock on PINS, so of two loaders one comes first.
 */
#ifndef LOADER_PINS_H
#define LOADER_PINS_H

#include "util.h"

struct pins {
	int root; /* PINS, locked if it is to be changed */
	uint64_t id;
	int dir;  /* the cgroup's folder */
	char path[96];
};

struct policy_info {
	char name[64];
	uint32_t link_id, map_id;
};

/* Opens and locks PINS for a cgroup. -1: said why; -2: not there, and not `create`. */
int pins_lock(struct pins *pins, uint64_t id, bool create);

void pins_unlock(struct pins *pins);

/* Whether a policy is pinned: its link's descriptor, or -1. */
int pins_link(const struct pins *pins);

/* Makes the folder, which is empty then. -1: said why. */
int pins_make(struct pins *pins);

/* Pins a descriptor under a name that bpffs allows. -1: said why. */
int pins_add(const struct pins *pins, const char *name, int fd);

/* Removes the folder and all that is in it, the link first. -1: said why. */
int pins_remove(struct pins *pins);

/* The policy behind a link. -1: it is none of cache_ext. */
int policy_of_link(int link, struct policy_info *info);

/* The ids of all cgroups that have a policy, sorted; -1: said why. To be freed. */
int pins_list(int root, uint64_t **ids);

#endif
