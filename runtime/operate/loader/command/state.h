/* SPDX-License-Identifier: MIT */
#ifndef LOADER_STATE_H
#define LOADER_STATE_H

#include "system/kind.h"
#include "system/util.h"

/* Reads what an attached policy holds, and shows it. `line` is the policy's line of the statistics, which this changes; `path` names the cgroup. -1: reported. */
int state_of(char *line, uint64_t id, enum policy_kind kind, const char *path, bool json);

#endif
