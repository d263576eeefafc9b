// SPDX-License-Identifier: GPL-2.0
/*
 * What programs may call. Which program may call what is decided when it is
 * loaded (kfunc_filter()), by the member of cache_ext_ops that it is for; no
 * other struct_ops type gets any.
 *
 * A folio that a program holds may be on its way out, so every kfunc looks its
 * node up anew, and at its state under lists.lock. The folio is a lookup key, no
 * more; the memcg is pinned by the policy. kfuncs.h tells whose program calls.
 *
 * Contexts. All programs run under rcu_read_lock(), and none may sleep: folio_added
 * and folio_accessed with the folio locked or referenced, preemption off;
 * folio_evicted and folio_removed with interrupts off; evict_folios under
 * evict_mutex; init, exit and tick in a worker; admit_folio as folio_added.
 */
#include <linux/btf_ids.h>
#include "cache_ext.h"
#include "kfuncs.h"
#include "kfunc_sets.h"
#include "glue.h"

static __always_inline u8 *data_of(struct cache_ext_node *node, u32 size)
{
	struct cache_ext_policy *p = cnode_policy(node);

	if (unlikely(size > p->kind.data_size))
		return NULL;
	return cnode_record(node, p->kind.record);
}

__bpf_kfunc_start_defs();

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
	struct cache_ext_node *node = cache_ext_own_node(folio);

	return node ? data_of(node, rdwr_buf_size) : NULL;
}

/**
 * bpf_cache_ext_size - what the policy owns
 * @memcg: the policy's cgroup
 *
 * Context: any program. In exit: 0.
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
 * Context: any program. In exit: 0.
 * Return: pages: the least limit, less what else the cgroup uses.
 */
__bpf_kfunc u64 bpf_cache_ext_capacity(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;
	u64 ret = 0;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p)
		ret = cache_ext_capacity(memcg, READ_ONCE(p->lists.owned));
	rcu_read_unlock();
	return ret;
}

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
		policy_ext_exit(&p->life, POLICY_EXT_EXIT_ERROR, code, message__str);
	rcu_read_unlock();
}

__bpf_kfunc_end_defs();

/* Called for every kfunc that a struct_ops program names, of any type. */
static int kfunc_filter(const struct bpf_prog *prog, u32 id)
{
	u32 member;

	if (!btf_id_set8_contains(&cache_ext_kfuncs, id))
		return 0;
	if (!cache_ext_is_ours(prog))
		return -EACCES;
	/* The expected_attach_type of user space, which BPF has not checked yet. */
	member = prog->expected_attach_type;
	return member < CACHE_EXT_MEMBERS &&
	       cache_ext_kfunc_members(id) >> member & 1 ? 0 : -EACCES;
}

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &cache_ext_kfuncs,
	.filter = kfunc_filter,
};

int __init cache_ext_kfuncs_init(void)
{
	return cache_ext_glue_kfuncs(&kfunc_set);
}
