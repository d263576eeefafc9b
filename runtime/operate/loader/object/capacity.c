/* SPDX-License-Identifier: MIT */
#include "object/capacity.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "pins/pins.h"

#define MAX_DEPTH 256
#define SMALL_FILE 65536
#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* The number in a file of the cgroup; UINT64_MAX if it is `max`, or if there is no such file. */
static uint64_t read_number(int dir, const char *name)
{
	char *text = read_file_at(dir, name, SMALL_FILE, NULL);
	uint64_t value = UINT64_MAX;

	if (text) {
		text[strcspn(text, "\n")] = '\0';
		if (!parse_u64(text, &value))
			value = UINT64_MAX;
		free(text);
	}
	return value;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Bytes: the least of a cgroup's own limits. */
static uint64_t limit_of(int dir)
{
	return least_of(read_number(dir, "memory.max"), read_number(dir, "memory.high"));
}

/* Bytes: the least of the machine's memory and the limits of the cgroup and its ancestors. */
static uint64_t least_limit(const struct cgroup *cgroup)
{
	uint64_t least = UINT64_MAX;
	struct sysinfo machine;
	int dir = dup(cgroup->fd);

	if (!sysinfo(&machine))
		least = (uint64_t)machine.totalram * machine.mem_unit;
	for (int depth = 0; dir >= 0 && depth < MAX_DEPTH && cgroup_is_below_root(dir); depth++) {
		int parent = openat(dir, "..", FOLDER);

		least = least_of(least, limit_of(dir));
		close(dir);
		dir = parent;
	}
	if (dir >= 0)
		close(dir);
	return least;
}

/* Bytes of file pages that a policy can own, in the cgroup and below it. Shmem is on the kernel's anonymous lists. */
static uint64_t file_bytes(int dir)
{
	return cgroup_counter(dir, "active_file ") + cgroup_counter(dir, "inactive_file ");
}

static bool has_policy(int dir)
{
	char name[POLICY_NAME_SIZE];
	struct pins pins;
	struct stat status;

	if (fstat(dir, &status))
		return false;
	pins_name(&pins, status.st_ino, EVICTS);
	return pins_policy(&pins, name, NULL);
}

/* Bytes of file pages below a cgroup that belong to policies there. Closes `dir`. */
static uint64_t bytes_of_policies_below(int dir, int depth)
{
	DIR *folder = fdopendir(dir);
	struct dirent *entry;
	uint64_t bytes = 0;

	if (!folder) {
		close(dir);
		return 0;
	}
	while ((entry = readdir(folder))) {
		int below;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		below = openat(dir, entry->d_name, FOLDER);
		if (below < 0)
			continue;
		if (has_policy(below)) {
			bytes += file_bytes(below);
			close(below);
		} else if (depth == MAX_DEPTH) {
			close(below);
		} else {
			bytes += bytes_of_policies_below(below, depth + 1);
		}
	}
	closedir(folder);
	return bytes;
}

/* The pages that a limit leaves to `owned` bytes, which are part of what is used. */
static uint64_t room(const struct cgroup *cgroup, uint64_t limit, uint64_t owned)
{
	uint64_t used = read_number(cgroup->fd, "memory.current");

	used = used == UINT64_MAX || used < owned ? 0 : used - owned;
	return (used < limit ? limit - used : 0) / (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t capacity_at_attach(const struct cgroup *cgroup)
{
	uint64_t owned = file_bytes(cgroup->fd);
	int dir = openat(cgroup->fd, ".", FOLDER);
	uint64_t others = dir < 0 ? 0 : bytes_of_policies_below(dir, 0);

	return room(cgroup, least_limit(cgroup), owned > others ? owned - others : 0);
}

struct memory_use memory_use(const struct cgroup *cgroup)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), files = cgroup_counter(cgroup->fd, "file ");
	uint64_t other = cgroup_counter(cgroup->fd, "shmem ") + cgroup_counter(cgroup->fd, "swapcached "); /* in `file`, and no file's */
	uint64_t used = read_number(cgroup->fd, "memory.current");

	files = files > other ? files - other : 0;
	used = used == UINT64_MAX || used < files ? files : used;
	return (struct memory_use){ .limit = least_limit(cgroup) / page, .own = limit_of(cgroup->fd) / page,
				    .used = used / page, .files = files / page };
}
