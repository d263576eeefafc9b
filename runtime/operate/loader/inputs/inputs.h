/* SPDX-License-Identifier: MIT */
/* Elements of inputs, as text and in the kernel's maps. */
#ifndef LOADER_INPUTS_H
#define LOADER_INPUTS_H

#include "inputs/elements.h"

/*
 * Appends what `text` names: a number, the name of a command, a path, a folder (all files in it) or `id:HEX`. For pages `:FIRST..LAST`
 * follows. To `add`, `=VALUE` follows if the input is a map, and a thread or process must exist. -1: reported, with `command` in front.
 */
int elements_parse(struct elements *elements, const struct input *input, const char *text, bool add, const char *command);

/* How many elements a command changed. It changes all of them, in order. */
struct changes {
	size_t added, replaced, removed, missing;
};

/* -1: reported; nothing is changed, unless the message says so. */
int elements_add(int map, const struct input *input, const struct elements *elements, struct changes *changes);
int elements_remove(int map, const struct input *input, const struct elements *elements, struct changes *changes);

/* Removes every element. -1: reported; some elements may be gone then. */
int elements_clear(int map, const struct input *input, struct changes *changes);

/* Reads all elements, sorted; pages as the widest ranges with one value. -1: reported. */
int elements_read(int map, const struct input *input, struct elements *elements);

#endif
