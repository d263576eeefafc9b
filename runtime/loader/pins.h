/* SPDX-License-Identifier: MIT */
/*
 * Where an attached policy lives on without a process: a folder of PINS for each cgroup, named by its id, that holds the policy's maps,
 * what later commands need of its manifest, and `link`. The link is the policy.
 *
 *     stage:   PINS/ID_new with all but the link  ->  the policy before it is detached  ->  attach  ->  PINS/ID_new/link
 *     publish: PINS/ID_new becomes PINS/ID, in one step; what was PINS/ID is removed
 *
 * Whoever changes anything holds the lock on PINS, so of two loaders one comes first; and whoever gets it first completes or sweeps away
 * what a killed loader left: a staged folder with a link is published, one without is removed. Between the detaching of the old
 * policy and the attaching of the new a kill leaves PINS/ID with a link that is dead: list shows it, attach and detach remove it.
 */
#ifndef LOADER_PINS_H
#define LOADER_PINS_H

#include "util.h"

struct pins {
	int root; /* PINS, locked */
	uint64_t id;
	char path[96]; /* the cgroup's folder */
	char staged[96];
};

#define MANIFEST_PIN "manifest"

/* The paths only. */
void pins_name(struct pins *pins, uint64_t id);

/* Opens and locks PINS for a cgroup, and puts in order what a killed loader left. -1: said why; -2: not there, and not `create`. */
int pins_lock(struct pins *pins, uint64_t id, bool create);

void pins_unlock(struct pins *pins);

/* Whether a policy is pinned: its link's descriptor, or -1. */
int pins_link(const struct pins *pins);

/* Makes the staged folder. -1: said why. */
int pins_stage(const struct pins *pins);

/* Pins a descriptor in the staged folder, under a name that bpffs allows. -1: said why. */
int pins_add(const struct pins *pins, const char *name, int fd);

/* Lets a group write the inputs that are staged. -1: said why. */
int pins_share(const struct pins *pins, const char *group);

/* Makes the staged folder the cgroup's; what was that is removed. -1: said why. */
int pins_publish(const struct pins *pins);

/* The cgroup's link becomes another one, in one step. -1: said why. */
int pins_relink(const struct pins *pins, int link);

/* Remove a folder and all that is in it, the link first. -1: said why. */
int pins_unstage(const struct pins *pins);
int pins_remove(const struct pins *pins);

/* Opens what is pinned under a name; -1 and errno. */
int pins_open(const struct pins *pins, const char *name, bool write);

#define POLICY_NAME_SIZE 64

/*
 * The policy that is pinned: its name, and its struct_ops map's descriptor if `ops` is not NULL (-1: it is not to be had). False: there
 * is none, or its link is dead; the name is told nevertheless if it is known, else empty.
 */
bool pins_policy(const struct pins *pins, char name[POLICY_NAME_SIZE], int *ops);

/* The ids of all cgroups that have a policy, sorted; puts in order what killed loaders left. -1: said why. To be freed. */
int pins_list(uint64_t **ids);

#endif
