/* SPDX-License-Identifier: MIT */
/*
 * An attached policy needs no process: its pins keep it. PINS has a folder for each cgroup and kind of policy, named by the cgroup's id:
 * ID for a policy that evicts, ID_prefetch for one that only prefetches. It holds the policy's maps, what later commands need of its
 * manifest, and `link`. The link is the policy.
 *
 *     stage:   pin all but the link in PINS/ID_new
 *     attach:  make a link, pin it as PINS/ID_new/link
 *     update:  instead, if there is a policy: pin its link, PINS/ID/link, also as PINS/ID_new/link  ->  update it to the new map
 *     publish: rename PINS/ID_new to PINS/ID, in one step  ->  remove the old PINS/ID
 *
 * A loader that changes anything holds the lock on PINS. It first completes or removes what a killed loader left: it publishes a staged
 * folder whose link has the map of its policy, and removes any other. So the kernel's update of the link decides which policy it is.
 * Where the kernel cannot update a link, the old policy is detached and the new one attached. A kill between the two leaves PINS/ID with
 * a dead link: `list` shows it, `attach` and `detach` remove it.
 */
#ifndef LOADER_PINS_H
#define LOADER_PINS_H

#include "pins/pins_folder.h"
#include "system/kind.h"

struct pins {
	int root; /* descriptor of PINS, locked; -1: not locked */
	uint64_t id;
	enum policy_kind kind;
	char path[96]; /* the cgroup's folder */
	char staged[96];
	char kept[96]; /* of the policy that a trial may bring back (rollback_pins.h) */
};

/* Sets the paths; locks and opens nothing. */
void pins_name(struct pins *pins, uint64_t id, enum policy_kind kind);

/* Opens and locks PINS for a cgroup, and repairs what a killed loader left. -1: reported; -2: PINS is not there, and not `create`. */
int pins_lock(struct pins *pins, uint64_t id, enum policy_kind kind, bool create);

/* The kind of the policy that is meant if nobody says which: EVICTS, unless only one that prefetches is pinned. */
enum policy_kind pins_any(uint64_t id);

void pins_unlock(struct pins *pins);

/* The descriptor of the pinned link; -1: no policy is pinned. */
int pins_link(const struct pins *pins);

/* Makes the staged folder. -1: reported. */
int pins_stage(const struct pins *pins);

/* Pins a descriptor in the staged folder, under a name that bpffs allows. -1: reported. */
int pins_add(const struct pins *pins, const char *name, int fd);

/* Lets a group write the inputs that are staged. -1: reported. */
int pins_share(const struct pins *pins, const char *group);

/* Makes the staged folder the cgroup's, and removes the one before. -1: reported. */
int pins_publish(const struct pins *pins);

/* Pins the cgroup's link in the staged folder, too. -1: reported. */
int pins_lend_link(const struct pins *pins);

/* Undoes that. */
void pins_return_link(const struct pins *pins);

/* Replaces the cgroup's link in one step. -1: reported. */
int pins_relink(const struct pins *pins, int link);

/* Remove a folder and its content, the link first, which is detached unless the other folder has it. -1: reported. */
int pins_unstage(const struct pins *pins);
int pins_remove(const struct pins *pins);

/* Opens the pin of that name; -1 and errno. */
int pins_open(const struct pins *pins, const char *name, bool write);

/*
 * Whether a policy is pinned and its link is alive. `name` becomes its name, also if the link is dead; empty if unknown. `ops`, if not
 * NULL, becomes the descriptor of its struct_ops map, or -1.
 */
bool pins_policy(const struct pins *pins, char name[POLICY_NAME_SIZE], int *ops);

/* Whether its pins are there, but cannot be opened, as on a bpffs that is mounted read-only. Sets errno. */
bool pins_unreadable(const struct pins *pins);

/* Whose pins a folder holds. */
struct pinned {
	uint64_t id; /* of the cgroup */
	enum policy_kind kind;
};

/*
 * All policies that are pinned, sorted by cgroup and kind; the caller frees them. Repairs what killed loaders left, where it can open the
 * pins. `whole` becomes false if a repair failed, which is reported: its policy may be missing. -1: reported, and not whole.
 */
int pins_list(struct pinned **pinned, bool *whole);

#endif
