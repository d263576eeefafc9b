/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_CGROUP_H
#define _LINUX_CGROUP_H

#include <linux/memcontrol.h>

#define memory_cgrp_id 0

struct cgroup *cgroup_get_from_id(u64 id);
void cgroup_put(struct cgroup *cgrp);
int cgroup_path(struct cgroup *cgrp, char *path, size_t size);

#endif
