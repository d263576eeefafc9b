/* SPDX-License-Identifier: MIT */
#include "inputs/page_ranges.h"

#include <bpf/bpf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BITS 64
#define MAX_NESTED 66

static uint64_t read_be(const byte *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return be64toh(value);
}

static union input_map_key prefix_key(uint64_t id, uint64_t first, uint64_t last)
{
	union input_map_key key = {};
	uint64_t file = htobe64(id), index = htobe64(first), span = last - first; /* 2^k - 1 */

	key.page.bits = FILE_BITS + (span ? (uint32_t)__builtin_clzll(span) : 64);
	memcpy(key.page.file, &file, sizeof(file));
	memcpy(key.page.index, &index, sizeof(index));
	return key;
}

/* Orders by file, then first page, then the wider first: a prefix comes right before those that it contains. */
static int compare(const void *a, const void *b)
{
	const struct element *left = a, *right = b;

	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	if (left->first != right->first)
		return left->first < right->first ? -1 : 1;
	return left->last == right->last ? 0 : left->last > right->last ? -1 : 1;
}

/* The prefixes in the trie, as sorted ranges. */
static int read_prefixes(int map, const struct input *input, bool all, uint64_t id, struct elements *prefixes)
{
	struct page_key key, next;
	const void *at = NULL;
	uint32_t passed = 0;

	/* If an element is removed meanwhile, the walk starts again: a busy writer of the input must not keep it going. */
	while (!bpf_map_get_next_key(map, at, &next)) {
		struct element element = { .id = read_be(next.file), .first = read_be(next.index) };
		uint32_t free_bits = FILE_BITS + 64 - next.bits;
		uint64_t span = free_bits >= 64 ? UINT64_MAX : (1ULL << free_bits) - 1;

		key = next;
		at = &key;
		if (passed++ > 2 * INPUT_ENTRIES)
			return fail("cannot read the input %s: it changes too fast; try again", input->name);
		if (next.bits < FILE_BITS || free_bits > 64 || (!all && element.id != id) ||
		    bpf_map_lookup_elem(map, &next, &element.value))
			continue;
		element.first &= ~span; /* the trie keeps the bits behind a prefix as they were written, and never looks at them */
		element.last = element.first | span;
		elements_append(prefixes, element);
	}
	if (errno != ENOENT)
		return fail("cannot read the input %s: %s", input->name, reason(errno));
	if (prefixes->n)
		qsort(prefixes->list, prefixes->n, sizeof(*prefixes->list), compare);
	return 0;
}

/* Appends a range to sorted ones; joins it with the last one if they touch and have one value. */
static void push(struct elements *ranges, struct element range)
{
	struct element *last = ranges->n ? &ranges->list[ranges->n - 1] : NULL;

	if (last && last->id == range.id && last->value == range.value && range.first && last->last == range.first - 1)
		last->last = range.last;
	else
		elements_append(ranges, range);
}

/* Converts prefixes to ranges. Prefixes nest or are disjoint; the innermost counts, as in a look-up. */
static void flatten(const struct elements *prefixes, struct elements *ranges)
{
	struct element stack[MAX_NESTED];
	int depth = 0;

	/* stack[i].first advances to the first page that has not been pushed. */
	for (size_t i = 0; i <= prefixes->n; i++) {
		const struct element *next = i < prefixes->n ? &prefixes->list[i] : NULL;

		while (depth && (!next || stack[depth - 1].id != next->id || stack[depth - 1].last < next->first)) {
			struct element top = stack[--depth];

			push(ranges, top);
			while (depth && stack[depth - 1].last == top.last) /* nothing is left of it */
				depth--;
			if (depth)
				stack[depth - 1].first = top.last + 1;
		}
		if (!next)
			return;
		if (depth && stack[depth - 1].first < next->first) {
			struct element before = stack[depth - 1];

			before.last = next->first - 1;
			push(ranges, before);
		}
		if (depth < MAX_NESTED)
			stack[depth++] = *next;
	}
}

int page_ranges_read(int map, const struct input *input, bool all, uint64_t id, struct elements *ranges)
{
	struct elements prefixes = {};
	int status = read_prefixes(map, input, all, id, &prefixes);

	if (!status)
		flatten(&prefixes, ranges);
	elements_free(&prefixes);
	return status;
}

/* Lays `over` over the sorted ranges of a file, or cuts it out of them. */
static void overlay(struct elements *ranges, const struct element *over, bool put)
{
	struct elements result = {};
	bool done = !put;

	for (size_t i = 0; i < ranges->n; i++) {
		struct element range = ranges->list[i], part = range;

		if (!done && over->first <= range.first) {
			push(&result, *over);
			done = true;
		}
		if (range.last < over->first || range.first > over->last) {
			push(&result, range);
			continue;
		}
		if (range.first < over->first) {
			part.last = over->first - 1;
			push(&result, part);
			if (!done)
				push(&result, *over);
			done = true;
		}
		if (range.last > over->last) {
			part = range;
			part.first = over->last + 1;
			push(&result, part);
		}
	}
	if (!done)
		push(&result, *over);
	elements_free(ranges);
	*ranges = result;
}

/* The fewest prefixes that cover first..last, in order. */
static void split_range(const struct element *range, struct elements *prefixes)
{
	uint64_t first = range->first;

	for (;;) {
		uint64_t span = first ? (first & -first) - 1 : UINT64_MAX; /* as wide as the alignment of `first` allows */
		struct element prefix = *range;

		while (span > range->last - first)
			span >>= 1;
		prefix.first = first;
		prefix.last = first + span;
		elements_append(prefixes, prefix);
		if (prefix.last >= range->last)
			return;
		first = prefix.last + 1;
	}
}

static bool same_place(const struct element *a, const struct element *b)
{
	return a->first == b->first && a->last == b->last;
}

/* The changes from the prefixes `old` of a file to `new`. Adds come first, so a page that keeps its value has it all the time. */
static void difference(const struct elements *old, const struct elements *new, struct map_changes *changes)
{
	for (int removing = 0; removing < 2; removing++) {
		const struct elements *from = removing ? old : new, *other = removing ? new : old;
		size_t k = 0;

		for (size_t i = 0; i < from->n; i++) {
			const struct element *prefix = &from->list[i];
			bool there;

			while (k < other->n && compare(&other->list[k], prefix) < 0)
				k++;
			there = k < other->n && same_place(&other->list[k], prefix);
			if (there && (removing || other->list[k].value == prefix->value))
				continue;
			if (removing)
				map_take(changes, prefix_key(prefix->id, prefix->first, prefix->last));
			else
				map_put(changes, prefix_key(prefix->id, prefix->first, prefix->last),
					(struct map_value){ .value = prefix->value });
			changes->list[changes->n - 1].had = removing || there;
			changes->list[changes->n - 1].old.value = removing ? prefix->value : there ? other->list[k].value : 0;
		}
	}
}

static int change_file(int map, const struct input *input, const struct elements *wanted, uint64_t id, bool put,
		       struct map_changes *changes)
{
	struct elements old = {}, ranges = {}, new = {};
	int status = read_prefixes(map, input, false, id, &old);

	if (!status) {
		flatten(&old, &ranges);
		for (size_t i = 0; i < wanted->n; i++)
			if (wanted->list[i].id == id)
				overlay(&ranges, &wanted->list[i], put);
		for (size_t i = 0; i < ranges.n; i++)
			split_range(&ranges.list[i], &new);
		difference(&old, &new, changes);
	}
	elements_free(&old);
	elements_free(&ranges);
	elements_free(&new);
	return status;
}

int page_ranges_change(int map, const struct input *input, const struct elements *wanted, bool put, struct map_changes *changes)
{
	for (size_t i = 0; i < wanted->n; i++) {
		size_t k = 0;

		while (wanted->list[k].id != wanted->list[i].id)
			k++;
		if (k == i && change_file(map, input, wanted, wanted->list[i].id, put, changes)) /* once per file */
			return -1;
	}
	return 0;
}
