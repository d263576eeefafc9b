// SPDX-License-Identifier: GPL-2.0
/* Marks: whose they are, what a look-up costs, and how many there may be. */
#include <linux/rhashtable.h>
#include "cases.h"

s32 bpf_prefetch_ext_file(struct prefetch_ext_readahead *ra, u64 index, u64 nr, s64 stride);

static struct prefetch_ext_policy *policy;
/* Only their addresses count. */
static struct address_space one, other;

static void eight_more(struct prefetch_ext_readahead *ra, struct mem_cgroup *memcg)
{
	(void)memcg;
	expect(bpf_prefetch_ext_file(ra, ra->index + 1, 8, 1) == 8);
}

static struct prefetch_ext_ops prefetches = { .file_readahead = eight_more };
static struct prefetch_ext_ops drops_only;

#define UNLIMITED ULONG_MAX

static void begin(unsigned long limit)
{
	group.limit = limit;
	policy = policy_new(&prefetches);
}

static void end(void)
{
	expect(policy_end(policy));
	group.limit = UNLIMITED;
}

static void mark_from(pgoff_t first, pgoff_t nr)
{
	for (pgoff_t i = first; i < first + nr; i++)
		expect(prefetch_ext_mark(policy, &one, i, false));
}

static u64 outcomes(struct prefetch_ext_policy *p)
{
	return counter(p, PES_RA_USED) + counter(p, PES_RA_WASTED);
}

/* Marks that LOOKUPS accesses and removals of unmarked pages of @memcg touch. */
#define LOOKUPS 1000
static unsigned long touched_by(struct mem_cgroup *memcg)
{
	unsigned long before = READ_ONCE(shim_rht_compared);

	for (pgoff_t i = 0; i < LOOKUPS; i++) {
		expect(!prefetch_ext_use(memcg, &other, i * 7919, false));
		prefetch_ext_gone(memcg, &other, i * 7919, 1, true);
	}
	return READ_ONCE(shim_rht_compared) - before;
}

/* Of a cgroup that no policy governs none, and of the policy's few, however many there are. */
void marks_that_others_touch(void)
{
	static const pgoff_t numbers[] = { 0, 1000, 100000, 300000 };
	pgoff_t marks = 0;

	begin(UNLIMITED);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		mark_from(marks, numbers[i] - marks);
		marks = numbers[i];
		expect(policy->marks.nr == marks);
		expect(!touched_by(&elsewhere) && !touched_by(&root) && !touched_by(NULL));
		expect(touched_by(&group) <= 2 * LOOKUPS && touched_by(&below) <= 2 * LOOKUPS);
		expect(!marks || touched_by(&group) > 0);
	}
	expect(!outcomes(policy));
	end();
}

/* A page counts once, as what happens first; and what counts as nothing leaves no mark. */
void marks_by_outcome(void)
{
	begin(UNLIMITED);
	mark_from(0, 20);
	expect(prefetch_ext_use(&group, &one, 3, false) && !prefetch_ext_use(&group, &one, 3, false));
	expect(prefetch_ext_use(&below, &one, 4, true) && counter(policy, PES_RA_USED) == 2 && !counter(policy, PES_LATE));
	prefetch_ext_gone(&group, &one, 5, 1, true);
	prefetch_ext_gone(&group, &one, 5, 1, true);
	prefetch_ext_gone(&group, &one, 3, 1, true);
	prefetch_ext_gone(&group, &other, 6, 1, true);
	expect(counter(policy, PES_RA_WASTED) == 1 && policy->marks.nr == 17);
	/* A large folio that they were collapsed into. */
	prefetch_ext_gone(&group, &one, 0, 16, false);
	expect(outcomes(policy) == 3 && policy->marks.nr == 4);
	/* One that was left behind: the next page there is one page. */
	expect(prefetch_ext_mark(policy, &one, 17, false) && policy->marks.nr == 4);
	/* Of swap. */
	expect(prefetch_ext_mark(policy, &other, 1, true) && prefetch_ext_mark(policy, &other, 2, true));
	expect(prefetch_ext_use(&group, &other, 1, true) && counter(policy, PES_USED) == 1 && counter(policy, PES_LATE) == 1);
	prefetch_ext_gone(&group, &other, 2, 1, true);
	expect(counter(policy, PES_WASTED) == 1 && outcomes(policy) == 3);
	end();
}

/* A nearer policy comes and goes. What the other one had read in that cgroup is still its own. */
void marks_of_a_policy_above(void)
{
	struct prefetch_ext_policy *nearer, *plain;

	begin(UNLIMITED);
	mark_from(0, 10);
	nearer = policy_new(&prefetches);
	policy_move(nearer, &below);
	policy_govern(policy);
	expect(prefetch_ext_mark(nearer, &one, 100, false));
	expect(prefetch_ext_use(&below, &one, 0, false) && prefetch_ext_use(&below, &one, 100, false));
	expect(outcomes(policy) == 1 && outcomes(nearer) == 1);
	expect(prefetch_ext_mark(nearer, &one, 101, false) && !prefetch_ext_use(&group, &one, 101, false));
	expect(policy_end(nearer));
	prefetch_ext_gone(&below, &one, 1, 1, true);
	expect(counter(policy, PES_RA_WASTED) == 1);
	/* One that does not prefetch has no table. */
	plain = policy_new(&drops_only);
	policy_move(plain, &below);
	policy_govern(policy);
	expect(prefetch_ext_use(&below, &one, 2, false) && outcomes(policy) == 3);
	expect(!prefetch_ext_marks_memory(plain) && !plain->hooks && policy->hooks);
	expect(policy_end(plain));
	end();
}

/* The oldest beyond a quarter of the limit are waste, and the watchdog hears of them. */
void marks_beyond_the_share(void)
{
	const pgoff_t limit = 16384, most = limit / 4, judged = 4 * PREFETCH_EXT_WINDOW;

	begin(limit);
	mark_from(0, most);
	expect(!outcomes(policy) && !policy->life.exit.kind);
	mark_from(most, judged - 1);
	expect(policy->marks.nr == most && counter(policy, PES_RA_WASTED) == judged - 1);
	expect(counter(policy, PES_OVER_SHARE) == judged - 1 && !policy->life.exit.kind);
	/* They went in their order. */
	expect(!prefetch_ext_use(&group, &one, judged - 2, false));
	mark_from(most + judged - 1, 1);
	expect(policy->life.exit.kind == POLICY_EXT_EXIT_WATCHDOG && policy->life.exit.code == 100);
	end();
}

/* What is used in time is no waste: rounds of as many pages as may lie there, and a stream without end. */
void marks_within_the_share(void)
{
	const pgoff_t most = 2048;
	pgoff_t next = 0;

	begin(4 * most);
	for (int round = 0; round < 8; round++, next += most) {
		mark_from(next, most);
		for (pgoff_t i = next + most; i-- > next;)
			expect(prefetch_ext_use(&group, &one, i, false));
	}
	for (pgoff_t i = 0; i < 20 * most; i++) {
		expect(i < most || prefetch_ext_use(&group, &one, next + i - most, false));
		mark_from(next + i, 1);
	}
	expect(!counter(policy, PES_RA_WASTED) && !counter(policy, PES_OVER_SHARE) && !policy->life.exit.kind);
	end();
}

/* A small cgroup, one whose limit falls, and a limit above it. */
void marks_by_limit(void)
{
	begin(100);
	mark_from(0, 2 * PREFETCH_EXT_UNUSED_LEAST);
	expect(policy->marks.nr == PREFETCH_EXT_UNUSED_LEAST);
	end();

	begin(80000);
	mark_from(0, 20000);
	expect(policy->marks.nr == 20000);
	group.limit = 8000;
	mark_from(20000, 1000);
	expect(policy->marks.nr == 19000 && counter(policy, PES_OVER_SHARE) == 2000);
	mark_from(21000, 30000);
	expect(policy->marks.nr == 2000);
	end();

	root.limit = 8000;
	begin(UNLIMITED);
	mark_from(0, 3000);
	expect(policy->marks.nr == 2000);
	end();
	root.limit = UNLIMITED;
}

/* Tables that cannot grow, and what is not followed for want of memory: nothing is lost but that. */
void marks_without_memory(void)
{
	pgoff_t marked = 0;

	begin(UNLIMITED);
	failures = 300;
	for (pgoff_t i = 0; i < 20000; i++)
		marked += prefetch_ext_mark(policy, &one, i, false);
	expect(marked > 10000 && marked < 18000 && policy->marks.nr == marked);
	for (pgoff_t i = 0; i < 20000; i++)
		marked -= prefetch_ext_use(&group, &one, i, false);
	failures = 0;
	expect(!marked && !policy->marks.nr);
	end();
}

static void use_meanwhile(spinlock_t *lock)
{
	if (lock != &policy->marks.lock)
		return;
	before_lock = NULL;
	expect(prefetch_ext_use(&group, &one, 5, false));
}

/* Two look-ups find the mark; who has the lock first takes it. */
void marks_taken_meanwhile(void)
{
	begin(UNLIMITED);
	mark_from(0, 10);
	before_lock = use_meanwhile;
	expect(!prefetch_ext_use(&group, &one, 5, false) && !before_lock);
	expect(policy->marks.nr == 9 && outcomes(policy) == 1);
	end();
}

static void read_by_another(struct a_file *f)
{
	the_task.memcg = &elsewhere;
	for (pgoff_t i = 103; i < 106; i++)
		file_add_page(f, i);
	the_task.memcg = &group;
}

/* Another cgroup reads some of the pages first: they are its own, and neither prefetched nor followed. */
void marks_of_own_folios(void)
{
	struct a_file *f = file_new();

	begin(UNLIMITED);
	f->before_io = read_by_another;
	file_read_ahead(f, 100);
	expect(counter(policy, PES_RA_PREFETCHED) == 5 && counter(policy, PES_ABSENT) == 3 && policy->marks.nr == 5);
	for (pgoff_t i = 101; i < 109; i++)
		__prefetch_ext_file_used(f->mapping.i_pages.pages[i]);
	expect(counter(policy, PES_RA_USED) == 5 && !policy->marks.nr);
	end();
	file_free(f);
}

static void read_below(struct a_file *f)
{
	the_task.memcg = &below;
	for (pgoff_t i = 103; i < 106; i++)
		file_add_page(f, i);
	the_task.memcg = &group;
}

/* The same of a cgroup below, which has a policy of its own. */
void marks_of_nearer(void)
{
	struct a_file *f = file_new();
	struct prefetch_ext_policy *nearer;

	begin(UNLIMITED);
	nearer = policy_new(&prefetches);
	policy_move(nearer, &below);
	policy_govern(policy);
	f->before_io = read_below;
	file_read_ahead(f, 100);
	expect(counter(policy, PES_RA_PREFETCHED) == 5 && counter(policy, PES_ABSENT) == 3);
	expect(policy->marks.nr == 5 && !nearer->marks.nr);
	expect(policy_end(nearer));
	end();
	file_free(f);
}

#define THREADS 4
#define PLACES 4096

static bool stops;

static void *use_and_remove(void *seed_of)
{
	unsigned int seed = *(unsigned int *)seed_of;

	while (!READ_ONCE(stops)) {
		pgoff_t index = (pgoff_t)rand_r(&seed) % PLACES;

		switch (rand_r(&seed) % 4) {
		case 0:
			prefetch_ext_gone(&group, &one, index, 1, true);
			break;
		case 1:
			prefetch_ext_use(&below, &one, index, false);
			break;
		default:
			prefetch_ext_mark(policy, &one, index, false);
		}
	}
	return NULL;
}

/* All at once, beyond the share: each mark ends once. */
void marks_by_threads(void)
{
	unsigned int seeds[THREADS] = { 1, 2, 3, 4 };
	pthread_t threads[THREADS];
	unsigned long listed = 0;
	struct list_head *at;

	begin(100);
	WRITE_ONCE(stops, false);
	for (int i = 0; i < THREADS; i++)
		expect(!pthread_create(&threads[i], NULL, use_and_remove, &seeds[i]));
	usleep(300000);
	WRITE_ONCE(stops, true);
	for (int i = 0; i < THREADS; i++)
		expect(!pthread_join(threads[i], NULL));
	for (at = policy->marks.list.next; at != &policy->marks.list; at = at->next)
		listed++;
	expect(listed == policy->marks.nr && listed == (unsigned long)policy->marks.table.nelems.counter);
	expect(listed <= PREFETCH_EXT_UNUSED_LEAST && outcomes(policy));
	end();
}
