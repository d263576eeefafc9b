/* SPDX-License-Identifier: MIT */
/*
 * The index of the cache: hash of a name -> slot. Buckets of eight cells, a cache line each, compared at once, so that hardly
 * a branch depends on where in a bucket an id is. An entry is in its home bucket, or, when that is full, in the next that is not.
 * Half of the cells are in use at most, so that few buckets are ever full, and there are no tombstones: what leaves a full
 * bucket makes room for what had to go on.
 *
 * A cell holds the hash xor the number of the next bucket, and 0 when it is empty. A hash equal to that number has its home
 * in the next bucket and never comes round to this one; so 0 is free to mean empty, for every id, and fresh memory is an empty table.
 */
#ifndef CPOL_TABLE_H
#define CPOL_TABLE_H

typedef u64 cpol_cells __attribute__((ext_vector_type(CPOL_BUCKET)));
typedef bool cpol_matches __attribute__((ext_vector_type(CPOL_BUCKET)));

/* A bit for each cell of the bucket that holds `value`. */
CPOL_INLINE u32 cpol_bucket_matches(const u64 *cells, u64 bucket, u64 value)
{
	const cpol_cells *line = (const cpol_cells *)(const void *)&cells[bucket * CPOL_BUCKET];
	cpol_matches equal = __builtin_convertvector(*line == value, cpol_matches);
	u8 bits;

	memcpy(&bits, &equal, 1);
	return bits;
}

/* The cell of the entry; its name matches as well: CPOL_EVENTS. Without `name` it is the one of `slot`. */
CPOL_INLINE u64 cpol_table_find(struct cpol_sim *sim, u64 hash, struct cpol_name name, bool *found)
{
	const u64 *cells = sim->cells;

	for (u64 bucket = hash & sim->mask, after;; bucket = after) {
		u32 matches;

		after = (bucket + 1) & sim->mask;
		matches = cpol_bucket_matches(cells, bucket, hash ^ after);
		for (; matches; matches &= matches - 1) {
			u64 cell = bucket * CPOL_BUCKET + (u32)__builtin_ctz(matches);
#if CPOL_EVENTS
			struct cpol_name *other = &sim->names[sim->cell_slots[cell]];

			if (other->file != name.file || other->index != name.index)
				continue;
#endif
			(void)name;
			*found = true;
			return cell;
		}
		if (__builtin_expect(cpol_bucket_matches(cells, bucket, 0) != 0, 1)) {
			*found = false;
			return 0;
		}
	}
}

CPOL_INLINE void cpol_table_insert(struct cpol_sim *sim, u64 hash, u32 slot)
{
	u64 bucket = hash & sim->mask, cell;
	u32 empty;

	while (__builtin_expect(!(empty = cpol_bucket_matches(sim->cells, bucket, 0)), 0))
		bucket = (bucket + 1) & sim->mask;
	cell = bucket * CPOL_BUCKET + (u32)__builtin_ctz(empty);
	sim->cells[cell] = hash ^ ((bucket + 1) & sim->mask);
	sim->cell_slots[cell] = slot;
}

/* A cell of `bucket`, which was full, is empty now: an entry that had to go on from here, or from before, may take it. */
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

CPOL_INLINE void cpol_table_delete(struct cpol_sim *sim, u64 hash, u32 slot)
{
	u64 bucket = hash & sim->mask, cell = 0;
	bool full;

	for (;; bucket = (bucket + 1) & sim->mask) {
		u32 matches = cpol_bucket_matches(sim->cells, bucket, hash ^ ((bucket + 1) & sim->mask));

		if (CPOL_EVENTS)
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
