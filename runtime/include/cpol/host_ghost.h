/* SPDX-License-Identifier: MIT */
/* Ghosts on the host (host.h): the number of a ghost leads to its memory. */
#ifndef CPOL_HOST_GHOST_H
#define CPOL_HOST_GHOST_H

#if CPOL_N_GHOSTS

CPOL_INLINE struct cpol_ghost_key cpol_ghost_key(cpol_ctx *c, cpol_folio f)
{
#if CPOL_EVENTS
	return (struct cpol_ghost_key){ .index = c->names[f].index, .file = c->names[f].file };
#else
	return (struct cpol_ghost_key){ .index = c->ids[f] };
#endif
}

CPOL_INLINE bool cpol_ghost_has_number(cpol_ctx *c, u32 number, cpol_folio f)
{
	struct cpol_ghost_key key = cpol_ghost_key(c, f);

	return cpol_ghost_find_name(c->ghosts_at[number], &key, c->ids[f]);
}

CPOL_INLINE bool cpol_ghost_take_number(cpol_ctx *c, u32 number, cpol_folio f)
{
	struct cpol_ghost_key key = cpol_ghost_key(c, f);
	bool found = cpol_ghost_take_name(c->ghosts_at[number], &key, c->ids[f]);

	if (found)
		CPOL_LOG(c, CPOL_OP_GHOST_TAKE, f, number, 0);
	return found;
}

CPOL_INLINE void cpol_ghost_add_number(cpol_ctx *c, u32 number, cpol_folio f)
{
	struct cpol_ghost_key key = cpol_ghost_key(c, f);

	CPOL_LOG(c, CPOL_OP_GHOST_ADD, f, number, 0);
	cpol_ghost_add_name(c->ghosts_at[number], &key, c->ids[f]);
}

#define cpol_ghost_has(c, name, f) cpol_ghost_has_number(c, GHOST_##name, f)
#define cpol_ghost_take(c, name, f) cpol_ghost_take_number(c, GHOST_##name, f)
#define cpol_ghost_add(c, name, f) cpol_ghost_add_number(c, GHOST_##name, f)

#endif
#endif
