/* SPDX-License-Identifier: MIT */
/* The index of the cache in a trace: what is known of each object, by its number. */
#ifndef CPOL_OBJECTS_H
#define CPOL_OBJECTS_H

CPOL_INLINE void cpol_index_insert(struct cpol_sim *sim, cpol_key number, u32 slot)
{
	sim->objects[number].slot = slot;
}

CPOL_INLINE void cpol_index_delete(struct cpol_sim *sim, cpol_key number, u32 slot)
{
	(void)slot;
	sim->objects[number].slot = 0;
}

#endif
