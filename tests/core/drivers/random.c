// SPDX-License-Identifier: GPL-2.0
/*
 * core-random: worlds with random events, from one seed.
 *
 *   core-random [SEED [EVENTS]]
 *
 * If something is wrong it prints the seed of the world and how to repeat it.
 */
#include <stdio.h>
#include <stdlib.h>
#include "../world/world.h"

#define WORLD_EVENTS 20000	/* about so many at most, in each world */
#define CHECK_EVENTS 1000

static u64 state, world_seed;
static unsigned long wanted;

/* xorshift64* */
static u32 next(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1dULL) >> 32;
}

unsigned int shim_pick(unsigned int n)
{
	return (u64)next() * n >> 32;
}

static void tell(void)
{
	fprintf(stderr, "after %lu events; again: core-random %llu 1\n",
		counts.events, world_seed);
}

static void live(void)
{
	unsigned long end, check = counts.events + CHECK_EVENTS;

	shim_start();
	world_start();
	end = counts.events + 1 + pick(WORLD_EVENTS);
	while (counts.events < end) {
		shim_move_cpu();
		world_event();
		shim_assert_idle();
		if (counts.events >= check) {
			check_all();
			check = counts.events + CHECK_EVENTS;
		}
	}
	check_all();
	world_stop();
	shim_stop();
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	wanted = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
	shim_on_death = tell;
	for (; counts.events < wanted; seed++) {
		world_seed = seed;
		state = seed * 0x9e3779b97f4a7c15ULL + 1;
		next();
		live();
	}
	world_print();
	return 0;
}
