/* SPDX-License-Identifier: MIT */
#include "pins.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system.h"

#define LINK "link"
#define MAP_PREFIX "policy_"

int pins_lock(struct pins *pins, uint64_t id, bool create)
{
	int root = open_pins(create);

	*pins = (struct pins){ .root = root, .id = id, .dir = -1 };
	if (root < 0)
		return root;
	snprintf(pins->path, sizeof(pins->path), PINS "/%" PRIu64, id);
	while (flock(root, LOCK_EX)) {
		if (errno != EINTR) {
			fail("cannot lock %s: %s", PINS, reason(errno));
			pins_unlock(pins);
			return -1;
		}
	}
	return 0;
}

void pins_unlock(struct pins *pins)
{
	if (pins->root >= 0)
		close(pins->root);
	pins->root = -1;
}

int pins_link(const struct pins *pins)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/" LINK, pins->path);
	return bpf_obj_get(path);
}

int pins_make(struct pins *pins)
{
	if (!mkdir(pins->path, 0700))
		return 0;
	if (errno == EEXIST && !pins_remove(pins) && !mkdir(pins->path, 0700))
		return 0;
	return fail("cannot make %s: %s", pins->path, reason(errno));
}

int pins_add(const struct pins *pins, const char *name, int fd)
{
	char path[256], *c;

	name += *name == '.'; /* bpffs has no names with dots */
	if (snprintf(path, sizeof(path), "%s/%s", pins->path, name) >= (int)sizeof(path))
		return fail("the name %s is too long to be pinned", name);
	for (c = path + strlen(pins->path); *c; c++)
		if (*c == '.')
			*c = '_';
	if (bpf_obj_pin(fd, path))
		return fail("cannot pin %s: %s", path, reason(errno));
	return 0;
}

int pins_remove(struct pins *pins)
{
	DIR *dir;
	struct dirent *entry;
	int link = pins_link(pins), fd;

	if (link >= 0) {
		/* Now, not whenever the last reference goes; a link that is dead already refuses. */
		bpf_link_detach(link);
		close(link);
	}
	fd = open(pins->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : fail("cannot open %s: %s", pins->path, reason(errno));
	dir = need(fdopendir(fd));
	unlinkat(fd, LINK, 0);
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(fd, entry->d_name, 0);
	closedir(dir);
	if (rmdir(pins->path))
		return fail("cannot remove %s: %s", pins->path, reason(errno));
	return 0;
}

int policy_of_link(int link, struct policy_info *info)
{
	struct bpf_link_info about = {};
	struct bpf_map_info map_about = {};
	uint32_t size = sizeof(about);
	const char *name;
	int map;

	memset(info, 0, sizeof(*info));
	if (bpf_link_get_info_by_fd(link, &about, &size) || about.type != BPF_LINK_TYPE_STRUCT_OPS)
		return -1;
	info->link_id = about.id;
	/* about.struct_ops.map_id, which the headers of Linux 6.1 do not have: the first of the union. */
	memcpy(&info->map_id, &about.raw_tracepoint, sizeof(info->map_id));
	map = bpf_map_get_fd_by_id(info->map_id);
	if (map < 0)
		return -1;
	size = sizeof(map_about);
	if (!bpf_map_get_info_by_fd(map, &map_about, &size)) {
		name = map_about.name;
		if (!strncmp(name, MAP_PREFIX, strlen(MAP_PREFIX)))
			name += strlen(MAP_PREFIX);
		snprintf(info->name, sizeof(info->name), "%s", name);
	}
	close(map);
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

int pins_list(int root, uint64_t **ids)
{
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), n = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	*ids = NULL;
	if (!dir)
		return fail("cannot read %s: %s", PINS, reason(errno));
	while ((entry = readdir(dir))) {
		struct pins pins;
		uint64_t id;
		int link;

		if (!parse_u64(entry->d_name, &id))
			continue;
		snprintf(pins.path, sizeof(pins.path), PINS "/%" PRIu64, id);
		link = pins_link(&pins);
		if (link < 0)
			continue;
		close(link);
		*ids = need(realloc(*ids, ((size_t)n + 1) * sizeof(**ids)));
		(*ids)[n++] = id;
	}
	closedir(dir);
	if (n)
		qsort(*ids, (size_t)n, sizeof(**ids), compare_ids);
	return n;
}
