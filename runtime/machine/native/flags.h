/* SPDX-License-Identifier: MIT */
/* What a folio is: dirty, under writeback, mapped, mapped as code. Only policies that read it (CPOL_USES_FLAGS) keep it. */
#ifndef CPOL_FLAGS_H
#define CPOL_FLAGS_H

#if CPOL_USES_FLAGS
static void cpol_flags_free(struct cpol_sim *sim)
{
	cpol_release(sim->flags, sim->slots, sizeof(*sim->flags));
	cpol_release(sim->dirtied, sim->dirty_limit + 1, sizeof(*sim->dirtied));
}

/* So many folios are dirty, at most. */
CPOL_INLINE u64 cpol_flags_limit(const struct cpol_sim *sim)
{
	return sim->capacity / CPOL_DIRTY_SHARE ? sim->capacity / CPOL_DIRTY_SHARE : 1;
}

/* Makes room for the queue of dirty folios, which keeps its length when the limit falls. False: no memory. */
static bool cpol_flags_reserve(struct cpol_sim *sim)
{
	u64 limit = cpol_flags_limit(sim), old = sim->dirty_limit + 1;
	struct cpol_dirtied *ring;

	if (sim->dirtied && limit <= sim->dirty_limit)
		return true;
	ring = cpol_alloc(limit + 1, sizeof(*ring));
	if (!ring)
		return false;
	for (u64 at = 0; at < sim->n_dirtied; at++)
		ring[at] = sim->dirtied[(sim->dirtied_first + at) % old];
	cpol_release(sim->dirtied, old, sizeof(*ring));
	sim->dirtied = ring;
	sim->dirtied_first = 0;
	sim->dirty_limit = limit;
	return true;
}

CPOL_INLINE void cpol_flags_set(struct cpol_sim *sim, u32 slot, u8 flags)
{
	CPOL_LOG(sim, CPOL_OP_FLAGS, slot, flags, 0);
	sim->flags[slot] = flags;
}

/* Writes back the folio that became dirty first, if it is dirty still. */
static void cpol_flags_clean_oldest(struct cpol_sim *sim)
{
	struct cpol_dirtied oldest = sim->dirtied[sim->dirtied_first];
#if CPOL_EVENTS
	u32 slot = cpol_index_find(sim, oldest.key, oldest.name);
#else
	u32 slot = sim->objects[oldest.key].slot;
#endif

	sim->dirtied_first = (sim->dirtied_first + 1) % (sim->dirty_limit + 1);
	sim->n_dirtied--;
	if (slot && (sim->flags[slot] & CPOL_DIRTY))
		cpol_flags_set(sim, slot, sim->flags[slot] & (u8)~CPOL_DIRTY);
}

/* The request for this folio, which the policy owns, wrote. cpol_flags_reserve has made room. */
static void cpol_flags_wrote(struct cpol_sim *sim, u32 slot)
{
	u64 ring = sim->dirty_limit + 1;

	if (sim->flags[slot] & CPOL_DIRTY)
		return;
	cpol_flags_set(sim, slot, sim->flags[slot] | CPOL_DIRTY);
	sim->dirtied[(sim->dirtied_first + sim->n_dirtied++) % ring] = (struct cpol_dirtied){
		.key = sim->keys[slot],
#if CPOL_EVENTS
		.name = sim->names[slot],
#endif
	};
	if (sim->n_dirtied > cpol_flags_limit(sim))
		cpol_flags_clean_oldest(sim);
}
#endif

#endif
