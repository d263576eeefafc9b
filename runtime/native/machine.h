/* SPDX-License-Identifier: MIT */
/* The abstract machine (docs/semantics.md): how events reach the handlers, and what an evict request does. */
#ifndef CPOL_MACHINE_H
#define CPOL_MACHINE_H

/* A new folio's slot, in no list yet. There is room: cpol_reserve saw to it. */
CPOL_INLINE u32 cpol_slot_new(struct cpol_sim *sim, u64 hash)
{
	u32 slot = sim->free_slot;

	if (slot)
		sim->free_slot = sim->links[slot].next;
	else
		slot = sim->used_slots++;
	sim->ids[slot] = hash;
	sim->where[slot] = 0;
	return slot;
}

CPOL_INLINE void cpol_machine_missed(struct cpol_sim *sim, u64 hash, struct cpol_name name)
{
	(void)sim, (void)hash, (void)name;
#if CPOL_N_GHOSTS
#if CPOL_EVENTS
	struct cpol_ghost_key key = { .index = name.index, .file = name.file };
#else
	struct cpol_ghost_key key = { .index = hash };
#endif
	for (u32 ghost = 0; ghost < CPOL_N_GHOSTS; ghost++)
		cpol_ghost_hold(sim->ghosts_at[ghost], &key, hash);
#endif
}

/* The folio of `slot` came in; its name and pages are set. */
CPOL_INLINE void cpol_machine_added(struct cpol_sim *sim, u32 slot)
{
#if CPOL_HAS_META
	cpol_meta_init(&sim->meta[slot]);
#endif
	cpol_on_added(sim, slot);
#if CPOL_N_GHOSTS
	for (u32 ghost = 0; ghost < CPOL_N_GHOSTS; ghost++) {
#if CPOL_EVENTS
		struct cpol_ghost_key key = cpol_ghost_key(sim, slot);

		if (sim->ghosts[ghost].holding && cpol_ghost_same(&sim->ghosts[ghost].held_key, &key))
#endif
			cpol_ghost_release(sim->ghosts_at[ghost]);
	}
#endif
}

CPOL_INLINE void cpol_machine_first_accessed(struct cpol_sim *sim, u32 slot)
{
	(void)sim, (void)slot;
#if CPOL_HAS_FIRST_ACCESSED
	cpol_on_first_accessed(sim, slot);
#endif
}

CPOL_INLINE void cpol_machine_accessed(struct cpol_sim *sim, u32 slot)
{
	(void)sim, (void)slot;
#if CPOL_HAS_ACCESSED
	cpol_on_accessed(sim, slot);
#endif
}

/* The folio of `slot` goes, from its list or from the proposals. */
CPOL_INLINE void cpol_machine_removed(struct cpol_sim *sim, u32 slot, u32 why)
{
	if (cpol_on_list(sim, slot))
		cpol_unlink(sim, slot);
	sim->size -= cpol_folio_pages(sim, slot);
	cpol_table_delete(sim, sim->ids[slot], slot);
	(void)why;
#if CPOL_HAS_REMOVED
	cpol_on_removed(sim, slot, why);
#endif
	sim->links[slot].next = sim->free_slot;
	sim->free_slot = slot;
}

/* Calls the handler until it proposes something. */
CPOL_INLINE void cpol_machine_evict(struct cpol_sim *sim, u64 wanted)
{
	sim->wanted = wanted;
	sim->proposed_pages = 0;
	sim->n_proposals = 0;
	for (u32 round = 0; round < CPOL_EVICT_ROUNDS; round++) {
		cpol_on_evict(sim);
		if (sim->n_proposals)
			break;
	}
}

CPOL_INLINE u32 cpol_head_of_first_list(struct cpol_sim *sim)
{
	for (u32 list = 1; list <= CPOL_N_LISTS; list++)
		if (sim->links[list].next != list)
			return sim->links[list].next;
	return 0;
}

/* One evict request of which nothing is refused; a policy that proposes nothing gets the fallback. */
CPOL_INLINE void cpol_machine_make_room(struct cpol_sim *sim)
{
	u64 wanted = sim->batch, gone = 0;
	u32 slot;

	CPOL_IF_EVENTS(cpol_log_row(sim, CPOL_OP_EVICT, (struct cpol_name){ 0, 0 }, wanted, 0);)
	cpol_machine_evict(sim, wanted);
	for (u32 number = 0; number < sim->n_proposals; number++) {
		CPOL_LOG(sim, CPOL_OP_REMOVED, sim->proposals[number], CPOL_EVICTED, 0);
		cpol_machine_removed(sim, sim->proposals[number], CPOL_EVICTED);
	}
	sim->evicted += sim->n_proposals;
	if (__builtin_expect(sim->n_proposals != 0, 1))
		return;
	while (gone < wanted && (slot = cpol_head_of_first_list(sim)) != 0) {
		gone += cpol_folio_pages(sim, slot);
		sim->fallback++;
		CPOL_LOG(sim, CPOL_OP_FALLBACK, slot, 0, 0);
		cpol_machine_removed(sim, slot, CPOL_EVICTED);
	}
}

#endif
