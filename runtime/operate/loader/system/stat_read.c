/* SPDX-License-Identifier: MIT */
#include "system/stat_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "system/stat_text.h"
#include "system/system.h"

#define MAX_STAT (16 << 20)

static const char *const stat_files[POLICY_KINDS] = {
	[EVICTS] = "/proc/cache_ext/stat",
	[PREFETCHES] = "/proc/prefetch_ext/stat",
};

char *stat_read(enum policy_kind kind, bool quiet)
{
	const char *file = stat_files[kind];
	char *text = read_file_at(AT_FDCWD, file, MAX_STAT, NULL);

	if (!text && errno == ENOENT && kind == PREFETCHES)
		return need(strdup("")); /* a kernel without prefetch_ext */
	if (text || quiet)
		return text;
	if (errno != ENOENT)
		fail("cannot read %s: %s%s", file, reason(errno), errno == EACCES ? " (run it with sudo)" : "");
	else if (!check_kernel())
		fail("there is no %s, although the kernel has cache_ext: it is of an older cpol (build the kernel or the module again), "
		     "or /proc is mounted with subset=pid (mount it without)", file);
	return NULL;
}

int no_policy(const char *called, uint64_t id, enum policy_kind first, const char *what)
{
	char name[64] = "";

	for (int kind = (int)first; kind < POLICY_KINDS && !*name; kind++) {
		char *text = stat_read((enum policy_kind)kind, true);
		struct ending *policies = NULL;
		int n = text ? stat_policies(text, false, &policies) : 0;

		for (int i = 0; i < n; i++)
			if (policies[i].cgroup == id)
				snprintf(name, sizeof(name), "%s", policies[i].name);
		free(policies);
		free(text);
	}
	if (!*name)
		return fail("%s has no policy%s", called, what);
	return fail("%s governs %s, but its pins are not in " PINS ": another file system is mounted over them (grep /sys/fs/bpf /proc/mounts; "
		    "umount it), or another program attached it", name, called);
}
