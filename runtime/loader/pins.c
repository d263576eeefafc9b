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

#include "step.h"
#include "system.h"

#define STAGED "_new"

static int recover(const struct pins *pins);

void pins_name(struct pins *pins, uint64_t id)
{
	*pins = (struct pins){ .root = -1, .id = id };
	snprintf(pins->path, sizeof(pins->path), PINS "/%" PRIu64, id);
	snprintf(pins->staged, sizeof(pins->staged), PINS "/%" PRIu64 STAGED, id);
}

static int lock(bool create)
{
	int root = open_pins(create);

	while (root >= 0 && flock(root, LOCK_EX)) {
		if (errno != EINTR) {
			fail("cannot lock %s: %s", PINS, reason(errno));
			close(root);
			return -1;
		}
	}
	return root;
}

int pins_lock(struct pins *pins, uint64_t id, bool create)
{
	int root = lock(create);

	pins_name(pins, id);
	if (root < 0)
		return root;
	pins->root = root;
	if (recover(pins)) {
		pins_unlock(pins);
		return -1;
	}
	return 0;
}

void pins_unlock(struct pins *pins)
{
	if (pins->root >= 0)
		close(pins->root);
	pins->root = -1;
}

int pins_open(const struct pins *pins, const char *name, bool write)
{
	return folder_open(pins->path, name, write);
}

int pins_link(const struct pins *pins)
{
	return folder_open(pins->path, LINK_PIN, true);
}

int pins_stage(const struct pins *pins)
{
	return mkdir(pins->staged, 0700) ? fail("cannot make %s: %s", pins->staged, reason(errno)) : 0;
}

int pins_add(const struct pins *pins, const char *name, int fd)
{
	char path[256], *c;

	name += *name == '.'; /* bpffs allows no dots in names */
	if (snprintf(path, sizeof(path), "%s/%s", pins->staged, name) >= (int)sizeof(path))
		return fail("cannot pin %s: the name is too long", name);
	for (c = path + strlen(pins->staged); *c; c++)
		if (*c == '.')
			*c = '_';
	if (bpf_obj_pin(fd, path))
		return fail("cannot pin %s: %s", path, reason(errno));
	return 0;
}

int pins_unstage(const struct pins *pins)
{
	return folder_remove(pins->staged);
}

int pins_remove(const struct pins *pins)
{
	return folder_remove(pins->path);
}

int pins_publish(const struct pins *pins)
{
	if (!renameat2(AT_FDCWD, pins->staged, AT_FDCWD, pins->path, RENAME_EXCHANGE)) {
		STEP("published, the old one is not removed");
		return pins_unstage(pins);
	}
	if (errno == ENOENT && !renameat2(AT_FDCWD, pins->staged, AT_FDCWD, pins->path, RENAME_NOREPLACE))
		return 0;
	return fail("cannot rename %s to %s: %s", pins->staged, pins->path, reason(errno));
}

int pins_lend_link(const struct pins *pins)
{
	int link = pins_link(pins), status;

	if (link < 0)
		return fail("cannot open %s/" LINK_PIN ": %s", pins->path, reason(errno));
	status = pins_add(pins, LINK_PIN, link);
	close(link);
	return status;
}

void pins_return_link(const struct pins *pins)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/" LINK_PIN, pins->staged);
	unlink(path);
}

int pins_relink(const struct pins *pins, int link)
{
	char fresh[128], path[128];

	snprintf(fresh, sizeof(fresh), "%s/" LINK_PIN "_new", pins->path);
	snprintf(path, sizeof(path), "%s/" LINK_PIN, pins->path);
	unlink(fresh);
	if (bpf_obj_pin(link, fresh) || rename(fresh, path))
		return fail("cannot pin %s: %s", path, reason(errno));
	return 0;
}

/* Whether a folder has a link, as far as one can see. */
enum link { NO_LINK, LINK, UNREADABLE };

static enum link link_in(const char *folder)
{
	int link = folder_open(folder, LINK_PIN, true);

	if (link < 0)
		return errno == ENOENT ? NO_LINK : UNREADABLE;
	close(link);
	return LINK;
}

bool pins_unreadable(const struct pins *pins)
{
	return link_in(pins->staged) == UNREADABLE || link_in(pins->path) == UNREADABLE;
}

/*
 * Completes or undoes what a killed loader began. A link that cannot be opened is no link that is missing: then nothing changes. The staged policy governs if its folder's link has its map: it was attached, or the link
 * was updated. The caller holds the lock.
 */
static int recover(const struct pins *pins)
{
	if (pins_unreadable(pins))
		return fail("cannot open the pins of cgroup %" PRIu64 " in %s: %s; nothing was changed", pins->id, PINS, reason(errno));
	if (folder_governs(pins->staged) ? pins_publish(pins) : pins_unstage(pins))
		return -1;
	/* Without a link, the loader was killed while it removed the folder. */
	return link_in(pins->path) == NO_LINK ? folder_remove(pins->path) : 0;
}

bool pins_policy(const struct pins *pins, char name[POLICY_NAME_SIZE], int *ops)
{
	int map = folder_ops(pins->path, name);

	if (ops)
		*ops = map;
	else if (map >= 0)
		close(map);
	return folder_link_map(pins->path) != 0;
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* The ids in the names of the folders in PINS, also of staged ones. */
static int read_ids(int root, uint64_t **ids)
{
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), n = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir)
		return fail("cannot read %s: %s", PINS, reason(errno));
	while ((entry = readdir(dir))) {
		char *staged = strstr(entry->d_name, STAGED);
		uint64_t id;

		if (staged && !strcmp(staged, STAGED))
			*staged = '\0';
		if (!parse_u64(entry->d_name, &id))
			continue;
		*ids = need(realloc(*ids, ((size_t)n + 1) * sizeof(**ids)));
		(*ids)[n++] = id;
	}
	closedir(dir);
	if (n)
		qsort(*ids, (size_t)n, sizeof(**ids), compare_ids);
	return n;
}

int pins_list(uint64_t **ids)
{
	int root = lock(false), n, kept = 0;

	*ids = NULL;
	if (root < 0)
		return root == -2 ? 0 : -1;
	n = read_ids(root, ids);
	for (int i = 0; i < n; i++) {
		struct pins pins;

		if (i && (*ids)[i] == (*ids)[i - 1])
			continue;
		pins_name(&pins, (*ids)[i]);
		if (!pins_unreadable(&pins) && (recover(&pins) || link_in(pins.path) == NO_LINK))
			continue;
		(*ids)[kept++] = (*ids)[i];
	}
	close(root);
	return n < 0 ? n : kept;
}
