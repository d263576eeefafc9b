/* SPDX-License-Identifier: MIT */
#include "pins/pins.h"

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

#include "system/step.h"
#include "system/system.h"
#include "system/update_link.h"

#define STAGED "_new"
#define KEPT "_old"
#define PREFETCH "_prefetch"

static int recover(const struct pins *pins);

void pins_name(struct pins *pins, uint64_t id, enum policy_kind kind)
{
	const char *suffix = kind == PREFETCHES ? PREFETCH : "";

	*pins = (struct pins){ .root = -1, .id = id, .kind = kind };
	snprintf(pins->path, sizeof(pins->path), PINS "/%" PRIu64 "%s", id, suffix);
	snprintf(pins->staged, sizeof(pins->staged), PINS "/%" PRIu64 "%s" STAGED, id, suffix);
	snprintf(pins->kept, sizeof(pins->kept), PINS "/%" PRIu64 "%s" KEPT, id, suffix);
}

enum policy_kind pins_any(uint64_t id)
{
	struct pins evicts, prefetches;

	pins_name(&evicts, id, EVICTS);
	pins_name(&prefetches, id, PREFETCHES);
	return access(evicts.path, F_OK) && !access(prefetches.path, F_OK) ? PREFETCHES : EVICTS;
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

int pins_lock(struct pins *pins, uint64_t id, enum policy_kind kind, bool create)
{
	int root = lock(create);

	pins_name(pins, id, kind);
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

/* A killed loader had exchanged the second link, but not the first: the old policy gets it back. */
static void give_back_second(const struct pins *pins)
{
	int link, ops;

	if (folder_governs(pins->staged, MAIN_LINK) || !folder_governs(pins->staged, SECOND_LINK) ||
	    !folder_link_map(pins->path, SECOND_LINK))
		return;
	link = folder_open(pins->path, PREFETCH_LINK_PIN, true);
	ops = folder_ops(pins->path, SECOND_LINK, NULL);
	if (link >= 0 && ops >= 0)
		update_link(link, ops, -1);
	if (link >= 0)
		close(link);
	if (ops >= 0)
		close(ops);
}

/*
 * Completes or undoes what a killed loader began. A link that cannot be opened is no link that is missing: then nothing changes. The staged policy governs if its folder's link has its map: it was attached, or the link
 * was updated. The caller holds the lock.
 */
static int recover(const struct pins *pins)
{
	if (pins_unreadable(pins))
		return fail("cannot open the pins of cgroup %" PRIu64 " in %s: %s; nothing was changed", pins->id, PINS, reason(errno));
	give_back_second(pins);
	if (folder_governs(pins->staged, MAIN_LINK) ? pins_publish(pins) : pins_unstage(pins))
		return -1;
	/* Without a link, the loader was killed while it removed the folder. What is kept goes with the policy that came in its place. */
	if (link_in(pins->path) != NO_LINK)
		return 0;
	return folder_remove(pins->path) || folder_remove(pins->kept) ? -1 : 0;
}

bool pins_policy(const struct pins *pins, char name[POLICY_NAME_SIZE], int *ops)
{
	int map = folder_ops(pins->path, MAIN_LINK, name);

	if (ops)
		*ops = map;
	else if (map >= 0)
		close(map);
	return folder_link_map(pins->path, MAIN_LINK) != 0;
}

static int compare_pinned(const void *a, const void *b)
{
	const struct pinned *left = a, *right = b;

	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	return (int)left->kind - (int)right->kind;
}

/* Cuts `suffix` off the end of `name`. Returns whether it was there. */
static bool cut(char *name, const char *suffix)
{
	char *found = strstr(name, suffix);

	if (!found || strcmp(found, suffix))
		return false;
	*found = '\0';
	return true;
}

/* What the names of the folders in PINS say, also of staged ones. */
static int read_names(int root, struct pinned **pinned)
{
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), n = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir)
		return fail("cannot read %s: %s", PINS, reason(errno));
	while ((entry = readdir(dir))) {
		struct pinned one = { .kind = EVICTS };

		if (!cut(entry->d_name, STAGED))
			cut(entry->d_name, KEPT);
		if (cut(entry->d_name, PREFETCH))
			one.kind = PREFETCHES;
		if (!parse_u64(entry->d_name, &one.id))
			continue;
		*pinned = need(realloc(*pinned, ((size_t)n + 1) * sizeof(**pinned)));
		(*pinned)[n++] = one;
	}
	closedir(dir);
	if (n)
		qsort(*pinned, (size_t)n, sizeof(**pinned), compare_pinned);
	return n;
}

int pins_list(struct pinned **pinned, bool *whole)
{
	int root = lock(false), n, kept = 0;

	*pinned = NULL;
	*whole = root >= 0 || root == -2;
	if (root < 0)
		return root == -2 ? 0 : -1;
	n = read_names(root, pinned);
	for (int i = 0; i < n; i++) {
		struct pinned *one = *pinned + i;
		struct pins pins;

		if (i && !compare_pinned(one, one - 1))
			continue;
		pins_name(&pins, one->id, one->kind);
		if (!pins_unreadable(&pins)) {
			*whole &= !recover(&pins);
			if (link_in(pins.path) == NO_LINK)
				continue;
		}
		(*pinned)[kept++] = *one;
	}
	close(root);
	*whole &= n >= 0;
	return n < 0 ? n : kept;
}
