// SPDX-License-Identifier: GPL-2.0
/* Evictions that a policy wants itself. */
#include <linux/cache_ext.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>
#include "cases.h"

#define FOLIOS 40

static struct folio *of_group[FOLIOS];

/* As a program of the policy that governs @group does it. */
static void want(u64 pages)
{
	begin_program();
	bpf_cache_ext_reclaim(group, pages, bpf_cache_ext_gone(group));
	end_program();
}

static void fill(void)
{
	unsigned int i;

	for (i = 0; i < FOLIOS; i++)
		of_group[i] = cached_folio(0x1000 + i, group);
	lru_add_drain_all();
	shim_settle();
}

static unsigned long owned(void)
{
	return group->cache_ext->lists.owned;
}

/* Runs that rest are over, too: on a busy machine, any takes longer than its pages are worth. */
static void settle(void)
{
	shim_settle();
	shim_time_passes(HZ);
	shim_settle();
}

/* What is still there, oldest last: evictions take the first ones. */
static void empty(unsigned long left)
{
	unsigned int i;

	for (i = FOLIOS - left; i < FOLIOS; i++)
		drop(of_group[i]);
}

/* The greatest number counts, nothing goes at once, and no folio of others goes. */
void wanted_by_the_policy(void)
{
	struct mem_cgroup *other = shim_memcg_create(parent_mem_cgroup(group), 3);
	struct folio *neighbour[8];
	unsigned int i;

	first->ops.evict_folios = evict_oldest;
	attach(first, group);
	shim_settle();
	fill();
	for (i = 0; i < ARRAY_SIZE(neighbour); i++)
		neighbour[i] = cached_folio(0x1000 + FOLIOS + i, other);
	want(0);
	if (counted(CES_RECLAIM_ASKED))
		shim_die("no pages are wanted");
	want(3);
	want(10);
	want(5);
	if (owned() != FOLIOS)
		shim_die("pages go in the program that wants it");
	settle();
	if (owned() != FOLIOS - 10)
		shim_die("%lu pages are left", owned());
	if (counted(CES_RECLAIM_ASKED) != 3 || counted(CES_RECLAIM_DONE) != 10 ||
	    counted(CES_RECLAIM_LATE))
		shim_die("what is wanted is counted wrongly");
	want(1);
	settle();
	if (owned() != FOLIOS - 11)
		shim_die("what was wanted once is not forgotten");
	for (i = 0; i < ARRAY_SIZE(neighbour); i++) {
		if (!neighbour[i]->mapping)
			shim_die("a folio of another cgroup went");
		drop(neighbour[i]);
	}
	empty(FOLIOS - 11);
	detach(first);
	shim_settle();
	go(other);
}

/* A program that reads a size, and asks after others have evicted: what went meanwhile counts. */
void wanted_from_a_size_of_before(void)
{
	u64 over, gone;

	first->ops.evict_folios = evict_oldest;
	attach(first, group);
	shim_settle();
	fill();
	begin_program();
	gone = bpf_cache_ext_gone(group);
	over = bpf_cache_ext_size(group) - (FOLIOS - 10);
	end_program();
	want(6); /* on another CPU */
	settle();
	begin_program();
	bpf_cache_ext_reclaim(group, over, gone);
	end_program();
	settle();
	if (owned() != FOLIOS - 10)
		shim_die("%lu pages are left, and %u are no more than it may have", owned(),
			 FOLIOS - 10);
	begin_program();
	bpf_cache_ext_reclaim(group, 2, gone + 1000); /* which has not been yet */
	bpf_cache_ext_reclaim(group, 1, 0); /* long ago */
	end_program();
	settle();
	if (owned() != FOLIOS - 12)
		shim_die("%lu pages are left: the time of a number moves it", owned());
	/* From so far behind that differences wrap. */
	want(5);
	begin_program();
	bpf_cache_ext_reclaim(group, 1, bpf_cache_ext_gone(group) - LONG_MAX);
	end_program();
	settle();
	want(4);
	settle();
	if (owned() != FOLIOS - 21)
		shim_die("%lu pages are left: what is asked for after a number of long ago is not heard", owned());
	empty(FOLIOS - 21);
	detach(first);
}

/* More than there is, for ever, of a policy that gives: all goes, and the worker ends. */
void wants_all_there_is(void)
{
	first->ops.evict_folios = evict_oldest;
	attach(first, group);
	shim_settle();
	fill();
	want(~0ULL);
	settle();
	if (owned() || counted(CES_RECLAIM_DONE) != FOLIOS)
		shim_die("%lu pages are left", owned());
	if (group->cache_ext->wanted_queued)
		shim_die("what is not to be had is wanted for ever");
	if (counted(CES_RECLAIM_LATE))
		shim_die("pages that are not there are late");
	detach(first);
}

/* And so much time passes. */
static void want_after(unsigned long passed)
{
	want(1);
	shim_settle();
	shim_time_passes(passed);
	shim_settle();
}

/* One that gives nothing, asked in every event: few runs, later and later, and no offence. */
void wants_and_gives_nothing(void)
{
	unsigned long calls;
	unsigned int i;

	attach(first, group); /* its program proposes nothing */
	shim_settle();
	fill();
	for (i = 0; i < 1000; i++)
		want(~0ULL);
	shim_settle();
	if (counted(CES_REQUESTS) != 1)
		shim_die("1,000 calls make %llu requests", counted(CES_REQUESTS));
	for (i = 0; i < 20; i++)
		want_after(HZ);
	calls = counted(CES_REQUESTS);
	if (calls != 21)
		shim_die("%lu requests in 20 seconds", calls);
	want_after(HZ - 1);
	if (counted(CES_REQUESTS) != calls)
		shim_die("a run in vain does not make the next one late");
	want_after(1);
	if (counted(CES_REQUESTS) != calls + 1)
		shim_die("a late run does not come");
	if (counted(CES_RECLAIM_LATE) != FOLIOS + calls)
		shim_die("%llu pages are late", counted(CES_RECLAIM_LATE));
	if (counted(CES_OFFENCES) || counted(CES_RECLAIM_DONE) || owned() != FOLIOS)
		shim_die("a run in vain is an offence, or takes pages");
	/* Once it gives, the next ones come at once. */
	group->cache_ext->ops->evict_folios = evict_oldest;
	want_after(HZ);
	want_after(HZ / 4);
	if (counted(CES_RECLAIM_DONE) != 2)
		shim_die("what gives waits as what gave nothing");
	empty(FOLIOS - 2);
	detach(first);
}

/* It takes its time for each page. */
static void evict_one_slowly(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg)
{
	u64 until = ktime_get_ns() + 40000000;

	ctx->request_nr_folios = 1;
	evict_oldest(ctx, memcg);
	while (ktime_get_ns() < until)
		;
}

/* A run that is dear makes the next one wait as long, whoever asks, though it gave a page. */
void wants_dearly(void)
{
	unsigned long calls;

	first->ops.evict_folios = evict_one_slowly;
	attach(first, group);
	shim_settle();
	fill();
	want(1);
	shim_settle();
	calls = counted(CES_REQUESTS);
	want_after(5);
	if (counted(CES_REQUESTS) != calls)
		shim_die("a dear run is followed by another one at once");
	settle();
	if (counted(CES_REQUESTS) != calls + 1)
		shim_die("a run never ends its rest");
	settle();
	empty(FOLIOS - 2);
	detach(first);
}

static unsigned int came;

/* Pages come while it runs, and each is over: as `cache up to FOLIOS` asks for it. */
static void evict_while_others_come(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg)
{
	evict_one_slowly(ctx, memcg);
	if (came < 3)
		bpf_cache_ext_reclaim(memcg, 4, bpf_cache_ext_gone(memcg));
	came++;
}

/*
 * It asks in a dear run for what came meanwhile. That is not lost, though it is no more than
 * was wanted when the run began, and it does not begin the next run before the rest.
 */
void wanted_anew_in_a_dear_run(void)
{
	unsigned int i;

	came = 0;
	first->ops.evict_folios = evict_while_others_come;
	attach(first, group);
	shim_settle();
	fill();
	want(4);
	shim_settle();
	/* One run, which asks for a page at a time. */
	if (counted(CES_REQUESTS) != 4)
		shim_die("a dear run is followed by another one at once");
	for (i = 0; i < 8; i++)
		settle();
	/* The last that came was asked for when two had gone, and four more were over. */
	if (owned() != FOLIOS - 6)
		shim_die("%lu pages are left, where others came", owned());
	empty(FOLIOS - 6);
	detach(first);
}

/* What others have reclaimed meanwhile is not over any more. */
void wanted_less_after_reclaim(void)
{
	first->ops.evict_folios = evict_oldest;
	attach(first, group);
	shim_settle();
	fill();
	want(10);
	reclaim_cgroup(group, 4);
	settle();
	if (owned() != FOLIOS - 10)
		shim_die("%lu pages are left of %d", owned(), FOLIOS);
	empty(FOLIOS - 10);
	detach(first);
}

/* It is detached while a run is queued, and while one is late: neither takes a page. */
void wanted_when_detached(void)
{
	first->ops.evict_folios = evict_oldest;
	attach(first, group);
	shim_settle();
	fill();
	want(8);
	detach(first);
	shim_settle();
	if (!of_group[0]->mapping)
		shim_die("a page goes for a policy that is detached");
	empty(FOLIOS);
}
