/* SPDX-License-Identifier: MIT */
/* A cgroup of a kernel that is made up, which root governs: in place of the loader's functions of these names. */
#ifndef MADE_UP_CGROUP_H
#define MADE_UP_CGROUP_H

#include <string.h>

#include "system/cgroup.h"
#include "system/system.h"

int check_privileges(void)
{
	return 0;
}

int cgroup_open(struct cgroup *cgroup, const char *path)
{
	*cgroup = (struct cgroup){ .path = strdup(path), .fd = -1, .id = 7 };
	return 0;
}

int cgroup_open_procs(struct cgroup *cgroup)
{
	cgroup->procs = -1;
	return 0;
}

int cgroup_check_memory(const struct cgroup *cgroup, bool limit)
{
	(void)cgroup;
	(void)limit;
	return 0;
}

#endif
