/* SPDX-License-Identifier: MIT */
#ifndef LOADER_STAT_SHOW_H
#define LOADER_STAT_SHOW_H

#include "util.h"

/*
 * Writes a line of the statistics, which it changes, to standard output. `path` names the cgroup; NULL: null, only with `json`. `held`:
 * a pin still holds the link of this policy, which counts if it has ended.
 */
void stat_show(char *line, uint64_t id, const char *path, bool held, bool json);

#endif
