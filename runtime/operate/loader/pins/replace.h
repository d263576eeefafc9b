/* SPDX-License-Identifier: MIT */
/*
 * The policy that another one replaces. The kernel exchanges them through the link: one of them governs all the time. A kernel that cannot
 * do so has one policy a cgroup. Then there is a gap, in which the kernel's own reclaim governs; it begins when the new policy is loaded
 * and pinned, but not attached.
 */
#ifndef LOADER_REPLACE_H
#define LOADER_REPLACE_H

#include <bpf/libbpf.h>

#include "manifest/manifest.h"
#include "pins/ungoverned.h"
#include "pins/pins.h"
#include "system/stat_text.h"

#define ATTACH_STRUCT_OPS ((enum bpf_attach_type)44) /* BPF_STRUCT_OPS, which the headers of Linux 6.1 lack */

struct old_policy {
	bool governs; /* or has the link; false: there is no policy, or its link is dead */
	char name[NAME_SIZE];
	int ops; /* its struct_ops map, to attach it again; or -1 */
	bool ended; /* its link is alive, but it governs no more */
	struct ending ending;
	bool had_gap;
	struct ungoverned ungoverned;
};

enum exchange {
	EXCHANGED,
	NO_EXCHANGE, /* the kernel cannot do it; nothing has changed */
	REFUSED_EXCHANGE, /* the kernel refused the new policy, with errno; nothing has changed */
	BROKEN_EXCHANGE, /* reported */
};

/*
 * Makes a map ready for a link: libbpf fills it when it makes a link, and offers no other way. The kernel then refuses the link, because
 * the cgroup has a policy of the kind (EBUSY). 0, or a negative errno.
 */
int make_ready(const struct bpf_map *ops);

/* Reads what is pinned for the cgroup. */
void old_policy_open(struct old_policy *old, const struct pins *pins);

void old_policy_close(struct old_policy *old);

/* Puts the policy of the struct_ops map `ops`, whose other pins are staged, in the old one's place, through the link. */
enum exchange old_policy_exchange(const struct old_policy *old, const struct pins *pins, const struct bpf_map *ops);

/* The same for the descriptor of a struct_ops map that was attached before. */
enum exchange old_policy_exchange_back(const struct old_policy *old, const struct pins *pins, int ops);

/* After an exchange, the new policy's init has failed, and the kernel goes on with the old one: its link and pins say so again. */
void old_policy_takes_back(const struct old_policy *old, const struct pins *pins);

/* Detaches it; the gap begins. -1: reported, and the policy still governs. */
int old_policy_detach(struct old_policy *old, const struct pins *pins, const struct cgroup *cgroup);

/*
 * Attaches the old policy again after the new one failed, with its states, inputs and ghosts. Reports the result.
 */
void old_policy_restore(const struct old_policy *old, const struct pins *pins, const struct cgroup *cgroup);

/* Says how `policy` came in the place of the old one. */
void old_policy_report(const struct old_policy *old, const char *policy);

#endif
