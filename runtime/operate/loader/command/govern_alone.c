/* SPDX-License-Identifier: MIT */
/*
 * One policy a cgroup. Each process that governs holds the lock of a file with the cgroup's id in a folder that only root may enter: who may read
 * a cgroup's folder can lock that, and keep root out. What a process left that has ended, the next one removes.
 */
#include "command/govern_alone.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/contract.h"
#include "system/stat_read.h"
#include "system/stat_text.h"

#define LOCKS "/run/cpol-govern"
#define LOCK_FLAGS (O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
#define NAME_SIZE 32

/* Whether one of the two is the other, or below it. */
static bool overlap(const struct cgroup *cgroup, uint64_t id)
{
	bool gone, found = cgroup_is_in(cgroup, id);
	char *path = found ? NULL : cgroup_path(id, &gone);
	struct cgroup other = { .fd = path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1 };

	free(path);
	if (other.fd < 0)
		return found;
	found = cgroup_is_in(&other, cgroup->id);
	close(other.fd);
	return found;
}

/* For messages; the caller frees it. */
static char *place_of(uint64_t id)
{
	bool gone;
	char *path = cgroup_path(id, &gone);

	if (!path && asprintf(&path, "the cgroup %" PRIu64, id) < 0)
		path = NULL;
	return need(path);
}

static int check_policies(const struct cgroup *cgroup)
{
	char *text = stat_read(EVICTS, true);
	struct ending *policies = NULL;
	int n = text ? stat_policies(text, false, &policies) : 0, status = 0;

	for (int i = 0; i < n && !status; i++) {
		char *place = overlap(cgroup, policies[i].cgroup) ? place_of(policies[i].cgroup) : NULL;

		if (place)
			status = fail("the policy %s governs %s in the kernel; detach it first: cpolc detach %s", policies[i].name, place, place);
		free(place);
	}
	free(policies);
	free(text);
	return status;
}

/* The folder of the locks, which is locked itself as long as it is open. -1: reported. */
static int open_locks(void)
{
	struct stat status;
	int folder;

	if (mkdir(LOCKS, 0700) && errno != EEXIST)
		return fail("cannot make the folder " LOCKS ": %s", reason(errno));
	folder = open(LOCKS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0 || fstat(folder, &status) || flock(folder, LOCK_EX)) {
		fail("cannot open the folder " LOCKS ": %s", reason(errno));
	} else if (status.st_uid || status.st_mode & 077) {
		fail(LOCKS " is not root's alone, so its locks mean nothing; remove it: rm -r " LOCKS);
	} else {
		return folder;
	}
	if (folder >= 0)
		close(folder);
	return -1;
}

/* Looks at the lock of another cgroup, and removes it if nobody holds it. -1: reported. */
static int check_lock(int folder, const char *name, const struct cgroup *cgroup)
{
	uint64_t id;
	int fd = parse_u64(name, &id) ? openat(folder, name, LOCK_FLAGS) : -1, status = 0;
	char *place;

	if (fd < 0)
		return 0;
	if (!flock(fd, LOCK_EX | LOCK_NB)) {
		unlinkat(folder, name, 0);
	} else if (overlap(cgroup, id)) {
		place = place_of(id);
		status = fail("another process governs %s (cpolc attach --glue user); end that first", place);
		free(place);
	}
	close(fd);
	return status;
}

static int check_locks(int folder, const struct cgroup *cgroup)
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), status = 0;
	DIR *all = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	if (!all) {
		if (again >= 0)
			close(again);
		return fail("cannot read the folder " LOCKS ": %s", reason(errno));
	}
	while (!status && (entry = readdir(all)))
		status = check_lock(folder, entry->d_name, cgroup);
	closedir(all);
	return status;
}

int govern_alone(const struct cgroup *cgroup)
{
	int folder = check_policies(cgroup) ? -1 : open_locks(), status, fd;
	char name[NAME_SIZE];

	if (folder < 0)
		return -1;
	status = check_locks(folder, cgroup);
	snprintf(name, sizeof(name), "%" PRIu64, cgroup->id);
	if (!status) {
		fd = openat(folder, name, LOCK_FLAGS | O_CREAT, 0600); /* open until the process ends */
		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
			status = fail("cannot lock " LOCKS "/%s: %s", name, reason(errno));
	}
	close(folder);
	return status;
}
