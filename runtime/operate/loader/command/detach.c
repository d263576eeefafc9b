/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/commands.h"
#include "pins/attached.h"
#include "pins/rollback_pins.h"
#include "pins/origin.h"
#include "system/audit.h"
#include "system/stat_read.h"
#include "system/system.h"

/* Detaches the policy of one kind, if it has the tag; NULL: whatever it has. 1: there is none, which is not reported. */
static int detach_kind(uint64_t id, enum policy_kind kind, const char *called, const char *tag)
{
	struct pins pins;
	char name[NAME_SIZE];
	struct manifest manifest;
	struct audit entry = { .action = "detach", .policy = name, .cgroup = called, .id = id, .tag = tag };
	int status = pins_lock(&pins, id, kind, false), link;

	if (status == -2)
		return 1;
	if (status)
		return -1;
	if (tag && strcmp(tag, origin_read(&pins).tag)) {
		pins_unlock(&pins);
		return 1;
	}
	link = pins_link(&pins);
	if (link >= 0)
		close(link);
	pins_policy(&pins, name, NULL);
	if (!attached_manifest(&pins, called, true, &manifest)) { /* which has the whole name */
		snprintf(name, sizeof(name), "%s", manifest.policy);
		manifest_free(&manifest);
	}
	status = pins_remove(&pins) || rollback_pins_remove(&pins) ? -1 : 0;
	pins_unlock(&pins);
	if (status || link >= 0)
		audit(&entry, status);
	if (status)
		return -1;
	if (link < 0)
		return 1;
	printf("%s is detached from ", *name ? name : "the policy");
	print_text(stdout, called);
	putchar('\n');
	return 0;
}

static int detach(const struct which *which, uint64_t id, const char *called, const char *tag)
{
	int found = 0, failed = 0;

	for (int kind = which->only_prefetch ? PREFETCHES : EVICTS; kind < POLICY_KINDS; kind++) {
		int status = detach_kind(id, (enum policy_kind)kind, called, tag);

		found |= !status;
		failed |= status < 0;
	}
	if (failed)
		return -1;
	if (found)
		return 0;
	if (tag)
		return fail("%s has no policy%s with the tag %s", called, which->only_prefetch ? " that prefetches" : "", tag);
	return no_policy(called, id, which->only_prefetch ? PREFETCHES : EVICTS, which->only_prefetch ? " that prefetches" : "");
}

int command_detach(const struct which *which, const char *path, uint64_t id, const char *tag)
{
	struct cgroup cgroup = { .fd = -1, .procs = -1 };
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
	status = detach(which, id ? id : cgroup.id, id ? called : cgroup.path, tag);
	cgroup_close(&cgroup);
	return status;
}

int command_detach_gone(void)
{
	struct pinned *pinned = NULL;
	sigset_t all;
	int n, status = 0;
	bool whole;

	if (check_privileges())
		return -1;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	n = pins_list(&pinned, &whole);
	for (int i = 0; i < n; i++) {
		bool gone;
		char *path = cgroup_path(pinned[i].id, &gone), called[64];

		snprintf(called, sizeof(called), "the removed cgroup with id %" PRIu64, pinned[i].id);
		if (gone && detach_kind(pinned[i].id, pinned[i].kind, called, NULL) < 0)
			status = -1;
		free(path);
	}
	free(pinned);
	return whole ? status : -1;
}
