/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attached.h"
#include "commands.h"
#include "system.h"

static int detach(uint64_t id, const char *called)
{
	struct pins pins;
	char name[NAME_SIZE];
	struct manifest manifest;
	int status = pins_lock(&pins, id, false), link;

	if (status == -2)
		return fail("%s has no policy", called);
	if (status)
		return -1;
	link = pins_link(&pins);
	if (link >= 0)
		close(link);
	pins_policy(&pins, name, NULL);
	if (!attached_manifest(&pins, called, true, &manifest)) { /* which has the whole name */
		snprintf(name, sizeof(name), "%s", manifest.policy);
		manifest_free(&manifest);
	}
	status = pins_remove(&pins);
	pins_unlock(&pins);
	if (status)
		return -1;
	if (link < 0)
		return fail("%s has no policy", called);
	printf("%s is detached from ", *name ? name : "the policy");
	print_text(stdout, called);
	putchar('\n');
	return 0;
}

int command_detach(const char *path, uint64_t id)
{
	struct cgroup cgroup = { .fd = -1 };
	char called[64];
	sigset_t all;
	int status;

	if (id) {
		snprintf(called, sizeof(called), "the cgroup with id %" PRIu64, id);
		if (check_privileges())
			return -1;
	} else if (cgroup_open(&cgroup, path)) {
		return -1;
	} else if (check_privileges()) {
		cgroup_close(&cgroup);
		return -1;
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	status = detach(id ? id : cgroup.id, id ? called : cgroup.path);
	cgroup_close(&cgroup);
	return status;
}

int command_detach_gone(void)
{
	uint64_t *ids = NULL;
	sigset_t all;
	int n, status = 0;

	if (check_privileges())
		return -1;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	n = pins_list(&ids);
	for (int i = 0; i < n; i++) {
		bool gone;
		char *path = cgroup_path(ids[i], &gone), called[64];

		snprintf(called, sizeof(called), "the removed cgroup with id %" PRIu64, ids[i]);
		if (gone && detach(ids[i], called))
			status = -1;
		free(path);
	}
	free(ids);
	return n < 0 ? -1 : status;
}
