/* SPDX-License-Identifier: MIT */
/* Dumps the state as numbers, to compare it with the interpreter's. */
#ifndef CPOL_DUMP_H
#define CPOL_DUMP_H

struct cpol_dump {
	u64 *out;
	u64 size, used;
};

static void cpol_dump_number(struct cpol_dump *dump, u64 number)
{
	if (dump->used < dump->size)
		dump->out[dump->used] = number;
	dump->used++;
}

static void cpol_dump_folio(struct cpol_sim *sim, struct cpol_dump *dump, u32 slot)
{
	cpol_dump_number(dump, sim->names[slot].file);
	cpol_dump_number(dump, sim->names[slot].index);
	cpol_dump_number(dump, sim->pages[slot]);
#if CPOL_N_FIELDS
#define X(field) cpol_dump_number(dump, (u64)(s64)sim->meta[slot].field);
	CPOL_FIELDS(X)
#undef X
#endif
}

#if CPOL_USES_RECORDS
/* The fields of an entry's record, in order of declaration. */
static void cpol_dump_record(struct cpol_sim *sim, struct cpol_dump *dump, u32 number, u32 entry)
{
	switch (number) {
#define FIELD(ghost, field) cpol_dump_number(dump, (u64)(s64)((struct cpol_record_##ghost *)sim->records[number])[entry].field);
#define X(ghost)                                \
	case GHOST_##ghost:                     \
		CPOL_RECORD_##ghost(FIELD, ghost) \
		break;
		CPOL_RECORD_GHOSTS(X)
#undef X
#undef FIELD
	}
}
#endif

/* The folios left to the kernel: their number, then for each, oldest first, file, index, pages. */
static void cpol_dump_left(struct cpol_sim *sim, struct cpol_dump *dump)
{
	u64 folios = 0;

	for (u32 slot = sim->links[0].next; slot != 0; slot = sim->links[slot].next)
		folios++;
	cpol_dump_number(dump, folios);
	for (u32 slot = sim->links[0].next; slot != 0; slot = sim->links[slot].next) {
		cpol_dump_number(dump, sim->names[slot].file);
		cpol_dump_number(dump, sim->names[slot].index);
		cpol_dump_number(dump, sim->pages[slot]);
	}
}

/* The pinned pages, those that were beyond the quota, kept, and taken all the same; then whether each listed folio is pinned. */
static void cpol_dump_pins(struct cpol_sim *sim, struct cpol_dump *dump)
{
	(void)sim, (void)dump;
#if CPOL_USES_PINS
	cpol_dump_number(dump, sim->pin_pages);
	cpol_dump_number(dump, sim->pins_refused);
	cpol_dump_number(dump, sim->pins_kept);
	cpol_dump_number(dump, sim->pins_overruled);
	for (u32 list = 1; list <= CPOL_HEADS(sim); list++)
		for (u32 slot = sim->links[list].next; slot != list; slot = sim->links[slot].next)
			cpol_dump_number(dump, sim->pinned[slot]);
#endif
}

/* The second, the pages that were kept from swap in it; all that were kept; those beyond the quota. */
static void cpol_dump_keeps(struct cpol_sim *sim, struct cpol_dump *dump)
{
	(void)sim, (void)dump;
#if CPOL_USES_KEEPS
	cpol_dump_number(dump, sim->keep_second);
	cpol_dump_number(dump, sim->keep_pages);
	cpol_dump_number(dump, sim->keeps_kept);
	cpol_dump_number(dump, sim->keeps_refused);
#endif
}

/* The statements that wanted pages. */
static void cpol_dump_reclaims(struct cpol_sim *sim, struct cpol_dump *dump)
{
	(void)sim, (void)dump;
#if CPOL_USES_RECLAIM
	cpol_dump_number(dump, sim->reclaims);
#endif
}

/*
 * Writes at most `size` numbers, and returns how many there are:
 *
 *     the size of the cache; the number of lists; the states; the folios left to the kernel
 *     how many lists have folios; for each of them: its number, how many folios, then for each, head to tail: file, index,
 *     pages, fields
 *     for each ghost: its number of entries, then for each, oldest first: file, index, fields of its record
 *     for each table: how many elements differ from the initial value, then for each: its position, its value
 *     if it pins:     pages pinned, refused, kept, overruled; for each folio of the lists in order, whether it is pinned
 *     if it keeps:    the second, pages kept in it, all kept, refused
 *     if it reclaims: the statements that wanted pages
 */
CPOL_EXPORT u64 cpol_sim_dump(struct cpol_sim *sim, u64 *out, u64 size)
{
	struct cpol_dump dump = { out, size, 0 };
	u64 lists = 0;

	cpol_dump_number(&dump, sim->size);
#if CPOL_USES_LIST_ARRAY
	for (u32 array = 0; array < CPOL_N_LIST_ARRAYS; array++)
		cpol_dump_number(&dump, sim->array_ends[array] + 1 - cpol_array_first(sim, array));
#endif
#if CPOL_N_STATES
#define X(name) cpol_dump_number(&dump, (u64)(s64)sim->state.name);
	CPOL_STATES(X)
#undef X
#endif
	cpol_dump_left(sim, &dump);
	for (u32 list = 1; list <= CPOL_HEADS(sim); list++)
		lists += sim->list_folios[list] != 0;
	cpol_dump_number(&dump, lists);
	for (u32 list = 1; list <= CPOL_HEADS(sim); list++) {
		if (!sim->list_folios[list])
			continue;
		cpol_dump_number(&dump, list);
		cpol_dump_number(&dump, sim->list_folios[list]);
		for (u32 slot = sim->links[list].next; slot != list; slot = sim->links[slot].next)
			cpol_dump_folio(sim, &dump, slot);
	}
#if CPOL_N_GHOSTS
	for (u32 number = 0; number < CPOL_N_GHOSTS; number++) {
		struct cpol_ghost *ghost = &sim->ghosts[number];

		cpol_dump_number(&dump, ghost->count + (ghost->held != 0));
		for (u32 entry = cpol_ghost_first(ghost); entry; entry = ghost->entries[entry].newer) {
			cpol_dump_number(&dump, ghost->entries[entry].key.file);
			cpol_dump_number(&dump, ghost->entries[entry].key.index);
#if CPOL_USES_RECORDS
			cpol_dump_record(sim, &dump, number, entry);
#endif
		}
	}
#endif
#if CPOL_N_TABLES
#define X(name, type, init, constant_rows, constant_columns)                                    \
	do {                                                                                    \
		u64 all = sim->tables.name.rows * sim->tables.name.columns, counted = dump.used; \
                                                                                                \
		cpol_dump_number(&dump, 0);                                                     \
		for (u64 at = 0; at < all; at++) {                                              \
			if (sim->tables.name.elements[at] == (type)(init))                      \
				continue;                                                       \
			cpol_dump_number(&dump, at);                                            \
			cpol_dump_number(&dump, (u64)(s64)sim->tables.name.elements[at]);       \
		}                                                                               \
		if (counted < dump.size)                                                        \
			dump.out[counted] = (dump.used - counted - 1) / 2;                      \
	} while (0);
	CPOL_TABLES(X)
#undef X
#endif
	cpol_dump_pins(sim, &dump);
	cpol_dump_keeps(sim, &dump);
	cpol_dump_reclaims(sim, &dump);
	return dump.used;
}

#endif
