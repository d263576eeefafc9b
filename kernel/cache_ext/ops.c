// SPDX-License-Identifier: GPL-2.0
/*
 * The struct_ops type cache_ext_ops, and the life of a policy.
 *
 *   link created ---> reg():	find the cgroup, init program, publish, hooks on
 *   link gone	  ---> unreg(): retire, wait for teardown, free
 *   cgroup gone  ---> offline: retire; the link stays, inert
 *   offences	  ---> offence.c: the same
 *
 * Retiring makes the policy invisible to new events. Teardown, in a worker
 * because cgroup removal must not wait for reclaim, then waits for whoever
 * still uses it, and only then forgets nodes and runs the exit program.
 * Folios never left the kernel's LRU, so there is nothing to give back, but to
 * the policy of an ancestor, which adopts them then.
 */
#include <linux/bpf_verifier.h>
#include <linux/ctype.h>
#include <linux/filter.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "cache_ext.h"
#include "mount.h"

/* Attach, detach, the list of policies; see cache_ext.h for the order. */
DEFINE_MUTEX(cache_ext_mutex);
/* All policies that are attached or being torn down. Under cache_ext_mutex. */
LIST_HEAD(cache_ext_policies);

/* The type in its BTF; written once when it is registered. */
static struct btf *ops_btf;
static u32 ops_btf_id;

bool cache_ext_is_ours(const struct bpf_prog *prog)
{
	return prog->type == BPF_PROG_TYPE_STRUCT_OPS &&
	       prog->aux->attach_btf == ops_btf &&
	       prog->aux->attach_btf_id == ops_btf_id;
}

/* Folios come off the lists; no program and no reclaimer runs any more. */
static void forget_nodes(struct cache_ext_policy *p)
{
	struct cache_ext_node *node;
	unsigned long irq;
	unsigned int i, budget;
	bool more;

	for (i = 0; i < p->nr_lists; i++) {
		struct cache_ext_list *list = &p->lists[i];

		do {
			budget = 256;
			spin_lock_irqsave(&p->lock, irq);
			/* Their blocks go all together, in policy_free(). */
			while (list->head && budget--) {
				node = node_at(list->head);
				cache_ext_list_unlink(p, node);
				WRITE_ONCE(p->owned,
					   p->owned - node_pages(node));
				node->state = NODE_DYING;
				cache_ext_node_erase(node);
			}
			more = list->head;
			spin_unlock_irqrestore(&p->lock, irq);
			cond_resched();
		} while (more);
	}
}

void cache_ext_release(struct kref *kref)
{
	complete(&container_of(kref, struct cache_ext_policy, users)->unused);
}

static int hooks_on(struct cache_ext_policy *p)
{
	int err = cache_ext_mount_enable();

	if (!err && p->ops->admit_folio)
		cache_ext_mount_admit_enable();
	return err;
}

static void hooks_off(struct cache_ext_policy *p)
{
	if (p->ops->admit_folio)
		cache_ext_mount_admit_disable();
	cache_ext_mount_disable();
}

static void teardown(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  teardown);

	/* Events that saw the policy alive are over. */
	synchronize_rcu();
	/* So is reclaim that asks it: no node is in a request any more. */
	cache_ext_put(p);
	wait_for_completion(&p->unused);
	cache_ext_tick_stop(p);
	cache_ext_admit_stop(p);
	forget_nodes(p);
	/* Nodes that somebody may still be looking at name the policy. */
	synchronize_rcu();
	if (p->published)
		hooks_off(p);
	if (p->published && p->ops->exit)
		p->ops->exit(p->memcg);
	if (p->published)
		cache_ext_hand_back(p);
}

/* Caller: cache_ext_mutex. Returns whether this was the first time. */
static bool retire(struct cache_ext_policy *p)
{
	lockdep_assert_held(&cache_ext_mutex);
	if (p->dead)
		return false;
	WRITE_ONCE(p->dead, true);
	if (p->published)
		cache_ext_mount_publish(p->memcg, NULL);
	queue_work(system_unbound_wq, &p->teardown);
	return true;
}

bool cache_ext_retire(struct cache_ext_policy *p)
{
	bool first;

	mutex_lock(&cache_ext_mutex);
	first = retire(p);
	mutex_unlock(&cache_ext_mutex);
	return first;
}

void __cache_ext_memcg_offline(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;

	mutex_lock(&cache_ext_mutex);
	list_for_each_entry(p, &cache_ext_policies, all) {
		if (p->memcg == memcg)
			retire(p);
	}
	mutex_unlock(&cache_ext_mutex);
}

static void policy_free(struct cache_ext_policy *p)
{
	if (p->memcg)
		css_put(&p->memcg->css);
	cache_ext_arena_free(p);
	cache_ext_table_put();
	free_percpu(p->stats);
	kvfree(p->lists);
	kvfree(p);
}

static struct cache_ext_policy *policy_alloc(struct cache_ext_ops *ops)
{
	struct cache_ext_policy *p;

	p = kvzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return NULL;
	p->stats = alloc_percpu(struct cache_ext_stats);
	if (!p->stats || cache_ext_table_get()) {
		free_percpu(p->stats);
		kvfree(p);
		return NULL;
	}
	p->ops = ops;
	p->cgroup_id = ops->cgroup_id;
	p->data_size = ops->folio_data_size;
	cache_ext_arena_init(&p->arena, p->data_size,
			     ops->flags & CACHE_EXT_DATA_ALIGN4 ? 4 : 8);
	for (int i = 0; i < CACHE_EXT_MEMBERS; i++)
		p->progs[i] = cache_ext_mount_prog(ops, i);
	strscpy(p->name, ops->name[0] ? ops->name : "-", sizeof(p->name));
	spin_lock_init(&p->lock);
	mutex_init(&p->evict_mutex);
	cache_ext_tick_init(p);
	cache_ext_admit_init(p);
	cache_ext_offence_init(p);
	kref_init(&p->users);
	init_completion(&p->unused);
	INIT_WORK(&p->teardown, teardown);
	return p;
}

/* Ends @p, attached or not, and frees it. */
static void policy_end(struct cache_ext_policy *p)
{
	mutex_lock(&cache_ext_mutex);
	retire(p);
	mutex_unlock(&cache_ext_mutex);
	flush_work(&p->teardown);
	cache_ext_offence_stop(p);
	mutex_lock(&cache_ext_mutex);
	list_del(&p->all);
	mutex_unlock(&cache_ext_mutex);
	policy_free(p);
}

static int cache_ext_reg(void *kdata, struct bpf_link *link)
{
	struct cache_ext_ops *ops = kdata;
	struct cache_ext_policy *p, *other;
	unsigned long pages, owned;
	int err, hooked;

	if (!link)
		return -EOPNOTSUPP;
	p = policy_alloc(ops);
	if (!p)
		return -ENOMEM;
	p->memcg = cache_ext_mount_memcg(ops->cgroup_id);
	if (IS_ERR(p->memcg)) {
		err = PTR_ERR(p->memcg);
		p->memcg = NULL;
		policy_free(p);
		return err;
	}

	/* From here on the cgroup is taken, and its going is noticed. */
	mutex_lock(&cache_ext_mutex);
	list_for_each_entry(other, &cache_ext_policies, all) {
		if (other->memcg == p->memcg) {
			mutex_unlock(&cache_ext_mutex);
			policy_free(p);
			return -EBUSY;
		}
	}
	p->initializing = current;
	list_add_tail(&p->all, &cache_ext_policies);
	mutex_unlock(&cache_ext_mutex);

	p->refaults = cache_ext_mount_refaults(p->memcg);
	err = ops->init(p->memcg);

	hooked = hooks_on(p);
	mutex_lock(&cache_ext_mutex);
	p->initializing = NULL;
	/* Not going away: if it does later, we are on the list by then. */
	if (!err)
		err = hooked;
	if (!err && (p->dead || !css_tryget_online(&p->memcg->css)))
		err = -EINVAL;
	if (!err) {
		p->published = true;
		cache_ext_mount_publish(p->memcg, p);
		css_put(&p->memcg->css);
	}
	mutex_unlock(&cache_ext_mutex);
	if (err) {
		if (!hooked)
			hooks_off(p);
		policy_end(p);
		return err < 0 ? err : -EINVAL;
	}

	/* New folios come by themselves from now on; these are the old ones. */
	cache_ext_adopt_all(p);
	pages = cache_ext_mount_file_pages(p->memcg);
	owned = READ_ONCE(p->owned);
	p->untracked = pages > owned ? pages - owned : 0;
	/* If it is retired, then before: or teardown stops the ticks. */
	mutex_lock(&cache_ext_mutex);
	cache_ext_tick_start(p);
	mutex_unlock(&cache_ext_mutex);
	return 0;
}

static void cache_ext_unreg(void *kdata, struct bpf_link *link)
{
	struct cache_ext_policy *p;

	mutex_lock(&cache_ext_mutex);
	list_for_each_entry(p, &cache_ext_policies, all) {
		if (p->ops == kdata) {
			mutex_unlock(&cache_ext_mutex);
			policy_end(p);
			return;
		}
	}
	mutex_unlock(&cache_ext_mutex);
	WARN_ON_ONCE(1);
}

static int cache_ext_init(struct btf *btf)
{
	s32 id = btf_find_by_name_kind(btf, "cache_ext_ops", BTF_KIND_STRUCT);

	if (id < 0)
		return id;
	ops_btf = btf;
	ops_btf_id = id;
	return 0;
}

/* init and exit may sleep; the others run where nothing may. */
static int cache_ext_check_member(const struct btf_type *t,
				  const struct btf_member *member,
				  const struct bpf_prog *prog)
{
	u32 moff = __btf_member_bit_offset(t, member) / 8;

	if (moff == offsetof(struct cache_ext_ops, admit_folio) &&
	    !(cache_ext_mount_abilities() & CACHE_EXT_CAN_ADMIT)) {
		pr_notice("cache_ext: admit_folio: this kernel cannot refuse folios\n");
		return -EOPNOTSUPP;
	}
	if (moff == offsetof(struct cache_ext_ops, init) ||
	    moff == offsetof(struct cache_ext_ops, exit))
		return 0;
	return prog->sleepable ? -EINVAL : 0;
}

/* 1: handled here. 0: a program, or must be zero. */
static int cache_ext_init_member(const struct btf_type *t,
				 const struct btf_member *member,
				 void *kdata, const void *udata)
{
	const struct cache_ext_ops *from = udata;
	struct cache_ext_ops *to = kdata;
	size_t i;

	switch (__btf_member_bit_offset(t, member) / 8) {
	case offsetof(struct cache_ext_ops, cgroup_id):
		to->cgroup_id = from->cgroup_id;
		return 1;
	case offsetof(struct cache_ext_ops, folio_data_size):
		if (from->folio_data_size > CACHE_EXT_MAX_DATA)
			return -E2BIG;
		to->folio_data_size = from->folio_data_size;
		return 1;
	case offsetof(struct cache_ext_ops, flags):
		if (from->flags & ~CACHE_EXT_DATA_ALIGN4)
			return -EINVAL;
		to->flags = from->flags;
		return 1;
	case offsetof(struct cache_ext_ops, name):
		/* Goes into a line of key=value pairs. */
		for (i = 0; i < sizeof(to->name) && from->name[i]; i++) {
			if (!isalnum(from->name[i]) &&
			    !strchr("_-.", from->name[i]))
				return -EINVAL;
			to->name[i] = from->name[i];
		}
		if (i == sizeof(to->name))
			return -EINVAL;
		return 1;
	case offsetof(struct cache_ext_ops, tick_ms):
		if (from->tick_ms > CACHE_EXT_MAX_TICK_MS)
			return -ERANGE;
		to->tick_ms = from->tick_ms;
		return 1;
	}
	return 0;
}

static int cache_ext_validate(void *kdata)
{
	struct cache_ext_ops *ops = kdata;

	if (!ops->init || !ops->folio_added || !ops->evict_folios)
		return -EINVAL;
	if (ops->tick_ms && !ops->tick)
		return -EINVAL;
	return 0;
}

static const struct bpf_func_proto *
cache_ext_func_proto(enum bpf_func_id func_id, const struct bpf_prog *prog)
{
	const struct bpf_func_proto *proto;

	/* A tail call could carry a program where its kfuncs are refused. */
	if (func_id == BPF_FUNC_tail_call)
		return NULL;
	proto = cache_ext_mount_func_proto(func_id);
	return proto ?: bpf_base_func_proto(func_id, prog);
}

static bool cache_ext_is_valid_access(int off, int size,
				      enum bpf_access_type type,
				      const struct bpf_prog *prog,
				      struct bpf_insn_access_aux *info)
{
	return bpf_tracing_btf_ctx_access(off, size, type, prog, info);
}

/* Without btf_struct_access all of the kernel's structs are read-only. */
static const struct bpf_verifier_ops cache_ext_verifier_ops = {
	.get_func_proto = cache_ext_func_proto,
	.is_valid_access = cache_ext_is_valid_access,
};

static s32 stub_init(struct mem_cgroup *memcg)
{
	return 0;
}

static void stub_exit(struct mem_cgroup *memcg)
{
}

static void stub_folio(struct folio *folio, struct mem_cgroup *memcg)
{
}

static void stub_removed(struct folio *folio, struct mem_cgroup *memcg,
			 u32 reason)
{
}

static void stub_evict(struct cache_ext_evict_ctx *ctx,
		       struct mem_cgroup *memcg)
{
}

static bool stub_admit(struct folio *folio, struct mem_cgroup *memcg)
{
	return true;
}

static void stub_tick(struct mem_cgroup *memcg)
{
}

static struct cache_ext_ops cache_ext_stubs = {
	.init = stub_init,
	.exit = stub_exit,
	.folio_added = stub_folio,
	.folio_accessed = stub_folio,
	.folio_evicted = stub_folio,
	.folio_removed = stub_removed,
	.evict_folios = stub_evict,
	.tick = stub_tick,
	.admit_folio = stub_admit,
};

static struct bpf_struct_ops bpf_cache_ext_ops = {
	.verifier_ops = &cache_ext_verifier_ops,
	.init = cache_ext_init,
	.check_member = cache_ext_check_member,
	.init_member = cache_ext_init_member,
	.reg = cache_ext_reg,
	.unreg = cache_ext_unreg,
	.validate = cache_ext_validate,
	.name = "cache_ext_ops",
	.cfi_stubs = &cache_ext_stubs,
	.owner = THIS_MODULE,
};

static int __init cache_ext_start(void)
{
	int err;

	err = cache_ext_mount_init();
	if (err)
		return err;
	err = cache_ext_node_init();
	if (err)
		return err;
	err = cache_ext_kfuncs_init();
	if (err)
		goto exit;
	err = register_bpf_struct_ops(&bpf_cache_ext_ops, cache_ext_ops);
	if (err)
		goto exit;
	cache_ext_stats_init();
	return 0;
exit:
	cache_ext_node_exit();
	return err;
}
late_initcall(cache_ext_start);

/* Of a module. Links and maps hold it: no policy is left. */
static void __exit cache_ext_stop(void)
{
	cache_ext_stats_exit();
	cache_ext_mount_exit();
	cache_ext_node_exit();
}
module_exit(cache_ext_stop);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Page cache eviction policies in BPF");
