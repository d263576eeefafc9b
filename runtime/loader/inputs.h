/* SPDX-License-Identifier: MIT */
/* Elements of inputs, as text and in the kernel's maps. */
#ifndef LOADER_INPUTS_H
#define LOADER_INPUTS_H

#include "elements.h"

/*
 * Appends what `text` names: a number, a path, a folder (all files in it), `id:HEX`, for pages with `:FIRST..LAST` behind it; and
 * `=VALUE` if the input is a map and `with_value`. -1: said why, with `command` in front.
 */
int elements_parse(struct elements *elements, const struct input *input, const char *text, bool with_value, const char *command);

/* What may have changed since a value was put or taken away: all of it, in order, or (said why) nothing. */
struct changes {
	size_t added, replaced, removed, missing;
};

/* -1: said why; nothing is changed then. */
int elements_add(int map, const struct input *input, const struct elements *elements, struct changes *changes);
int elements_remove(int map, const struct input *input, const struct elements *elements, struct changes *changes);
int elements_clear(int map, const struct input *input, struct changes *changes);

/* All that the map holds, sorted; pages as the widest ranges of one value. -1: said why. */
int elements_read(int map, const struct input *input, struct elements *elements);

#endif
