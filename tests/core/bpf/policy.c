// SPDX-License-Identifier: GPL-2.0
/*
 * A policy's C as it is generated for the kernel (POLICY_C), compiled for this
 * machine; what a loader sets in it; and how it is shown.
 */
#define CPOL_MAP_NAME cpol_policy
#include POLICY_C

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

const void *const agree_ops = &cpol_policy;
const unsigned int agree_ops_size = sizeof(cpol_policy);
/* Before the kernel freezes it, the loader writes what is read-only for programs. */
static void __attribute__((unused))
store(const volatile void *to, const void *from, size_t bytes)
{
	uintptr_t first = (uintptr_t)to & ~4095UL, end = (uintptr_t)to + bytes;
	void *where = (void *)(uintptr_t)to;

	if (mprotect((void *)first, end - first, PROT_READ | PROT_WRITE))
		abort();
	__asm__("" : "+r"(where)); /* else clang knows that nobody can write there */
	memcpy(where, from, bytes);
}

#define STORE(variable, ...)                                                                   \
	do {                                                                                   \
		__typeof__(variable) store_value = __VA_ARGS__;                                \
		store(&(variable), (const void *)&store_value, sizeof(store_value));           \
	} while (0)

void agree_param(unsigned int n, u64 value)
{
	unsigned int i = 0;

#define X(name)                                                                                \
	if (i++ == n)                                                                          \
		STORE(cpol_params.name, (__typeof__(cpol_params.name))value);
	CPOL_PARAMS(X)
#undef X
	if (n >= i)
		abort();
}

void agree_seed(u64 seed)
{
#if CPOL_USES_RANDOM
	cpol_random_state = seed;
#else
	(void)seed;
#endif
}

u64 agree_tick_ms(struct mem_cgroup *memcg)
{
	cpol_ctx c = { .memcg = memcg };
	u64 least = 0;

	(void)c;
#define X(number)                                                                              \
	if (!least || cpol_every_period_##number(&c) < least)                                  \
		least = cpol_every_period_##number(&c);
	CPOL_EVERY_MS(X)
#undef X
	return least;
}

u64 agree_pin_pages(struct mem_cgroup *memcg)
{
	cpol_ctx c = { .memcg = memcg };

	(void)c;
#if CPOL_USES_PINS
	return cpol_pin_quota(&c);
#else
	return 0;
#endif
}

/* What user space writes into arrays. Their sizes are not known before init. */
#define MAX_ARRAY_ENTRIES 65536
static struct {
	unsigned int array;
	u64 index, value;
} array_entries[MAX_ARRAY_ENTRIES];
static unsigned int nr_array_entries;

void agree_array(unsigned int n, u64 index, u64 value)
{
	if (nr_array_entries == MAX_ARRAY_ENTRIES)
		abort();
	array_entries[nr_array_entries].array = n;
	array_entries[nr_array_entries].index = index;
	array_entries[nr_array_entries++].value = value;
}

/* Version 0, which is the first half. */
#define FILL_ARRAY(NAME, TYPE)                                                                 \
	{                                                                                      \
		u64 size = cpol_array_size_##NAME(&c), i;                                      \
		char *memory;                                                                  \
                                                                                               \
		STORE(cpol_array_size__##NAME, size);                                          \
		agree_grow(cpol_array__##NAME, CPOL_ARRAY_BYTES(size, sizeof(TYPE)));          \
		memory = (char *)agree_place((u64)cpol_array__##NAME);                         \
		for (i = 0; i < nr_array_entries; i++)                                         \
			if (array_entries[i].array == ARRAY_##NAME && array_entries[i].index < size) \
				((TYPE *)(memory + CPOL_ARRAY_PAGE))[array_entries[i].index] = \
					(TYPE)array_entries[i].value;                          \
	}

u32 agree_nr_lists(void)
{
#if CPOL_USES_LIST_ARRAY
	return cpol_array_ends[CPOL_N_LIST_ARRAYS - 1];
#else
	return CPOL_N_LISTS;
#endif
}

void agree_sizes(struct mem_cgroup *memcg)
{
	cpol_ctx c = { .memcg = memcg };

	(void)c;
#if CPOL_USES_LIST_ARRAY
	u32 array = 0, last = CPOL_LIST_ARRAY - 1;

#define X(NAME)                                                                                \
	last += (u32)cpol_list_array_length_##NAME(&c);                                        \
	STORE(cpol_array_ends[array], last);                                                   \
	array++;
	CPOL_LIST_ARRAYS(X)
#undef X
#endif
#define X(NAME, TYPE, INIT, ROWS, COLUMNS)                                                     \
	if (!((ROWS) && (COLUMNS))) {                                                          \
		u64 rows = cpol_table_rows_##NAME(&c), columns = cpol_table_columns_##NAME(&c); \
                                                                                               \
		rows += !rows;                                                                 \
		columns += !columns;                                                           \
		STORE(cpol_table_rows__##NAME, rows);                                          \
		STORE(cpol_table_columns__##NAME, columns);                                    \
		agree_grow(cpol_table__##NAME, rows * columns * sizeof(TYPE));                 \
	}
	CPOL_TABLES(X)
#undef X
#define X(NAME)                                                                                \
	{                                                                                      \
		u64 stride = sizeof(cpol_ghost_slots__##NAME[0]);                              \
		struct cpol_ghost_sizes sizes = cpol_ghost_sizes_of(cpol_ghost_capacity_##NAME(&c), stride); \
                                                                                               \
		STORE(cpol_ghost_limit__##NAME, sizes);                                        \
		agree_grow(cpol_ghost_slots__##NAME, cpol_ghost_elements(sizes, stride) * stride); \
	}
	CPOL_GHOSTS(X)
#undef X
	CPOL_ARRAYS(FILL_ARRAY)
}

static void __attribute__((unused)) show(u64 value)
{
	printf(" %llu", value);
}

void agree_show_states(void)
{
#define X(name) show((u64)cpol_state.name);
	CPOL_STATES(X)
#undef X
}

void agree_show_record(struct folio *folio)
{
#if CPOL_N_FIELDS
	struct cpol_meta *record = cpol_look_up(folio);

#define X(name) show((u64)record->name);
	CPOL_FIELDS(X)
#undef X
#else
	(void)folio;
#endif
}

/* In C, names of the policy begin with my_. */
static const char *__attribute__((unused)) plain_name(const char *name)
{
	return name + sizeof("my_") - 1;
}

/* A ghost's entries, from the oldest: their tags, and what they remember. */
#define SHOW_GHOST(NAME, SHOW_RECORD)                                                          \
	{                                                                                      \
		struct cpol_ghost_memory m = cpol_ghost_memory__##NAME(CPOL_GHOST_HAS);        \
		u64 at = cpol_ghost_head__##NAME.oldest, left = cpol_ghost_head__##NAME.count, bytes; \
                                                                                               \
		printf("ghost %s", plain_name(#NAME));                                         \
		for (; left; at = cpol_ghost_newer(m, at, bytes)) {                            \
			struct cpol_ghost_slot *slot = cpol_ghost_slot(m, at);                 \
                                                                                               \
			bytes = slot->tag ? m.stride : slot->next;                             \
			if (!slot->tag)                                                        \
				continue;                                                      \
			show(slot->tag);                                                       \
			SHOW_RECORD(NAME, slot)                                                \
			left--;                                                                \
		}                                                                              \
		printf("\n");                                                                  \
	}
#define NO_RECORD(NAME, slot)
#define SHOW_FIELD(NAME, field) show((u64)record->field);
#define THE_RECORD(NAME, slot)                                                                 \
	struct cpol_record_##NAME *record = &((struct cpol_ghost_slot_##NAME *)slot)->record.record; \
	CPOL_RECORD_##NAME(SHOW_FIELD, NAME)

void agree_show_ghosts(void)
{
#define PLAIN(NAME) SHOW_GHOST(NAME, NO_RECORD)
#if CPOL_USES_RECORDS
#define RECORDS(NAME) SHOW_GHOST(NAME, THE_RECORD)
	CPOL_PLAIN_GHOSTS(PLAIN)
	CPOL_RECORD_GHOSTS(RECORDS)
#else
	CPOL_GHOSTS(PLAIN)
#endif
}

/* Elements that differ from the initial value: place, value. */
void agree_show_tables(struct mem_cgroup *memcg)
{
	cpol_ctx c = { .memcg = memcg };

	(void)c;
#define X(NAME, TYPE, INIT, ROWS, COLUMNS)                                                     \
	{                                                                                      \
		u64 rows = cpol_table_rows(&c, NAME), row, column;                             \
		u64 columns = (ROWS) && (COLUMNS) ? (u64)(COLUMNS) : cpol_table_columns__##NAME; \
                                                                                               \
		printf("table %s", plain_name(#NAME));                                         \
		for (row = 0; row < rows; row++)                                               \
			for (column = 0; column < columns; column++)                           \
				if (cpol_table_get(&c, NAME, row, column) != (TYPE)(INIT)) {   \
					show(row * columns + column);                          \
					show((u64)cpol_table_get(&c, NAME, row, column));      \
				}                                                              \
		printf("\n");                                                                  \
	}
	CPOL_TABLES(X)
#undef X
}

void agree_input(unsigned int n, const u64 key[3], u64 value)
{
	unsigned int i = 0;

#define X(NAME, PAGE, DEFAULT)                                                                 \
	if (i++ == n)                                                                          \
		agree_put(&CPOL_INPUT_MAP_##NAME, PAGE, key, (s64)value);
	CPOL_INPUTS(X)
#undef X
	(void)key;
	(void)value;
	if (n >= i)
		abort();
}

/* cpol_mix64() undone: cpol_folio_file() is @file, on device 0. */
u64 agree_inode(u64 file)
{
	u64 x = file;

	x ^= x >> 31 ^ x >> 62;
	x *= 0x319642b2d24d8ec3ULL;
	x ^= x >> 27 ^ x >> 54;
	x *= 0x96de1b173f119089ULL;
	x ^= x >> 30 ^ x >> 60;
	if (cpol_mix64(x) != file)
		abort();
	return x;
}
