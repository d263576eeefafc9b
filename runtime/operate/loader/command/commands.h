/* SPDX-License-Identifier: MIT */
#ifndef LOADER_COMMANDS_H
#define LOADER_COMMANDS_H

#include "system/kind.h"
#include "system/util.h"

struct attach_options {
	const char *object, *cgroup;
	const char **settings; /* name=value */
	int n_settings;
	const char **inputs; /* name=value,value,... */
	int n_inputs;
	const char *input_group; /* may write the inputs; NULL: root only */
	const char *tag;	 /* who or what attaches it (origin.h); NULL: not said */
	bool replace;
	bool keep_old; /* the policy that is replaced, for a rollback (rollback_pins.h) */
	bool dry_run; /* load it, as the attach would, and leave nothing */
	bool unpinned; /* pin nothing: the policy lives with this process (unpinned.h) */
};

struct rollback_options {
	struct which which;
	const char *cgroup;
	const char *tag; /* only if the cgroup's policy has this tag (origin.h); NULL: whatever it has */
	bool forget;	 /* keep the policy that is attached, and remove the one that was kept */
};

struct input_options {
	const char *cgroup;
	struct which which;
	const char *name, *action; /* list, add, remove, clear, load; NULL: show all inputs */
	const char *format; /* of the file to load: text or binary; NULL: what it looks like */
	const char **values;
	int n_values;
	bool json;
};

struct observe_command {
	const char *object, *cgroup;
	bool heat;	     /* count runs of pages, too */
	uint64_t heat_shift; /* 2 to this power: pages of a run */
};

struct record_command {
	const char *object, *cgroup;
	uint64_t seconds; /* 0: until a signal comes */
	bool comm;        /* names of commands, too */
	bool names;       /* names of files, too */
};

struct govern_command {
	const char *object, *policy, *cgroup; /* the recorder's object; the shared object of the policy */
	const char *name;	/* of the policy, for messages */
	const char **params;	/* raw numbers, in the order of declaration */
	int n_params;
	uint64_t margin;  /* bytes below the limit; 0: a share of it */
	uint64_t percent; /* of a processor, at most */
};

/* Each returns 0, or -1 after it reported. A cgroup is given by its path, or by its id if `id` is not 0. */
int command_attach(const struct attach_options *options);
/* Without `which->only_prefetch`: all kinds. `tag`: only what has this tag (origin.h); NULL: whatever it has. */
int command_detach(const struct which *which, const char *cgroup, uint64_t id, const char *tag);
int command_detach_gone(void); /* the policies of all removed cgroups */
int command_input(const struct input_options *options);
int command_govern(const struct govern_command *command); /* until a signal comes, or the cgroup goes */
int command_identify(const char **paths, int n); /* prints device, inode and id of each */
int command_list(bool all, bool json); /* all: also policies that have ended and left nothing pinned */
int command_observe(const struct observe_command *command); /* until standard input ends */
int command_record(const struct record_command *command);
int command_rollback(const struct rollback_options *options);
int command_set(const struct which *which, const char *cgroup, const char **settings, int n, bool json); /* no settings: shows the params */
/* state: what the policy holds, in place of statistics. Without `which->only_prefetch`: of all kinds. */
int command_stat(const struct which *which, const char *cgroup, uint64_t id, bool state, bool json);
int command_stat_all(void); /* as JSON */

#endif
