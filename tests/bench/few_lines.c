// SPDX-License-Identifier: MIT
/*
 * FIFO, CLOCK and LRU as somebody writes them for one measurement: a table of ids with chains, over a mapped trace. For
 * tests/bench/beside-c.
 *
 *   few_lines fifo|clock|lru TRACE CAPACITY      TRACE in the oracleGeneral format; prints the misses
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct entry {
	uint64_t id;
	uint32_t before, after, chain; /* on LRU's list, whose ends are in entry 0; in the table */
	bool read;
};

static struct entry *entries;
static uint32_t *table, mask, capacity, hand = 1;

static uint32_t *bucket(uint64_t id)
{
	return &table[(uint32_t)(id * 0x9E3779B97F4A7C15u >> 32) & mask];
}

static void unlink_entry(uint32_t at)
{
	entries[entries[at].before].after = entries[at].after;
	entries[entries[at].after].before = entries[at].before;
}

static void link_first(uint32_t at)
{
	entries[at].before = 0;
	entries[at].after = entries[0].after;
	entries[entries[0].after].before = at;
	entries[0].after = at;
}

static uint32_t evict(char policy)
{
	uint32_t victim, *link;

	if (policy == 'l') {
		victim = entries[0].before;
		unlink_entry(victim);
	} else {
		for (; policy == 'c' && entries[hand].read; hand = hand % capacity + 1)
			entries[hand].read = false;
		victim = hand;
		hand = hand % capacity + 1;
	}
	for (link = bucket(entries[victim].id); *link != victim; link = &entries[*link].chain)
		;
	*link = entries[victim].chain;
	return victim;
}

int main(int count, char **words)
{
	struct stat status;
	const char *trace;
	uint64_t misses = 0;
	uint32_t used = 0;
	char policy;
	int file;

	if (count != 4 || (capacity = (uint32_t)atoi(words[3])) == 0 || (file = open(words[2], O_RDONLY)) < 0 || fstat(file, &status)) {
		fprintf(stderr, "usage: few_lines fifo|clock|lru TRACE CAPACITY\n");
		return 2;
	}
	policy = words[1][0];
	trace = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	for (mask = 1; mask < 2 * capacity; mask *= 2)
		;
	table = calloc(mask--, sizeof(*table));
	entries = calloc((size_t)capacity + 1, sizeof(*entries));
	if (trace == MAP_FAILED || !table || !entries)
		return 1;
	for (const char *record = trace; record < trace + status.st_size / 24 * 24; record += 24) {
		uint64_t id;
		uint32_t at, *first;

		memcpy(&id, record + 4, sizeof(id));
		first = bucket(id);
		for (at = *first; at && entries[at].id != id; at = entries[at].chain)
			;
		if (at) {
			entries[at].read = true;
			if (policy == 'l') {
				unlink_entry(at);
				link_first(at);
			}
			continue;
		}
		misses++;
		at = used < capacity ? ++used : evict(policy);
		entries[at] = (struct entry){ .id = id, .chain = *first };
		*first = at;
		if (policy == 'l')
			link_first(at);
	}
	printf("%llu\n", (unsigned long long)misses);
	return 0;
}
