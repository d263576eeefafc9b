/* SPDX-License-Identifier: MIT */
#include "command/attach_explain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/begun.h"

#define MODULE_BTF "/sys/kernel/btf/cache_ext" /* not there: cache_ext is a part of the kernel */

/* The module cannot hook in then: the kernel answers EBUSY, as if there were a policy, and tells it as a failure of init. */
static bool ftrace_is_off(void)
{
	char *text = access(MODULE_BTF, F_OK) ? NULL : read_file_at(AT_FDCWD, "/proc/sys/kernel/ftrace_enabled", 16, NULL);
	bool off = text && *text == '0';

	free(text);
	return off;
}

int explain_attach(int error, const char *policy, const struct cgroup *cgroup, enum policy_kind kind, uint64_t since_ms,
		   const char *old)
{
	int64_t code = init_code(cgroup->id, kind, since_ms);
	char why[128], rest[128] = "";

	if (old)
		snprintf(rest, sizeof(rest), "; %s governs as before", old);
	if ((error == EBUSY || code == -EBUSY) && ftrace_is_off())
		snprintf(why, sizeof(why), "the module hooks in by ftrace, which is switched off (sysctl kernel.ftrace_enabled=1)");
	else if (code == -EBUSY)
		snprintf(why, sizeof(why), "its init failed, or a live patch changes what the module hooks (dmesg names it): %s", reason(EBUSY));
	else if (code)
		snprintf(why, sizeof(why), "the policy's init failed with code %" PRId64 " (%s)", code,
			 code < 0 && code > -4096 ? reason((int)-code) : "its own");
	else if (error == ETIMEDOUT)
		snprintf(why, sizeof(why), "its init has not ended");
	else if (error == EBUSY)
		snprintf(why, sizeof(why), "another program attached a policy there (bpftool struct_ops list shows it)");
	else if (error == ENOENT || error == EINVAL)
		snprintf(why, sizeof(why), "the cgroup was removed, or the policy's init failed (%s)", reason(error));
	else
		snprintf(why, sizeof(why), "%s", reason(error));
	return fail("the kernel refused to attach %s to %s: %s%s", policy, cgroup->path, why, rest);
}
