/* SPDX-License-Identifier: MIT */
/*
 * The index of the cache: hash of a name -> slot. Open addressing with linear probing, at most half full, and deletion by
 * shifting back, so that there are no tombstones.
 *
 * A cell holds the hash xor the cell's successor's number, and 0 when it is empty. A hash equal to that number begins its search
 * at the successor and never comes round to this cell; so 0 is free to mean empty, for every id, and fresh memory is an empty table.
 */
#ifndef CPOL_TABLE_H
#define CPOL_TABLE_H

/* The cell of `hash` (its name matches as well: CPOL_EVENTS), or where it would go; `found` tells which. */
CPOL_INLINE u64 cpol_table_find(struct cpol_sim *sim, u64 hash, struct cpol_name name, bool *found)
{
	const u64 *cells = sim->cells;
	u64 mask = sim->mask, at = hash & mask;

	for (;;) {
		u64 after = (at + 1) & mask, cell = cells[at];

		if (cell == (hash ^ after)) {
#if CPOL_EVENTS
			struct cpol_name *other = &sim->names[sim->cell_slots[at]];

			if (other->file == name.file && other->index == name.index)
#endif
			{
				*found = true;
				return at;
			}
		} else if (cell == 0) {
			(void)name;
			*found = false;
			return at;
		}
		at = after;
	}
}

CPOL_INLINE void cpol_table_insert(struct cpol_sim *sim, u64 hash, u32 slot)
{
	u64 mask = sim->mask, at = hash & mask;

	while (sim->cells[at] != 0)
		at = (at + 1) & mask;
	sim->cells[at] = hash ^ ((at + 1) & mask);
	sim->cell_slots[at] = slot;
}

CPOL_INLINE void cpol_table_delete(struct cpol_sim *sim, u64 hash, u32 slot)
{
	u64 *cells = sim->cells;
	u32 *slots = sim->cell_slots;
	u64 mask = sim->mask, hole = hash & mask, at;

	while (cells[hole] != (hash ^ ((hole + 1) & mask)) || (CPOL_EVENTS && slots[hole] != slot))
		hole = (hole + 1) & mask;
	for (at = hole;;) {
		u64 after, home;

		at = (at + 1) & mask;
		after = (at + 1) & mask;
		if (cells[at] == 0)
			break;
		home = (cells[at] ^ after) & mask;
		if (((at - home) & mask) >= ((at - hole) & mask)) { /* it may stand in the hole */
			cells[hole] = cells[at] ^ after ^ ((hole + 1) & mask);
			slots[hole] = slots[at];
			hole = at;
		}
	}
	cells[hole] = 0;
}

#endif
