/* SPDX-License-Identifier: MIT */
/*
 * What a policy does. A cgroup may have one policy of each kind. A policy that evicts and prefetches counts as EVICTS, and there is no
 * other that prefetches beside it.
 */
#ifndef LOADER_KIND_H
#define LOADER_KIND_H

#include <stdbool.h>

enum policy_kind { EVICTS, PREFETCHES };

#define POLICY_KINDS 2

/* Which policy of a cgroup a command means: the one that evicts, if there is one; else the one that prefetches. */
struct which {
	bool only_prefetch; /* the one that prefetches, also beside one that evicts */
};

/* The word for it in JSON. */
const char *kind_word(enum policy_kind kind);

#endif
