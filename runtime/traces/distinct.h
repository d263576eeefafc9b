/* SPDX-License-Identifier: MIT */
/* Mixes ids, and counts different ones. */
#ifndef CPOL_DISTINCT_H
#define CPOL_DISTINCT_H

#include <stdlib.h>

#include "cpol/types.h"

#define EXPORT __attribute__((visibility("default")))

static u64 mix(u64 x)
{
	x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
	x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

EXPORT s64 count_distinct(const u64 *ids, u64 count);

/* The number of different ids; -1: no memory. */
EXPORT s64 count_distinct(const u64 *ids, u64 count)
{
	u64 size = 64, distinct = 0, *cells;
	bool zero = false;

	while (size < 2 * count)
		size *= 2;
	cells = calloc(size, sizeof(u64));
	if (!cells)
		return -1;
	for (u64 number = 0; number < count; number++) {
		u64 id = ids[number], at = mix(id) & (size - 1);

		if (id == 0) {
			distinct += !zero;
			zero = true;
			continue;
		}
		while (cells[at] && cells[at] != id)
			at = (at + 1) & (size - 1);
		distinct += !cells[at];
		cells[at] = id;
	}
	free(cells);
	return (s64)distinct;
}

#endif
