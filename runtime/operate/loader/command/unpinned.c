/* SPDX-License-Identifier: MIT */
#include "command/unpinned.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <time.h>
#include <unistd.h>

#include "command/attach_explain.h"
#include "system/begun.h"
#include "system/stat_text.h"

#define PAUSE_MS 20
#define PAUSES 500
#define WALK_FDS 16

/* Kills all processes of the cgroup and of those below it. A cgroup without processes is no error. */
static void kill_all(const struct cgroup *cgroup)
{
	int fd = openat(cgroup->fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1", 1) != 1)
		fail("cannot end the processes in %s: %s", cgroup->path, reason(errno));
	close(fd);
}

/* Removes a folder that nftw() found. One that stays is tried again, so the walk goes on. */
static int remove_folder(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status;
	(void)at;
	if (kind == FTW_DP)
		rmdir(path);
	return 0;
}

/* Removes the cgroup's folder and those that were made below it, the lowest first, once what was killed has gone. */
static int remove_cgroup(const struct cgroup *cgroup)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };

	for (int i = 0; i < PAUSES; i++) {
		nftw(cgroup->path, remove_folder, WALK_FDS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
		if (!rmdir(cgroup->path) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	return fail("cannot remove the cgroup %s: %s", cgroup->path, reason(errno));
}

/* Returns when standard input has ended. */
static void wait_for_end(void)
{
	char ignored[64];
	ssize_t n;

	do
		n = read(STDIN_FILENO, ignored, sizeof(ignored));
	while (n > 0 || (n < 0 && errno == EINTR));
}

int attach_unpinned(const struct bpf_map *ops, const struct cgroup *cgroup, struct audit *entry)
{
	uint64_t since = boot_ms();
	struct bpf_link *link = bpf_map__attach_struct_ops(ops);

	if (!link)
		return explain_attach(errno, entry->policy, cgroup, PREFETCHES, since, NULL);
	if (!has_begun(cgroup, PREFETCHES, since)) {
		explain_attach(errno, entry->policy, cgroup, PREFETCHES, since, NULL);
		bpf_link__destroy(link);
		return -1;
	}
	audit(entry, 0);
	entry->action = "detach-unpinned";
	printf("%s is attached\n", entry->policy);
	fflush(stdout);
	wait_for_end();
	kill_all(cgroup);
	bpf_link__destroy(link);
	return remove_cgroup(cgroup);
}
