/* SPDX-License-Identifier: MIT */
#ifndef LOADER_ATTACH_EXPLAIN_H
#define LOADER_ATTACH_EXPLAIN_H

#include "system/cgroup.h"
#include "system/kind.h"

/*
 * Says why the kernel refused to attach `policy` with `error`. `since_ms`: when that began, in milliseconds of CLOCK_BOOTTIME. `old`: the
 * policy that it should have replaced and that governs as before; NULL: there is none. Returns -1.
 */
int explain_attach(int error, const char *policy, const struct cgroup *cgroup, enum policy_kind kind, uint64_t since_ms,
		   const char *old);

#endif
