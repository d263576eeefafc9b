/* SPDX-License-Identifier: MIT */
/* Changes to an input's map: all of them or none, as far as the kernel lets it. */
#ifndef LOADER_MAP_CHANGES_H
#define LOADER_MAP_CHANGES_H

#include "inputs/elements.h"

struct map_change {
	union input_map_key key;
	bool put; /* else remove */
	bool had; /* the map had the key before, with the value `old` */
	struct map_value value, old;
};

struct map_changes {
	struct map_change *list;
	size_t n;
};

void map_put(struct map_changes *changes, union input_map_key key, struct map_value value);
void map_take(struct map_changes *changes, union input_map_key key);

/*
 * Applies them in order. If one fails, undoes those before it. -1: reported, with what could not be undone. Programs in the kernel see
 * the changes one by one.
 */
int map_apply(int map, const struct input *input, struct map_changes *changes);

void map_changes_free(struct map_changes *changes);

#endif
