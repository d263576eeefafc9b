/* SPDX-License-Identifier: MIT */
#include "inputs/device_id.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "inputs/file_id.h"

/* `8:1`. No path looks like that but a relative one. */
static bool parse_numbers(const char *text, uint64_t *id)
{
	const char *colon = strchr(text, ':');
	char major_text[8] = "";
	uint64_t major_number, minor_number;

	if (!colon || colon - text >= (ptrdiff_t)sizeof(major_text))
		return false;
	memcpy(major_text, text, (size_t)(colon - text));
	if (!parse_u64(major_text, &major_number) || !parse_u64(colon + 1, &minor_number) || major_number > MAX_MAJOR ||
	    minor_number > MAX_MINOR)
		return false;
	*id = KERNEL_DEVICE(major_number, minor_number);
	return true;
}

/* Whether a file system is mounted whose superblock has this number. */
static bool is_mounted(uint64_t id)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (mounts && !found && getline(&line, &size, mounts) > 0) {
		unsigned int major_number, minor_number;

		found = sscanf(line, "%*u %*u %u:%u", &major_number, &minor_number) == 2 &&
			KERNEL_DEVICE(major_number, minor_number) == id;
	}
	free(line);
	if (mounts)
		fclose(mounts);
	return found;
}

static int of_path(int fd, const char *path, uint64_t *id, const char *command)
{
	struct statfs file_system;
	struct statx status;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_MNT_ID, &status) || fstatfs(fd, &file_system))
		return fail("cannot look at %s: %s", path, reason(errno));
	if (S_ISBLK(status.stx_mode)) {
		*id = KERNEL_DEVICE(status.stx_rdev_major, status.stx_rdev_minor);
		return is_mounted(*id) ? 0 :
					 fail("%s: no mounted file system has the number of %s, %u:%u (btrfs has one of its own): name "
					      "its mount point, or write MAJOR:MINOR",
					      command, path, status.stx_rdev_major, status.stx_rdev_minor);
	}
	if (!S_ISREG(status.stx_mode) && !S_ISDIR(status.stx_mode))
		return fail("%s: %s is neither a block device nor a file or folder; write a mount point, or MAJOR:MINOR", command, path);
	if (file_system.f_type == OVERLAYFS_SUPER_MAGIC)
		return fail("%s is on an overlay; the pages belong to the file system below it: name that", path);
	if (file_system.f_type == TMPFS_MAGIC)
		return fail("%s is on tmpfs: policies do not govern its pages", path);
	if (mount_device(status.stx_mnt_id, id))
		return fail("cannot find the mount of %s in /proc/self/mountinfo", path);
	return 0;
}

int device_id(const char *text, uint64_t *id, const char *command)
{
	int fd, status;

	if (parse_numbers(text, id))
		return 0;
	fd = open(text, O_PATH | O_CLOEXEC); /* follows links, such as those of /dev/disk */
	if (fd < 0)
		return fail("%s: `%s` is neither MAJOR:MINOR nor a path that can be opened: %s", command, text, reason(errno));
	status = of_path(fd, text, id, command);
	close(fd);
	return status;
}
