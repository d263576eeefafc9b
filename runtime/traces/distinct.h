/* SPDX-License-Identifier: MIT */
/* Mixes ids, and counts different ones. */
#ifndef CPOL_DISTINCT_H
#define CPOL_DISTINCT_H

#include <stdlib.h>
#include <sys/mman.h>

#include "cpol/types.h"

#define EXPORT __attribute__((visibility("default")))

static u64 mix(u64 x)
{
	x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
	x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

/* The ids seen so far: a hash table with open addressing, at most half full. The id 0 has no cell. */
struct distinct {
	u64 *cells, mask, count;
	bool zero;
};

#define DISTINCT_AHEAD 16 /* cells are prefetched so many ids before they are read */

EXPORT struct distinct *distinct_new(void);
EXPORT s64 distinct_add(struct distinct *seen, const u64 *ids, u64 count);
EXPORT void distinct_free(struct distinct *seen);

EXPORT struct distinct *distinct_new(void)
{
	return calloc(1, sizeof(struct distinct));
}

/* Zeroed cells, in huge pages where possible: ids are spread over all of them, so each page costs a fault. */
static u64 *distinct_cells(u64 count)
{
	u64 bytes = count * sizeof(u64);
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (bytes >= 1 << 21)
		madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

static void distinct_release(struct distinct *seen)
{
	if (seen->cells)
		munmap(seen->cells, (seen->mask + 1) * sizeof(u64));
}

EXPORT void distinct_free(struct distinct *seen)
{
	distinct_release(seen);
	free(seen);
}

/* The cell of an id, or the empty cell for it. */
static u64 *distinct_cell(const struct distinct *seen, u64 id)
{
	u64 at = mix(id) & seen->mask;

	while (seen->cells[at] && seen->cells[at] != id)
		at = (at + 1) & seen->mask;
	return &seen->cells[at];
}

/* Makes room for twice as many ids. False: no memory. */
static bool distinct_grow(struct distinct *seen)
{
	struct distinct grown = { .mask = seen->cells ? 2 * seen->mask + 1 : 1023 };

	grown.cells = distinct_cells(grown.mask + 1);
	if (!grown.cells)
		return false;
	for (u64 at = 0; seen->cells && at <= seen->mask; at++)
		if (seen->cells[at])
			*distinct_cell(&grown, seen->cells[at]) = seen->cells[at];
	distinct_release(seen);
	seen->cells = grown.cells;
	seen->mask = grown.mask;
	return true;
}

/* Adds ids. Returns the number of different ones so far; -1: no memory. */
EXPORT s64 distinct_add(struct distinct *seen, const u64 *ids, u64 count)
{
	for (u64 number = 0; number < count; number++) {
		u64 id = ids[number], *cell;

		if (2 * seen->count >= seen->mask && !distinct_grow(seen))
			return -1;
		if (number + DISTINCT_AHEAD < count)
			__builtin_prefetch(&seen->cells[mix(ids[number + DISTINCT_AHEAD]) & seen->mask]);
		if (id == 0) {
			seen->zero = true;
			continue;
		}
		cell = distinct_cell(seen, id);
		seen->count += !*cell;
		*cell = id;
	}
	return (s64)(seen->count + seen->zero);
}

#endif
