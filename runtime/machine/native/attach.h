/* SPDX-License-Identifier: MIT */
/* Memory that depends on params and the capacity (lists of an array, tables, arrays of user space), and inputs, which user space fills. */
#ifndef CPOL_ATTACH_H
#define CPOL_ATTACH_H

/* The lists' heads and counts. */
static bool cpol_attach_lists(struct cpol_sim *sim, struct cpol_refusal *why)
{
	(void)sim, (void)why;
#if CPOL_USES_LIST_ARRAY
	u32 number = 0;

	sim->heads = CPOL_LIST_ARRAY - 1;
#define X(name)                                                                                                    \
	{                                                                                                          \
		u64 length = cpol_list_array_length_##name(sim), before = sim->heads - (CPOL_LIST_ARRAY - 1);      \
                                                                                                                   \
		if (length < 1 || length > CPOL_MAX_LIST_ARRAY - before) {                                         \
			*why = (struct cpol_refusal){ CPOL_BAD_LENGTH, number, length, before };                   \
			return false;                                                                              \
		}                                                                                                  \
		sim->heads += (u32)length;                                                                         \
		sim->array_ends[number++] = sim->heads;                                                            \
	}
	CPOL_LIST_ARRAYS(X)
#undef X
	sim->list_pages = cpol_alloc(sim->heads + 1, sizeof(u64));
	if (!sim->list_pages)
		return false;
	CPOL_IF_EVENTS(sim->list_folios = cpol_alloc(sim->heads + 1, sizeof(u64));)
	CPOL_IF_EVENTS(if (!sim->list_folios) return false;)
#endif
	return true;
}

#if CPOL_N_TABLES
/* A size of 0 counts as 1. */
CPOL_INLINE u64 cpol_table_least(u64 size)
{
	return size ? size : 1;
}

#define CPOL_TABLE_IS_LARGE(rows, columns) ((rows) > CPOL_MAX_TABLE || (columns) > CPOL_MAX_TABLE / (rows))
#endif

static bool cpol_attach_tables(struct cpol_sim *sim, struct cpol_refusal *why)
{
	(void)sim, (void)why;
#if CPOL_N_TABLES
#define X(name, type, init, constant_rows, constant_columns)                                                           \
	{                                                                                                              \
		u64 rows = cpol_table_least(cpol_table_rows_##name(sim));                                              \
		u64 columns = cpol_table_least(cpol_table_columns_##name(sim));                                        \
                                                                                                                       \
		if (CPOL_TABLE_IS_LARGE(rows, columns)) {                                                              \
			*why = (struct cpol_refusal){ CPOL_BAD_TABLE, TABLE_##name, rows, columns };                   \
			return false;                                                                                  \
		}                                                                                                      \
		sim->tables.name.elements = cpol_alloc(rows * columns, sizeof(type));                                  \
		if (!sim->tables.name.elements)                                                                        \
			return false;                                                                                  \
		sim->tables.name.rows = rows;                                                                          \
		sim->tables.name.columns = columns;                                                                    \
		for (u64 at = 0; (init) != 0 && at < rows * columns; at++)                                             \
			sim->tables.name.elements[at] = init;                                                          \
	}
	CPOL_TABLES(X)
#undef X
#endif
	return true;
}

static void cpol_attach_pins(struct cpol_sim *sim)
{
	(void)sim;
#if CPOL_USES_PINS
	sim->pin_quota = cpol_pin_quota(sim);
#endif
}

static void cpol_attach_keeps(struct cpol_sim *sim)
{
	(void)sim;
#if CPOL_USES_KEEPS
	sim->keep_quota = cpol_keep_quota(sim);
#endif
}

static bool cpol_attach_arrays(struct cpol_sim *sim, struct cpol_refusal *why)
{
	(void)sim, (void)why;
#if CPOL_N_ARRAYS
#define X(name, type)                                                                             \
	{                                                                                         \
		u64 size = cpol_array_size_##name(sim);                                           \
                                                                                                  \
		if (size > CPOL_MAX_TABLE) {                                                      \
			*why = (struct cpol_refusal){ CPOL_BAD_ARRAY, ARRAY_##name, size, 1 };    \
			return false;                                                             \
		}                                                                                 \
		sim->arrays.name.size = size ? size : 1;                                          \
		sim->arrays.name.entries = cpol_alloc(sim->arrays.name.size, sizeof(type));       \
		if (!sim->arrays.name.entries)                                                    \
			return false;                                                             \
	}
	CPOL_ARRAYS(X)
#undef X
#endif
	return true;
}

/* Gives entries of an array raw values, from `first` on. Those beyond its end are dropped. Returns how many. */
CPOL_EXPORT u64 cpol_sim_put(struct cpol_sim *sim, u32 number, u64 first, const u64 *values, u64 count)
{
	u64 dropped = 0;

	(void)sim, (void)number, (void)first, (void)values, (void)count;
#if CPOL_N_ARRAYS
	for (u64 at = 0; at < count; at++) {
		switch (number) {
#define X(name, type)                                                                        \
	case ARRAY_##name:                                                                   \
		if (first < sim->arrays.name.size && at < sim->arrays.name.size - first)     \
			sim->arrays.name.entries[first + at] = (type)values[at];             \
		else                                                                         \
			dropped++;                                                           \
		break;
			CPOL_ARRAYS(X)
#undef X
		}
	}
#endif
	return dropped;
}

static void cpol_detach(struct cpol_sim *sim)
{
	(void)sim;
#if CPOL_USES_LIST_ARRAY
	cpol_release(sim->list_pages, sim->heads + 1, sizeof(u64));
	CPOL_IF_EVENTS(cpol_release(sim->list_folios, sim->heads + 1, sizeof(u64));)
#endif
#if CPOL_N_TABLES
#define X(name, type, init, constant_rows, constant_columns) \
	cpol_release(sim->tables.name.elements, sim->tables.name.rows * sim->tables.name.columns, sizeof(type));
	CPOL_TABLES(X)
#undef X
#endif
#if CPOL_N_ARRAYS
#define X(name, type) cpol_release(sim->arrays.name.entries, sim->arrays.name.size, sizeof(type));
	CPOL_ARRAYS(X)
#undef X
#endif
#if CPOL_N_INPUTS
	for (u32 number = 0; number < CPOL_N_INPUTS; number++) {
		cpol_release(sim->inputs[number].fills, sim->inputs[number].size, sizeof(struct cpol_fill));
		cpol_release(sim->inputs[number].cells, sim->inputs[number].mask + 1, sizeof(u32));
	}
#endif
}

#if CPOL_N_INPUTS
/* Makes room for one more fill. Growing rebuilds the hash table. */
static bool cpol_input_reserve(struct cpol_input *input, bool pages)
{
	u64 size = input->size ? 2 * input->size : 64, cells = cpol_table_size(size);

	if (input->used < input->size)
		return true;
	if (size > CPOL_MAX_SLOTS / 4 || !cpol_grow((void **)&input->fills, input->size, size, sizeof(struct cpol_fill)))
		return false;
	input->size = size;
	if (pages)
		return true;
	cpol_release(input->cells, input->mask + 1, sizeof(u32));
	input->cells = cpol_alloc(cells, sizeof(u32));
	input->mask = cells - 1;
	if (!input->cells)
		return false;
	for (u64 number = 0; number < input->used; number++)
		input->cells[cpol_input_cell(input, input->fills[number].first)] = (u32)number + 1;
	return true;
}

/* Whether the keys of an input are pages. */
static const bool cpol_input_of_pages[] = {
#define X(name, key, initial) key == 1,
	CPOL_INPUTS(X)
#undef X
};
#endif

/* Gives a key a value, or removes it if not `present`. Returns 0, or -1: no memory. */
CPOL_EXPORT int cpol_sim_fill(struct cpol_sim *sim, u32 number, const u64 *key, s64 value, bool present)
{
	(void)sim, (void)number, (void)key, (void)value, (void)present;
#if CPOL_N_INPUTS
	struct cpol_input *input = &sim->inputs[number];
	bool pages = cpol_input_of_pages[number];
	struct cpol_fill fill = { pages ? key[0] : 0, pages ? key[1] : key[0], pages ? key[2] : key[0], value, present };

	if (!cpol_input_reserve(input, pages))
		return -1;
	if (!pages) {
		u32 *cell = &input->cells[cpol_input_cell(input, key[0])];

		if (*cell) {
			input->fills[*cell - 1] = fill;
			return 0;
		}
		*cell = (u32)input->used + 1;
	}
	input->fills[input->used++] = fill;
#endif
	return 0;
}

#endif
