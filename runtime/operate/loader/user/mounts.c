/* SPDX-License-Identifier: MIT */
#include "user/mounts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inputs/file_id.h"

#define MAX_MOUNTS 4096
#define MAX_TEXT (4 << 20)
#define FRESH_MS 1000

/*
 * File systems of which a process may open a file and ask for a part of its cache without waiting for anybody, and where device, inode and
 * generation tell a file from all others. Btrfs has one device number for all its subvolumes; a server or a process answers for others.
 */
static const char *const local_types[] = { "ext2", "ext3", "ext4", "f2fs", "xfs" };

/* Undoes \040 and the like, in place. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' && text[2] <= '7' && text[3] >= '0' &&
		    text[3] <= '7') {
			*to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/* Whether the mount of a line is of one of these. The type follows a dash; what is before it has its spaces escaped. */
static bool is_local(const char *line)
{
	const char *type = strstr(line, " - ");
	size_t length = type ? strcspn(type + 3, " ") : 0;

	for (size_t i = 0; length && i < sizeof(local_types) / sizeof(*local_types); i++)
		if (strlen(local_types[i]) == length && !strncmp(type + 3, local_types[i], length))
			return true;
	return false;
}

static void parse_line(struct mounts *mounts, const char *line)
{
	unsigned int parent, major, minor;
	char *root = NULL, *place = NULL;
	uint64_t id;

	if (!is_local(line))
		return;
	if (sscanf(line, "%" SCNu64 " %u %u:%u %ms %ms", &id, &parent, &major, &minor, &root, &place) != 6) {
		free(root);
		free(place);
		return;
	}
	unescape(root);
	unescape(place);
	mounts->all[mounts->n++] = (struct mount){ .id = id, .device = KERNEL_DEVICE(major, minor), .root = root, .place = place };
}

void mounts_free(struct mounts *mounts)
{
	for (size_t i = 0; i < mounts->n; i++) {
		free(mounts->all[i].root);
		free(mounts->all[i].place);
	}
	free(mounts->all);
	*mounts = (struct mounts){};
}

/* The text of /proc/self/mountinfo, which it changes. */
static void mounts_parse(struct mounts *mounts, char *text)
{
	char *save = NULL;

	mounts_free(mounts);
	mounts->all = need(calloc(MAX_MOUNTS, sizeof(*mounts->all)));
	for (char *line = strtok_r(text, "\n", &save); line && mounts->n < MAX_MOUNTS; line = strtok_r(NULL, "\n", &save))
		parse_line(mounts, line);
}

void mounts_refresh(struct mounts *mounts)
{
	uint64_t ms = now_ms();
	char *text;

	if (mounts->read_ms && ms - mounts->read_ms < FRESH_MS)
		return;
	text = read_file_at(AT_FDCWD, "/proc/self/mountinfo", MAX_TEXT, NULL);
	if (text)
		mounts_parse(mounts, text);
	free(text);
	mounts->read_ms = ms;
}

const struct mount *mount_of_id(const struct mounts *mounts, uint64_t id)
{
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->all[i].id == id)
			return &mounts->all[i];
	return NULL;
}

const char *path_below(const struct mount *mount, const char *path)
{
	size_t length = strlen(mount->root);

	if (length == 1) /* the root of the file system */
		length = 0;
	if (strncmp(path, mount->root, length) || path[length] != '/')
		return NULL;
	return path + length + 1;
}

int mount_open(const struct mount *mount)
{
	int fd = open(mount->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statx status;

	if (fd >= 0 && (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) || status.stx_mnt_id != mount->id)) {
		close(fd);
		return -1;
	}
	return fd;
}
