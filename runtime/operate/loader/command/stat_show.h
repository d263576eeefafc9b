/* SPDX-License-Identifier: MIT */
#ifndef LOADER_STAT_SHOW_H
#define LOADER_STAT_SHOW_H

#include "system/kind.h"
#include "system/util.h"

/* Writes a line of the statistics, which it changes, to standard output. `path` names the cgroup; NULL: null, only with `json`. */
void stat_show(char *line, uint64_t id, enum policy_kind kind, const char *path, bool json);

#endif
