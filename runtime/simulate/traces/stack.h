/* SPDX-License-Identifier: MIT */
/*
 * The misses of LRU with many capacities, in one pass (Mattson, Gecsei, Slutz and Traiger, IBM Systems Journal 9(2), 1970).
 *
 * The distance of a request is the number of different objects since the request of its object before, itself among them:
 * it hits in caches of so many pages or more. That is the time between the two, less the requests between them whose objects
 * came again before now. A bit marks each of these. They are counted by blocks, in a Fenwick tree, and within a block.
 */
#ifndef CPOL_STACK_H
#define CPOL_STACK_H

#include "numbers.h"

#define STACK_WORDS 8 /* of a block: a cache line */
#define STACK_BLOCK (64 * STACK_WORDS)
#define STACK_AHEAD 32 /* objects are prefetched so many requests before they are read */
#define STACK_NEAR 16  /* so are the bits at their last requests, which their objects tell by then */

struct stack {
	u64 *again;   /* a bit for each request: its object came again */
	u64 *blocks;  /* the Fenwick tree of these bits, from 1 on */
	u64 n_blocks;
};

EXPORT int lru_misses(const u32 *numbers, u64 count, u64 objects, const u64 *capacities, u64 wanted, const u8 *groups, u64 n_groups, u64 *misses);

static void stack_mark(struct stack *stack, u64 time)
{
	stack->again[time / 64] |= 1ULL << time % 64;
	for (u64 at = time / STACK_BLOCK + 1; at <= stack->n_blocks; at += at & -at)
		stack->blocks[at]++;
}

/* How many requests before a time are marked. All words of its block are counted, in one vector, since a branch would be foretold badly. */
static u64 stack_marked(const struct stack *stack, u64 time)
{
	const u64 *block = &stack->again[time / STACK_BLOCK * STACK_WORDS];
	u64 last = time / 64 % STACK_WORDS, part = (1ULL << time % 64) - 1, marked = 0;

	for (u64 word = 0; word < STACK_WORDS; word++)
		marked += (u64)__builtin_popcountll(block[word] & (word < last ? CPOL_U64_MAX : word == last ? part : 0));
	for (u64 at = time / STACK_BLOCK; at; at &= at - 1)
		marked += stack->blocks[at];
	return marked;
}

/* Where requests are counted. */
struct stack_counts {
	const u32 *fitting; /* by distance, up to `most`: the number of the first capacity in which such a request hits, from 0 on; else `never` */
	u64 most;           /* all of this and above are alike. So of small capacities the table is in the processor's own caches */
	u32 never;
	const u8 *groups;   /* by object; NULL: all are of group 0 */
	u64 n_groups, *counts; /* by that number, and by group */
};

static void stack_run(struct stack *stack, const u32 *numbers, u64 count, u64 *last, const struct stack_counts *to)
{
	u64 marked = 0;

	for (u64 now = 0; now < count; now++) {
		u32 number = numbers[now], fits = to->never;
		u64 before = last[number];

		if (now + STACK_AHEAD < count) {
			u64 later = last[numbers[now + STACK_NEAR]];

			__builtin_prefetch(&last[numbers[now + STACK_AHEAD]]);
			if (to->groups)
				__builtin_prefetch(&to->groups[numbers[now + STACK_AHEAD]]);
			__builtin_prefetch(&stack->again[later / STACK_BLOCK * STACK_WORDS]);
		}
		last[number] = now + 1;
		if (before-- != 0) {
			u64 distance = now - before - (marked++ - stack_marked(stack, before));

			fits = to->fitting[distance < to->most ? distance : to->most];
			stack_mark(stack, before);
		}
		to->counts[fits * to->n_groups + (to->groups ? to->groups[number] : 0)]++;
	}
}

/*
 * Writes the misses of LRU, of each group of objects, or of all as one: first with no page, which are all requests, then with each of the
 * capacities, which are in pages and ascend. `misses` is 0 before. Each number is below `objects`. -1: no memory.
 */
EXPORT int lru_misses(const u32 *numbers, u64 count, u64 objects, const u64 *capacities, u64 wanted, const u8 *groups, u64 n_groups, u64 *misses)
{
	struct stack stack = { .n_blocks = count / STACK_BLOCK + 1 };
	u64 *last = calloc(objects + 1, sizeof(u64)); /* by object: 1 + the time of its last request; 0: none */
	u64 most = wanted && capacities[wanted - 1] < objects ? capacities[wanted - 1] + 1 : objects;
	u32 *fitting = calloc(most + 1, sizeof(u32)), fits = 0;
	bool complete;

	stack.again = calloc(stack.n_blocks * STACK_WORDS, sizeof(u64));
	stack.blocks = calloc(stack.n_blocks + 1, sizeof(u64));
	complete = last && fitting && stack.again && stack.blocks;
	if (complete) {
		for (u64 distance = 0; distance <= most; distance++) {
			while (fits < wanted && capacities[fits] < distance)
				fits++;
			fitting[distance] = fits;
		}
		stack_run(&stack, numbers, count, last, &(struct stack_counts){ fitting, most, (u32)wanted, groups, n_groups, misses });
		for (u64 at = wanted * n_groups; at-- > 0;)
			misses[at] += misses[at + n_groups];
	}
	free(last);
	free(fitting);
	free(stack.again);
	free(stack.blocks);
	return complete ? 0 : -1;
}

#endif
