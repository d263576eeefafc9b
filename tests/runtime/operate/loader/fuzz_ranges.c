/* SPDX-License-Identifier: MIT */
/*
 * For libFuzzer: changes to an input of pages leave each page with what was put last, in a trie that is made up here. A page whose
 * value a change keeps has it at any moment, and a change that fails is undone. Programs write prefixes of their own between them.
 */
#include <bpf/bpf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/page_ranges.h"

#define FILES 3
#define STEPS 24
#define POINTS (4 * STEPS + 4)
#define ROOM 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t files[FILES] = { 0, 7, UINT64_MAX };
static const struct input input = { .name = "pages", .key = INPUT_PAGE };

/* The trie: no two entries have the same prefix. As in the kernel, a key keeps its bits behind the prefix. */
static struct entry {
	struct page_key key;
	int64_t value;
} trie[ROOM];
static size_t n_entries, room;

/* What was put, in its order: the last one that has a page counts. */
static struct layer {
	uint64_t id, first, last;
	int64_t value;
	bool put;
} layers[STEPS];
static int n_layers;

/* The pages at which a value may change, and one beside each. */
static uint64_t points[POINTS];
static int n_points;

/* The values that must not change now; the trie is looked at after each change if `watching`. */
static bool watching, kept[FILES][POINTS];

static uint64_t big(const byte *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return be64toh(value);
}

static uint64_t mask_of(const struct page_key *key)
{
	return key->bits == 64 ? 0 : UINT64_MAX << (128 - key->bits);
}

static bool inside(const struct page_key *key, uint64_t id, uint64_t page)
{
	return big(key->file) == id && !((big(key->index) ^ page) & mask_of(key));
}

static struct entry *entry_of(const struct page_key *key)
{
	for (size_t i = 0; i < n_entries; i++)
		if (trie[i].key.bits == key->bits && inside(key, big(trie[i].key.file), big(trie[i].key.index)))
			return &trie[i];
	return NULL;
}

/* What a program finds for a page. */
static bool look(uint64_t id, uint64_t page, int64_t *value)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < n_entries; i++)
		if (trie[i].key.bits > bits && inside(&trie[i].key, id, page)) {
			bits = trie[i].key.bits;
			*value = trie[i].value;
		}
	return bits;
}

static bool expected(uint64_t id, uint64_t page, int n, int64_t *value)
{
	while (n--)
		if (layers[n].id == id && page >= layers[n].first && page <= layers[n].last) {
			*value = layers[n].put ? layers[n].value : 0;
			return layers[n].put;
		}
	return false;
}

/* Whether the trie has the first `n` layers; if `only_kept`, in the points whose value is kept. */
static void compare(int n, bool only_kept)
{
	for (int file = 0; file < FILES; file++)
		for (int i = 0; i < n_points; i++) {
			int64_t found = 0, wanted = 0;

			if (only_kept && !kept[file][i])
				continue;
			if (look(files[file], points[i], &found) != expected(files[file], points[i], n, &wanted) || found != wanted)
				abort();
		}
}

int bpf_map_get_next_key(int fd, const void *key, void *next)
{
	const struct entry *at = key ? entry_of(key) : NULL;
	size_t i = at ? (size_t)(at - trie) + 1 : 0;

	(void)fd;
	if (i == n_entries) {
		errno = ENOENT;
		return -ENOENT;
	}
	memcpy(next, &trie[i].key, sizeof(trie[i].key));
	return 0;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	const struct entry *entry = entry_of(key);

	(void)fd;
	if (!entry) {
		errno = ENOENT;
		return -ENOENT;
	}
	memcpy(value, &entry->value, sizeof(entry->value));
	return 0;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	struct entry *entry = entry_of(key);

	(void)fd;
	(void)flags;
	if (!entry && n_entries >= room) {
		errno = ENOSPC;
		return -ENOSPC;
	}
	if (!entry)
		entry = &trie[n_entries++];
	memcpy(&entry->key, key, sizeof(entry->key));
	memcpy(&entry->value, value, sizeof(entry->value));
	if (watching)
		compare(n_layers, true);
	return 0;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	struct entry *entry = entry_of(key);

	(void)fd;
	if (!entry) {
		errno = ENOENT;
		return -ENOENT;
	}
	*entry = trie[--n_entries];
	if (watching)
		compare(n_layers, true);
	return 0;
}

static void add_point(uint64_t page)
{
	points[n_points++] = page;
}

/* The ranges that `list` shows are sorted, do not touch with one value, and say what the trie says. */
static void check_ranges(void)
{
	struct elements ranges = {};

	if (page_ranges_read(-1, &input, true, 0, &ranges))
		abort();
	for (size_t i = 1; i < ranges.n; i++) {
		const struct element *a = &ranges.list[i - 1], *b = &ranges.list[i];

		if (b->id < a->id || (a->id == b->id && (b->first <= a->last || (a->value == b->value && b->first == a->last + 1))))
			abort();
	}
	for (int file = 0; file < FILES; file++)
		for (int i = 0; i < n_points; i++) {
			const struct element wanted = { .id = files[file], .first = points[i] };
			int64_t found = 0, listed = 0;

			if (look(files[file], points[i], &found) != elements_find(&ranges, &wanted, &listed) || found != listed)
				abort();
		}
	elements_free(&ranges);
}

/* After a change, no prefix of the file is in another one. */
static void check_disjoint(uint64_t id)
{
	for (size_t i = 0; i < n_entries; i++)
		for (size_t k = 0; k < n_entries; k++)
			if (i != k && big(trie[i].key.file) == id && trie[i].key.bits <= trie[k].key.bits &&
			    inside(&trie[i].key, big(trie[k].key.file), big(trie[k].key.index)))
				abort();
}

/* Puts or removes the last `n` layers, which are of one kind. */
static void change(int n)
{
	struct elements wanted = {};
	struct map_changes changes = {};
	const struct layer *last = &layers[n_layers - n];
	static struct entry before[ROOM];
	size_t n_before = n_entries;

	memcpy(before, trie, n_entries * sizeof(*trie));
	for (int i = 0; i < n; i++)
		elements_append(&wanted, (struct element){ .id = last[i].id, .first = last[i].first, .last = last[i].last, .value = last[i].value });
	for (int file = 0; file < FILES; file++)
		for (int i = 0; i < n_points; i++) {
			int64_t old = 0, new = 0;
			bool had = expected(files[file], points[i], n_layers - n, &old);

			kept[file][i] = had == expected(files[file], points[i], n_layers, &new) && old == new;
		}
	if (page_ranges_change(-1, &input, &wanted, last->put, &changes))
		abort();
	watching = true;
	if (!map_apply(-1, &input, &changes)) {
		watching = false;
		for (int i = 0; i < n; i++)
			check_disjoint(last[i].id);
	} else { /* it was full: all is as before, whatever the order of the entries */
		watching = false;
		n_layers -= n;
		if (n_entries != n_before)
			abort();
		for (size_t i = 0; i < n_before; i++) {
			const struct entry *entry = entry_of(&before[i].key);

			if (!entry || entry->value != before[i].value)
				abort();
		}
	}
	map_changes_free(&changes);
	elements_free(&wanted);
}

/* A program writes or removes a prefix. What is in a narrower one stays. */
static void foreign(const struct layer *layer, uint32_t bits)
{
	struct page_key key = { .bits = bits };
	uint64_t file = htobe64(layer->id), index = htobe64(layer->first);

	memcpy(key.file, &file, sizeof(file));
	memcpy(key.index, &index, sizeof(index));
	if (!layer->put)
		bpf_map_delete_elem(-1, &key);
	else if (n_entries < ROOM)
		bpf_map_update_elem(-1, &key, &layer->value, 0);
}

/* A page near one of the ends, or near the middle. */
static uint64_t page_of(uint8_t where, uint8_t offset)
{
	static const uint64_t bases[] = { 0, 1ULL << 32, UINT64_MAX / 2, UINT64_MAX - 255 };

	return bases[where % 4] + offset;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int steps, pending = 0;
	bool nested = false;

	if (size < 2)
		return 0;
	room = data[0] & 1 ? 4 + data[0] / 2 : ROOM;
	nested = data[1] & 1;
	n_entries = n_layers = n_points = 0;
	steps = (int)((size - 2) / 8);
	steps = steps < STEPS ? steps : STEPS;
	for (int i = 0; i < steps; i++) {
		const uint8_t *at = data + 2 + 8 * i;
		uint64_t a = page_of(at[2], at[3]), b = page_of(at[4], at[5]);

		for (int k = 0; k < 2; k++) {
			add_point(k ? b : a);
			add_point(k ? b + 1 : a - 1); /* they may wrap: any page is as good */
		}
	}
	for (int i = 0; i < steps; i++) {
		const uint8_t *at = data + 2 + 8 * i;
		uint64_t a = page_of(at[2], at[3]), b = page_of(at[4], at[5]);
		struct layer layer = { files[at[1] % FILES], a < b ? a : b, a < b ? b : a, (int8_t)at[6], at[0] & 1 };

		if (nested && at[0] & 2) { /* then the layers are not what the trie has, and only `list` is held to it */
			foreign(&layer, 64 + at[7] % 65);
			check_ranges();
			continue;
		}
		if (nested) {
			struct elements wanted = {};
			struct map_changes changes = {};

			elements_append(&wanted, (struct element){ .id = layer.id, .first = layer.first, .last = layer.last, .value = layer.value });
			if (page_ranges_change(-1, &input, &wanted, layer.put, &changes))
				abort();
			if (!map_apply(-1, &input, &changes)) {
				int64_t first = 0, last = 0;
				bool found = look(layer.id, layer.first, &first) && look(layer.id, layer.last, &last);

				if (found != layer.put || (found && (first != layer.value || last != layer.value)))
					abort();
				check_disjoint(layer.id);
			}
			map_changes_free(&changes);
			elements_free(&wanted);
			check_ranges();
			continue;
		}
		if (pending && layers[n_layers - 1].put != layer.put) {
			change(pending);
			pending = 0;
		}
		layers[n_layers++] = layer;
		pending++;
		if (at[0] & 4 || i == steps - 1) {
			change(pending);
			pending = 0;
			compare(n_layers, false);
			check_ranges();
		}
	}
	return 0;
}
