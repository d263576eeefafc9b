/* SPDX-License-Identifier: MIT */
#include "pins/pins_folder.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "system/step.h"

/* The pin of a link, and what the names of the struct_ops maps begin with that it may have. */
static const struct {
	const char *pin, *prefix;
} links[] = {
	[MAIN_LINK] = { LINK_PIN, "policy_" },
	[SECOND_LINK] = { PREFETCH_LINK_PIN, "prefetch_" },
};

int folder_open(const char *folder, const char *name, bool write)
{
	LIBBPF_OPTS(bpf_obj_get_opts, options, .file_flags = write ? 0 : BPF_F_RDONLY);
	char path[256];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return bpf_obj_get_opts(path, &options);
}

/* The id of a struct_ops map; 0: it is none. */
static uint32_t ops_id(int fd)
{
	struct bpf_map_info info = {};
	uint32_t room = sizeof(info);

	return bpf_map_get_info_by_fd(fd, &info, &room) || info.type != BPF_MAP_TYPE_STRUCT_OPS ? 0 : info.id;
}

int folder_ops(const char *folder, enum folder_link which, char name[POLICY_NAME_SIZE])
{
	const char *prefix = links[which].prefix;
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int found = -1;

	if (name)
		*name = '\0';
	/* By the pin: by the map's id the kernel wants CAP_SYS_ADMIN. */
	while (dir && found < 0 && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		found = folder_open(folder, entry->d_name, true);
		if (found >= 0 && !ops_id(found)) { /* another map, whose name begins alike */
			close(found);
			found = -1;
		}
		if (found >= 0 && name)
			snprintf(name, POLICY_NAME_SIZE, "%.*s", POLICY_NAME_SIZE - 1, entry->d_name + strlen(prefix));
	}
	if (dir)
		closedir(dir);
	return found;
}

uint32_t folder_link_map(const char *folder, enum folder_link which)
{
	int link = folder_open(folder, links[which].pin, true);
	struct bpf_link_info about = {};
	uint32_t size = sizeof(about), map = 0;

	if (link < 0)
		return 0;
	/* about.struct_ops.map_id, the first member of the union, which the headers of Linux 6.1 lack. 0: detached. */
	if (!bpf_link_get_info_by_fd(link, &about, &size) && about.type == BPF_LINK_TYPE_STRUCT_OPS)
		memcpy(&map, &about.raw_tracepoint, sizeof(map));
	close(link);
	return map;
}

bool folder_governs(const char *folder, enum folder_link which)
{
	uint32_t map = folder_link_map(folder, which);
	int ops = map ? folder_ops(folder, which, NULL) : -1;
	bool own = ops >= 0 && ops_id(ops) == map;

	if (ops >= 0)
		close(ops);
	return own;
}

/* Detaches the link now, and not with the last reference. */
static void detach(const char *folder, enum folder_link which)
{
	int link = folder_open(folder, links[which].pin, true);

	if (link < 0)
		return;
	bpf_link_detach(link); /* a dead link refuses */
	close(link);
	STEP("the link is detached, its folder is not removed");
}

/* Whether the link has the map of another folder's policy, which governs. */
static bool link_is_lent(const char *folder, enum folder_link which)
{
	int ops = folder_ops(folder, which, NULL);
	bool lent = ops >= 0 && folder_link_map(folder, which) && !folder_governs(folder, which);

	if (ops >= 0)
		close(ops);
	return lent;
}

int folder_remove(const char *path)
{
	DIR *dir;
	struct dirent *entry;
	int fd;

	for (int which = MAIN_LINK; which <= SECOND_LINK; which++)
		if (!link_is_lent(path, (enum folder_link)which))
			detach(path, (enum folder_link)which);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : fail("cannot open %s: %s", path, reason(errno));
	dir = need(fdopendir(fd));
	unlinkat(fd, PREFETCH_LINK_PIN, 0);
	unlinkat(fd, LINK_PIN, 0);
	STEP("the link is removed, the maps are not");
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(fd, entry->d_name, 0);
	closedir(dir);
	STEP("the maps are removed, their folder is not");
	if (rmdir(path))
		return fail("cannot remove %s: %s", path, reason(errno));
	return 0;
}
