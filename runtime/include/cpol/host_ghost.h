/* SPDX-License-Identifier: MIT */
/* Ghosts on the host (host.h), by number. */
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

	return cpol_ghost_find_name(c->ghosts_at[number], &key, c->ids[f]) != 0;
}

CPOL_INLINE bool cpol_ghost_take_number(cpol_ctx *c, u32 number, cpol_folio f)
{
	struct cpol_ghost_key key = cpol_ghost_key(c, f);
	bool found = cpol_ghost_take_name(c->ghosts_at[number], &key, c->ids[f]);

	if (found)
		CPOL_LOG(c, CPOL_OP_GHOST_TAKE, f, number, 0);
	return found;
}

/* The number of its entry; 0: the ghost's capacity is 0. */
CPOL_INLINE u32 cpol_ghost_add_number(cpol_ctx *c, u32 number, cpol_folio f)
{
	struct cpol_ghost_key key = cpol_ghost_key(c, f);

	CPOL_LOG(c, CPOL_OP_GHOST_ADD, f, number, 0);
	return cpol_ghost_add_name(c->ghosts_at[number], &key, c->ids[f]);
}

CPOL_INLINE void cpol_ghost_forget_number(cpol_ctx *c, u32 number)
{
	struct cpol_ghost_at at = c->ghosts_at[number];
	u32 oldest = cpol_ghost_oldest(at);

	if (!oldest)
		return;
#if CPOL_EVENTS
	cpol_log_row(c, CPOL_OP_GHOST_FORGET, (struct cpol_name){ at.entries[oldest].key.file, at.entries[oldest].key.index },
		     number, 0);
#endif
	cpol_ghost_drop(at, oldest, &at.entries[oldest]);
}

#if CPOL_USES_RECORDS
/* The number of the folio's entry, or 0. */
CPOL_INLINE u32 cpol_ghost_entry_of(cpol_ctx *c, u32 number, cpol_folio f)
{
	struct cpol_ghost_key key = cpol_ghost_key(c, f);

	return cpol_ghost_find_name(c->ghosts_at[number], &key, c->ids[f]);
}

#define CPOL_HOST_RECORD(name)                                                                                          \
	CPOL_INLINE void cpol_ghost_store__##name(cpol_ctx *c, cpol_folio f, struct cpol_record_##name record)          \
	{                                                                                                               \
		u32 entry = cpol_ghost_add_number(c, GHOST_##name, f);                                                  \
                                                                                                                        \
		if (entry)                                                                                              \
			((struct cpol_record_##name *)c->records[GHOST_##name])[entry] = record;                        \
	}                                                                                                               \
                                                                                                                        \
	CPOL_INLINE struct cpol_record_##name cpol_ghost_load__##name(cpol_ctx *c, cpol_folio f)                        \
	{                                                                                                               \
		u32 entry = cpol_ghost_entry_of(c, GHOST_##name, f);                                                    \
                                                                                                                        \
		if (!entry)                                                                                             \
			return (struct cpol_record_##name)CPOL_RECORD_INIT_##name;                                      \
		return ((struct cpol_record_##name *)c->records[GHOST_##name])[entry];                                  \
	}
CPOL_RECORD_GHOSTS(CPOL_HOST_RECORD)
#endif

#define cpol_ghost_size(c, name) ((u64)(c)->ghosts[GHOST_##name].count)
#define cpol_ghost_forget_oldest(c, name) cpol_ghost_forget_number(c, GHOST_##name)
#define cpol_ghost_add_record(c, name, f, record) cpol_ghost_store__##name(c, f, record)
#define cpol_ghost_field(c, name, f, field) (cpol_ghost_load__##name(c, f).field)
#define cpol_ghost_has(c, name, f) cpol_ghost_has_number(c, GHOST_##name, f)
#define cpol_ghost_take(c, name, f) cpol_ghost_take_number(c, GHOST_##name, f)
#define cpol_ghost_add(c, name, f) ((void)cpol_ghost_add_number(c, GHOST_##name, f))

#endif
#endif
