/* SPDX-License-Identifier: MIT */
#ifndef LOADER_STATE_SHOW_H
#define LOADER_STATE_SHOW_H

#include "manifest/manifest.h"

/* What an attached policy holds, besides its lists. */
struct held {
	byte *states; /* the variable `cpol_state`; NULL: the policy has none */
	size_t states_size;
	uint32_t *ghosts; /* entries */
	byte **tables;
};

/* Writes it to standard output. `line` is the policy's line of the statistics, which this changes; `path` names the cgroup. */
void state_show(const struct manifest *manifest, const struct held *held, char *line, const char *path, bool json);

#endif
