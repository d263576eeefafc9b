/* SPDX-License-Identifier: MIT */
/*
 * Samples of the objects of a trace, with all of their requests. A hash of an object's number decides (SHARDS: Waldspurger et al., FAST '15).
 */
#ifndef CPOL_SAMPLE_H
#define CPOL_SAMPLE_H

#include "numbers.h"

#define SAMPLE_NONE 0xffffffffu

EXPORT u64 sample_objects(u64 objects, u64 seed, u64 below, u32 *renumbered, u8 *groups, u32 n_groups);
EXPORT u64 sample_count(const u32 *numbers, u64 count, const u32 *renumbered);
EXPORT void sample_requests(const u32 *numbers, u64 count, const u32 *renumbered, u32 *taken);
EXPORT void sample_column(const u32 *numbers, u64 count, const u32 *renumbered, const u64 *column, u64 *taken);

/*
 * Takes the objects whose hash is below `below`, of 2^32. Writes the number that each has in the sample, or SAMPLE_NONE; and the group of
 * each in the sample, which other bits of the hash tell. Returns how many there are. With the same seed, a smaller sample is part of a larger one.
 */
EXPORT u64 sample_objects(u64 objects, u64 seed, u64 below, u32 *renumbered, u8 *groups, u32 n_groups)
{
	u64 salt = mix(seed + 1), found = 0;

	for (u64 object = 0; object < objects; object++) {
		u64 hash = mix(salt + object);

		renumbered[object] = hash >> 32 < below ? (u32)found : SAMPLE_NONE;
		if (hash >> 32 < below)
			groups[found++] = (u8)(hash % n_groups);
	}
	return found;
}

/* How many requests of so many are for objects of the sample. */
EXPORT u64 sample_count(const u32 *numbers, u64 count, const u32 *renumbered)
{
	u64 found = 0;

	for (u64 at = 0; at < count; at++)
		found += renumbered[numbers[at]] != SAMPLE_NONE;
	return found;
}

/*
 * Writes the numbers of the requests of the sample. `taken` has room for one request more: what is not taken is written, too, and then
 * overwritten, since a branch would be foretold badly.
 */
EXPORT void sample_requests(const u32 *numbers, u64 count, const u32 *renumbered, u32 *taken)
{
	for (u64 at = 0; at < count; at++) {
		*taken = renumbered[numbers[at]];
		taken += *taken != SAMPLE_NONE;
	}
}

/* Writes what a column says of them, in the same way. */
EXPORT void sample_column(const u32 *numbers, u64 count, const u32 *renumbered, const u64 *column, u64 *taken)
{
	for (u64 at = 0; at < count; at++) {
		*taken = column[at];
		taken += renumbered[numbers[at]] != SAMPLE_NONE;
	}
}

#endif
