/* SPDX-License-Identifier: MIT */
#include "inputs/inputs.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/device_id.h"
#include "inputs/file_id.h"
#include "inputs/map_changes.h"
#include "inputs/page_ranges.h"
#include "inputs/task.h"
#include "system/cgroup.h"

#define ID_PREFIX "id:"

/* `id:0123456789abcdef`, as `list` prints it, for a file that has no name any more. */
static bool parse_id(const char *text, uint64_t *id)
{
	size_t length = strlen(text) - strlen(ID_PREFIX);

	if (length != 16 || strspn(text + strlen(ID_PREFIX), "0123456789abcdef") != length)
		return false;
	*id = strtoull(text + strlen(ID_PREFIX), NULL, 16);
	return true;
}

static bool is_id(const char *text)
{
	return !strncmp(text, ID_PREFIX, strlen(ID_PREFIX));
}

/* Numbers of another namespace name other threads or none, and nothing would show that. */
static void warn_of_namespace(void)
{
	static bool warned;

	if (warned)
		return;
	warn("this is not the initial pid namespace, but an input of threads or processes takes the numbers of that namespace");
	warned = true;
}

/* `add`: the number must be that of a living task, for the kernel gives an unused one to somebody else. */
static int parse_number(struct elements *elements, const struct input *input, const char *text, int64_t value, bool add,
			const char *command)
{
	struct element element = { .value = value };
	const char *missing;

	if (!parse_u64(text, &element.id) || !element.id || element.id > MAX_PID)
		return fail("%s: `%s` is not the number of a %s: a whole number from 1 to %d, of the initial pid namespace", command, text,
			    input_key_name(input->key), MAX_PID);
	if (!task_initial_namespace())
		warn_of_namespace();
	else if (add && (missing = task_missing(element.id, input->key == INPUT_PROCESS)))
		return fail("%s: %s is not the number of a %s: %s", command, text, input_key_name(input->key), missing);
	elements_append(elements, element);
	return 0;
}

static int parse_comm(struct elements *elements, const char *text, int64_t value, const char *command)
{
	struct element element = { .value = value };

	if (comm_parse(text, element.name, command))
		return -1;
	element.id = comm_number(element.name);
	elements_append(elements, element);
	return 0;
}

static int parse_file(struct elements *elements, const char *path, int64_t value, const char *command)
{
	uint64_t *ids;
	size_t n;

	if (is_id(path)) {
		struct element element = { .value = value };

		if (!parse_id(path, &element.id))
			return fail("%s: `%s`: write id: and 16 digits of 0 to 9 and a to f (a file of that name is ./%s)", command,
				    path, path);
		elements_append(elements, element);
		return 0;
	}
	if (file_ids(path, INPUT_ENTRIES, &ids, &n))
		return -1;
	for (size_t i = 0; i < n; i++)
		elements_append(elements, (struct element){ .id = ids[i], .value = value });
	free(ids);
	return n ? 0 : fail("%s: there is no file in %s", command, path);
}

static int parse_device(struct elements *elements, const char *text, int64_t value, const char *command)
{
	struct element element = { .value = value };

	if (device_id(text, &element.id, command))
		return -1;
	elements_append(elements, element);
	return 0;
}

static int parse_cgroup(struct elements *elements, const char *path, int64_t value, const char *command)
{
	struct element element = { .value = value };
	struct cgroup cgroup;

	if (is_id(path)) {
		if (!parse_id(path, &element.id))
			return fail("%s: `%s`: write id: and 16 digits of 0 to 9 and a to f", command, path);
	} else if (cgroup_open(&cgroup, path)) {
		return -1;
	} else {
		element.id = cgroup.id;
		cgroup_close(&cgroup);
	}
	elements_append(elements, element);
	return 0;
}

/* PATH:FIRST..LAST; changes the text. */
static int parse_pages(struct elements *elements, char *text, int64_t value, const char *command)
{
	char *range = strrchr(text, ':'), *dots = range ? strstr(range, "..") : NULL;
	struct element element = { .value = value };
	bool parsed = false;

	if (dots && range != text) {
		*range++ = '\0';
		*dots = '\0';
		parsed = parse_u64(range, &element.first) && parse_u64(dots + 2, &element.last);
		if (parsed && element.first > element.last)
			return fail("%s: %s:%s..%s: the first page is after the last", command, text, range, dots + 2);
	}
	if (!parsed)
		return fail("%s: write pages as PATH:FIRST..LAST, with numbers from 0; both are included", command);
	if (is_id(text) ? !parse_id(text, &element.id) : file_id(text, &element.id))
		return is_id(text) ? fail("%s: `%s`: write id: and 16 digits of 0 to 9 and a to f", command, text) : -1;
	elements_append(elements, element);
	return 0;
}

/* How users write a key, for messages. */
static const char *const forms[] = { "NUMBER", "NUMBER", "NAME", "PATH", "PATH:FIRST..LAST", "PATH", "PATH" };

int elements_parse(struct elements *elements, const struct input *input, const char *text, bool add, const char *command)
{
	char *key = need(strdup(text)), *equals = add && input->is_map ? strrchr(key, '=') : NULL;
	char what[NAME_SIZE + 64];
	wide value = 1;
	int status = 0;

	if (add && input->is_map) {
		snprintf(what, sizeof(what), "%s: a value of %s", command, input->name);
		if (!equals || equals == key)
			status = fail("%s: %s is a map: write %s=VALUE, not `%s`", command, input->name,
				      forms[input->key], text);
		else
			status = param_parse(&input->value, equals + 1, what, &value);
		if (equals)
			*equals = '\0';
	}
	if (!status) {
		int64_t raw = (int64_t)(uint64_t)value;

		if (input->key == INPUT_COMM)
			status = parse_comm(elements, key, raw, command);
		else if (input->key == INPUT_FILE)
			status = parse_file(elements, key, raw, command);
		else if (input->key == INPUT_DEVICE)
			status = parse_device(elements, key, raw, command);
		else if (input->key == INPUT_CGROUP)
			status = parse_cgroup(elements, key, raw, command);
		else if (input->key == INPUT_PAGE)
			status = parse_pages(elements, key, raw, command);
		else
			status = parse_number(elements, input, key, raw, add, command);
	}
	free(key);
	return status;
}

static int change(int map, const struct input *input, const struct elements *elements, bool put, struct changes *changes)
{
	struct map_changes all = {};
	int status = 0;

	memset(changes, 0, sizeof(*changes));
	if (input->key == INPUT_PAGE) {
		status = page_ranges_change(map, input, elements, put, &all);
	} else {
		for (size_t i = 0; i < elements->n; i++) {
			const struct element *element = &elements->list[i];
			union input_map_key key = { .id = element->id };
			struct map_value value = { .value = element->value };

			memcpy(value.name, element->name, sizeof(value.name));
			if (put)
				map_put(&all, key, value);
			else
				map_take(&all, key);
		}
	}
	if (!status)
		status = map_apply(map, input, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct map_change *one = &all.list[i];

		if (one->put)
			*(one->had ? &changes->replaced : &changes->added) += 1;
		else
			*(one->had ? &changes->removed : &changes->missing) += 1;
	}
	map_changes_free(&all);
	return status;
}

int elements_add(int map, const struct input *input, const struct elements *elements, struct changes *changes)
{
	return change(map, input, elements, true, changes);
}

int elements_remove(int map, const struct input *input, const struct elements *elements, struct changes *changes)
{
	return change(map, input, elements, false, changes);
}

static int compare(const void *a, const void *b)
{
	const struct element *left = a, *right = b;

	int names = strncmp(left->name, right->name, sizeof(left->name));

	return names ? names : left->id < right->id ? -1 : left->id > right->id;
}

int elements_read(int map, const struct input *input, struct elements *elements)
{
	uint64_t key, next;
	const void *at = NULL;
	size_t kept = 0;

	if (input->key == INPUT_PAGE)
		return page_ranges_read(map, input, true, 0, elements);
	/* If an element is removed meanwhile, the walk starts again. So it may see more elements than the map holds. */
	while (!bpf_map_get_next_key(map, at, &next)) {
		struct element element = { .id = next };
		struct map_value value = {};

		key = next;
		at = &key;
		if (elements->n > 2 * INPUT_ENTRIES)
			return fail("cannot read the input %s: it changes too fast; try again", input->name);
		if (bpf_map_lookup_elem(map, &next, &value))
			continue;
		element.value = value.value;
		memcpy(element.name, value.name, sizeof(element.name));
		elements_append(elements, element);
	}
	if (errno != ENOENT)
		return fail("cannot read the input %s: %s", input->name, reason(errno));
	if (elements->n)
		qsort(elements->list, elements->n, sizeof(*elements->list), compare);
	for (size_t i = 0; i < elements->n; i++)
		if (!kept || elements->list[i].id != elements->list[kept - 1].id)
			elements->list[kept++] = elements->list[i];
	elements->n = kept;
	return 0;
}

/* Removes also what is added meanwhile, and gives up if that is added as fast. */
int elements_clear(int map, const struct input *input, struct changes *changes)
{
	struct elements all = {};
	union input_map_key key;
	int status = 0;

	memset(changes, 0, sizeof(*changes));
	if (input->key != INPUT_PAGE) /* by a walk: to look for the first element again and again is slow in a hash */
		status = elements_read(map, input, &all);
	for (size_t i = 0; i < all.n; i++)
		changes->removed += !bpf_map_delete_elem(map, &all.list[i].id);
	elements_free(&all);
	while (!status && !bpf_map_get_next_key(map, NULL, &key)) {
		if (!bpf_map_delete_elem(map, &key))
			changes->removed++;
		else if (errno != ENOENT)
			return fail("cannot clear the input %s: %s; removed %zu elements", input->name, reason(errno), changes->removed);
		if (changes->removed > 2 * INPUT_ENTRIES)
			return fail("cannot clear the input %s: another process adds to it as fast", input->name);
	}
	return status;
}
