/* SPDX-License-Identifier: MIT */
#include "object/object_memory.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cpol/ghost_sizes.h"
#include "pins/pins_folder.h"

#define GHOST_BYTES_LIMIT ((1U << 29) - (1U << 20)) /* the verifier's bound on offsets into a map's value, less the head */


/* The offset and size of a variable in a data section of the object, from its BTF. -1: there is no such variable. */
static int find_variable(const struct btf *btf, const char *section, const char *name, uint32_t *offset, uint32_t *size)
{
	int id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC);
	const struct btf_type *type;
	const struct btf_var_secinfo *variable;

	if (id < 0)
		return -1;
	type = btf__type_by_id(btf, (uint32_t)id);
	variable = btf_var_secinfos(type);
	for (int i = 0; i < btf_vlen(type); i++, variable++) {
		const struct btf_type *declared = btf__type_by_id(btf, variable->type);
		const char *called = declared ? btf__name_by_offset(btf, declared->name_off) : NULL;

		if (called && !strcmp(called, name)) {
			*offset = variable->offset;
			*size = variable->size;
			return 0;
		}
	}
	return -1;
}

/* The initial content of a variable of at least `size` bytes; NULL: it is not there. */
byte *variable_in(struct bpf_object *object, const char *section, const char *name, uint32_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, section);
	uint32_t offset, has;
	size_t room = 0;
	byte *data;

	if (!map || find_variable(bpf_object__btf(object), section, name, &offset, &has) || has < size)
		return NULL;
	data = bpf_map__initial_value(map, &room);
	return data && offset <= room && has <= room - offset ? data + offset : NULL;
}

/* Bytes of a slot in the array at the end of a ghost's map; 0: the map has none. */
static uint32_t slot_size(const struct btf *btf, const char *section, const char *slots)
{
	uint32_t offset, size;

	return find_variable(btf, section, slots, &offset, &size) ? 0 : size;
}

/* Gives a ghost its memory: the array of slots at the end of its map has one slot, and gets as many as ghost_sizes.h says. */
static int set_ghost(struct bpf_object *object, const struct manifest *manifest, struct ghost *ghost, uint64_t capacity,
		     const char *path)
{
	uint64_t entries = formula_value(manifest, &ghost->capacity, capacity), most;
	struct cpol_ghost_sizes sizes;
	struct bpf_map *map;
	char section[NAME_SIZE + 32], limit[NAME_SIZE + 32], slots[NAME_SIZE + 32];
	uint32_t slot, head;
	byte *data;

	snprintf(section, sizeof(section), ".data.ghost_" C_PREFIX "%s", ghost->name);
	snprintf(limit, sizeof(limit), "cpol_ghost_limit__" C_PREFIX "%s", ghost->name);
	snprintf(slots, sizeof(slots), "cpol_ghost_slots__" C_PREFIX "%s", ghost->name);
	map = bpf_object__find_map_by_name(object, section);
	slot = map ? slot_size(bpf_object__btf(object), section, slots) : 0;
	data = map ? variable_in(object, ".rodata", limit, sizeof(sizes)) : NULL;
	if (!slot || !data || bpf_map__value_size(map) < slot || bpf_map__value_size(map) >= GHOST_BYTES_LIMIT)
		return fail("%s: its manifest names the ghost %s, which the object does not have; compile the policy again", path,
			    ghost->name);
	head = bpf_map__value_size(map) - slot;
	most = cpol_ghost_most(GHOST_BYTES_LIMIT - head, slot);
	if (entries > most) {
		warn("the ghost %s asks for %" PRIu64 " entries; it gets %" PRIu64 ", the most that fit", ghost->name, entries, most);
		entries = most;
	}
	ghost->entries = entries;
	sizes = cpol_ghost_sizes_of(entries, slot);
	memcpy(data, &sizes, sizeof(sizes));
	if (entries && bpf_map__set_value_size(map, head + (uint32_t)cpol_ghost_elements(sizes, slot) * slot))
		return fail("%s: cannot give the ghost %s its %" PRIu64 " entries: %s", path, ghost->name, entries, reason(errno));
	return 0;
}

struct bpf_map *table_map(const struct bpf_object *object, const char *name)
{
	char section[NAME_SIZE + 32];

	snprintf(section, sizeof(section), TABLES C_PREFIX "%s", name);
	return bpf_object__find_map_by_name(object, section);
}

static int no_table(const struct table *table, const char *path)
{
	return fail("%s: its manifest names the table %s, which the object does not have; compile the policy again", path,
		    table->element.name);
}

/* Gives a table its memory, unless the object has all of it. The map's only variable is then declared with one element. */
static int set_table(struct bpf_object *object, const struct manifest *manifest, struct table *table, uint64_t capacity,
		     const char *path)
{
	const char *name = table->element.name;
	struct bpf_map *map = table_map(object, name);
	char rows[NAME_SIZE + 40], columns[NAME_SIZE + 40];
	uint64_t *count = table->count, elements;
	uint32_t has = map ? bpf_map__value_size(map) : 0;
	byte *data[2];

	if (!map)
		return no_table(table, path);
	count[0] = count[1] = 1;
	for (int i = 0; i < table->n_sizes; i++) {
		count[i] = formula_value(manifest, &table->sizes[i], capacity);
		if (count[i] == 0)
			count[i] = 1;
	}
	if (count[0] > MAX_TABLE || count[1] > MAX_TABLE / count[0])
		return fail("%s: the table %s would have %" PRIu64 " * %" PRIu64 " elements, but %u is the most: lower the params in its "
			    "size, or memory.max of the cgroup", path, name, count[0], count[1], MAX_TABLE);
	elements = count[0] * count[1];
	if (has == elements * table->element.size && has != table->element.size)
		return 0;
	snprintf(rows, sizeof(rows), "cpol_table_rows__" C_PREFIX "%s", name);
	snprintf(columns, sizeof(columns), "cpol_table_columns__" C_PREFIX "%s", name);
	data[0] = variable_in(object, ".rodata", rows, sizeof(*count));
	data[1] = variable_in(object, ".rodata", columns, sizeof(*count));
	if (!data[0] || !data[1] || has != table->element.size)
		return no_table(table, path);
	for (int i = 0; i < 2; i++)
		memcpy(data[i], &count[i], sizeof(count[i]));
	if (elements > 1 && bpf_map__set_value_size(map, (uint32_t)elements * table->element.size))
		return fail("%s: cannot give the table %s its %" PRIu64 " elements: %s", path, name, elements, reason(errno));
	return 0;
}

/* Finds where the states are. */
static int find_states(const struct bpf_object *object, struct manifest *manifest, const char *path)
{
	static const char *const sections[] = { ".bss", ".data" };

	for (int i = 0; i < 2; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object, sections[i]);
		uint32_t offset, size, has = map ? bpf_map__value_size(map) : 0;
		int n = 0;

		if (!map || find_variable(bpf_object__btf(object), sections[i], "cpol_state", &offset, &size) || offset > has ||
		    size > has - offset)
			continue;
		while (n < manifest->n_states && manifest->states[n].offset <= size &&
		       manifest->states[n].size <= size - manifest->states[n].offset)
			n++;
		if (n < manifest->n_states)
			break;
		manifest->states_in_data = i;
		manifest->states_offset = offset;
		return 0;
	}
	return fail("%s: its manifest names a state that the object does not have; compile the policy again", path);
}

static int set_arrays(struct bpf_object *object, struct manifest *manifest, uint64_t capacity, const char *path)
{
	int plain = manifest->n_lists - manifest->n_list_arrays, room = MAX_LIST_ARRAY;
	size_t bytes = (size_t)manifest->n_list_arrays * sizeof(uint32_t);
	byte *data = variable_in(object, ".rodata", "cpol_array_ends", bytes);
	uint32_t last = (uint32_t)plain;

	if (!data)
		return fail("%s: its manifest names the array of lists %s, which the object does not have; compile the policy again", path,
			    manifest->lists[plain]);
	for (int i = 0; i < manifest->n_list_arrays; i++) {
		uint64_t length = formula_value(manifest, &manifest->list_lengths[i], capacity);

		if (length < 1 || length > (uint64_t)room)
			return fail("%s: the array %s would have %" PRIu64 " lists, but it can have 1 to %d: change the params in its length",
				    path, manifest->lists[plain + i], length, room);
		room -= (int)length;
		manifest->list_counts[i] = (uint32_t)length;
		last += (uint32_t)length;
		memcpy(data + (size_t)i * sizeof(last), &last, sizeof(last));
	}
	return 0;
}

int set_memory(struct bpf_object *object, struct manifest *manifest, uint64_t capacity, const char *path)
{
	for (int i = 0; i < manifest->n_ghosts; i++)
		if (set_ghost(object, manifest, &manifest->ghosts[i], capacity, path))
			return -1;
	for (int i = 0; i < manifest->n_tables; i++)
		if (set_table(object, manifest, &manifest->tables[i], capacity, path))
			return -1;
	if (manifest->n_states && find_states(object, manifest, path))
		return -1;
	return manifest->n_list_arrays ? set_arrays(object, manifest, capacity, path) : 0;
}
