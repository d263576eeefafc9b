/* SPDX-License-Identifier: MIT */
#include "attach_explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "stat_text.h"

/* The code with which the init of a policy of the cgroup failed since then, according to the kernel; 0: it tells of none. */
static int64_t init_code(uint64_t cgroup, uint64_t since_ms)
{
	char *text = stat_read(true);
	struct ending *endings = NULL;
	int n = text ? stat_endings(text, &endings) : 0;
	int64_t code = 0;

	for (int i = 0; i < n; i++)
		if (endings[i].cgroup == cgroup && endings[i].ended_ms >= since_ms && !strcmp(endings[i].exit, "init"))
			code = endings[i].code;
	free(endings);
	free(text);
	return code;
}

int explain_attach(int error, const char *policy, const struct cgroup *cgroup, uint64_t since_ms, const char *old)
{
	int64_t code = init_code(cgroup->id, since_ms);
	char why[128], rest[128] = "";

	if (old)
		snprintf(rest, sizeof(rest), "; %s governs as before", old);
	if (code)
		snprintf(why, sizeof(why), "the policy's init failed with code %" PRId64 " (%s)", code,
			 code < 0 && code > -4096 ? reason((int)-code) : "its own");
	else if (error == EBUSY)
		snprintf(why, sizeof(why), "another program attached a policy there (bpftool struct_ops list shows it)");
	else if (error == ENOENT || error == EINVAL)
		snprintf(why, sizeof(why), "the cgroup was removed, or the policy's init failed (%s)", reason(error));
	else
		snprintf(why, sizeof(why), "%s", reason(error));
	return fail("the kernel refused to attach %s to %s: %s%s", policy, cgroup->path, why, rest);
}
