/* SPDX-License-Identifier: MIT */
/* Finds the policy that governs a cgroup: its own, or that of the nearest cgroup above. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

/* Folders of pins: of a policy that evicts, and of one that only prefetches. A cgroup may have both. */
static const char *const kinds[] = { "", "_prefetch" };
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* The folder of the caller's cgroup, which the caller of this frees. */
static int own_cgroup(char **folder)
{
	FILE *file = fopen(CPOL_OWN_CGROUP, "re");
	char *line = NULL;
	size_t room = 0;
	int error = -ENOENT;

	*folder = NULL;
	if (!file)
		return cpol_fail(errno, "cannot read /proc/self/cgroup: %s", strerror(errno));
	while (error == -ENOENT && getline(&line, &room, file) > 0) {
		if (strncmp(line, "0::/", 4))
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "0::/..", 6) && (!line[6] || line[6] == '/')) { /* no folder of ours is that cgroup */
			error = -EXDEV;
			break;
		}
		error = asprintf(folder, "%s%s", CPOL_CGROUPS, line + 3) < 0 ? -ENOMEM : 0;
	}
	free(line);
	fclose(file);
	if (error == -EXDEV)
		return cpol_fail(ENOENT, "the cgroup of this process lies outside of its cgroup namespace");
	return error ? cpol_fail(-error, "/proc/self/cgroup names no cgroup of version 2") : 0;
}

/* Whether the cgroup has a policy's pins: -ENOENT if not. */
static int look(struct cpol *policy, uint64_t id)
{
	policy->cgroup = id;
	for (size_t kind = 0; kind < KINDS; kind++) {
		char folder[CPOL_PATH_MAX];
		struct stat found;

		snprintf(folder, sizeof(folder), "%s/%llu%s", CPOL_PINS, (unsigned long long)id, kinds[kind]);
		if (!stat(folder, &found))
			return 0;
		if (errno == EACCES)
			return cpol_fail(EACCES, "no right to look into %s: ask who attached the policy for --input-group", CPOL_PINS);
	}
	return -ENOENT;
}

/* Whether the folder is the root of cgroups, or below it. */
static bool is_below(const char *folder)
{
	size_t length = strlen(CPOL_CGROUPS);

	return !strncmp(folder, CPOL_CGROUPS, length) && (!folder[length] || folder[length] == '/');
}

/* From the folder upwards, as long as it lies below the root of cgroups. */
static int search(struct cpol *policy, char *folder, const char *cgroup)
{
	for (;;) {
		struct stat found;
		char *slash = strrchr(folder, '/');
		int error;

		if (stat(folder, &found))
			return cpol_fail(errno, "%s: %s", folder, strerror(errno));
		if (!S_ISDIR(found.st_mode))
			return cpol_fail(ENOTDIR, "%s is no cgroup", folder);
		error = look(policy, found.st_ino);
		if (error != -ENOENT)
			return error;
		if (!slash || slash == folder || strlen(folder) <= strlen(CPOL_CGROUPS))
			return cpol_fail(ENOENT, "no policy governs %s", cgroup);
		*slash = '\0';
	}
}

int cpol_open(struct cpol **policy, const char *cgroup)
{
	struct cpol *made = calloc(1, sizeof(*made));
	char *folder = NULL;
	int error = 0;

	*policy = NULL;
	if (!made)
		return cpol_fail(ENOMEM, "out of memory");
	if (cgroup) {
		folder = realpath(cgroup, NULL);
		if (!folder)
			error = cpol_fail(errno, "%s: %s", cgroup, strerror(errno));
		else if (!is_below(folder))
			error = cpol_fail(EINVAL, "%s is no cgroup: those lie below %s", cgroup, CPOL_CGROUPS);
	} else {
		error = own_cgroup(&folder);
	}
	if (!error)
		error = search(made, folder, cgroup ? cgroup : "this process");
	free(folder);
	if (error)
		free(made);
	else
		*policy = made;
	return error;
}

void cpol_close(struct cpol *policy)
{
	free(policy);
}

uint64_t cpol_cgroup(const struct cpol *policy)
{
	return policy->cgroup;
}

int cpol_input_open(const struct cpol *policy, const char *prefix, const char *name, char path[CPOL_PATH_MAX])
{
	unsigned long long id = policy->cgroup;
	int fd = -ENOENT;

	if (!*name || strlen(name) > CPOL_NAME_MAX || strchr(name, '/'))
		return cpol_fail(EINVAL, "`%.80s` is no name of an input", name);
	for (size_t kind = 0; kind < KINDS && fd == -ENOENT; kind++) {
		snprintf(path, CPOL_PATH_MAX, "%s/%llu%s/%s%s", CPOL_PINS, id, kinds[kind], prefix, name);
		fd = cpol_kernel_open(path, true);
	}
	if (fd == -ENOENT)
		return cpol_fail(ENOENT, "the policy of cgroup %llu has no input %s", id, name);
	if (fd == -EACCES || fd == -EPERM)
		return cpol_fail(EACCES, "no right to write the input %s: ask who attached the policy for --input-group", name);
	return fd < 0 ? cpol_fail(-fd, "cannot open the input %s: %s", name, strerror(-fd)) : fd;
}

int cpol_array_open(const struct cpol *policy, const char *name, struct cpol_array **array)
{
	char path[CPOL_PATH_MAX], other[CPOL_PATH_MAX];
	int map = cpol_input_open(policy, CPOL_INPUT_PIN, name, path), sync;
	struct cpol_map found;

	*array = NULL;
	if (map < 0)
		return map;
	if (!cpol_kernel_info(map, &found) && found.type != BPF_MAP_TYPE_ARRAY) {
		close(map);
		return cpol_fail(EINVAL, "the input %s is a set or a map, and no array", name);
	}
	sync = cpol_input_open(policy, CPOL_SYNC_PIN, name, other);
	if (sync < 0) {
		close(map);
		return sync;
	}
	return cpol_array_from(map, sync, path, name, array);
}
