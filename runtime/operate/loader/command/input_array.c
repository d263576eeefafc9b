/* SPDX-License-Identifier: MIT */
#include "command/input_array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/app.h"
#include "inputs/array_file.h"
#include "inputs/elements.h"

#define TRIES 16 /* to read a version that nobody overwrites meanwhile */

static int no_right(const struct user_array *array)
{
	return fail("cannot open the input %s: %s%s", array->entry.name, reason(errno),
		    errno == EACCES || errno == EPERM ?
			    " (run this with sudo, or as a member of the group given to cpolc attach --input-group)" : "");
}

/* The caller closes it. NULL: reported. */
static struct cpol_array *open_array(const struct attached *attached, const struct user_array *array)
{
	char name[NAME_SIZE + sizeof(INPUT_MAP)];
	struct cpol_array *opened;
	struct cpol_array_info info;
	int map, sync;

	snprintf(name, sizeof(name), INPUT_MAP "%s", array->entry.name);
	map = pins_open(&attached->pins, name, true);
	snprintf(name, sizeof(name), SYNC_MAP "%s", array->entry.name);
	sync = map < 0 ? -1 : pins_open(&attached->pins, name, true);
	if (sync < 0) {
		no_right(array);
		if (map >= 0)
			close(map);
		return NULL;
	}
	if (cpol_array_from(map, sync, NULL, array->entry.name, &opened)) {
		fail("%s", cpol_error());
		return NULL;
	}
	cpol_array_info(opened, &info);
	if (info.size == array->entries && info.width == array->entry.size)
		return opened;
	cpol_array_close(opened);
	fail("the input %s is damaged: attach the policy again", array->entry.name);
	return NULL;
}

int arrays_show(const struct attached *attached, bool json, bool first)
{
	for (int i = 0; i < attached->manifest.n_arrays; i++) {
		const struct user_array *array = &attached->manifest.arrays[i];
		struct cpol_array *opened = open_array(attached, array);

		if (!opened)
			return -1;
		if (json)
			printf("%s{\"name\": \"%s\", \"kind\": \"array\", \"key\": \"index\", \"type\": \"%s\", \"default\": 0, "
			       "\"elements\": %" PRIu64 ", \"version\": %" PRIu64 "}", first ? "" : ", ", array->entry.name,
			       array->entry.type, array->entries, cpol_array_version(opened));
		else
			printf("%-16s array of %s; %" PRIu64 " entries, version %" PRIu64 "\n", array->entry.name, array->entry.type,
			       array->entries, cpol_array_version(opened));
		cpol_array_close(opened);
		first = false;
	}
	return 0;
}

/* A copy of one version, which the caller frees. NULL: reported. */
static byte *read_version(const struct cpol_array *opened, const struct user_array *array)
{
	size_t size = array->entries * array->entry.size;
	byte *copy = need(malloc(size));

	for (int i = 0; i < TRIES; i++) {
		uint64_t version = cpol_array_version(opened);

		memcpy(copy, cpol_array_entries(opened), size);
		if (cpol_array_version(opened) == version)
			return copy; /* its half is written again only after the next one is published */
	}
	fail("cannot read the input %s: it changes too fast; try again", array->entry.name);
	free(copy);
	return NULL;
}

/* What handlers read: the value saturates at the type. */
static wide entry_at(const byte *entries, const struct user_array *array, uint64_t index)
{
	const struct param *entry = &array->entry;
	wide value = index < array->entries ? load_value(entries + index * entry->size, entry, 0) : 0;

	return value < entry->low ? entry->low : value > entry->high ? entry->high : value;
}

static void show_entry(const byte *entries, const struct user_array *array, uint64_t index, bool json, bool first)
{
	wide value = entry_at(entries, array, index);

	if (json) {
		printf("%s{\"index\": %" PRIu64 ", \"value\": ", first ? "" : ", ", index);
		param_json(&array->entry, value);
		putchar('}');
		return;
	}
	printf("%" PRIu64 "=", index);
	param_print(stdout, &array->entry, value);
	putchar('\n');
}

/* Shows the entries that are not 0, or those with the indices that are asked for. */
static int list(const struct cpol_array *opened, const struct user_array *array, const struct input_options *options)
{
	byte *entries = NULL;
	bool first = true;
	uint64_t index;

	for (int i = 0; i < options->n_values; i++)
		if (!parse_u64(options->values[i], &index))
			return fail("input %s list: `%s` is no index: a whole number from 0", array->entry.name, options->values[i]);
	entries = read_version(opened, array);
	if (!entries)
		return -1;
	if (options->json)
		putchar('[');
	for (uint64_t i = 0; i < (options->n_values ? (uint64_t)options->n_values : array->entries); i++) {
		index = i;
		if (options->n_values)
			parse_u64(options->values[i], &index);
		else if (!entry_at(entries, array, index))
			continue;
		show_entry(entries, array, index, options->json, first);
		first = false;
	}
	if (options->json)
		puts("]");
	free(entries);
	return 0;
}

/* Publishes a version with these entries, or with zeros. */
static int publish(struct cpol_array *opened, const struct user_array *array, const byte *entries)
{
	void *memory;

	if (cpol_array_begin(opened, CPOL_ZERO, &memory))
		return fail("%s", cpol_error());
	if (entries)
		memcpy(memory, entries, array->entries * array->entry.size);
	return cpol_array_publish(opened) ? fail("%s", cpol_error()) : 0;
}

static int load(struct cpol_array *opened, const struct user_array *array, const struct input_options *options)
{
	byte *entries = need(malloc(array->entries * array->entry.size));
	char command[NAME_SIZE + 32];
	uint64_t count;
	int status;

	snprintf(command, sizeof(command), "input %s load", array->entry.name);
	status = array_read_file(array, options->values[0], options->format, entries, &count, command);
	if (!status)
		status = publish(opened, array, entries);
	free(entries);
	if (status)
		return -1;
	if (options->json)
		printf("{\"loaded\": %" PRIu64 ", \"version\": %" PRIu64 "}\n", count, cpol_array_version(opened));
	else
		printf("%s: %" PRIu64 " of %" PRIu64 " entries loaded, version %" PRIu64 "\n", array->entry.name, count, array->entries,
		       cpol_array_version(opened));
	return 0;
}

static int clear(struct cpol_array *opened, const struct user_array *array, bool json)
{
	if (publish(opened, array, NULL))
		return -1;
	if (json)
		printf("{\"loaded\": 0, \"version\": %" PRIu64 "}\n", cpol_array_version(opened));
	else
		printf("%s: all entries are 0, version %" PRIu64 "\n", array->entry.name, cpol_array_version(opened));
	return 0;
}

int array_act(const struct attached *attached, const struct user_array *array, const struct input_options *options)
{
	struct cpol_array *opened;
	int status;

	if (!strcmp(options->action, "add") || !strcmp(options->action, "remove"))
		return fail("%s is an array: it takes list, load FILE and clear, not %s", array->entry.name, options->action);
	opened = open_array(attached, array);
	if (!opened)
		return -1;
	if (!strcmp(options->action, "list"))
		status = list(opened, array, options);
	else
		status = !strcmp(options->action, "load") ? load(opened, array, options) : clear(opened, array, options->json);
	cpol_array_close(opened);
	return status;
}
