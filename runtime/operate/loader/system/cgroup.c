/* SPDX-License-Identifier: MIT */
#include "system/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "system/system.h"

#define ROOT_ID 1
#define KERNFS_HANDLE 0xfe /* FILEID_KERNFS: the handle is the id */
#define SMALL_FILE 65536

static char *path_of(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return NULL;
	path[length] = '\0';
	return need(strdup(path));
}

#define TO_MOUNT "no cgroup2 hierarchy is mounted; mount it: mount -t cgroup2 none /sys/fs/cgroup (where version 1 is mounted there, " \
		 "boot with systemd.unified_cgroup_hierarchy=1)"

/* A mount point of cgroup2, which the caller frees; NULL: none. */
static char *cgroup_mount(void)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, *found = NULL;
	size_t size = 0;

	while (mounts && !found && getline(&line, &size, mounts) > 0) {
		char *type = strstr(line, " - "), *words[5], *save = NULL;
		int n = 0;

		if (!type || strncmp(type, " - cgroup2 ", 11))
			continue;
		for (char *word = strtok_r(line, " ", &save); word && n < 5; word = strtok_r(NULL, " ", &save))
			words[n++] = word;
		if (n == 5)
			found = need(strdup(words[4]));
	}
	free(line);
	if (mounts)
		fclose(mounts);
	return found;
}

/* Whether it can be told that no path is a cgroup. */
static bool none_is_mounted(void)
{
	char *mount = cgroup_mount();

	free(mount);
	return !mount && !access("/proc/self/mountinfo", R_OK);
}

int cgroup_open(struct cgroup *cgroup, const char *path)
{
	struct statfs file_system;
	struct stat status;

	memset(cgroup, 0, sizeof(*cgroup));
	cgroup->procs = -1;
	cgroup->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cgroup->fd < 0) {
		if (errno == ENOENT && none_is_mounted())
			return fail("there is no cgroup %s: " TO_MOUNT, path);
		if (errno == ENOENT)
			return fail("there is no cgroup %s; make it with mkdir (under /sys/fs/cgroup)", path);
		if (errno == ENOTDIR)
			return fail("%s is not a cgroup, but a file; name a folder under /sys/fs/cgroup", path);
		return fail("cannot open the cgroup %s: %s", path, reason(errno));
	}
	if (fstatfs(cgroup->fd, &file_system) || fstat(cgroup->fd, &status)) {
		fail("cannot read the cgroup %s: %s", path, reason(errno));
		goto bad;
	}
	if (file_system.f_type != CGROUP2_SUPER_MAGIC) {
		if (none_is_mounted())
			fail("%s is not a cgroup: " TO_MOUNT, path);
		else if (file_system.f_type == CGROUP_SUPER_MAGIC || file_system.f_type == TMPFS_MAGIC)
			fail("%s is not a version 2 cgroup (cgroup2, usually at /sys/fs/cgroup)", path);
		else
			fail("%s is not a cgroup: it is not on a cgroup2 file system (usually /sys/fs/cgroup)", path);
		goto bad;
	}
	if (status.st_ino == ROOT_ID) {
		fail("%s is the root cgroup, which has no memory limit: name a cgroup below it", path);
		goto bad;
	}
	cgroup->id = status.st_ino;
	cgroup->path = path_of(cgroup->fd);
	if (!cgroup->path)
		cgroup->path = need(strdup(path));
	return 0;
bad:
	cgroup_close(cgroup);
	return -1;
}

int cgroup_open_procs(struct cgroup *cgroup)
{
	cgroup->procs = openat(cgroup->fd, "cgroup.procs", O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (cgroup->procs >= 0)
		return 0;
	if (errno == EACCES || errno == EPERM)
		return fail("no permission to attach a policy to %s: only who may move processes there may, so it takes the right to write "
			    "%s/cgroup.procs; run this as root, or as the user whom the cgroup is delegated to", cgroup->path,
			    cgroup->path);
	return fail("cannot open %s/cgroup.procs for writing: %s", cgroup->path, reason(errno));
}

void cgroup_close(struct cgroup *cgroup)
{
	if (cgroup->fd >= 0)
		close(cgroup->fd);
	if (cgroup->procs >= 0)
		close(cgroup->procs);
	cgroup->fd = cgroup->procs = -1;
	free(cgroup->path);
	cgroup->path = NULL;
}

bool cgroup_is_gone(const struct cgroup *cgroup)
{
	return faccessat(cgroup->fd, "cgroup.procs", F_OK, AT_EACCESS) && (errno == ENOENT || errno == ENODEV);
}

bool cgroup_is_below_root(int dir)
{
	struct statfs file_system;
	struct stat status;

	return !fstatfs(dir, &file_system) && file_system.f_type == CGROUP2_SUPER_MAGIC && !fstat(dir, &status) &&
	       status.st_ino != ROOT_ID;
}

bool cgroup_is_in(const struct cgroup *cgroup, uint64_t id)
{
	int dir = openat(cgroup->fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool found = false;

	while (dir >= 0 && !found && cgroup_is_below_root(dir)) {
		int above = openat(dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		struct stat status;

		found = !fstat(dir, &status) && status.st_ino == id;
		close(dir);
		dir = above;
	}
	if (dir >= 0)
		close(dir);
	return found;
}

int cgroup_check_memory(const struct cgroup *cgroup, bool cache_ext)
{
	char *parent, *slash;

	if (!faccessat(cgroup->fd, "memory.max", F_OK, 0))
		return 0;
	if (cache_ext && check_kernel()) /* if so, the better reason */
		return -1;
	parent = need(strdup(cgroup->path));
	slash = strrchr(parent, '/');
	if (slash)
		*slash = '\0';
	fail("%s has no memory controller; turn it on: echo +memory > %s/cgroup.subtree_control", cgroup->path, parent);
	free(parent);
	return -1;
}

uint64_t cgroup_counter(int dir, const char *name)
{
	char *text = read_file_at(dir, "memory.stat", SMALL_FILE, NULL), *line = text;
	uint64_t value = 0;

	while (line && *line) {
		char *end = line + strcspn(line, "\n");
		bool last = !*end;

		*end = '\0';
		if (!strncmp(line, name, strlen(name)) && parse_u64(line + strlen(name), &value))
			break;
		line = last ? NULL : end + 1;
	}
	free(text);
	return value;
}

char *cgroup_path(uint64_t id, bool *gone)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(uint64_t)];
	} name = { .handle = { .handle_bytes = sizeof(id), .handle_type = KERNFS_HANDLE } };
	char *mount = cgroup_mount(), *path = NULL;
	int dir, fd;

	*gone = false;
	if (!mount)
		return NULL;
	dir = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(mount);
	if (dir < 0)
		return NULL;
	memcpy(name.handle.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(dir, &name.handle, O_PATH | O_CLOEXEC);
	*gone = fd < 0 && errno == ESTALE;
	if (fd >= 0) {
		path = path_of(fd);
		close(fd);
	}
	close(dir);
	return path;
}
