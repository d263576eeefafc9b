/* SPDX-License-Identifier: MIT */
#ifndef LOADER_COMMANDS_H
#define LOADER_COMMANDS_H

#include "util.h"

struct attach_options {
	const char *object, *cgroup;
	const char **settings;
	int n_settings;
};

/* Each returns 0, or -1 after it said why. A cgroup is given by its path, or, where `id` is not 0, by its id. */
int command_attach(const struct attach_options *options);
int command_detach(const char *cgroup, uint64_t id);
int command_list(bool json);
int command_stat(const char *cgroup, uint64_t id, bool json);

#endif
