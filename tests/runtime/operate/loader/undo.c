/* SPDX-License-Identifier: MIT */
/*
 * undo ROOM BROKEN: add the keys 1 to 4 to an input that holds 2 with the value 20, in a map that refuses what goes beyond ROOM keys,
 * and, if BROKEN is 1, everything after that. Print what the map holds then.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "inputs/map_changes.h"

#define KEYS 5

static int64_t held[KEYS] = { [2] = 20 };
static long room;
static bool broken, refused;

static int refuse(int error)
{
	refused = true;
	errno = error;
	return -1;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	uint64_t at = *(const uint64_t *)key;

	(void)fd;
	if (!held[at])
		return -1;
	*(int64_t *)value = held[at];
	return 0;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	uint64_t at = *(const uint64_t *)key;
	long n = 0;

	(void)fd;
	(void)flags;
	if (broken && refused)
		return refuse(EIO);
	for (int i = 0; i < KEYS; i++)
		n += !!held[i];
	if (!held[at] && n == room)
		return refuse(E2BIG);
	held[at] = *(const int64_t *)value;
	return 0;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	(void)fd;
	if (broken && refused)
		return refuse(EIO);
	held[*(const uint64_t *)key] = 0;
	return 0;
}

int main(int argc, char **argv)
{
	const struct input input = { .name = "hot", .key = INPUT_FILE };
	struct map_changes changes = {};
	int status;

	if (argc != 3)
		return 2;
	room = atol(argv[1]);
	broken = atol(argv[2]);
	for (uint64_t key = 1; key < KEYS; key++)
		map_put(&changes, (union input_map_key){ .id = key }, (struct map_value){ .value = (int64_t)key });
	status = map_apply(-1, &input, &changes);
	map_changes_free(&changes);
	for (int i = 0; i < KEYS; i++)
		if (held[i])
			printf("%d=%" PRId64 " ", i, held[i]);
	return status ? 1 : 0;
}
