// SPDX-License-Identifier: GPL-2.0
/* Policies that begin and end while others use their folios. */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"

static struct folio *held;

static void exit_touches(struct mem_cgroup *memcg __maybe_unused)
{
	if (bpf_cache_ext_list_move(held, 0, true) != -ENOENT ||
	    bpf_cache_ext_list_del(held) != -ENOENT)
		shim_die("a program changes the lists of a policy that ends");
}

/* Teardown goes through the lists once: what moved behind it was left. */
void ending_policy(void)
{
	first->ops.exit = exit_touches;
	attach(first, group);
	held = cached_folio(0x1000, group);
	detach(first);
	shim_settle();
	drop(held);
}

/*
 * A policy that nobody finds any more has its nodes still: the hooks of a cgroup that has
 * none now must look for them, until the last one is forgotten.
 */
void goes_from_who_leaves(void)
{
	struct cache_ext_node *node;
	struct folio *folio;

	attach(first, group);
	shim_settle();
	folio = cached_folio(0x1000, group);
	lru_add_drain_all();
	detach(first);
	rcu_read_lock();
	node = cache_ext_node_find(folio);
	if (!node || cache_ext_policy_of(group))
		shim_die("a policy has left before it was asked to");
	cache_ext_folio_removed(folio, CACHE_EXT_EVICTED);
	if (cnode_state(node) != NODE_DYING)
		shim_die("a policy that leaves knows a folio that is gone");
	rcu_read_unlock();
	drop(folio);
	shim_settle();
	if (atomic_read(&cache_ext_leaving))
		shim_die("a policy that has left leaves still");
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
void inherited_while_freed(void)
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

static bool governed(void)
{
	bool found;

	rcu_read_lock();
	found = cache_ext_policy_of(group) != NULL;
	rcu_read_unlock();
	return found;
}

/* Stands for any program of the policy that runs still, since exit() comes last. */
static void late_error(struct mem_cgroup *memcg)
{
	bpf_cache_ext_error(memcg, 7, "of the one before");
}

/* A program says its cgroup, so its error ended the policy that had taken its place. */
void error_while_replaced(void)
{
	first->ops.exit = late_error;
	attach(first, group);
	second->ops = first->ops;
	second->ops.exit = NULL;
	if (cache_ext_update(&second->ops, &first->ops, &first->link))
		shim_die("the policy is not replaced");
	shim_settle();
	if (!governed())
		shim_die("an error of the policy before ends its successor");
	begin_program();
	bpf_cache_ext_error(group, 8, "its own");
	end_program();
	shim_settle();
	if (governed())
		shim_die("an error of its own does not end it");
	cache_ext_unreg(&second->ops, &first->link);
}

static struct folio *used_folio;

/* A server that does not answer holds reclaim up, as NFS in release_folio(). */
static void detach_while_reclaimed(struct list_head *folios __maybe_unused)
{
	detach(first);
	shim_settle();
	if (first->refs)
		shim_die("a policy holds its programs, though none runs");
	if (shim_workers_wait())
		shim_die("a worker waits for reclaim of what a policy proposed");
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
void ends_while_reclaimed(void)
{
	struct cache_ext_shrink s = reclaim_of(group, group, 32);
	struct folio *dirty;

	first->ops.folio_accessed = accessed;
	first->ops.evict_folios = evict_all;
	attach(first, group);
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

/*
 * Somebody runs a policy's programs, and is stopped there, by cpu.max for instance: the
 * ends of 256 policies took all workers, and no other policy's init or tick ran.
 */
void ends_while_asked(void)
{
	struct cache_ext_policy *p;
	struct folio *folio;

	attach(first, group);
	shim_settle();
	folio = cached_folio(0x1000, group);
	p = group->cache_ext;
	if (!cache_ext_get(p))
		shim_die("nobody can run the programs of a policy");
	/* Replaced: then the new one waits, too, for the old one's programs. */
	second->ops = first->ops;
	second->ops.cgroup_id = group->cgroup.id;
	if (cache_ext_update(&second->ops, &first->ops, &first->link))
		shim_die("the policy is not replaced");
	shim_settle();
	if (shim_workers_wait())
		shim_die("a worker waits for who runs a policy's programs");
	if (p->lists.owned != 1)
		shim_die("folios change hands while a program runs");
	cache_ext_put(p);
	shim_settle();
	if (group->cache_ext->lists.owned != 1)
		shim_die("the new policy has not the old one's folio");
	cache_ext_unreg(&second->ops, &first->link);
	shim_settle();
	drop(folio);
}

#define GONE (CACHE_EXT_MAX_POLICIES + 10)

/* A policy for a new cgroup, which goes. Its link stays. @error: it has ended before. */
static void attach_and_go(struct policy *policy, u64 id, bool error)
{
	struct mem_cgroup *memcg = shim_memcg_create(group, id);

	cache_ext_memcg_online(memcg);
	policy->refs = 1;
	attach(policy, memcg);
	shim_settle();
	if (error) {
		rcu_read_lock();
		policy_ext_exit(&memcg->cache_ext->life, POLICY_EXT_EXIT_ERROR, 1, "");
		rcu_read_unlock();
		shim_settle();
	}
	memcg->css.online = false;
	cache_ext_memcg_offline(memcg);
	shim_memcg_offline(memcg);
	shim_settle();
	if (shim_memcgs() != 2 || !list_empty(&cache_ext_policies))
		shim_die("a policy is kept whose cgroup is gone");
}

/*
 * Who made a cgroup, attached a policy, removed the cgroup and kept the link had one of
 * 1,023 numbers, and after so many nobody could attach any more.
 */
void links_of_cgroups_that_are_gone(void)
{
	struct policy *policies = calloc(GONE, sizeof(*policies));
	unsigned int i;

	/* The kernel tells of cgroups that go while there is a policy. */
	cache_ext_glue_enable();
	for (i = 0; i < GONE; i++)
		attach_and_go(&policies[i], 10 + i, i % 2);
	first->ops.cgroup_id = 10;
	if (cache_ext_update(&first->ops, &policies[0].ops, &policies[0].link) !=
	    -EINVAL)
		shim_die("a policy takes the place of one that is gone");
	for (i = 0; i < GONE; i++)
		detach(&policies[i]);
	cache_ext_glue_disable();
	free(policies);
}

/* Each attach drained all CPUs, which interrupts what runs there: in a loop, without end. */
void drains_once_a_second(void)
{
	unsigned int drains = shim_drains, i;
	unsigned long since = shim_jiffies();
	struct folio *folio;

	for (i = 0; i < 8; i++) {
		/* On no LRU list yet. */
		folio = cached_folio(0x1000, group);
		attach(first, group);
		shim_settle();
		if (group->cache_ext->lists.owned != 1)
			shim_die("a folio in a CPU's batch is not adopted");
		detach(first);
		shim_settle();
		/* That of drop(). */
		drop(folio);
		drains++;
	}
	drains = shim_drains - drains;
	if (!drains || (drains - 1) * HZ > shim_jiffies() - since)
		shim_die("all CPUs are drained %u times in %lu jiffies", drains,
			 shim_jiffies() - since);
}

/* A fault of the core: a request has ended, and a node is in its hand still. */
void lost_node(void)
{
	struct list_head *hand = malloc(sizeof(*hand));
	struct folio *folio;
	unsigned long irq;

	attach(first, group);
	shim_settle();
	folio = cached_folio(0x1000, group);
	INIT_LIST_HEAD(hand);
	rcu_read_lock();
	spin_lock_irqsave(&group->cache_ext->lists.lock, irq);
	cache_ext_list_take(&group->cache_ext->lists, cache_ext_node_find(folio),
			    hand, NODE_PROPOSED);
	spin_unlock_irqrestore(&group->cache_ext->lists.lock, irq);
	rcu_read_unlock();
	free(hand);
	/* That of cache_ext_check(), and of teardown itself. */
	shim_complaints = 2;
	detach(first);
	shim_settle();
	if (shim_complaints)
		shim_die("nobody misses the node");
	rcu_read_lock();
	if (cache_ext_node_find(folio))
		shim_die("a node outlives its policy");
	rcu_read_unlock();
	drop(folio);
}
