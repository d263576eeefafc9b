/* SPDX-License-Identifier: MIT */
#include "system/begun.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "system/stat_read.h"
#include "system/stat_text.h"

#define PATIENCE_MS 10000
#define PAUSE_MS 5

int64_t init_code(uint64_t cgroup, enum policy_kind kind, uint64_t since_ms)
{
	char *text = stat_read(kind, true);
	struct ending *endings = NULL;
	int n = text ? stat_policies(text, true, &endings) : 0;
	int64_t code = 0;

	for (int i = 0; i < n; i++)
		if (endings[i].cgroup == cgroup && endings[i].ended_ms >= since_ms && !strcmp(endings[i].exit, "init"))
			code = endings[i].code;
	free(endings);
	free(text);
	return code;
}

/* Whether the init of the cgroup's policy has still to run. Without the right to read the kernel's statistics, there is no wait. */
static bool is_beginning(const struct cgroup *cgroup, enum policy_kind kind)
{
	char *text = stat_read(kind, true);
	char *line = text ? stat_line_of(text, cgroup->id) : NULL;
	struct ending ending;
	bool ret = line && !stat_ending(line, &ending) && !strcmp(ending.state, "init");

	free(line);
	free(text);
	return ret;
}

bool has_begun(const struct cgroup *cgroup, enum policy_kind kind, uint64_t since_ms)
{
	struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };

	for (int left = PATIENCE_MS / PAUSE_MS; is_beginning(cgroup, kind); left--) {
		if (!left) {
			errno = ETIMEDOUT;
			return false;
		}
		nanosleep(&pause, NULL);
	}
	errno = EINVAL;
	return !init_code(cgroup->id, kind, since_ms);
}
