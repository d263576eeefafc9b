/* SPDX-License-Identifier: MIT */
#ifndef LOADER_CGROUP_H
#define LOADER_CGROUP_H

#include "system/util.h"

struct cgroup {
	int fd;
	int procs; /* its cgroup.procs, open for writing; -1: not opened */
	uint64_t id;
	char *path; /* in this mount namespace, or as the user wrote it */
};

/* Opens a cgroup by path: a folder of cgroup2, and not its root. -1: reported. */
int cgroup_open(struct cgroup *cgroup, const char *path);

/* Opens its cgroup.procs for writing: the kernel lets nobody else attach a policy. -1: reported. */
int cgroup_open_procs(struct cgroup *cgroup);

void cgroup_close(struct cgroup *cgroup);

/* Checks that the memory controller is on. cache_ext: the kernel needs that, too. -1: reported, with what to do. */
int cgroup_check_memory(const struct cgroup *cgroup, bool cache_ext);

/* Whether the folder `dir` is a cgroup2 cgroup with a parent. */
bool cgroup_is_below_root(int dir);

/* Whether it was removed since it was opened. */
bool cgroup_is_gone(const struct cgroup *cgroup);

/* Whether it is the cgroup with this id, or below it. */
bool cgroup_is_in(const struct cgroup *cgroup, uint64_t id);

/* A number in memory.stat of the cgroup's folder `dir`; 0: it is not there. `name` ends with a space: "pgsteal ". */
uint64_t cgroup_counter(int dir, const char *name);

/*
 * The path of the cgroup with this id, which the caller frees. NULL: the cgroup was removed, and `gone` is set; or it cannot be found
 * (without CAP_DAC_READ_SEARCH, or where cgroup2 is not mounted).
 */
char *cgroup_path(uint64_t id, bool *gone);

#endif
