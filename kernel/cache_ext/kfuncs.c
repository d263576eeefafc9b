// SPDX-License-Identifier: GPL-2.0
/*
 * What programs may call. Which program may call what is decided when it is
 * loaded (kfunc_filter()), by the member of cache_ext_ops that it is for; no
 * other struct_ops type gets any.
 *
 * A folio that a program holds may be on its way out, so every kfunc looks its
 * node up anew and looks at its state under policy->lock. Arguments of programs
 * are trusted pointers; kfuncs still take them for nothing but keys, except the
 * memcg, which the policy pins.
 */
#include <linux/btf_ids.h>
#include "cache_ext.h"
#include "kfuncs.h"
#include "glue.h"

static struct cache_ext_request *request_of(struct cache_ext_evict_ctx *ctx)
{
	return container_of(ctx, struct cache_ext_request, ctx);
}

static int adopt(struct folio *folio, s32 list, bool tail)
{
	struct cache_ext_policy *p;
	struct cache_ext_node *node;
	unsigned long irq;
	int ret = -EBUSY;

	rcu_read_lock();
	node = cache_ext_node_find_hinted(folio);
	if (!node) {
		ret = -ENOENT;
		goto out;
	}
	p = node_policy(node);
	if (list < 0 || list >= p->nr_lists) {
		ret = -EINVAL;
		goto out;
	}
	spin_lock_irqsave(&p->lock, irq);
	if (node->state == NODE_NEW) {
		cache_ext_list_insert(p, node, list, tail);
		WRITE_ONCE(p->owned, p->owned + node_pages(node));
		ret = 0;
	}
	spin_unlock_irqrestore(&p->lock, irq);
out:
	rcu_read_unlock();
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
		ret = cache_ext_lists_grow(p, nr);
		break;
	}
	mutex_unlock(&cache_ext_mutex);
	return ret;
}

static __always_inline u8 *data_of(struct cache_ext_node *node, u32 size)
{
	struct cache_ext_policy *p = node_policy(node);

	if (unlikely(size > p->data_size))
		return NULL;
	return node_record(node, p->arena.record);
}

/* A folio that the program was not called for. */
static noinline u8 *data_of_other(struct folio *folio, u32 size)
{
	struct cache_ext_node *node = cache_ext_node_find(folio);

	return node ? data_of(node, size) : NULL;
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_list_create - a new list for the policy; only in init
 * @memcg: the cgroup that init was called for
 *
 * Returns its number, counting from 0, or -ENOSPC.
 */
__bpf_kfunc s32 bpf_cache_ext_list_create(struct mem_cgroup *memcg)
{
	return lists_create(memcg, 1);
}

/**
 * bpf_cache_ext_lists_create - new lists for the policy; only in init
 * @memcg: the cgroup that init was called for
 * @nr: how many; all together at most CACHE_EXT_MAX_LISTS
 *
 * Returns the number of the first, the others follow; or -ENOSPC, -ENOMEM.
 */
__bpf_kfunc s32 bpf_cache_ext_lists_create(struct mem_cgroup *memcg, u32 nr)
{
	return lists_create(memcg, nr);
}

/* Adopt a folio at the head of a list; only in folio_added. */
__bpf_kfunc s32 bpf_cache_ext_list_add(struct folio *folio, s32 list)
{
	return adopt(folio, list, false);
}

/* Adopt a folio at the tail of a list; only in folio_added. */
__bpf_kfunc s32 bpf_cache_ext_list_add_tail(struct folio *folio, s32 list)
{
	return adopt(folio, list, true);
}

__bpf_kfunc s32 bpf_cache_ext_list_move(struct folio *folio, s32 list,
					bool tail)
{
	struct cache_ext_policy *p;
	struct cache_ext_node *node;
	unsigned long irq;
	int ret = 0;

	rcu_read_lock();
	node = cache_ext_node_find_hinted(folio);
	if (!node) {
		ret = -ENOENT;
		goto out;
	}
	p = node_policy(node);
	if (list < 0 || list >= p->nr_lists) {
		ret = -EINVAL;
		goto out;
	}
	spin_lock_irqsave(&p->lock, irq);
	switch (node->state) {
	case NODE_LISTED:
		cache_ext_list_unlink(p, node);
		cache_ext_list_insert(p, node, list, tail);
		break;
	case NODE_OFFERED:
	case NODE_PROPOSED:
		ret = -EBUSY;
		break;
	default:
		ret = -ENOENT;
	}
	spin_unlock_irqrestore(&p->lock, irq);
out:
	rcu_read_unlock();
	return ret;
}

/* Disown a folio: only the kernel's own reclaim sees it from now on. */
__bpf_kfunc s32 bpf_cache_ext_list_del(struct folio *folio)
{
	struct cache_ext_policy *p;
	struct cache_ext_node *node;
	unsigned long irq;
	int ret = -ENOENT;

	rcu_read_lock();
	node = cache_ext_node_find_hinted(folio);
	if (!node)
		goto out;
	p = node_policy(node);
	spin_lock_irqsave(&p->lock, irq);
	if (node->state == NODE_LISTED) {
		cache_ext_list_unlink(p, node);
		WRITE_ONCE(p->owned, p->owned - node_pages(node));
		node->state = NODE_DYING;
		ret = 0;
	} else if (node->state == NODE_PROPOSED ||
		   node->state == NODE_OFFERED) {
		ret = -EBUSY;
	}
	spin_unlock_irqrestore(&p->lock, irq);
	if (!ret) {
		cache_ext_node_erase(node);
		cache_ext_node_free_rcu(node);
	}
out:
	rcu_read_unlock();
	return ret;
}

/* Propose a folio; it leaves its list until reclaim has decided. */
__bpf_kfunc s32 bpf_cache_ext_evict(struct cache_ext_evict_ctx *ctx,
				    struct folio *folio)
{
	return cache_ext_propose(request_of(ctx), folio);
}

/* Offer a folio for one of the seats: the lowest scores keep them. */
__bpf_kfunc s32 bpf_cache_ext_offer(struct cache_ext_evict_ctx *ctx,
				    struct folio *folio, u64 score)
{
	return cache_ext_offer_folio(request_of(ctx), folio, score);
}

/*
 * Offer up to @limit folios of a list, a field of their records being the score:
 * cache_ext_select() tells of the arguments.
 */
__bpf_kfunc s32 bpf_cache_ext_select(struct cache_ext_evict_ctx *ctx, s32 list,
				     u32 flags, u64 limit, u32 field)
{
	return cache_ext_select(request_of(ctx), list, flags, limit, field);
}

/* Propose the seated, lowest score first. Returns how many. */
__bpf_kfunc s32 bpf_cache_ext_take_offers(struct cache_ext_evict_ctx *ctx)
{
	return cache_ext_take_offered(request_of(ctx));
}

/*
 * The folio's record, or NULL if it is not owned. It must be u8 * for the
 * verifier to see a region of rdwr_buf_size bytes. Programs that may call this
 * run under RCU to their end, and so long the record exists.
 */
__bpf_kfunc u8 *bpf_cache_ext_folio_data(struct folio *folio,
					 const u32 rdwr_buf_size)
{
	struct cache_ext_node *node;

	/* At every access: no search, and nothing else in the way. */
	node = this_cpu_read(cache_ext_hint);
	if (unlikely(READ_ONCE(node->key) != folio_key(folio)))
		return data_of_other(folio, rdwr_buf_size);
	return data_of(node, rdwr_buf_size);
}

/* The list that the folio is on, or was proposed or removed from. */
__bpf_kfunc s32 bpf_cache_ext_folio_list(struct folio *folio)
{
	struct cache_ext_node *node;
	s32 ret = -ENOENT;
	u32 list;

	rcu_read_lock();
	node = cache_ext_node_find_hinted(folio);
	if (node) {
		list = node_list_now(node);
		if (list < NODE_LISTS)
			ret = list;
	}
	rcu_read_unlock();
	return ret;
}

/* Pages on a list. */
__bpf_kfunc u64 bpf_cache_ext_list_size(struct mem_cgroup *memcg, s32 list)
{
	struct cache_ext_policy *p;
	u64 ret = 0;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p && list >= 0 && list < p->nr_lists)
		ret = READ_ONCE(p->lists[list].nr_pages);
	rcu_read_unlock();
	return ret;
}

/* Pages that the policy owns. */
__bpf_kfunc u64 bpf_cache_ext_size(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;
	u64 ret = 0;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p)
		ret = READ_ONCE(p->owned);
	rcu_read_unlock();
	return ret;
}

/* Pages that the policy may own as things stand. */
__bpf_kfunc u64 bpf_cache_ext_capacity(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;
	u64 ret;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	ret = cache_ext_capacity(memcg, p ? READ_ONCE(p->owned) : 0);
	rcu_read_unlock();
	return ret;
}

/*
 * Have the tick program run soon. Any context; calls before it runs are one.
 * Without a tick program, and from init or exit, it does nothing.
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
BTF_ID_FLAGS(func, bpf_cache_ext_select, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_take_offers, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_folio_data, KF_TRUSTED_ARGS | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_cache_ext_folio_list, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_list_size, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_size, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_capacity, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_cache_ext_tick, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_list_new, KF_ITER_NEW | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_list_next, KF_ITER_NEXT | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_list_destroy, KF_ITER_DESTROY)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_scan_new, KF_ITER_NEW | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_scan_next, KF_ITER_NEXT | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_iter_cache_ext_scan_destroy, KF_ITER_DESTROY)
BTF_KFUNCS_END(cache_ext_kfuncs)

BTF_SET_START(init_only)
BTF_ID(func, bpf_cache_ext_list_create)
BTF_ID(func, bpf_cache_ext_lists_create)
BTF_SET_END(init_only)

BTF_SET_START(added_only)
BTF_ID(func, bpf_cache_ext_list_add)
BTF_ID(func, bpf_cache_ext_list_add_tail)
BTF_SET_END(added_only)

BTF_SET_START(evict_only)
BTF_ID(func, bpf_cache_ext_evict)
BTF_ID(func, bpf_cache_ext_offer)
BTF_ID(func, bpf_cache_ext_select)
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
