/* SPDX-License-Identifier: MIT */
#ifndef LOADER_COMMANDS_H
#define LOADER_COMMANDS_H

#include "util.h"

struct attach_options {
	const char *object, *cgroup;
	const char **settings; /* name=value */
	int n_settings;
	const char **inputs; /* name=value,value,... */
	int n_inputs;
	const char *input_group; /* may write the inputs; NULL: root only */
	bool replace;
};

struct input_options {
	const char *cgroup;
	const char *name, *action; /* list, add, remove, clear; NULL: show all inputs */
	const char **values;
	int n_values;
	bool json;
};

struct record_command {
	const char *object, *cgroup;
	uint64_t seconds; /* 0: until a signal comes */
	bool comm;        /* names of commands, too */
};

/* Each returns 0, or -1 after it reported. A cgroup is given by its path, or by its id if `id` is not 0. */
int command_attach(const struct attach_options *options);
int command_detach(const char *cgroup, uint64_t id);
int command_detach_gone(void); /* the policies of all removed cgroups */
int command_input(const struct input_options *options);
int command_list(bool all, bool json); /* all: also policies that have ended and left nothing pinned */
int command_record(const struct record_command *command);
int command_set(const char *cgroup, const char **settings, int n, bool json); /* no settings: shows the params */
int command_stat(const char *cgroup, uint64_t id, bool state, bool json); /* state: what the policy holds, in place of statistics */
int command_stat_all(void); /* as JSON */

/* The kernel's statistics as text (stat_text.h), which the caller frees. NULL: there are none, which is reported unless `quiet`. */
char *stat_read(bool quiet);

#endif
