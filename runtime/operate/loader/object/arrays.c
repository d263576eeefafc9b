/* SPDX-License-Identifier: MIT */
#include "object/arrays.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpol/array.h"
#include "inputs/array_file.h"
#include "object/object_memory.h"
#include "pins/pins_folder.h"

#define ARRAYS ".bss.array_" /* sections of arrays */

/* The map of an array; NULL: there is none. */
static struct bpf_map *array_map(const struct bpf_object *object, const struct user_array *array)
{
	char section[NAME_SIZE + sizeof(ARRAYS)];

	snprintf(section, sizeof(section), ARRAYS "%s", array->entry.name);
	return bpf_object__find_map_by_name(object, section);
}

static int no_array(const struct user_array *array, const char *path)
{
	return fail("%s: its manifest names the array %s, which the object does not have; compile the policy again", path,
		    array->entry.name);
}

/* The object's constant for the size. */
static byte *size_in(struct bpf_object *object, const char *name)
{
	char variable[NAME_SIZE + 40];

	snprintf(variable, sizeof(variable), "cpol_array_size__" C_PREFIX "%s", name);
	return variable_in(object, ".rodata", variable, sizeof(uint64_t));
}

static enum cpol_array_kind kind_of(const struct param *entry)
{
	switch (entry->kind) {
	case KIND_SIGNED:
		return CPOL_ARRAY_SIGNED;
	case KIND_FIX:
		return CPOL_ARRAY_FIX;
	case KIND_BOOL:
		return CPOL_ARRAY_BOOL;
	default:
		return CPOL_ARRAY_UNSIGNED;
	}
}

/* How many bits the largest value has, with its sign. */
static uint32_t bits_of(const struct param *entry)
{
	uint32_t bits = entry->low < 0;

	for (wide most = entry->high; most > 0; most >>= 1)
		bits++;
	return bits;
}

static int set_array(struct bpf_object *object, const struct manifest *manifest, struct user_array *array, uint64_t capacity,
		     const char *path)
{
	const struct param *entry = &array->entry;
	struct bpf_map *map = array_map(object, array);
	byte *constant = size_in(object, entry->name), *memory;
	struct cpol_array_header header = { .magic = CPOL_ARRAY_MAGIC, .width = entry->size, .bits = bits_of(entry), .kind = kind_of(entry) };
	uint64_t count;
	size_t room = 0;
	char command[NAME_SIZE + 16];

	if (!map || !constant || bpf_map__type(map) != BPF_MAP_TYPE_ARRAY || bpf_map__value_size(map) != entry->size ||
	    !(bpf_map__map_flags(map) & BPF_F_MMAPABLE))
		return no_array(array, path);
	array->entries = formula_value(manifest, &array->size, capacity);
	if (!array->entries)
		array->entries = 1;
	if (array->entries > MAX_TABLE)
		return fail("%s: the input %s would have %" PRIu64 " entries, but %u is the most: lower the params in its size, or "
			    "memory.max of the cgroup", path, entry->name, array->entries, MAX_TABLE);
	memcpy(constant, &array->entries, sizeof(array->entries));
	if (bpf_map__set_value_size(map, (uint32_t)CPOL_ARRAY_BYTES(array->entries, entry->size)))
		return fail("%s: cannot give the input %s its %" PRIu64 " entries: %s", path, entry->name, array->entries, reason(errno));
	memory = bpf_map__initial_value(map, &room);
	if (!memory || room < CPOL_ARRAY_BYTES(array->entries, entry->size))
		return no_array(array, path);
	header.size = array->entries;
	memcpy(memory, &header, sizeof(header));
	snprintf(command, sizeof(command), "--input %s", entry->name);
	return array->file ? array_read_file(array, array->file, NULL, memory + CPOL_ARRAY_PAGE, &count, command) : 0;
}

int set_arrays(struct bpf_object *object, struct manifest *manifest, uint64_t capacity, const char *path)
{
	for (int i = 0; i < manifest->n_arrays; i++)
		if (set_array(object, manifest, &manifest->arrays[i], capacity, path))
			return -1;
	return 0;
}

bool array_pin(const struct bpf_object *object, const struct manifest *manifest, const struct bpf_map *map, char pin[ARRAY_PIN_SIZE])
{
	for (int i = 0; i < manifest->n_arrays; i++) {
		if (map == array_map(object, &manifest->arrays[i])) {
			snprintf(pin, ARRAY_PIN_SIZE, INPUT_MAP "%s", manifest->arrays[i].entry.name);
			return true;
		}
	}
	return false;
}

int arrays_stage(const struct bpf_object *object, const struct manifest *manifest, const struct pins *pins)
{
	for (int i = 0; i < manifest->n_arrays; i++) {
		const struct user_array *array = &manifest->arrays[i];
		LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = (uint32_t)bpf_map__fd(array_map(object, array)));
		int sync = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "cpol_sync", sizeof(uint32_t), sizeof(uint32_t), 1, &options);
		char pin[ARRAY_PIN_SIZE];
		int status;

		if (sync < 0)
			return fail("cannot make a map to wait for the readers of %s: %s", array->entry.name, reason(errno));
		snprintf(pin, sizeof(pin), SYNC_MAP "%s", array->entry.name);
		status = pins_add(pins, pin, sync);
		close(sync);
		if (status)
			return -1;
	}
	return 0;
}
