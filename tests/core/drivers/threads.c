// SPDX-License-Identifier: GPL-2.0
/*
 * core-threads: the same worlds with real threads, under ThreadSanitizer.
 *
 *   core-threads [SEED [EVENTS]]	worlds of 2 to 8 threads
 *   core-threads locks			how often an lru policy takes its lock
 *   core-threads ends			programs say why a policy ends while it is detached
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "../lib/threads.h"
#include "../world/kfuncs.h"
#include "../world/world.h"

#define MOST 8
#define WORLD_EVENTS 20000

static _Thread_local u64 state;
static u64 seed;

/* xorshift64*; workers of the queue have a sequence of their own. */
unsigned int shim_pick(unsigned int n)
{
	if (!state)
		state = (seed + shim_cpu()) * 0x9e3779b97f4a7c15ULL + 1;
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1dULL >> 32) * n >> 32;
}

static void tell(void)
{
	fprintf(stderr, "in the world of seed %llu\n", seed);
}

static void *live(void *events)
{
	unsigned long left = (unsigned long)events;

	shim_thread_begins();
	while (left--) {
		world_event();
		shim_assert_idle();
	}
	shim_thread_ends();
	return NULL;
}

static void one_world(void)
{
	unsigned int i, nr = 2 + seed % (MOST - 1);
	pthread_t threads[MOST];

	state = 0;
	shim_start();
	world_start();
	for (i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, live,
			       (void *)(WORLD_EVENTS / (unsigned long)nr));
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	check_all();
	world_stop();
	shim_stop();
}

/* A policy that moves a folio at each access, and folios that are all cached. */
#define FOLIOS 400
#define ACCESSES 60000	/* of each thread */

static struct folio *cached[FOLIOS];

static void *access_them(void *unused)
{
	unsigned int i;

	shim_thread_begins();
	for (i = 0; i < ACCESSES; i++)
		cache_ext_folio_accessed(cached[shim_pick(FOLIOS)]);
	shim_thread_ends();
	return unused;
}

static unsigned long locks_taken(void)
{
	struct cache_ext_policy *p;
	unsigned long nr = 0;

	mutex_lock(&cache_ext_mutex);
	list_for_each_entry(p, &cache_ext_policies, life.all)
		nr += p->lists.lock.acquired;
	mutex_unlock(&cache_ext_mutex);
	return nr;
}

/* Returns the accesses for each time that the lock was taken. */
static double accesses_a_lock(unsigned int nr)
{
	unsigned long before, taken, accesses = (unsigned long)ACCESSES * nr;
	pthread_t threads[MOST];
	unsigned int i;

	before = locks_taken();
	for (i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, access_them, NULL);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	taken = locks_taken() - before;
	printf("%u threads: %lu accesses, lock taken %lu times: 1 in %.1f\n", nr,
	       accesses, taken, (double)accesses / taken);
	return (double)accesses / taken;
}

/* True: the policy owns it. */
static bool cache_one(struct file *file, unsigned long n, struct folio **folio)
{
	struct cache_ext_node *node;

	if (!page_add(file, n, 0, world.cgroups[0], true))
		return false;
	*folio = page_find(file, n);
	rcu_read_lock();
	node = cache_ext_node_find(*folio);
	rcu_read_unlock();
	if (!node)
		folio_put(*folio);
	return node;
}

static int count_locks(void)
{
	static const unsigned int threads[] = { 1, 2, 4, 8 };
	unsigned int i, n, found = 0;
	int ret = 0;

	shim_start();
	world_start_calm(STYLE_LRU);
	for (i = 0; i < FILES; i++)
		for (n = 0; n < world.files[i].pages && found < FOLIOS; n++)
			found += cache_one(&world.files[i], n, &cached[found]);
	if (found < FOLIOS)
		shim_die("there is no room for the folios");
	shim_settle();
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		if (accesses_a_lock(threads[i]) < CACHE_EXT_BATCH_MOVES)
			ret = 1;
	while (found)
		folio_put(cached[--found]);
	world_stop();
	shim_stop();
	return ret;
}

#define ENDS 500

static bool may_end, no_more;

/* As a program that gives its reason in any hook. */
static void *say_why(void *unused)
{
	struct cache_ext_policy *p;

	shim_thread_begins();
	while (!__atomic_load_n(&no_more, __ATOMIC_RELAXED)) {
		if (!__atomic_load_n(&may_end, __ATOMIC_RELAXED))
			continue;
		rcu_read_lock();
		p = cache_ext_policy_of(world.cgroups[0]);
		if (p)
			policy_ext_exit(&p->life, POLICY_EXT_EXIT_ERROR, 1, "said so");
		rcu_read_unlock();
	}
	shim_thread_ends();
	return unused;
}

/* What is kept of its end is not half of a reason. */
static int end_many(void)
{
	pthread_t thread;
	unsigned int i;

	shim_start();
	world_start_calm(STYLE_FIFO);
	pthread_create(&thread, NULL, say_why, NULL);
	for (i = 0; i < ENDS; i++) {
		shim_settle();
		__atomic_store_n(&may_end, true, __ATOMIC_RELAXED);
		while (shim_pick(200))
			;
		policies_stop();
		__atomic_store_n(&may_end, false, __ATOMIC_RELAXED);
		shim_settle();
		policy_attach_whole(world.cgroups[0], STYLE_FIFO);
	}
	__atomic_store_n(&no_more, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	world_stop();
	shim_stop();
	printf("%u policies ended\n", ENDS);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long wanted = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;

	shim_on_death = tell;
	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	if (argc > 1 && !strcmp(argv[1], "locks"))
		return count_locks();
	if (argc > 1 && !strcmp(argv[1], "ends"))
		return end_many();
	for (; counts.events < wanted; seed++)
		one_world();
	world_print();
	return 0;
}
