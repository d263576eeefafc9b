// SPDX-License-Identifier: GPL-2.0
/*
 * Events of folios, reported to policies.
 *
 *   filemap_add_folio	  ---> added	 process context, may sleep
 *   folio_mark_accessed  ---> accessed	 may hold a page table lock
 *   page cache removal	  ---> removed	 i_pages lock held, interrupts off
 *   ... replaced, split: change.c
 *
 * In all of them the caller keeps the folio charged, so its memcg may be read.
 * Folios that the policy governs: page cache of files, charged to its cgroup or
 * one below that has no nearer policy. Not shmem, hugetlb or what is never
 * evictable (ramfs, secretmem).
 */
#include <linux/pagemap.h>
#include "cache_ext.h"
#include "glue.h"
#include "hint.h"

static bool governable(struct folio *folio)
{
	unsigned long mapping = (unsigned long)READ_ONCE(folio->mapping);

	return mapping && !(mapping & PAGE_MAPPING_FLAGS) &&
	       !folio_test_swapbacked(folio) && !folio_test_hugetlb(folio) &&
	       !mapping_unevictable((struct address_space *)mapping);
}

/* Here twice, inlined: each folio that comes goes through it. */
static __always_inline struct cache_ext_policy *policy_of(struct folio *folio)
{
	struct mem_cgroup *memcg;

	if (!governable(folio))
		return NULL;
	memcg = folio_memcg(folio);
	return memcg ? cache_ext_policy_of(memcg) : NULL;
}

/* Caller: rcu_read_lock(), and keeps the folio. */
struct cache_ext_policy *cache_ext_policy_of_folio(struct folio *folio)
{
	return policy_of(folio);
}

/*
 * The program of a member, or what the glue has instead (@fn); it may have none.
 * Programs get their arguments as the trampoline of struct_ops would give them:
 * an array of u64. What else that does (a run context) is for helpers that these
 * programs do not get.
 */
static __always_inline void
run_member(struct cache_ext_policy *p, enum cache_ext_member member,
	   void (*fn)(struct folio *folio, struct mem_cgroup *memcg),
	   struct cache_ext_node *node, struct folio *folio)
{
	u64 args[] = { (unsigned long)folio, (unsigned long)p->life.memcg };
	const struct bpf_prog *prog = p->progs[member];

	if (!prog && !fn)
		return;
	hint_begin(node);
	if (likely(prog))
		cache_ext_timed(p, bpf_prog_run(prog, args));
	else
		cache_ext_timed(p, fn(folio, p->life.memcg));
	hint_end();
}

/* @own: reclaim took it because the policy proposed it. */
static noinline void notify_removed(struct cache_ext_policy *p,
				    struct cache_ext_node *node,
				    struct folio *folio, u32 reason, bool own)
{
	struct cache_ext_ops *ops = p->ops;

	hint_begin(node);
	if (!own && ops->folio_evicted)
		cache_ext_timed(p, ops->folio_evicted(folio, p->life.memcg));
	if (ops->folio_removed)
		cache_ext_timed(p, ops->folio_removed(folio, p->life.memcg, reason));
	hint_end();
}

/*
 * Frees, by RCU, a node that is out of the index and has just become NODE_DYING.
 * @was: its word before. Any context.
 */
static __always_inline void release(struct cache_ext_node *node,
				    unsigned int was)
{
	/* Else the flush of the last batch that notes it frees it. */
	if (likely(!(was & NODE_BATCHES_MASK)))
		cache_ext_node_free_rcu(node);
}

void cache_ext_node_release(struct cache_ext_node *node, unsigned int was)
{
	release(node, was);
}

/*
 * The same for a node that is still in the index. Lookups rely on its grace period, so
 * it becomes NODE_DYING and is erased in one step: a flush of batches may free a dying
 * node at any time. Caller: lists.lock of its policy.
 */
static __always_inline void forget(struct cache_ext_node *node,
				   unsigned int was)
{
	cache_ext_node_erase(node);
	release(node, was);
}

void cache_ext_forget(struct cache_ext_node *node, unsigned int was)
{
	forget(node, was);
}

/*
 * The folio leaves: off the list and the index first, then the handlers, which may
 * still ask for its record and the list that it was on, then it is released. Caller:
 * rcu_read_lock().
 */
static __always_inline void node_remove(struct cache_ext_node *node,
					struct folio *folio, u32 reason)
{
	struct cache_ext_policy *p = cnode_policy(node);
	struct cache_ext_lists *ls = &p->lists;
	unsigned long nr = cnode_pages(node);
	unsigned int state, was;
	bool own, owned, told, pinned;
	unsigned long irq;

	spin_lock_irqsave(&ls->lock, irq);
	state = cnode_state(node);
	if (state == NODE_DYING) {
		spin_unlock_irqrestore(&ls->lock, irq);
		return;
	}
	owned = state & NODE_OWNED;
	pinned = cnode_pinned(node);
	cache_ext_list_unpin(ls, node);
	if (owned)
		cache_ext_list_disown(ls, node);
	else if (state == NODE_REFUSED)
		cache_ext_refused_unlink(p, node);
	was = cnode_set_state(node, NODE_DYING);
	/* As in forget(). The handlers find it by the hint, and then it is released. */
	cache_ext_node_erase(node);
	spin_unlock_irqrestore(&ls->lock, irq);

	own = state == NODE_PROPOSED && reason == CACHE_EXT_EVICTED;
	if (owned) {
		ces_inc(p, CES_REMOVED);
		if (reason == CACHE_EXT_EVICTED)
			ces_add(p, own ? CES_EVICTED : CES_FALLBACK, nr);
		/* That is its right, and no evidence. */
		if (unlikely(pinned) && reason == CACHE_EXT_EVICTED)
			ces_add(p, CES_PIN_OVERRULED, nr);
		else if (reason == CACHE_EXT_EVICTED && state == NODE_LISTED)
			cache_ext_taken(p, nr);
		if (!pinned && reason == CACHE_EXT_EVICTED)
			cache_ext_unpinned_went(p, nr);
	}
	told = owned && !READ_ONCE(p->life.dead) &&
	       (p->ops->folio_removed || (!own && p->ops->folio_evicted));
	if (told)
		notify_removed(p, node, folio, reason, own);
	release(node, was);
}

/* The folio is another policy's from now on. Caller: rcu_read_lock(). */
void cache_ext_disown(struct cache_ext_node *node, struct folio *folio)
{
	node_remove(node, folio, CACHE_EXT_DELETED);
}

/*
 * Inserts the new @node in the index. Policies forget a folio before its next life
 * begins. But a policy that has ended may still have to forget it. Caller:
 * rcu_read_lock().
 */
bool cache_ext_claim(struct cache_ext_policy *p, struct cache_ext_node *node,
		     struct folio *folio)
{
	struct cache_ext_node *stale;
	int err;

	err = cache_ext_node_insert(node);
	if (unlikely(err == -EEXIST)) {
		rcu_read_lock();
		stale = cache_ext_node_find(folio);
		if (stale && READ_ONCE(cnode_policy(stale)->life.dead))
			cache_ext_disown(stale, folio);
		else
			/* Unless another CPU is removing it, a hook is missing. */
			WARN_ON_ONCE(stale && cnode_state(stale) != NODE_DYING);
		rcu_read_unlock();
		err = cache_ext_node_insert(node);
	}
	return !err;
}

/*
 * Show the policy the folio, which is locked and has a node of NODE_NEW. A policy
 * that does not adopt it leaves it to the kernel. @item: as what it is counted.
 * Caller: rcu_read_lock().
 */
void cache_ext_introduce(struct cache_ext_policy *p,
			 struct cache_ext_node *node, struct folio *folio,
			 enum cache_ext_stat_item item)
{
	unsigned long irq;

	ces_inc(p, item);
	run_member(p, CACHE_EXT_ADDED, p->ops->folio_added, node, folio);

	/* Only that program could adopt it. */
	if (likely(cnode_state(node) != NODE_NEW))
		return;
	spin_lock_irqsave(&p->lists.lock, irq);
	if (cnode_state(node) == NODE_NEW) {
		cache_ext_list_unpin(&p->lists, node);
		forget(node, cnode_set_state(node, NODE_DYING));
	}
	spin_unlock_irqrestore(&p->lists.lock, irq);
}

/*
 * Inserts @node, which may be NULL, in the index, or frees it. Caller:
 * rcu_read_lock().
 */
static struct cache_ext_node *publish(struct cache_ext_policy *p,
				      struct cache_ext_node *node,
				      struct folio *folio, bool by_read)
{
	if (unlikely(!node))
		return NULL;
	if (by_read)
		cnode_set(node, NODE_BY_READ);
	if (likely(cache_ext_claim(p, node, folio)))
		return node;
	cache_ext_node_free(&p->kind, node);
	return NULL;
}

/* A node for @folio, in the index; or NULL. Caller: rcu_read_lock(). */
static struct cache_ext_node *node_for(struct cache_ext_policy *p,
				       struct folio *folio, bool by_read,
				       gfp_t gfp)
{
	struct cache_ext_node *node;

	node = cache_ext_node_alloc(&p->kind, folio, folio_order(folio), gfp);
	return publish(p, node, folio, by_read);
}

/*
 * The same where there is no memory at once: reclaims if it may, and is charged past
 * the limit if it may not. The policy may be another one afterwards: *@policy.
 * Caller: rcu_read_lock(), which is dropped on the way. Meanwhile
 * the node is not in the index: a task that finds a node may remove it.
 */
static noinline struct cache_ext_node *
node_for_slowly(struct cache_ext_policy **policy, struct folio *folio,
		bool by_read, gfp_t gfp)
{
	struct cache_ext_policy *p = *policy;
	struct cache_ext_node *node = NULL;

	if (!gfpflags_allow_blocking(gfp))
		return node_for(p, folio, by_read, GFP_ATOMIC);
	/*
	 * Detach does not wait for this: reclaim by the allocation may take any
	 * time.
	 */
	if (!cache_ext_hold(p))
		return NULL;
	rcu_read_unlock();
	/* Nobody is to be killed for a node. */
	node = cache_ext_node_alloc(&p->kind, folio, folio_order(folio),
				    gfp | __GFP_NORETRY);
	rcu_read_lock();
	*policy = policy_of(folio);
	if (node && *policy != p) {
		cache_ext_node_free(&p->kind, node);
		node = NULL;
	}
	node = publish(p, node, folio, by_read);
	if (!node && *policy)
		node = node_for(*policy, folio, by_read, GFP_ATOMIC);
	cache_ext_let_go(p);
	return node;
}

static void add(struct folio *folio, gfp_t gfp, bool by_read,
		enum cache_ext_stat_item item)
{
	struct cache_ext_policy *p;
	struct cache_ext_node *node;

	rcu_read_lock();
	p = policy_of(folio);
	if (!p)
		goto out;
	node = node_for(p, folio, by_read, GFP_NOWAIT);
	if (unlikely(!node))
		node = node_for_slowly(&p, folio, by_read, gfp & GFP_KERNEL);
	if (unlikely(!node)) {
		if (p)
			ces_inc(p, CES_NOMEM);
		goto out;
	}
	if (by_read && p->ops->admit_folio && !cache_ext_admits(p, node, folio))
		cache_ext_refuse(p, node);
	else
		cache_ext_introduce(p, node, folio, item);
out:
	rcu_read_unlock();
}

/*
 * The folio is locked, charged, in the page cache, and not on the LRU yet.
 * @by_read: it comes to be read from its file, so the policy may refuse it.
 */
void __cache_ext_folio_added(struct folio *folio, gfp_t gfp, bool by_read)
{
	add(folio, gfp, by_read, CES_ADDED);
}

/*
 * False: the policy must not see the access. @now: else the use was before the
 * policy governed the folio; it is reported and not counted.
 */
static __always_inline bool count_access(struct cache_ext_policy *p,
					 struct cache_ext_node *node, bool now)
{
	bool told = true;

	if (unlikely(!cnode_in_use(node))) {
		if (!cnode_owned(node))
			return false;
		cnode_set(node, NODE_SEEN);
		/* If it came to be read, this is that read. */
		if (cnode_word(node) & NODE_BY_READ)
			ces_inc(p, CES_MISSES);
		told = !(p->ops->flags & CACHE_EXT_ONLY_REUSES);
	}
	if (now)
		ces_inc(p, CES_ACCESSED);
	return told;
}

static noinline void notify_accessed_slowpath(struct cache_ext_policy *p,
					      struct cache_ext_node *node,
					      struct folio *folio)
{
	run_member(p, CACHE_EXT_ACCESSED, p->ops->folio_accessed, node, folio);
}

/* @p governs the folio. The conditions below are rare. */
static noinline void accessed_slowly(struct cache_ext_policy *p,
				     struct folio *folio, bool now)
{
	/* Whether it may be governed was decided when it was added. */
	struct cache_ext_node *node = cache_ext_node_find(folio);

	if (!node)
		return;
	if (!cache_ext_owns(p, node)) {
		/* A nearer policy came, and could not adopt it. */
		if (!READ_ONCE(cnode_policy(node)->life.dead))
			cache_ext_disown(node, folio);
		return;
	}
	if (count_access(p, node, now))
		notify_accessed_slowpath(p, node, folio);
}

/*
 * It was used through a mapping at some time. Caller: keeps the folio, and holds the
 * policy, which may have ended meanwhile.
 */
void cache_ext_used(struct cache_ext_policy *p, struct folio *folio)
{
	rcu_read_lock();
	if (!READ_ONCE(p->life.dead))
		accessed_slowly(p, folio, true);
	rcu_read_unlock();
}

/*
 * The folio, which is locked, was there before its policy. @used: the kernel has
 * seen it in use, so the policy sees it accessed, too. Nothing holds its inode, so
 * reclaim may not get at inodes: one that it throws away has its folios locked.
 */
void cache_ext_adopt(struct folio *folio, bool used)
{
	struct cache_ext_policy *p;

	add(folio, GFP_NOFS, false, CES_ADOPTED);
	if (!used)
		return;
	rcu_read_lock();
	p = policy_of(folio);
	if (p)
		accessed_slowly(p, folio, false);
	rcu_read_unlock();
}

static __always_inline void notify_accessed(struct cache_ext_policy *p,
					    struct cache_ext_node *node,
					    struct folio *folio)
{
	const struct bpf_prog *prog = p->progs[CACHE_EXT_ACCESSED];
	u64 args[] = { (unsigned long)folio, (unsigned long)p->life.memcg };

	/* The module knows no programs, and a policy need not have this one. */
	if (unlikely(!prog) ||
	    static_branch_unlikely(&bpf_stats_enabled_key)) {
		notify_accessed_slowpath(p, node, folio);
		return;
	}
	hint_begin(node);
	prog->bpf_func(args, prog->insnsi);
	hint_end();
}

/*
 * On the path of every read of a cached folio. The only call is that of the
 * program, and nothing is needed after it, so no registers have to be saved.
 */
void __cache_ext_folio_accessed(struct folio *folio)
{
	struct cache_ext_policy *p = NULL;
	struct cache_ext_node *node;
	struct mem_cgroup *memcg;

	rcu_read_lock();
	memcg = policy_ext_memcg_of(folio);
	if (memcg)
		p = cache_ext_policy_of(memcg);
	if (!p) {
		rcu_read_unlock();
		return;
	}
	node = cache_ext_node_lookup_fast(folio);
	if (node && likely(cache_ext_owns(p, node))) {
		if (likely(count_access(p, node, true)))
			notify_accessed(p, node, folio);
	} else if (unlikely(node)) {
		accessed_slowly(p, folio, true);
	}
	rcu_read_unlock();
}

/*
 * May @folio have a node? If no policy governs its cgroup, only one that is leaving
 * can have it: a proposed folio may be reclaimed after its policy was retired, and
 * its node must not be left behind. The charge of a folio does not move to another
 * cgroup: only cgroup v1 did that, where no policy can be attached. All cgroups pay
 * for this test; those without a policy pay for no look-up. Caller:
 * rcu_read_lock().
 */
static __always_inline bool is_to_be_found(struct folio *folio)
{
	struct mem_cgroup *memcg = folio_memcg(folio);

	if (memcg && cache_ext_policy_of(memcg))
		return true;
	/* Pairs with cache_ext_leaves(). */
	smp_rmb();
	return atomic_read(&cache_ext_leaving);
}

/* The node is looked for first: its policy need not be the one that governs now. */
static noinline void removed(struct folio *folio, u32 reason)
{
	struct cache_ext_policy *p;
	struct cache_ext_node *node;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	if (node) {
		node_remove(node, folio, reason);
	} else if (reason == CACHE_EXT_EVICTED) {
		p = cache_ext_policy_of_folio(folio);
		if (p)
			ces_add(p, CES_FALLBACK, folio_nr_pages(folio));
	}
	rcu_read_unlock();
}

void __cache_ext_folio_removed(struct folio *folio, u32 reason)
{
	bool found;

	rcu_read_lock();
	found = is_to_be_found(folio);
	rcu_read_unlock();
	if (found)
		removed(folio, reason);
}
