// SPDX-License-Identifier: GPL-2.0
/*
 * Policies come, replace each other, and go, as links of BPF make them: one such
 * operation at a time (world.bpf), each of which may wait.
 */
#include "world.h"

struct policy *policy_of_ops(const struct cache_ext_ops *ops)
{
	return container_of((struct cache_ext_ops *)ops, struct policy, ops);
}

static bool sometimes(void)
{
	return pick(4) == 0;
}

/* A policy as cache_ext_validate() and cache_ext_init_member() let through. */
static void invent(struct policy *policy, u64 cgroup_id)
{
	struct cache_ext_ops *ops = &policy->ops;
	u8 *has = policy->has;

	memset(policy, 0, sizeof(*policy));
	policy->has = has;
	if (has)
		memset(has, 0, shim_nr_frames());
	policy->used = true;
	policy->refs = 1;
	policy->style = world.style;
	if (policy->style == STYLES)
		policy->style = pick(2) ? STYLE_CHAOS : pick(STYLES);
	policy->direct = pick(2);
	policy->lists = pick(8) ? 1 + pick(4) : 20;
	ops->cgroup_id = cgroup_id;
	ops->nr_lists = policy->lists;
	ops->folio_data_size = 4 * pick(CACHE_EXT_MAX_DATA / 4 + 1);
	if (policy->style == STYLE_LFU && ops->folio_data_size < 8)
		ops->folio_data_size = 8;
	ops->flags = pick(4);
	ops->tick_ms = sometimes() ? 1 + pick(100) : 0;
	ops->pin_pages = pick(2) ? 0 : pick(2) ? 1 + pick(100) : ~0ULL;
	snprintf(ops->name, sizeof(ops->name), "style%d", policy->style);
	programs_init(policy, policy - world.policies);
	if (sometimes())
		ops->init = NULL;
	if (sometimes())
		ops->exit = NULL;
	if (sometimes())
		ops->folio_accessed = NULL;
	if (sometimes() || sometimes())
		ops->folio_evicted = NULL;
	if (!pick(3))
		ops->admit_folio = NULL;
	if (!ops->tick_ms && sometimes())
		ops->tick = NULL;
}

static struct policy *unused(void)
{
	unsigned int n, first = pick(POLICIES);

	for (n = 0; n < POLICIES; n++) {
		struct policy *policy = &world.policies[(first + n) % POLICIES];

		if (!smp_load_acquire(&policy->used))
			return policy;
	}
	return NULL;
}

/* What has a link. Or NULL. */
static struct policy *linked(void)
{
	struct policy *policy = &world.policies[pick(POLICIES)];

	return policy->linked ? policy : NULL;
}

void policy_attach(void)
{
	struct mem_cgroup *memcg = cgroup_any();
	struct policy *policy;
	u64 id = memcg ? memcg->cgroup.id : pick(20);
	int err;

	if (memcg)
		css_put(&memcg->css);
	mutex_lock(&world.bpf);
	policy = unused();
	if (policy) {
		invent(policy, id);
		current->no_reclaim = true;
		err = cache_ext_reg(&policy->ops, &policy->link);
		current->no_reclaim = false;
		policy->linked = !err;
		if (err) {
			bpf_struct_ops_put(&policy->ops);
			COUNT(refused);
		} else {
			COUNT(attached);
		}
	}
	mutex_unlock(&world.bpf);
}

void policy_attach_whole(struct mem_cgroup *memcg, enum style style)
{
	struct policy *policy = unused();

	policy->used = true;
	policy->linked = true;
	policy->refs = 1;
	policy->style = style;
	policy->direct = true;
	policy->lists = 1;
	policy->ops.cgroup_id = memcg->cgroup.id;
	policy->ops.nr_lists = 1;
	policy->ops.folio_data_size = 8;
	programs_init(policy, policy - world.policies);
	/* It governs at once. */
	policy->ops.init = NULL;
	policy->ops.admit_folio = NULL;
	if (cache_ext_reg(&policy->ops, &policy->link))
		shim_die("the policy is not attached");
}

/* Its link is gone. The core may run its programs still. */
static void unlinked(struct policy *policy)
{
	policy->linked = false;
	bpf_struct_ops_put(&policy->ops);
}

void policy_detach(void)
{
	struct policy *policy;

	mutex_lock(&world.bpf);
	policy = linked();
	if (policy) {
		cache_ext_unreg(&policy->ops, &policy->link);
		unlinked(policy);
		COUNT(detached);
	}
	mutex_unlock(&world.bpf);
}

void policy_update(void)
{
	struct policy *old, *policy;
	int err;

	mutex_lock(&world.bpf);
	old = linked();
	policy = unused();
	if (old && policy) {
		invent(policy, sometimes() && sometimes() ? pick(20) :
							    old->ops.cgroup_id);
		current->no_reclaim = true;
		err = cache_ext_update(&policy->ops, &old->ops, &old->link);
		current->no_reclaim = false;
		if (err) {
			bpf_struct_ops_put(&policy->ops);
			COUNT(refused);
		} else {
			policy->linked = true;
			unlinked(old);
			COUNT(updated);
		}
	}
	mutex_unlock(&world.bpf);
}

void policies_stop(void)
{
	unsigned int n;

	mutex_lock(&world.bpf);
	for (n = 0; n < POLICIES; n++) {
		struct policy *policy = &world.policies[n];

		if (!policy->linked)
			continue;
		cache_ext_unreg(&policy->ops, &policy->link);
		unlinked(policy);
	}
	mutex_unlock(&world.bpf);
}

/* Nobody can call its programs any more. */
static void gone(struct policy *policy)
{
	if (policy->ops.exit && policy->running && policy->told)
		shim_die("a policy ended without its exit program");
	/* with unused(): what has been read of it was read before */
	smp_store_release(&policy->used, false);
}

bool bpf_struct_ops_get(const void *kdata)
{
	__atomic_fetch_add(&policy_of_ops(kdata)->refs, 1, __ATOMIC_RELAXED);
	return true;
}

void bpf_struct_ops_put(const void *kdata)
{
	struct policy *policy = policy_of_ops(kdata);

	if (!__atomic_sub_fetch(&policy->refs, 1, __ATOMIC_ACQ_REL))
		gone(policy);
}

/* The program behind a member, as bpf_struct_ops_member_prog() finds it. */
const struct bpf_prog *bpf_struct_ops_member_prog(const void *kdata, u32 member)
{
	struct policy *policy = policy_of_ops(kdata);

	return policy->direct && policy->progs[member].bpf_func ?
	       &policy->progs[member] : NULL;
}

bool cache_ext_is_ours(const struct bpf_prog *prog)
{
	return prog;
}
