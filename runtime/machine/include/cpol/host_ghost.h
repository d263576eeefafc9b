/* SPDX-License-Identifier: MIT */
/* Ghosts on the host (host.h), by number. */
#ifndef CPOL_HOST_GHOST_H
#define CPOL_HOST_GHOST_H

#if CPOL_N_GHOSTS

#ifdef CPOL_OWNER_RECORDS
static const bool cpol_ghost_of_folios[] = CPOL_GHOST_OF_FOLIOS; /* not records of files or threads */
#define CPOL_IS_OF_FOLIOS(ghost) (cpol_ghost_of_folios[ghost])
#else
#define CPOL_IS_OF_FOLIOS(ghost) true
#endif

CPOL_INLINE struct cpol_ghost_key cpol_ghost_key(cpol_ctx *c, cpol_folio f)
{
#if CPOL_EVENTS
	return (struct cpol_ghost_key){ .index = c->names[f].index, .file = c->names[f].file };
#else
	return (struct cpol_ghost_key){ .index = c->keys[f] };
#endif
}

CPOL_INLINE bool cpol_ghost_has_number(cpol_ctx *c, u32 number, cpol_folio f)
{
	struct cpol_ghost_key key = cpol_ghost_key(c, f);

	return cpol_ghost_find(&c->ghosts[number], &key, c->keys[f]) != 0;
}

CPOL_INLINE bool cpol_ghost_take_number(cpol_ctx *c, u32 number, cpol_folio f)
{
	struct cpol_ghost_key key = cpol_ghost_key(c, f);
	bool found = cpol_ghost_take_name(&c->ghosts[number], &key, c->keys[f]);

	if (found)
		CPOL_LOG(c, CPOL_OP_GHOST_TAKE, f, number, 0);
	return found;
}

/* The number of its entry; 0: the ghost's capacity is 0. */
CPOL_INLINE u32 cpol_ghost_add_number(cpol_ctx *c, u32 number, cpol_folio f)
{
	struct cpol_ghost_key key = cpol_ghost_key(c, f);

	CPOL_LOG(c, CPOL_OP_GHOST_ADD, f, number, 0);
	return cpol_ghost_add_name(&c->ghosts[number], &key, c->keys[f], c->holds && cpol_ghost_same(&c->held, &key));
}

CPOL_INLINE void cpol_ghost_forget_number(cpol_ctx *c, u32 number)
{
	struct cpol_ghost *ghost = &c->ghosts[number];
	u32 oldest = cpol_ghost_oldest(ghost);

	if (!oldest)
		return;
#if CPOL_EVENTS
	cpol_log_row(c, CPOL_OP_GHOST_FORGET, (struct cpol_name){ ghost->entries[oldest].key.file, ghost->entries[oldest].key.index },
		     number, 0);
#endif
	cpol_ghost_drop(ghost, oldest);
}

#if CPOL_USES_RECORDS
/* The number of the folio's entry, or 0. */
CPOL_INLINE u32 cpol_ghost_entry_of(cpol_ctx *c, u32 number, cpol_folio f)
{
	struct cpol_ghost_key key = cpol_ghost_key(c, f);

	return cpol_ghost_find(&c->ghosts[number], &key, c->keys[f]);
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

#ifdef CPOL_OLDEST_GHOSTS
#define CPOL_HOST_OLDEST(name)                                                                                          \
	CPOL_INLINE struct cpol_record_##name cpol_ghost_load_oldest__##name(cpol_ctx *c)                               \
	{                                                                                                               \
		u32 entry = cpol_ghost_oldest(&c->ghosts[GHOST_##name]);                                                \
                                                                                                                        \
		if (!entry)                                                                                             \
			return (struct cpol_record_##name)CPOL_RECORD_INIT_##name;                                      \
		return ((struct cpol_record_##name *)c->records[GHOST_##name])[entry];                                  \
	}
CPOL_OLDEST_GHOSTS(CPOL_HOST_OLDEST)
#endif

#ifdef CPOL_OWNER_RECORDS
/* Records of files and threads. The key is the number of the file or thread, with the index 0. */
CPOL_INLINE struct cpol_ghost_key cpol_owner_key(u64 owner)
{
#if CPOL_GHOST_FILES
	return (struct cpol_ghost_key){ .index = 0, .file = owner };
#else
	return (struct cpol_ghost_key){ .index = cpol_mix(owner) };
#endif
}

/* The number of the entry of a file or thread, or 0. */
CPOL_INLINE u32 cpol_owner_entry(cpol_ctx *c, u32 number, u64 owner)
{
	struct cpol_ghost_key key = cpol_owner_key(owner);

	return cpol_ghost_find(&c->ghosts[number], &key, cpol_mix(owner));
}

/* Makes the entry the newest. Returns its number; 0: the capacity is 0. Sets `*known` if there was one before. */
CPOL_INLINE u32 cpol_owner_touch(cpol_ctx *c, u32 number, u64 owner, bool *known)
{
	struct cpol_ghost_key key = cpol_owner_key(owner);
	struct cpol_ghost *ghost = &c->ghosts[number];
	u32 entry = cpol_ghost_newest(ghost);

	*known = entry && cpol_ghost_same(&ghost->entries[entry].key, &key);
	if (*known)
		return entry; /* as in most writes: a file is read page by page */
	*known = cpol_ghost_find(ghost, &key, cpol_mix(owner)) != 0;
	return cpol_ghost_add_name(ghost, &key, cpol_mix(owner), false);
}

#define CPOL_HOST_OWNER(name)                                                                                            \
	CPOL_INLINE struct cpol_record_##name cpol_record_load__##name(cpol_ctx *c, u64 owner)                           \
	{                                                                                                                \
		u32 entry = cpol_owner_entry(c, GHOST_##name, owner);                                                    \
                                                                                                                         \
		if (!entry)                                                                                              \
			return (struct cpol_record_##name)CPOL_RECORD_INIT_##name;                                       \
		return ((struct cpol_record_##name *)c->records[GHOST_##name])[entry];                                   \
	}                                                                                                                \
                                                                                                                         \
	/* The record to write to; NULL: there can be none. */                                                           \
	CPOL_INLINE struct cpol_record_##name *cpol_record_make__##name(cpol_ctx *c, u64 owner)                          \
	{                                                                                                                \
		bool known;                                                                                              \
		u32 entry = cpol_owner_touch(c, GHOST_##name, owner, &known);                                            \
		struct cpol_record_##name *record = (struct cpol_record_##name *)c->records[GHOST_##name] + entry;       \
                                                                                                                         \
		if (!entry)                                                                                              \
			return NULL;                                                                                     \
		if (!known)                                                                                              \
			*record = (struct cpol_record_##name)CPOL_RECORD_INIT_##name;                                    \
		return record;                                                                                           \
	}
CPOL_OWNER_RECORDS(CPOL_HOST_OWNER)

#define cpol_file_key(c, f) cpol_folio_file(c, f)
#define cpol_task_key(c) cpol_task_thread(c)
#define cpol_record_get(c, name, owner, field) (cpol_record_load__##name(c, owner).field)
#define cpol_record_set(c, name, owner, field, value)                                           \
	do {                                                                                    \
		const __auto_type cpol_new = (value);                                           \
		struct cpol_record_##name *cpol_at = cpol_record_make__##name(c, owner);        \
                                                                                                \
		if (cpol_at)                                                                    \
			cpol_at->field = cpol_new;                                              \
	} while (0)
#endif
#endif

#define cpol_ghost_size(c, name) ((u64)(c)->ghosts[GHOST_##name].count)
#define cpol_ghost_full(c, name) ((c)->ghosts[GHOST_##name].count >= (c)->ghosts[GHOST_##name].capacity)
#define cpol_ghost_oldest_field(c, name, field) (cpol_ghost_load_oldest__##name(c).field)
#define cpol_ghost_forget_oldest(c, name) cpol_ghost_forget_number(c, GHOST_##name)
#define cpol_ghost_add_record(c, name, f, record) cpol_ghost_store__##name(c, f, record)
#define cpol_ghost_field(c, name, f, field) (cpol_ghost_load__##name(c, f).field)
#define cpol_ghost_has(c, name, f) cpol_ghost_has_number(c, GHOST_##name, f)
#define cpol_ghost_take(c, name, f) cpol_ghost_take_number(c, GHOST_##name, f)
#define cpol_ghost_add(c, name, f) ((void)cpol_ghost_add_number(c, GHOST_##name, f))

#endif
#endif
