// SPDX-License-Identifier: GPL-2.0
/*
 * What programs may call. Which program may call what is decided when it is
 * loaded (kfunc_filter()), by the member of cache_ext_ops that it is for; no
 * other struct_ops type gets any.
 *
 * A folio that a program holds may be on its way out, so every kfunc looks its
 * node up anew, and at its state under lists.lock. The folio is a lookup key, no
 * more; the memcg is pinned by the policy.
 *
 * Contexts. init and exit may sleep, and hold no lock. The other programs run
 * under rcu_read_lock(): folio_added and folio_accessed with the folio locked or
 * referenced, preemption off; folio_evicted and folio_removed with interrupts off;
 * evict_folios under evict_mutex; tick in a worker; admit_folio as folio_added.
 */
#include <linux/btf_ids.h>
#include "cache_ext.h"
#include "kfuncs.h"
#include "glue.h"

static struct cache_ext_request *request_of(struct cache_ext_evict_ctx *ctx)
{
	return container_of(ctx, struct cache_ext_request, ctx);
}

/*
 * The policy that has the node, unless it ends: teardown goes through its lists
 * once. Other policies' programs may meet its nodes: a folio that they hold may
 * have become one of its folios. Caller: rcu_read_lock().
 */
static struct cache_ext_policy *policy_of_node(const struct cache_ext_node *node)
{
	struct cache_ext_policy *p = cnode_policy(node);

	return unlikely(READ_ONCE(p->dead)) ? NULL : p;
}

static int adopt(struct folio *folio, s32 list, bool tail)
{
	struct cache_ext_policy *p;
	struct cache_ext_node *node;
	unsigned long irq;
	int ret = -EBUSY;

	rcu_read_lock();
	node = cache_ext_node_find_hinted(folio);
	p = node ? policy_of_node(node) : NULL;
	if (!p) {
		ret = -ENOENT;
		goto out;
	}
	if (!cache_ext_list_valid(&p->lists, list)) {
		ret = -EINVAL;
		goto out;
	}
	cache_ext_batch_flush_own(&p->lists);
	spin_lock_irqsave(&p->lists.lock, irq);
	if (cnode_state(node) == NODE_NEW) {
		cache_ext_list_own(&p->lists, node, list, tail);
		ret = 0;
	}
	spin_unlock_irqrestore(&p->lists.lock, irq);
out:
	rcu_read_unlock();
	return ret;
}

/* Caller: lists.lock. */
static int move_locked(struct cache_ext_lists *ls, struct cache_ext_node *node,
		       s32 list, bool tail)
{
	switch (cnode_state(node)) {
	case NODE_LISTED:
		cache_ext_list_unlink(ls, node);
		cache_ext_list_place(ls, node, list, tail);
		return 0;
	case NODE_CANDIDATE:
	case NODE_PROPOSED:
		return -EBUSY;
	default:
		return -ENOENT;
	}
}

/*
 * Within a list, from the handler of an event: soon is good enough. An evict
 * program sees the order that it makes at once.
 */
static bool may_wait(struct cache_ext_policy *p, struct cache_ext_node *node,
		     s32 list)
{
	return cnode_list(node) == list && READ_ONCE(p->evicting) != current;
}

static int move(struct cache_ext_node *node, s32 list, bool tail)
{
	struct cache_ext_policy *p = policy_of_node(node);
	struct cache_ext_lists *ls;
	unsigned long irq;
	int ret;

	if (!p)
		return -ENOENT;
	ls = &p->lists;
	if (!cache_ext_list_valid(ls, list))
		return -EINVAL;
	if (may_wait(p, node, list) &&
	    cache_ext_batch_move(ls, node, list, tail))
		return 0;
	cache_ext_batch_flush_own(ls);
	spin_lock_irqsave(&ls->lock, irq);
	ret = move_locked(ls, node, list, tail);
	spin_unlock_irqrestore(&ls->lock, irq);
	return ret;
}

static int disown(struct cache_ext_node *node)
{
	struct cache_ext_policy *p = policy_of_node(node);
	unsigned int was = 0, state;
	unsigned long irq;
	int ret = -ENOENT;

	if (!p)
		return ret;
	spin_lock_irqsave(&p->lists.lock, irq);
	state = cnode_state(node);
	if (state == NODE_LISTED) {
		cache_ext_list_disown(&p->lists, node);
		was = cnode_set_state(node, NODE_DYING);
		/* Under the lock: nobody meets it in the index from here on. */
		cache_ext_forget(node, was);
		ret = 0;
	} else if (state & NODE_OWNED) {
		ret = -EBUSY;
	}
	spin_unlock_irqrestore(&p->lists.lock, irq);
	return ret;
}

/* For the init program that this task runs. */
static s32 lists_create(struct mem_cgroup *memcg, u32 nr)
{
	struct cache_ext_policy *p;
	s32 ret = -ENOENT;

	mutex_lock(&cache_ext_mutex);
	list_for_each_entry(p, &cache_ext_policies, all) {
		if (p->memcg != memcg || p->initializing != current)
			continue;
		ret = cache_ext_lists_grow(&p->lists, nr);
		break;
	}
	mutex_unlock(&cache_ext_mutex);
	return ret;
}

static __always_inline u8 *data_of(struct cache_ext_node *node, u32 size)
{
	struct cache_ext_policy *p = cnode_policy(node);

	if (unlikely(size > p->kind.data_size))
		return NULL;
	return cnode_record(node, p->kind.record);
}

/* A folio that the program was not called for. */
static noinline u8 *data_of_other(struct folio *folio, u32 size)
{
	struct cache_ext_node *node = cache_ext_node_find(folio);

	return node ? data_of(node, size) : NULL;
}

/* The node of a folio that the request's policy owns; or NULL. */
static struct cache_ext_node *owned_node(struct cache_ext_request *r,
					 struct folio *folio)
{
	struct cache_ext_node *node = cache_ext_node_find_hinted(folio);

	return node && node->policy == r->policy ? node : NULL;
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_list_create - make a list
 * @memcg: the cgroup that init was called for
 *
 * Context: only from init; sleeps.
 * Return: the number of the list, counting from 0; -ENOSPC: there are
 * CACHE_EXT_MAX_LISTS; -ENOMEM; -ENOENT: not from the init of this cgroup.
 */
__bpf_kfunc s32 bpf_cache_ext_list_create(struct mem_cgroup *memcg)
{
	return lists_create(memcg, 1);
}

/**
 * bpf_cache_ext_lists_create - make several lists
 * @memcg: the cgroup that init was called for
 * @nr: how many; all together at most CACHE_EXT_MAX_LISTS
 *
 * Context: only from init; sleeps.
 * Return: the number of the first, the others follow; -EINVAL: @nr is 0;
 * -ENOSPC, -ENOMEM, -ENOENT as for bpf_cache_ext_list_create().
 */
__bpf_kfunc s32 bpf_cache_ext_lists_create(struct mem_cgroup *memcg, u32 nr)
{
	return lists_create(memcg, nr);
}

/**
 * bpf_cache_ext_list_add - adopt a folio, at the head of a list
 * @folio: the folio that folio_added was called for
 * @list: number of the list
 *
 * A folio that folio_added does not adopt is left to the kernel.
 *
 * Context: only from folio_added.
 * Return: 0; -EINVAL: no such list; -EBUSY: it is adopted already; -ENOENT: no
 * folio that this policy could adopt.
 */
__bpf_kfunc s32 bpf_cache_ext_list_add(struct folio *folio, s32 list)
{
	return adopt(folio, list, false);
}

/**
 * bpf_cache_ext_list_add_tail - adopt a folio, at the tail of a list
 * @folio: the folio that folio_added was called for
 * @list: number of the list
 *
 * Context: only from folio_added.
 * Return: as bpf_cache_ext_list_add().
 */
__bpf_kfunc s32 bpf_cache_ext_list_add_tail(struct folio *folio, s32 list)
{
	return adopt(folio, list, true);
}

/**
 * bpf_cache_ext_list_move - move a folio to an end of a list
 * @folio: any folio
 * @list: number of the list, which may be the one that it is on
 * @tail: to the tail, else to the head
 *
 * What one CPU asks for happens in that order. Of moves within a list that several
 * CPUs ask for, up to CACHE_EXT_BATCH_MOVES a CPU may wait until the next request;
 * sizes and the list of a folio are exact at once.
 *
 * Context: any program.
 * Return: 0; -EINVAL: no such list; -ENOENT: not owned; -EBUSY: a request has it.
 */
__bpf_kfunc s32 bpf_cache_ext_list_move(struct folio *folio, s32 list,
					bool tail)
{
	struct cache_ext_node *node;
	int ret = -ENOENT;

	rcu_read_lock();
	node = cache_ext_node_find_hinted(folio);
	if (node)
		ret = move(node, list, tail);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_list_del - disown a folio
 * @folio: any folio
 *
 * Only the kernel's own reclaim sees it from now on.
 *
 * Context: any program.
 * Return: 0; -ENOENT: not owned; -EBUSY: a request has it.
 */
__bpf_kfunc s32 bpf_cache_ext_list_del(struct folio *folio)
{
	struct cache_ext_node *node;
	int ret = -ENOENT;

	rcu_read_lock();
	node = cache_ext_node_find_hinted(folio);
	if (node)
		ret = disown(node);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_evict - propose a folio for reclaim
 * @ctx: of the call
 * @folio: any folio
 *
 * It leaves its list until reclaim has decided. If reclaim does not take it, it
 * goes to the end of its list that is far from the scan which showed it.
 *
 * Context: only from evict_folios.
 * Return: 0; -ENOENT: not owned; -EBUSY: proposed already; -E2BIG:
 * CACHE_EXT_BATCH folios are proposed.
 */
__bpf_kfunc s32 bpf_cache_ext_evict(struct cache_ext_evict_ctx *ctx,
				    struct folio *folio)
{
	struct cache_ext_request *r = request_of(ctx);
	struct cache_ext_node *node = owned_node(r, folio);

	return node ? cache_ext_propose(r, node) : -ENOENT;
}

/**
 * bpf_cache_ext_offer - offer a folio as a candidate, with a score
 * @ctx: of the call
 * @folio: any folio
 * @score: the lowest ones are the candidates, as many as pages are still wanted
 *
 * A folio that is no candidate, or is pushed out by a lower score, goes to the far
 * end of its list.
 *
 * Context: only from evict_folios.
 * Return: 0, whether it is a candidate or not; -ENOENT: not owned; -EBUSY: a
 * request has it; -E2BIG: no more pages are wanted.
 */
__bpf_kfunc s32 bpf_cache_ext_offer(struct cache_ext_evict_ctx *ctx,
				    struct folio *folio, u64 score)
{
	struct cache_ext_request *r = request_of(ctx);
	struct cache_ext_node *node = owned_node(r, folio);

	return node ? cache_ext_offer(r, node, score) : -ENOENT;
}

#ifdef CONFIG_CACHE_EXT_SELECT
/**
 * bpf_cache_ext_select - offer folios of a list, a field of records the score
 * @ctx: of the call
 * @list: number of the list
 * @flags: CACHE_EXT_SCAN_TAIL: from the tail
 * @limit: how many folios are looked at, at most
 * @field: an unsigned field: its offset in the record in bytes, and its size in
 *	bytes (1, 2, 4, 8) from bit 16 on
 *
 * As if bpf_cache_ext_offer() were called for each in order.
 *
 * Context: only from evict_folios.
 * Return: 0; -E2BIG: no more pages are wanted; -EBUSY: the list has an iterator;
 * -EINVAL.
 */
__bpf_kfunc s32 bpf_cache_ext_select(struct cache_ext_evict_ctx *ctx, s32 list,
				     u32 flags, u64 limit, u32 field)
{
	return cache_ext_select(request_of(ctx), list, flags, limit, field);
}
#endif

/**
 * bpf_cache_ext_take_offers - propose the candidates, lowest score first
 * @ctx: of the call
 *
 * Those for which there is no room go to the far ends of their lists.
 *
 * Context: only from evict_folios.
 * Return: how many are proposed.
 */
__bpf_kfunc s32 bpf_cache_ext_take_offers(struct cache_ext_evict_ctx *ctx)
{
	return cache_ext_take_candidates(request_of(ctx));
}

/**
 * bpf_cache_ext_folio_data - the record of a folio
 * @folio: any folio
 * @rdwr_buf_size: bytes that the program will use, at most folio_data_size
 *
 * The record is zeroed when the folio comes, and the policy's own: programs on
 * other CPUs may write to it at the same time. (The type must be u8 * for the
 * verifier to see a region of that size.)
 *
 * Context: any program that runs under rcu_read_lock(): so long the record exists.
 * Return: NULL: not owned.
 */
__bpf_kfunc u8 *bpf_cache_ext_folio_data(struct folio *folio,
					 const u32 rdwr_buf_size)
{
	struct cache_ext_node *node;

	/* At every access: no search, and nothing else in the way. */
	node = this_cpu_read(cache_ext_hint);
	if (unlikely(READ_ONCE(node->pfn) != folio_key(folio)))
		return data_of_other(folio, rdwr_buf_size);
	return data_of(node, rdwr_buf_size);
}

/**
 * bpf_cache_ext_folio_list - the list of a folio
 * @folio: any folio
 *
 * Context: any program.
 * Return: the list that it is on, or was proposed or removed from; -ENOENT.
 */
__bpf_kfunc s32 bpf_cache_ext_folio_list(struct folio *folio)
{
	struct cache_ext_node *node;
	s32 ret = -ENOENT;

	rcu_read_lock();
	node = cache_ext_node_find_hinted(folio);
	if (node && cnode_list(node) < NODE_LISTS)
		ret = cnode_list(node);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_list_size - the size of a list
 * @memcg: the policy's cgroup
 * @list: number of the list
 *
 * Context: any program. In init and exit: of the cgroup's other policy, or 0.
 * Return: pages.
 */
__bpf_kfunc u64 bpf_cache_ext_list_size(struct mem_cgroup *memcg, s32 list)
{
	struct cache_ext_policy *p;
	u64 ret = 0;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p && cache_ext_list_valid(&p->lists, list))
		ret = READ_ONCE(p->lists.list[list].nr_pages);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_size - what the policy owns
 * @memcg: the policy's cgroup
 *
 * Context: any program. In init and exit: of the cgroup's other policy, or 0.
 * Return: pages.
 */
__bpf_kfunc u64 bpf_cache_ext_size(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;
	u64 ret = 0;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p)
		ret = READ_ONCE(p->lists.owned);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_capacity - what the policy may own as things stand
 * @memcg: the policy's cgroup
 *
 * Context: any program.
 * Return: pages: the least limit, less what else the cgroup uses.
 */
__bpf_kfunc u64 bpf_cache_ext_capacity(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;
	u64 ret;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	ret = cache_ext_capacity(memcg, p ? READ_ONCE(p->lists.owned) : 0);
	rcu_read_unlock();
	return ret;
}

#ifdef CONFIG_CACHE_EXT_TICK
/**
 * bpf_cache_ext_tick - have the tick program run soon
 * @memcg: the policy's cgroup
 *
 * Calls before it runs are one. Without a tick program it does nothing.
 *
 * Context: any program but init and exit.
 */
__bpf_kfunc void bpf_cache_ext_tick(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p)
		cache_ext_tick_kick(p);
	rcu_read_unlock();
}
#endif

/**
 * bpf_cache_ext_error - end the policy: its program cannot go on
 * @memcg: the policy's cgroup
 * @code: the program's own number for what is wrong
 * @message__str: the same for people; the start of it is kept
 *
 * The policy is detached soon, from a worker, and the kernel's own reclaim takes
 * over. Statistics and the kernel's log tell code and message.
 *
 * Context: any program but init and exit.
 */
__bpf_kfunc void bpf_cache_ext_error(struct mem_cgroup *memcg, s32 code,
				     const char *message__str)
{
	struct cache_ext_policy *p;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p)
		cache_ext_exit(p, CACHE_EXT_EXIT_ERROR, code, message__str);
	rcu_read_unlock();
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(cache_ext_kfuncs)
BTF_ID_FLAGS(func, bpf_cache_ext_list_create, KF_TRUSTED_ARGS | KF_SLEEPABLE)
BTF_ID_FLAGS(func, bpf_cache_ext_lists_create, KF_TRUSTED_ARGS | KF_SLEEPABLE)
BTF_ID_FLAGS(func, bpf_cache_ext_list_add, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_list_add_tail, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_list_move, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_list_del, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_evict, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_offer, KF_TRUSTED_ARGS)
#ifdef CONFIG_CACHE_EXT_SELECT
BTF_ID_FLAGS(func, bpf_cache_ext_select, KF_TRUSTED_ARGS)
#endif
BTF_ID_FLAGS(func, bpf_cache_ext_take_offers, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_folio_data, KF_TRUSTED_ARGS | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_cache_ext_folio_list, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_list_size, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_size, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_capacity, KF_TRUSTED_ARGS)
#ifdef CONFIG_CACHE_EXT_TICK
BTF_ID_FLAGS(func, bpf_cache_ext_tick, KF_TRUSTED_ARGS)
#endif
BTF_ID_FLAGS(func, bpf_cache_ext_error, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_list_new, KF_ITER_NEW | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_list_next, KF_ITER_NEXT | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_list_destroy, KF_ITER_DESTROY)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_scan_new, KF_ITER_NEW | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_scan_next, KF_ITER_NEXT | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_scan_destroy, KF_ITER_DESTROY)
BTF_KFUNCS_END(cache_ext_kfuncs)

/*
 * A module's .BTF_ids has no alignment of its own, but what looks a set up loads
 * words from it, which arm64 encodes with an offset in words.
 */
asm(".pushsection .BTF_ids, \"a\"; .balign 4; .popsection");

BTF_SET_START(init_only)
BTF_ID(func, bpf_cache_ext_list_create)
BTF_ID(func, bpf_cache_ext_lists_create)
BTF_SET_END(init_only)

BTF_SET_START(added_only)
BTF_ID(func, bpf_cache_ext_list_add)
BTF_ID(func, bpf_cache_ext_list_add_tail)
BTF_SET_END(added_only)

/* While init and exit run, the cgroup's policy may be another. */
BTF_SET_START(attached_only)
#ifdef CONFIG_CACHE_EXT_TICK
BTF_ID(func, bpf_cache_ext_tick)
#endif
BTF_ID(func, bpf_cache_ext_error)
BTF_SET_END(attached_only)

BTF_SET_START(evict_only)
BTF_ID(func, bpf_cache_ext_evict)
BTF_ID(func, bpf_cache_ext_offer)
#ifdef CONFIG_CACHE_EXT_SELECT
BTF_ID(func, bpf_cache_ext_select)
#endif
BTF_ID(func, bpf_cache_ext_take_offers)
BTF_ID(func, bpf_iter_cache_ext_list_new)
BTF_ID(func, bpf_iter_cache_ext_list_next)
BTF_ID(func, bpf_iter_cache_ext_list_destroy)
BTF_SET_END(evict_only)

/* In evict_folios without bounds, in handlers of events for one step. */
BTF_SET_START(scan)
BTF_ID(func, bpf_iter_cache_ext_scan_new)
BTF_ID(func, bpf_iter_cache_ext_scan_next)
BTF_ID(func, bpf_iter_cache_ext_scan_destroy)
BTF_SET_END(scan)

/* Called for every kfunc that a struct_ops program names, of any type. */
static int kfunc_filter(const struct bpf_prog *prog, u32 id)
{
	u32 member = prog->expected_attach_type;

	if (!btf_id_set8_contains(&cache_ext_kfuncs, id))
		return 0;
	if (!cache_ext_is_ours(prog))
		return -EACCES;
	if (btf_id_set_contains(&init_only, id))
		return member == CACHE_EXT_INIT ? 0 : -EACCES;
	if (btf_id_set_contains(&added_only, id))
		return member == CACHE_EXT_ADDED ? 0 : -EACCES;
	if (btf_id_set_contains(&evict_only, id))
		return member == CACHE_EXT_EVICT ? 0 : -EACCES;
	if (btf_id_set_contains(&attached_only, id))
		return member >= CACHE_EXT_ADDED ? 0 : -EACCES;
	if (btf_id_set_contains(&scan, id))
		return member >= CACHE_EXT_ADDED && member <= CACHE_EXT_TICK ?
			       0 : -EACCES;
	return 0;
}

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &cache_ext_kfuncs,
	.filter = kfunc_filter,
};

int __init cache_ext_kfuncs_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &kfunc_set);
}
