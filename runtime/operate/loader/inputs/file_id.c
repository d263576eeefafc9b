/* SPDX-License-Identifier: MIT */
#include "inputs/file_id.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MAX_DEPTH 64
#define HANDLE_BYTES 64
#define HANDLE_INO32_GEN 1        /* FILEID_INO32_GEN: inode number, generation */
#define HANDLE_INO32_GEN_PARENT 2 /* FILEID_INO32_GEN_PARENT: the same, then the parent's */
#define HANDLE_INO64_GEN 0x81     /* FILEID_INO64_GEN */
#define HANDLE_FID 0x200          /* AT_HANDLE_FID: the handle is an identity and need not be opened (Linux 6.5) */

/* stat() gives another one for a file system with several (btrfs: one a subvolume). */
int mount_device(uint64_t mount, uint64_t *device)
{
	static uint64_t last_mount, last_device; /* a walk stays on one mount */
	FILE *mounts;
	char *line = NULL;
	size_t size = 0;
	int status = -1;

	if (last_device && mount == last_mount) {
		*device = last_device;
		return 0;
	}
	mounts = fopen("/proc/self/mountinfo", "re");
	while (mounts && status && getline(&line, &size, mounts) > 0) {
		uint64_t id;
		unsigned int parent, major, minor;

		if (sscanf(line, "%" SCNu64 " %u %u:%u", &id, &parent, &major, &minor) != 4 || id != mount)
			continue;
		*device = last_device = KERNEL_DEVICE(major, minor);
		last_mount = mount;
		status = 0;
	}
	free(line);
	if (mounts)
		fclose(mounts);
	return status;
}

bool generation_of(const struct file_handle *handle, uint64_t inode, uint32_t *generation)
{
	uint32_t words[3];
	uint64_t wide_inode;

	if (handle->handle_bytes < 8)
		return false;
	memcpy(words, handle->f_handle, handle->handle_bytes < sizeof(words) ? 8 : sizeof(words));
	switch (handle->handle_type) {
	case HANDLE_INO32_GEN:
	case HANDLE_INO32_GEN_PARENT:
		*generation = words[1];
		return words[0] == (uint32_t)inode;
	case HANDLE_INO64_GEN:
		memcpy(&wide_inode, words, sizeof(wide_inode));
		*generation = words[2];
		return handle->handle_bytes == sizeof(words) && wide_inode == inode;
	default:
		return false;
	}
}

/* The generation from the file's handle, for file systems without FS_IOC_GETVERSION. */
static bool handle_generation(int fd, uint64_t inode, uint32_t *generation)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + HANDLE_BYTES];
	} name = { .handle = { .handle_bytes = HANDLE_BYTES } };
	int mount;

	return !name_to_handle_at(fd, "", &name.handle, &mount, AT_EMPTY_PATH | HANDLE_FID) &&
	       generation_of(&name.handle, inode, generation);
}
/* What an open regular file is. -1: reported. */
static int identity_of(int fd, const char *path, struct file_identity *found)
{
	struct statfs file_system;
	struct statx status;
	uint64_t device;
	uint32_t generation = 0;
	int version = 0;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_MNT_ID, &status) || fstatfs(fd, &file_system))
		return fail("cannot look at %s: %s", path, reason(errno));
	if (!S_ISREG(status.stx_mode))
		return fail("%s is not a regular file: policies govern the pages of regular files only", path);
	if (file_system.f_type == OVERLAYFS_SUPER_MAGIC)
		return fail("%s is on an overlay; the pages belong to the file below it: name the file in the lower or upper folder",
			    path);
	if (file_system.f_type == TMPFS_MAGIC)
		return fail("%s is on tmpfs: policies do not govern its pages", path);
	if (mount_device(status.stx_mnt_id, &device))
		return fail("cannot find the mount of %s in /proc/self/mountinfo", path);
	if (!ioctl(fd, FS_IOC_GETVERSION, &version)) /* the kernel writes an int, although the ioctl's number says long */
		generation = (uint32_t)version;
	else if (!handle_generation(fd, status.stx_ino, &generation))
		return fail("%s: its file system does not report inode generations, which identify a file", path);
	*found = (struct file_identity){
		.device = device,
		.inode = status.stx_ino,
		.id = mix64(status.stx_ino + mix64(device << 32 | generation)),
	};
	return 0;
}

/* Opens a regular file or a folder. -2: it is a link, fifo or device, reported only if `loud`. */
static int open_plain(int dir, const char *name, const char *path, bool loud)
{
	struct stat status;
	int fd;

	if (fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW)) {
		if (!loud && errno == ENOENT) /* removed since the folder was read */
			return -2;
		return fail("cannot look at %s: %s", path, reason(errno));
	}
	if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
		if (!loud)
			return -2;
		return fail("%s is %s: name a regular file or a folder", path,
			    S_ISLNK(status.st_mode) ? "a symbolic link, which is not followed" : "neither a file nor a folder");
	}
	/* O_NONBLOCK: it may have become a fifo meanwhile */
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && !loud && (errno == ENOENT || errno == ELOOP))
		return -2;
	return fd < 0 ? fail("cannot open %s: %s", path, reason(errno)) : fd;
}

struct walk {
	const char *top;
	uint64_t mount, *ids;
	size_t n, most;
};

static uint64_t mount_of(int fd)
{
	struct statx status;

	return statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) ? 0 : status.stx_mnt_id;
}

/* Takes all files under the open folder or file `fd`, and closes it. */
static int walk_into(struct walk *walk, int fd, const char *path, int depth)
{
	struct stat status;
	struct dirent *entry;
	struct file_identity file;
	DIR *dir;
	int result = 0;

	if (fstat(fd, &status))
		result = fail("cannot look at %s: %s", path, reason(errno));
	if (result || !S_ISDIR(status.st_mode)) {
		result = result ? result : identity_of(fd, path, &file);
		close(fd);
		if (result)
			return -1;
		if (walk->n == walk->most)
			return fail("%s has more than %zu files, the most that an input holds", walk->top, walk->most);
		walk->ids = need(realloc(walk->ids, (walk->n + 1) * sizeof(*walk->ids)));
		walk->ids[walk->n++] = file.id;
		return 0;
	}
	if (depth == MAX_DEPTH) {
		close(fd);
		return fail("%s: its folders are nested more than %d deep", walk->top, MAX_DEPTH);
	}
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return fail("cannot read %s: %s", path, reason(errno));
	}
	while (!result && (errno = 0, entry = readdir(dir))) {
		char *below;
		int child;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (asprintf(&below, "%s/%s", path, entry->d_name) < 0)
			need(NULL);
		child = open_plain(dirfd(dir), entry->d_name, below, false);
		if (child == -1)
			result = -1;
		else if (child >= 0 && mount_of(child) != walk->mount)
			close(child);
		else if (child >= 0)
			result = walk_into(walk, child, below, depth + 1);
		free(below);
	}
	if (!result && errno)
		result = fail("cannot read %s: %s", path, reason(errno));
	closedir(dir);
	return result;
}

int file_ids(const char *path, size_t most, uint64_t **ids, size_t *n)
{
	struct walk walk = { .top = path, .most = most };
	int fd = open_plain(AT_FDCWD, path, path, true);

	*ids = NULL;
	*n = 0;
	if (fd < 0)
		return -1;
	walk.mount = mount_of(fd);
	if (walk_into(&walk, fd, path, 0)) {
		free(walk.ids);
		return -1;
	}
	*ids = walk.ids;
	*n = walk.n;
	return 0;
}

int file_identity(const char *path, struct file_identity *found)
{
	int fd = open_plain(AT_FDCWD, path, path, true), status;

	if (fd < 0)
		return -1;
	status = identity_of(fd, path, found);
	close(fd);
	return status;
}

int file_id(const char *path, uint64_t *id)
{
	struct file_identity found;

	if (file_identity(path, &found))
		return -1;
	*id = found.id;
	return 0;
}
