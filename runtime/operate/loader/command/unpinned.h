/* SPDX-License-Identifier: MIT */
/*
 * A policy that lives with this process, for `cpolc uncached`: its link is pinned nowhere. It is attached until standard input ends, which it
 * does however its writer ends. Then the policy is detached, and the cgroup, which was made for it, is ended: its processes are killed,
 * and its folder is removed, with those that they made below it. If this process is killed, the kernel closes the link.
 */
#ifndef LOADER_UNPINNED_H
#define LOADER_UNPINNED_H

#include <bpf/libbpf.h>

#include "system/audit.h"
#include "system/cgroup.h"

/*
 * Attaches `ops`, says so in the journal and on standard output, and returns when all is over. -1: reported. `entry` is then about the
 * detach, if the policy was attached; the caller notes it.
 */
int attach_unpinned(const struct bpf_map *ops, const struct cgroup *cgroup, struct audit *entry);

#endif
