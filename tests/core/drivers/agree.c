// SPDX-License-Identifier: GPL-2.0
/*
 * agree/POLICY: a policy of the standard library, as it is compiled for the
 * kernel, on the core. Events come from standard input, one a line; what they lead
 * to goes to standard output. core_events.py writes and reads both.
 *
 * First the settings:
 *
 *   C PAGES	    capacity		   P NUMBER VALUE	a param
 *   S SEED	    of random numbers	   I NUMBER KEY KEY KEY VALUE   an input
 *   A NUMBER INDEX VALUE   an entry of an array
 *
 * then the events:
 *
 *   a FILE INDEX PAGES BY_READ	  the folio comes
 *   u FILE INDEX	  it is used
 *   y FILE INDEX	  it is used through a mapping
 *   r FILE INDEX	  it is truncated
 *   b FILE INDEX	  the kernel's scan takes it
 *   e PAGES REFUSED	  reclaim wants pages
 *   m MILLISECONDS	  the time, since attach
 *   k THREAD PROCESS	  whose events they are
 *
 * REFUSED: of the proposals that are not in use, bit k tells that the k-th cannot
 * go. The next request of the pass has the number shifted by one.
 */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <stdio.h>
#include "../bpf/agree.h"
#include "../world/world.h"

static struct super_block sb;
static struct mem_cgroup *group;
static u64 capacity;

/* Nothing is left to chance, and page frames are used one after another. */
unsigned int shim_pick(unsigned int n)
{
	static unsigned int frame;

	if (n != shim_nr_frames())
		return n - 1;
	frame += 1 << MAX_ORDER;
	return frame % n;
}

static struct file *file_at(unsigned int n)
{
	if (n + AGREE_OTHERS >= FILES)
		shim_die("there is no file %u", n);
	return &world.files[n + AGREE_OTHERS];
}

static struct folio *find(const u64 *args)
{
	struct folio *folio = page_find(file_at(args[0]), args[1]);

	if (!folio)
		shim_die("folio %llu:%llu is not cached", args[0], args[1]);
	return folio;
}

/* What was asked for in process context happens before the next event. */
static void settle(void)
{
	shim_time_passes(1);
	shim_settle();
}

static void event_added(const u64 *args)
{
	struct file *file = file_at(args[0]);
	struct folio *folio;

	if (!page_add(file, args[1], __builtin_ctzll(args[2]), group, args[3]))
		shim_die("folio %llu:%llu cannot be added", args[0], args[1]);
	lru_add_drain_all();
	settle();
	folio = find(args);
	cache_ext_folio_read(&file->mapping, folio,
			     folio_pos(folio) + folio_size(folio));
	printf("%s ", folio->mapping ? "kept" : "refused");
	agree_show_event(group, folio);
	folio_put(folio);
}

static void event_used(const u64 *args)
{
	struct folio *folio = find(args);

	cache_ext_folio_accessed(folio);
	settle();
	agree_show_event(group, folio);
	folio_put(folio);
}

/* Through a mapping: nobody hears of it before reclaim looks. */
static void event_mapped(const u64 *args)
{
	struct folio *folio = find(args);

	cache_ext_folio_mapped(folio);
	atomic_set(&folio->_mapcount, 1);
	folio_set_young(folio);
	folio_put(folio);
}

/* A mapping covers it that is executable, from here on. */
static void event_code(const u64 *args)
{
	struct folio *folio = find(args);

	folio_set_code(folio);
	folio_put(folio);
}

static void event_removed(const u64 *args)
{
	struct folio *folio = find(args);

	if (!page_remove(file_at(args[0]), folio))
		shim_die("a folio is not truncated");
	folio_put(folio);
	agree_show_event(group, NULL);
}

static void event_taken(const u64 *args)
{
	struct folio *folio = find(args);

	atomic_set(&folio->_mapcount, 0);
	folio_clear_young(folio);
	if (!reclaim_folio_alone(folio))
		shim_die("a folio is not reclaimed");
	agree_show_event(group, NULL);
}

static u64 refusals, next_refusals;
static struct folio *refused[CACHE_EXT_BATCH];
static unsigned int nr_refused;

static void clean(void)
{
	while (nr_refused)
		folio_clear_dirty(refused[--nr_refused]);
}

void agree_proposed(struct cache_ext_request *r)
{
	unsigned int i;

	clean();
	printf("proposed");
	for (i = 0; i < r->nr_proposals; i++)
		agree_show_name(cnode_folio(r->proposals[i].node));
	printf("\n");
	refusals = next_refusals;
	next_refusals >>= 1;
}

/* Dirty folios cannot go. Those that were mapped, and not used, can. */
static void watch(struct list_head *folios)
{
	struct list_head *pos;
	unsigned int k = 0;

	for (pos = folios->prev; pos != folios; pos = pos->prev) {
		struct folio *folio = list_entry(pos, struct folio, lru);

		atomic_set(&folio->_mapcount, 0);
		if (refusals >> k++ & 1) {
			folio_set_dirty(folio);
			refused[nr_refused++] = folio;
		}
	}
}

static void event_reclaim(const u64 *args)
{
	struct cache_ext_shrink s = {
		.memcg = group,
		.lruvec = &group->lruvec[0],
		.target = group,
		.reclaim_idx = MAX_NR_ZONES - 1,
		.priority = 12,
		.nr_to_reclaim = args[0],
	};

	next_refusals = args[1];
	printf("freed %lu\n", cache_ext_shrink(&s));
	clean();
	agree_show_event(group, NULL);
	agree_show_lists(group);
	agree_show_ghosts();
}

static void event_time(const u64 *args)
{
	agree_now = args[0] * NSEC_PER_MSEC;
	if (agree_by_time)
		shim_time_passes(msecs_to_jiffies(CACHE_EXT_MAX_TICK_MS) + 1);
	settle();
	agree_show_event(group, NULL);
}

static void event_task(const u64 *args)
{
	agree_task = args[1] << 32 | (u32)args[0];
}

static void set_capacity(const u64 *args)
{
	capacity = args[0];
}

static void set_seed(const u64 *args)
{
	agree_seed(args[0]);
}

static void set_param(const u64 *args)
{
	agree_param(args[0], args[1]);
}

static void set_input(const u64 *args)
{
	agree_input(args[0], args + 1, args[4]);
}

static void set_array(const u64 *args)
{
	agree_array(args[0], args[1], args[2]);
}

static const struct {
	char letter;
	u8 args;
	void (*run)(const u64 *args);
} kinds[] = {
	{ 'C', 1, set_capacity }, { 'S', 1, set_seed },
	{ 'P', 2, set_param },	  { 'I', 5, set_input },
	{ 'A', 3, set_array },
	{ 'a', 4, event_added },  { 'u', 2, event_used },
	{ 'y', 2, event_mapped }, { 'x', 2, event_code },
	{ 'r', 2, event_removed }, { 'b', 2, event_taken },
	{ 'e', 2, event_reclaim }, { 'm', 1, event_time },
	{ 'k', 2, event_task },
};

static void perform(char letter)
{
	u64 args[5] = { 0 };
	unsigned int i, n = 0;

	while (n < ARRAY_SIZE(kinds) && kinds[n].letter != letter)
		n++;
	if (n == ARRAY_SIZE(kinds))
		shim_die("'%c' is not an event", letter);
	for (i = 0; i < kinds[n].args; i++)
		if (scanf("%llu", &args[i]) != 1)
			shim_die("'%c' has %u numbers", letter, kinds[n].args);
	if (letter >= 'a' && !world.policies[0].used)
		agree_attach(group, capacity);
	kinds[n].run(args);
}

/* Interpreter and programs name files by number. */
static void name_files(void)
{
	unsigned int n;

	for (n = 0; n + AGREE_OTHERS < FILES; n++) {
		file_at(n)->inode.i_sb = &sb;
		file_at(n)->inode.i_ino = agree_inode(n);
	}
}

int main(void)
{
	char letter;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	shim_start();
	world_start_bare();
	group = world.cgroups[0];
	name_files();
	reclaim_watch = watch;
	while (scanf(" %c", &letter) == 1)
		perform(letter);
	if (!world.policies[0].used)
		agree_attach(group, capacity);
	agree_show_lists(group);
	agree_show_ghosts();
	agree_show_tables(group);
	agree_show_statistics(group);
	world_stop();
	shim_stop();
	return 0;
}
