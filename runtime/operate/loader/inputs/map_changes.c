/* SPDX-License-Identifier: MIT */
#include "inputs/map_changes.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

static void append(struct map_changes *changes, struct map_change change)
{
	if (!(changes->n & (changes->n - 1))) /* a power of two: full */
		changes->list = need(realloc(changes->list, (changes->n ? 2 * changes->n : 1) * sizeof(change)));
	changes->list[changes->n++] = change;
}

void map_put(struct map_changes *changes, union input_map_key key, struct map_value value)
{
	append(changes, (struct map_change){ .key = key, .put = true, .value = value });
}

void map_take(struct map_changes *changes, union input_map_key key)
{
	append(changes, (struct map_change){ .key = key });
}

/* Reads the element before its change. A trie has no exact look-up, so for pages page_ranges.c did it. */
static void look_up(int map, const struct input *input, struct map_change *change)
{
	if (input->key != INPUT_PAGE)
		change->had = !bpf_map_lookup_elem(map, &change->key, &change->old);
}

static int put(int map, const union input_map_key *key, bool there, const struct map_value *value)
{
	if (there)
		return bpf_map_update_elem(map, key, value, BPF_ANY) ? -errno : 0;
	return bpf_map_delete_elem(map, key) && errno != ENOENT ? -errno : 0;
}

/* Undoes the first `n` changes, the last one first. Returns how many it could not undo; `error` becomes the reason. */
static size_t undo(int map, const struct map_changes *changes, size_t n, int *error)
{
	size_t left = 0;

	while (n--) {
		int failed = put(map, &changes->list[n].key, changes->list[n].had, &changes->list[n].old);

		left += !!failed;
		*error = failed ? failed : *error;
	}
	return left;
}

int map_apply(int map, const struct input *input, struct map_changes *changes)
{
	char after[128] = "nothing was changed";
	int error = 0, failed = 0;
	size_t done, left;

	for (done = 0; done < changes->n && !error; done++) {
		struct map_change *change = &changes->list[done];

		look_up(map, input, change);
		error = put(map, &change->key, change->put, &change->value);
	}
	if (!error)
		return 0;
	left = undo(map, changes, done - 1, &failed);
	if (left)
		snprintf(after, sizeof(after), "%zu of %zu changes are made, and cannot be undone: %s", left, changes->n, reason(failed));
	if (error == -ENOSPC || error == -E2BIG)
		return fail("the input %s is full: it holds %d elements%s; %s", input->name, INPUT_ENTRIES,
			    input->key == INPUT_PAGE ? " (a range of pages needs up to 126)" : "", after);
	return fail("cannot change the input %s: %s%s; %s", input->name, reason(error),
		    error == -EPERM || error == -EACCES ? " (only root and the group of cpolc attach --input-group may)" : "", after);
}

void map_changes_free(struct map_changes *changes)
{
	free(changes->list);
	changes->list = NULL;
	changes->n = 0;
}
