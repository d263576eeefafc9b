/* SPDX-License-Identifier: MIT */
/* Numbers for folios that have a file: each (file, index) gets the next number, from 0, when it is first seen. */
#ifndef CPOL_NAMES_H
#define CPOL_NAMES_H

#include "numbers.h"

/* `cells` is a hash table with open addressing, at most half full; a cell is 1 + a number, or 0. */
struct names {
	u64 *files, *indices, count, size;
	u64 *cells, mask;
};

static bool grow(u64 **numbers, u64 size)
{
	u64 *grown = realloc(*numbers, size * sizeof(u64));

	if (grown)
		*numbers = grown;
	return grown != NULL;
}

/* The cell of a name, or the empty cell for it. */
static u64 *name_cell(const struct names *names, u64 file, u64 index)
{
	u64 at = mix(index + mix(file)) & names->mask;

	while (names->cells[at] &&
	       (names->indices[names->cells[at] - 1] != index || names->files[names->cells[at] - 1] != file))
		at = (at + 1) & names->mask;
	return &names->cells[at];
}

/* Makes room for twice as many names. False: no memory. */
static bool names_grow(struct names *names)
{
	u64 size = names->size ? 2 * names->size : 1 << 12;
	u64 *cells = calloc(2 * size, sizeof(u64));

	if (!cells || !grow(&names->files, size) || !grow(&names->indices, size)) {
		free(cells);
		return false;
	}
	free(names->cells);
	names->cells = cells;
	names->size = size;
	names->mask = 2 * size - 1;
	for (u64 number = 0; number < names->count; number++)
		*name_cell(names, names->files[number], names->indices[number]) = number + 1;
	return true;
}

/* Sets the number of a name. False: no memory. */
static bool name_number(struct names *names, u64 file, u64 index, u64 *number)
{
	u64 *cell;

	if (names->count == names->size && !names_grow(names))
		return false;
	cell = name_cell(names, file, index);
	if (!*cell) {
		names->files[names->count] = file;
		names->indices[names->count] = index;
		*cell = ++names->count;
	}
	*number = *cell - 1;
	return true;
}

static void names_free(struct names *names)
{
	free(names->files);
	free(names->indices);
	free(names->cells);
}

#endif
