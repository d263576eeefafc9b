/* SPDX-License-Identifier: MIT */
/*
 * Samples of the objects of a trace, with all of their requests. A hash of an object's number decides (SHARDS: Waldspurger et al., FAST '15).
 */
#ifndef CPOL_SAMPLE_H
#define CPOL_SAMPLE_H

#include "numbers.h"

#define SAMPLE_PART 1024 /* requests */

EXPORT u64 sample_objects(u64 objects, u64 seed, u64 below, u64 *chosen, u32 *renumbered, u8 *groups, u32 n_groups);
EXPORT u64 sample_count(const u32 *numbers, u64 count, const u64 *chosen);
EXPORT u64 sample_places(const u32 *numbers, u64 count, const u64 *chosen, u64 *places);
EXPORT void sample_numbers(const u32 *numbers, u64 count, const u64 *chosen, const u32 *renumbered, u32 *taken);
EXPORT void sample_column(const u64 *column, const u64 *places, u64 count, u64 *taken);

/*
 * Takes the objects whose hash is below `below`, of 2^32. Sets their bits in `chosen`, which has 64 a word and is 0 before. Writes the number
 * that each has in the sample; and the group of each in the sample, which other bits of the hash tell. Returns how many there are.
 * With the same seed, a smaller sample is part of a larger one.
 */
EXPORT u64 sample_objects(u64 objects, u64 seed, u64 below, u64 *chosen, u32 *renumbered, u8 *groups, u32 n_groups)
{
	u64 salt = mix(seed + 1), found = 0;

	for (u64 object = 0; object < objects; object++) {
		u64 hash = mix(salt + object);

		if (hash >> 32 >= below)
			continue;
		chosen[object / 64] |= 1ULL << object % 64;
		renumbered[object] = (u32)found;
		groups[found++] = (u8)(hash % n_groups);
	}
	return found;
}

/* Whether an object is in the sample. The bits of a million objects fit into a processor's own caches, where their numbers do not. */
static u64 sample_has(const u64 *chosen, u32 number)
{
	return chosen[number / 64] >> number % 64 & 1;
}

/* How many requests of so many are for objects of the sample. */
EXPORT u64 sample_count(const u32 *numbers, u64 count, const u64 *chosen)
{
	u64 found = 0;

	for (u64 at = 0; at < count; at++)
		found += sample_has(chosen, numbers[at]);
	return found;
}

/*
 * Writes which requests these are, and returns how many. `places` has room for one more: what is not taken is written, too, and then
 * overwritten, since a branch would be foretold badly.
 */
EXPORT u64 sample_places(const u32 *numbers, u64 count, const u64 *chosen, u64 *places)
{
	u64 found = 0;

	for (u64 at = 0; at < count; at++) {
		places[found] = at;
		found += sample_has(chosen, numbers[at]);
	}
	return found;
}

/*
 * Writes the numbers in the sample of the objects of so many requests. It takes them in parts, whose places stay in the processor's own
 * caches.
 */
EXPORT void sample_numbers(const u32 *numbers, u64 count, const u64 *chosen, const u32 *renumbered, u32 *taken)
{
	u64 places[SAMPLE_PART + 1];

	for (u64 done = 0; done < count; done += SAMPLE_PART) {
		u64 part = count - done < SAMPLE_PART ? count - done : SAMPLE_PART;
		u64 found = sample_places(&numbers[done], part, chosen, places);

		for (u64 at = 0; at < found; at++)
			*taken++ = renumbered[numbers[done + places[at]]];
	}
}

/* Writes what a column says of them. */
EXPORT void sample_column(const u64 *column, const u64 *places, u64 count, u64 *taken)
{
	for (u64 at = 0; at < count; at++)
		taken[at] = column[places[at]];
}

#endif
