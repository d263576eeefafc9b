// SPDX-License-Identifier: GPL-2.0
/*
 * core-cases: faults that were found, each in as few steps as show it.
 *
 *   core-cases [NAME]	all of them, or one
 */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <stdio.h>
#include <string.h>
#include "../world/kfuncs.h"
#include "../world/world.h"

/* A cgroup, below the root. */
static struct mem_cgroup *group;
static struct policy *const first = &world.policies[0];
static struct policy *const second = &world.policies[1];

/* So many times nothing happens; then whatever may fail fails. */
static unsigned int calm = -1;
/* What other CPUs do, wherever they can. */
static void (*meanwhile)(void);

unsigned int shim_pick(unsigned int n)
{
	if (!calm || (meanwhile && n == 256))
		return 0;
	calm--;
	return n - 1;
}

static void other_cpu(void)
{
	void (*what)(void) = meanwhile;

	/* One at a time. */
	meanwhile = NULL;
	if (what)
		what();
}

/* Runs @what once, in the next gap. */
static void in_gap(void (*what)(void))
{
	meanwhile = what;
	shim_other_cpu = other_cpu;
	shim_calm = !!what;
}

static s32 init(struct mem_cgroup *memcg)
{
	return bpf_cache_ext_list_create(memcg);
}

static void added(struct folio *folio, struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_list_add_tail(folio, 0);
}

static void evict(struct cache_ext_evict_ctx *ctx __maybe_unused,
		  struct mem_cgroup *memcg __maybe_unused)
{
}

static void attach(struct policy *policy, struct mem_cgroup *memcg)
{
	policy->ops.init = init;
	policy->ops.folio_added = added;
	policy->ops.evict_folios = evict;
	policy->ops.cgroup_id = memcg->cgroup.id;
	if (cache_ext_reg(&policy->ops, &policy->link))
		shim_die("the policy is not attached");
}

static void detach(struct policy *policy)
{
	cache_ext_unreg(&policy->ops, &policy->link);
}

static void go(struct mem_cgroup *memcg)
{
	memcg->css.online = false;
	shim_memcg_offline(memcg);
}

/* A folio of one page at a page frame, in the page cache. */
static struct folio *added_folio(u32 pfn, struct mem_cgroup *memcg,
				 bool by_read)
{
	struct folio *folio = &pfn_to_page(pfn)->folio;

	clear_bit(PG_free, &folio->flags);
	atomic_set(&folio->_refcount, 1);
	folio_trylock(folio);
	shim_charge(folio, memcg);
	page_insert(&world.files[0], folio, pfn % SHIM_FILE_PAGES);
	page_cached(folio, 1);
	cache_ext_folio_added(folio, GFP_KERNEL, by_read);
	shim_lru_add(folio);
	folio_unlock(folio);
	return folio;
}

static struct folio *cached_folio(u32 pfn, struct mem_cgroup *memcg)
{
	return added_folio(pfn, memcg, true);
}

static void take_out(struct folio *folio, enum cache_ext_reason why)
{
	lru_add_drain_all();
	cache_ext_folio_removed(folio, why);
	page_cached(folio, -1);
	page_delete(folio);
	set_bit(PG_free, &folio->flags);
	if (folio_test_clear_lru(folio))
		list_del(&folio->lru);
	atomic_set(&folio->_refcount, 0);
	shim_uncharge(folio);
}

static void drop(struct folio *folio)
{
	take_out(folio, CACHE_EXT_DELETED);
}

/*
 * The head of an XArray with nothing but index 0 is that entry: a look-up of
 * another index found it.
 */
static void alone_in_a_region(void)
{
	struct cache_ext_node *node;
	struct folio *folio;

	attach(first, group);
	folio = cached_folio(0x1000, group);
	rcu_read_lock();
	if (!cache_ext_node_lookup_fast(folio, &node) || !node)
		shim_die("the node of a folio is not found");
	if (cache_ext_node_lookup_fast(folio + 1, &node) && node)
		shim_die("a folio leads to the node of another");
	rcu_read_unlock();
	drop(folio);
	detach(first);
}

static bool adopted;

static void removed_slowly(struct folio *folio __maybe_unused,
			   struct mem_cgroup *memcg __maybe_unused,
			   u32 reason __maybe_unused)
{
	/* What the other CPU does while this program runs. */
	adopted = shim_run_worker();
}

/*
 * A nearer policy adopts a folio while another CPU, which has seen that it is the
 * nearer one's, has the far one forget it: WARN_ON_ONCE(), as if a hook was
 * missing.
 */
static void adopted_while_disowned(void)
{
	struct mem_cgroup *child;
	struct folio *folio;

	first->ops.folio_removed = removed_slowly;
	attach(first, group);
	child = shim_memcg_create(group, 3);
	cache_ext_memcg_online(child);
	shim_settle();
	folio = cached_folio(0x1000, child);
	lru_add_drain_all();
	attach(second, child);
	cache_ext_folio_accessed(folio);
	if (!adopted)
		shim_die("the adoption was not at the same time");
	shim_settle();
	drop(folio);
	detach(second);
	detach(first);
	shim_settle();
	go(child);
}

static bool admits_nothing(struct folio *folio __maybe_unused,
			   struct mem_cgroup *memcg __maybe_unused)
{
	return false;
}

static void must_be(struct folio *folio, enum cache_ext_state state,
		    const char *else_what)
{
	struct cache_ext_node *node;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	if (!node || cnode_state(node) != state)
		shim_die("%s", else_what);
	rcu_read_unlock();
}

/*
 * A file system's own inode may look like a regular file, but has no name: its
 * folios were refused, and dropped while the file system changed them.
 */
static void internal_inode(void)
{
	struct file *file = &world.files[0];
	struct folio *folio;

	file->mapping.host = &file->inode;
	file->inode.i_mode = 1;
	first->ops.admit_folio = admits_nothing;
	attach(first, group);
	folio = cached_folio(0x1000, group);
	must_be(folio, NODE_LISTED, "a file system's own folio is refused");
	drop(folio);
	file->inode.i_dentry.first = &file->name;
	folio = cached_folio(0x1001, group);
	must_be(folio, NODE_REFUSED, "a file's folio is not refused");
	drop(folio);
	detach(first);
}

static unsigned int told;

static void accessed(struct folio *folio __maybe_unused,
		     struct mem_cgroup *memcg __maybe_unused)
{
	told++;
}

/* Three accesses of a folio. Returns how many the policy is told of. */
static unsigned int accesses_told(u32 pfn, u32 flags, bool by_read,
				  unsigned int misses)
{
	const u64 *nr;
	struct folio *folio;
	unsigned int i;

	told = 0;
	first->ops.folio_accessed = accessed;
	first->ops.flags = flags;
	attach(first, group);
	nr = this_cpu_ptr(group->cache_ext->stats)->nr;
	folio = added_folio(pfn, group, by_read);
	for (i = 0; i < 3; i++)
		cache_ext_folio_accessed(folio);
	if (nr[CES_ACCESSED] != 3 || nr[CES_MISSES] != misses)
		shim_die("accesses or misses are counted wrongly");
	drop(folio);
	detach(first);
	shim_settle();
	return told;
}

/* A first access is told to those who want it, whatever brought the folio in. */
static void only_reuses(void)
{
	if (accesses_told(0x1000, 0, true, 1) != 3 ||
	    accesses_told(0x1001, 0, false, 0) != 3)
		shim_die("an access is not told");
	if (accesses_told(0x1002, CACHE_EXT_ONLY_REUSES, true, 1) != 2 ||
	    accesses_told(0x1003, CACHE_EXT_ONLY_REUSES, false, 0) != 2)
		shim_die("not only reuses are told");
}

static u64 counted(enum cache_ext_stat_item item)
{
	u64 nr = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		nr += per_cpu_ptr(group->cache_ext->stats, cpu)->nr[item];
	return nr;
}

/* A folio that is there before the policy. Returns how often it is told of uses. */
static unsigned int adoption_told(u32 pfn, u32 flags, bool used)
{
	struct folio *folio;
	unsigned int before;

	folio = cached_folio(pfn, group);
	lru_add_drain_all();
	if (used)
		folio_set_referenced(folio);
	told = 0;
	first->ops.folio_accessed = accessed;
	first->ops.flags = flags;
	attach(first, group);
	shim_settle();
	if (counted(CES_ADOPTED) != 1 || counted(CES_ADDED) ||
	    counted(CES_ACCESSED) || counted(CES_MISSES))
		shim_die("what is adopted is counted as used now");
	before = told;
	cache_ext_folio_accessed(folio);
	if (counted(CES_ACCESSED) != 1 || counted(CES_MISSES))
		shim_die("the first access of what was adopted is no hit");
	if (used && told != before + 1)
		shim_die("the policy does not know that it was used");
	drop(folio);
	detach(first);
	shim_settle();
	return before;
}

/* Adoption was counted as added, and as hits: 10,241 of them before the first read. */
static void adoption_is_no_access(void)
{
	if (adoption_told(0x1000, 0, true) != 1 ||
	    adoption_told(0x1001, 0, false) != 0 ||
	    adoption_told(0x1002, CACHE_EXT_ONLY_REUSES, true) != 0)
		shim_die("uses before the adoption are told wrongly");
}

static u32 far_away(unsigned int n)
{
	/* Each in an XArray of its own, and not at its head. */
	return 0x1000 + (n << INDEX_PAGE_BITS) + XA_CHUNK_SIZE + n;
}

/*
 * Memory is short when a folio comes, a little later each time. An insertion that
 * fails halfway leaves empty nodes of the tree: cache_ext_index_exit() warned.
 */
static void short_of_memory(void)
{
	unsigned int i;

	attach(first, group);
	for (i = 0; i < 16; i++) {
		calm = i;
		shim_failures = 1;
		cached_folio(far_away(i), group);
		shim_failures = 0;
		calm = -1;
	}
	detach(first);
	for (i = 0; i < 16; i++)
		drop(&pfn_to_page(far_away(i))->folio);
}

/* Two folios that were one; of the second the policy knows nothing. */
static struct folio *part;

static void disown_part(void)
{
	struct cache_ext_node *node;

	rcu_read_lock();
	node = cache_ext_node_find(part);
	if (node)
		cache_ext_disown(node, part);
	rcu_read_unlock();
	if (!node)
		meanwhile = disown_part;
}

/*
 * A nearer policy takes a part of a folio while the far one adopts it: what was
 * forgotten was linked.
 */
static void split_part_disowned(void)
{
	struct folio *folio;

	part = cached_folio(0x1001, group);
	attach(first, group);
	folio = cached_folio(0x1000, group);
	in_gap(disown_part);
	cache_ext_folio_split(folio, 1, 0);
	if (meanwhile)
		shim_die("nobody came between");
	in_gap(NULL);
	if (group->cache_ext->lists.list[0].nr_folios != 1)
		shim_die("a part that was disowned is on a list");
	detach(first);
	drop(folio);
	drop(part);
}

static struct folio *held;

static void exit_touches(struct mem_cgroup *memcg __maybe_unused)
{
	if (bpf_cache_ext_list_move(held, 0, true) != -ENOENT ||
	    bpf_cache_ext_list_del(held) != -ENOENT)
		shim_die("a program changes the lists of a policy that ends");
}

/* Teardown goes through the lists once: what moved behind it was left. */
static void ending_policy(void)
{
	first->ops.exit = exit_touches;
	attach(first, group);
	held = cached_folio(0x1000, group);
	detach(first);
	shim_settle();
	drop(held);
}

static unsigned int gaps;
static int cached_refs;

/* Freed, and somebody's slab. But whoever has a reference keeps it a folio. */
static void free_held(void)
{
	if (gaps) {
		gaps--;
		meanwhile = free_held;
		return;
	}
	if (atomic_read(&held->_refcount) > cached_refs)
		return;
	drop(held);
	atomic_set(&held->_refcount, 1);
	held->memcg_data = 8;
	held->mapping = (void *)8;
}

/* A policy inherits a folio that is freed at this moment: it was taken for one. */
static void inherited_while_freed(void)
{
	unsigned int i;

	for (i = 0; i < 64; i++) {
		memset(&first->ops, 0, sizeof(first->ops));
		attach(first, group);
		shim_settle();
		held = cached_folio(0x1000, group);
		lru_add_drain_all();
		cached_refs = atomic_read(&held->_refcount);
		second->ops = first->ops;
		gaps = i;
		in_gap(free_held);
		if (cache_ext_update(&second->ops, &first->ops, &first->link))
			shim_die("the policy is not replaced");
		shim_settle();
		in_gap(NULL);
		if (held->memcg_data == 8) {
			held->memcg_data = 0;
			held->mapping = NULL;
			atomic_set(&held->_refcount, 0);
		} else {
			drop(held);
		}
		cache_ext_unreg(&second->ops, &first->link);
		shim_settle();
	}
}

static unsigned int steps;

static void evict_nested(struct cache_ext_evict_ctx *ctx __maybe_unused,
			 struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it[3];
	unsigned int i;

	group->cache_ext->request.steps_left = 4;
	for (i = 0; i < 3; i++)
		bpf_iter_cache_ext_list_new(&it[i], memcg, i);
	for (i = 0; i < 3; i++)
		while (bpf_iter_cache_ext_list_next(&it[i]))
			steps++;
	for (i = 0; i < 3; i++)
		bpf_iter_cache_ext_list_destroy(&it[i]);
}

static void added_in_turn(struct folio *folio,
			  struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_list_add_tail(folio, folio_pfn(folio) % 3);
}

static s32 init_three(struct mem_cgroup *memcg)
{
	return bpf_cache_ext_lists_create(memcg, 3);
}

/* Iterators under way at the same time had as many steps each. */
static void nested_iterators(void)
{
	struct cache_ext_shrink s = {
		.memcg = group, .target = group, .lruvec = &group->lruvec[0],
		.reclaim_idx = MAX_NR_ZONES - 1, .priority = 12,
		.nr_to_reclaim = 32,
	};
	struct folio *folio[9];
	unsigned int i;

	attach(first, group);
	detach(first);
	shim_settle();
	first->ops.init = init_three;
	first->ops.folio_added = added_in_turn;
	first->ops.evict_folios = evict_nested;
	if (cache_ext_reg(&first->ops, &first->link))
		shim_die("the policy is not attached");
	for (i = 0; i < 9; i++)
		folio[i] = cached_folio(0x1000 + i, group);
	cache_ext_shrink(&s);
	if (!steps || steps % 4)
		shim_die("%u steps in calls of 4", steps);
	for (i = 0; i < 9; i++)
		drop(folio[i]);
	detach(first);
}

static unsigned int seen;

static void see(struct cache_ext_evict_ctx *ctx __maybe_unused,
		struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;

	bpf_iter_cache_ext_list_new(&it, memcg, 0);
	while (bpf_iter_cache_ext_list_next(&it))
		seen++;
	bpf_iter_cache_ext_list_destroy(&it);
}

/*
 * Reclaim that had come to one child could take the folio of another, for which
 * nobody had computed yet what memory.min protects.
 */
static void protected_sibling(void)
{
	struct mem_cgroup *mid = shim_memcg_create(group, 3);
	struct mem_cgroup *low = shim_memcg_create(mid, 4);
	struct mem_cgroup *asked = shim_memcg_create(group, 5);
	struct cache_ext_shrink s = {
		.memcg = asked, .target = group, .lruvec = &asked->lruvec[0],
		.reclaim_idx = MAX_NR_ZONES - 1, .priority = 12,
		.nr_to_reclaim = 1,
	};
	struct folio *folio;

	attach(first, group);
	detach(first);
	shim_settle();
	first->ops.evict_folios = see;
	if (cache_ext_reg(&first->ops, &first->link))
		shim_die("the policy is not attached");
	folio = cached_folio(0x1000, low);
	mid->min = 16;
	low->min = 16;
	cache_ext_shrink(&s);
	if (seen)
		shim_die("a protected folio may be taken");
	mid->min = 0;
	cache_ext_shrink(&s);
	if (!seen)
		shim_die("a folio that is not protected may not be taken");
	drop(folio);
	detach(first);
	shim_settle();
	go(low);
	go(mid);
	go(asked);
}

static struct folio *first_seen;

static void see_first(struct cache_ext_evict_ctx *ctx __maybe_unused,
		      struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;

	bpf_iter_cache_ext_list_new(&it, memcg, 0);
	while ((folio = bpf_iter_cache_ext_list_next(&it))) {
		if (!first_seen)
			first_seen = folio;
	}
	bpf_iter_cache_ext_list_destroy(&it);
}

/*
 * Reclaim of one child passed by the folios of another, and stopped in the middle
 * of the list. Reclaim of the other child began there, not with its oldest folio.
 */
static void resumes_for_another(void)
{
	static struct folio *folio[CACHE_EXT_PASSED + 100];
	struct mem_cgroup *empty = shim_memcg_create(group, 3);
	struct mem_cgroup *full = shim_memcg_create(group, 4);
	struct cache_ext_shrink s = {
		.memcg = empty, .target = empty, .lruvec = &empty->lruvec[0],
		.reclaim_idx = MAX_NR_ZONES - 1, .priority = 12,
		.nr_to_reclaim = 1,
	};
	unsigned int i;

	attach(first, group);
	detach(first);
	shim_settle();
	first->ops.evict_folios = see_first;
	if (cache_ext_reg(&first->ops, &first->link))
		shim_die("the policy is not attached");
	for (i = 0; i < ARRAY_SIZE(folio); i++)
		folio[i] = cached_folio(0x1000 + i, full);
	cache_ext_shrink(&s);
	s.memcg = full;
	s.target = full;
	s.lruvec = &full->lruvec[0];
	cache_ext_shrink(&s);
	if (first_seen != folio[0])
		shim_die("reclaim of one cgroup resumes where another's stopped");
	/* Files have few pages here: several folios had the same place. */
	for (i = 0; i < ARRAY_SIZE(folio); i++) {
		page_insert(&world.files[0], folio[i], folio[i]->index);
		drop(folio[i]);
	}
	detach(first);
	shim_settle();
	go(empty);
	go(full);
}

/* Proposes only folios below a page frame. */
static void evict_low(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;

	bpf_iter_cache_ext_list_new(&it, memcg, 0);
	while ((folio = bpf_iter_cache_ext_list_next(&it)) &&
	       ctx->nr_evicted < ctx->request_nr_folios) {
		if (folio_pfn(folio) < 0x1000 + CACHE_EXT_BATCH)
			bpf_cache_ext_evict(ctx, folio);
	}
	bpf_iter_cache_ext_list_destroy(&it);
}

/* Is a policy blamed that proposes nothing but these, while others could go? */
static bool blamed_for(void (*set)(struct folio *folio),
		       void (*unset)(struct folio *folio))
{
	static struct folio *folio[3 * CACHE_EXT_BATCH];
	struct cache_ext_shrink s = {
		.memcg = group, .target = group, .lruvec = &group->lruvec[0],
		.reclaim_idx = MAX_NR_ZONES - 1, .priority = 12,
		.nr_to_reclaim = CACHE_EXT_BATCH,
	};
	unsigned int i;
	bool blamed;

	attach(first, group);
	detach(first);
	shim_settle();
	first->ops.evict_folios = evict_low;
	if (cache_ext_reg(&first->ops, &first->link))
		shim_die("the policy is not attached");
	for (i = 0; i < ARRAY_SIZE(folio); i++) {
		folio[i] = cached_folio(0x1000 + i, group);
		if (i < CACHE_EXT_BATCH)
			set(folio[i]);
	}
	lru_add_drain_all();
	cache_ext_shrink(&s);
	/* The kernel's own scan finds the others. */
	for (; i > CACHE_EXT_BATCH; i--)
		take_out(folio[i - 1], CACHE_EXT_EVICTED);
	cache_ext_shrink(&s);
	rcu_read_lock();
	blamed = READ_ONCE(cache_ext_policy_of(group)->watchdog.offences);
	rcu_read_unlock();
	for (i = 0; i < CACHE_EXT_BATCH; i++) {
		unset(folio[i]);
		drop(folio[i]);
	}
	detach(first);
	shim_settle();
	return blamed;
}

static void lock_folio(struct folio *folio)
{
	if (!folio_trylock(folio))
		shim_die("a folio is locked");
}

static void dirty_folio(struct folio *folio)
{
	set_bit(PG_dirty, &folio->flags);
}

static void clean_folio(struct folio *folio)
{
	clear_bit(PG_dirty, &folio->flags);
}

/*
 * On a slow disk most of what is old may still be being read. Who proposed it got
 * an offence, and 64 ended the policy.
 */
static void blamed_for_io(void)
{
	if (blamed_for(lock_folio, folio_unlock))
		shim_die("a policy is blamed for folios in I/O");
	if (!blamed_for(dirty_folio, clean_folio))
		shim_die("a policy is not blamed for folios that cannot go");
}

static struct folio *used_folio;

/* A server that does not answer holds reclaim up, as NFS in release_folio(). */
static void detach_while_reclaimed(struct list_head *folios __maybe_unused)
{
	detach(first);
	/* Its programs are gone. */
	memset(&first->ops, 0, sizeof(first->ops));
}

static void evict_all(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;

	bpf_iter_cache_ext_list_new(&it, memcg, 0);
	while ((folio = bpf_iter_cache_ext_list_next(&it)))
		bpf_cache_ext_evict(ctx, folio);
	bpf_iter_cache_ext_list_destroy(&it);
}

/*
 * Who detached a policy waited for reclaim of what it had proposed, and BPF held its
 * lock of all struct_ops links meanwhile.
 */
static void ends_while_reclaimed(void)
{
	struct cache_ext_shrink s = {
		.memcg = group, .target = group, .lruvec = &group->lruvec[0],
		.reclaim_idx = MAX_NR_ZONES - 1, .priority = 12,
		.nr_to_reclaim = 32,
	};
	struct folio *dirty;

	first->ops.folio_accessed = accessed;
	attach(first, group);
	detach(first);
	shim_settle();
	first->ops.evict_folios = evict_all;
	if (cache_ext_reg(&first->ops, &first->link))
		shim_die("the policy is not attached");
	dirty = cached_folio(0x1000, group);
	dirty_folio(dirty);
	/* This one is put back as used when the policy has gone. */
	used_folio = cached_folio(0x1001, group);
	atomic_set(&used_folio->_mapcount, 1);
	folio_set_active(used_folio);
	lru_add_drain_all();
	reclaim_watch = detach_while_reclaimed;
	cache_ext_shrink(&s);
	reclaim_watch = NULL;
	shim_settle();
	rcu_read_lock();
	if (cache_ext_node_find(dirty) || cache_ext_node_find(used_folio))
		shim_die("a policy that has ended has a node");
	rcu_read_unlock();
	atomic_set(&used_folio->_mapcount, 0);
	clean_folio(dirty);
	drop(dirty);
	drop(used_folio);
}

/* kswapd's priority goes down for high watermarks: it took what was pinned. */
static void pinned_in_calm_times(void)
{
	struct folio *folio;
	bool kept;

	first->ops.pin_pages = 1;
	attach(first, group);
	folio = cached_folio(0x1000, group);
	if (bpf_cache_ext_pin(folio))
		shim_die("a folio is not pinned");
	current->kswapd = true;
	kept = __cache_ext_keeps(folio, 1);
	current->kswapd = false;
	if (!kept)
		shim_die("kswapd takes a pinned folio");
	if (__cache_ext_keeps(folio, 1))
		shim_die("a pinned folio stays near OOM");
	drop(folio);
	detach(first);
}

/* Pins as many of the folios as may be. Returns how many are pinned. */
static unsigned int pin_all(struct folio **folios, unsigned int nr)
{
	unsigned int i, pinned = 0;

	for (i = 0; i < nr; i++)
		pinned += !bpf_cache_ext_pin(folios[i]);
	return pinned;
}

static unsigned int kept_of(struct folio **folios, unsigned int nr)
{
	unsigned int i, kept = 0;

	for (i = 0; i < nr; i++)
		kept += __cache_ext_keeps(folios[i], DEF_PRIORITY);
	return kept;
}

/*
 * Only the limits of the policy's own cgroup and of those above counted: a small
 * cgroup below could be filled with pinned folios.
 */
static void pinned_below(void)
{
	struct mem_cgroup *mid = shim_memcg_create(group, 3);
	struct mem_cgroup *low = shim_memcg_create(mid, 4);
	struct mem_cgroup *free = shim_memcg_create(group, 5);
	struct folio *of_mid[16], *of_low[16], *of_free[16];
	unsigned int i;

	first->ops.pin_pages = 40;
	mid->memory.max = 24;
	low->memory.high = 12;
	attach(first, group);
	for (i = 0; i < 16; i++) {
		of_mid[i] = cached_folio(0x1000 + i, mid);
		of_low[i] = cached_folio(0x1010 + i, low);
		of_free[i] = cached_folio(0x1020 + i, free);
	}
	if (pin_all(of_low, 16) != 6)
		shim_die("not the share of a cgroup below is pinned");
	if (pin_all(of_mid, 16) != 6)
		shim_die("what is pinned below does not count above");
	if (pin_all(of_free, 16) != 16)
		shim_die("another cgroup's limit counts");
	if (counted(CES_PIN_REFUSED) != 20)
		shim_die("refused pins are counted wrongly");
	/* They make room for others, wherever they are. */
	bpf_cache_ext_unpin(of_low[0]);
	if (pin_all(of_mid, 16) != 7 || bpf_cache_ext_pin(of_low[0]) != -EDQUOT)
		shim_die("a pin that ended counts");
	/* One limit is lowered: there they count no more, elsewhere they do. */
	low->memory.high = 8;
	if (kept_of(of_low, 16) || kept_of(of_mid, 16) != 7 ||
	    kept_of(of_free, 16) != 16)
		shim_die("pins count beyond the share of a cgroup below");
	mid->memory.max = 16;
	if (kept_of(of_mid, 16))
		shim_die("pins count beyond the share of the one above");
	for (i = 0; i < 16; i++) {
		drop(of_mid[i]);
		drop(of_free[i]);
	}
	if (group->cache_ext->lists.pinned != 5)
		shim_die("pinned folios that went are counted");
	detach(first);
	shim_settle();
	for (i = 0; i < 16; i++)
		drop(of_low[i]);
	go(low);
	go(mid);
	go(free);
}

/* More cgroups below than can be told apart: what has no limit is pinned still. */
static void pinned_of_many(void)
{
	static struct mem_cgroup *many[CACHE_EXT_PIN_SLOTS + 10];
	static struct folio *folio[ARRAY_SIZE(many)];
	unsigned int i, last = ARRAY_SIZE(many) - 1;

	first->ops.pin_pages = 2 * ARRAY_SIZE(many);
	attach(first, group);
	for (i = 0; i <= last; i++) {
		many[i] = shim_memcg_create(group, 3 + i);
		cache_ext_memcg_online(many[i]);
		folio[i] = cached_folio(0x1000 + i, many[i]);
		if (i < last && bpf_cache_ext_pin(folio[i]))
			shim_die("what has no limit is not pinned");
	}
	many[last]->memory.max = 100;
	if (bpf_cache_ext_pin(folio[last]) != -EDQUOT)
		shim_die("a limit is not kept to");
	/* One that has gone makes room. */
	bpf_cache_ext_unpin(folio[0]);
	if (bpf_cache_ext_pin(folio[last]))
		shim_die("there is no room for another");
	for (i = 0; i <= last; i++) {
		/* Files have few pages here: several folios had the same place. */
		page_insert(&world.files[0], folio[i], folio[i]->index);
		drop(folio[i]);
		go(many[i]);
	}
	detach(first);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "alone-in-a-region", alone_in_a_region },
	{ "adopted-while-disowned", adopted_while_disowned },
	{ "internal-inode", internal_inode },
	{ "only-reuses", only_reuses },
	{ "adoption-is-no-access", adoption_is_no_access },
	{ "short-of-memory", short_of_memory },
	{ "split-part-disowned", split_part_disowned },
	{ "ending-policy", ending_policy },
	{ "inherited-while-freed", inherited_while_freed },
	{ "nested-iterators", nested_iterators },
	{ "protected-sibling", protected_sibling },
	{ "resumes-for-another", resumes_for_another },
	{ "blamed-for-io", blamed_for_io },
	{ "ends-while-reclaimed", ends_while_reclaimed },
	{ "pinned-in-calm-times", pinned_in_calm_times },
	{ "pinned-below", pinned_below },
	{ "pinned-of-many", pinned_of_many },
};

static void run(unsigned int n)
{
	static const struct shim_section sections[] = { { 0x1000, 17 << 12 } };
	struct mem_cgroup *root;

	printf("%s\n", cases[n].name);
	fflush(stdout);
	memset(&world, 0, sizeof(world));
	shim_start();
	shim_frames_init(sections, ARRAY_SIZE(sections));
	cache_ext_index_init();
	if (cache_ext_nodes_init() || cache_ext_ops_init())
		shim_die("the core does not start");
	root = shim_memcg_create(NULL, 1);
	group = shim_memcg_create(root, 2);
	cases[n].run();
	shim_settle();
	cache_ext_ops_exit();
	cache_ext_index_exit();
	cache_ext_nodes_exit();
	go(group);
	go(root);
	shim_frames_exit();
	shim_stop();
}

int main(int argc, char **argv)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(cases); n++)
		if (argc < 2 || !strcmp(argv[1], cases[n].name))
			run(n);
	return 0;
}
