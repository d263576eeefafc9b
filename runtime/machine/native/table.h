/* SPDX-License-Identifier: MIT */
/*
 * The index of the cache where single events name folios: a hash table from names to slots.
 *
 * A bucket has eight cells in one cache line, which are compared at once. So hardly any branch depends on where a name is. An
 * entry is in its home bucket; if that is full, in the next bucket with room. At most half of the cells are in use, so few buckets are
 * full. There are no tombstones: when an entry leaves a full bucket, one that had to move on takes its cell.
 *
 * A cell holds the hash xor the number of the next bucket; 0 means empty. A hash equal to that number has its home in the next bucket and
 * never reaches this one. So no hash needs the value 0 here, and zeroed memory is an empty table.
 */
#ifndef CPOL_TABLE_H
#define CPOL_TABLE_H

#define CPOL_BUCKET 8 /* cells in a cache line */

typedef u64 cpol_cells __attribute__((ext_vector_type(CPOL_BUCKET)));
typedef bool cpol_matches __attribute__((ext_vector_type(CPOL_BUCKET)));

/* A bit mask of the bucket's cells that hold `value`. */
CPOL_INLINE u32 cpol_bucket_matches(const u64 *cells, u64 bucket, u64 value)
{
	const cpol_cells *line = (const cpol_cells *)(const void *)&cells[bucket * CPOL_BUCKET];
	cpol_matches equal = __builtin_convertvector(*line == value, cpol_matches);
	u8 bits;

	memcpy(&bits, &equal, 1);
	return bits;
}

/* The slot of a name, or 0. */
CPOL_INLINE u32 cpol_index_find(struct cpol_sim *sim, cpol_key hash, struct cpol_name name)
{
	const u64 *cells = sim->cells;

	for (u64 bucket = hash & sim->mask, after;; bucket = after) {
		u32 matches;

		after = (bucket + 1) & sim->mask;
		matches = cpol_bucket_matches(cells, bucket, hash ^ after);
		for (; matches; matches &= matches - 1) {
			u32 slot = sim->cell_slots[bucket * CPOL_BUCKET + (u32)__builtin_ctz(matches)];

			if (sim->names[slot].file == name.file && sim->names[slot].index == name.index)
				return slot;
		}
		if (__builtin_expect(cpol_bucket_matches(cells, bucket, 0) != 0, 1))
			return 0;
	}
}

CPOL_INLINE void cpol_index_insert(struct cpol_sim *sim, cpol_key hash, u32 slot)
{
	u64 bucket = hash & sim->mask, cell;
	u32 empty;

	while (__builtin_expect(!(empty = cpol_bucket_matches(sim->cells, bucket, 0)), 0))
		bucket = (bucket + 1) & sim->mask;
	cell = bucket * CPOL_BUCKET + (u32)__builtin_ctz(empty);
	sim->cells[cell] = hash ^ ((bucket + 1) & sim->mask);
	sim->cell_slots[cell] = slot;
}

/* A cell of the full `bucket` became empty: moves an entry there that had to move on past this bucket. */
static __attribute__((noinline)) void cpol_table_refill(struct cpol_sim *sim, u64 hole)
{
	u64 mask = sim->mask, bucket = hole / CPOL_BUCKET, at = bucket;

	for (;;) {
		bool was_full;

		at = (at + 1) & mask;
		was_full = cpol_bucket_matches(sim->cells, at, 0) == 0;
		for (u64 cell = at * CPOL_BUCKET; cell < (at + 1) * CPOL_BUCKET; cell++) {
			u64 hash = sim->cells[cell] ^ ((at + 1) & mask);

			if (sim->cells[cell] == 0 || ((at - hash) & mask) < ((at - bucket) & mask))
				continue;
			sim->cells[hole] = hash ^ ((bucket + 1) & mask);
			sim->cell_slots[hole] = sim->cell_slots[cell];
			sim->cells[cell] = 0;
			hole = cell;
			bucket = at;
			break;
		}
		if (!was_full)
			return;
	}
}

CPOL_INLINE void cpol_index_delete(struct cpol_sim *sim, cpol_key hash, u32 slot)
{
	u64 bucket = hash & sim->mask, cell = 0;
	bool full;

	for (;; bucket = (bucket + 1) & sim->mask) {
		u32 matches = cpol_bucket_matches(sim->cells, bucket, hash ^ ((bucket + 1) & sim->mask));

		while (matches && sim->cell_slots[bucket * CPOL_BUCKET + (u32)__builtin_ctz(matches)] != slot)
			matches &= matches - 1;
		if (__builtin_expect(matches != 0, 1)) {
			cell = bucket * CPOL_BUCKET + (u32)__builtin_ctz(matches);
			break;
		}
	}
	full = cpol_bucket_matches(sim->cells, bucket, 0) == 0;
	sim->cells[cell] = 0;
	if (__builtin_expect(full, 0))
		cpol_table_refill(sim, cell);
}

#endif
