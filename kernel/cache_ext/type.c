// SPDX-License-Identifier: GPL-2.0
/*
 * The struct_ops type cache_ext_ops, as BPF knows it: its members, and its registration.
 * ops.c has what attaching does, ../policy_ext/members.c what programs may do.
 */
#include <linux/bpf_verifier.h>
#include <linux/module.h>
#include "cache_ext.h"
#include "glue.h"

static struct policy_ext_members members;

bool cache_ext_is_ours(const struct bpf_prog *prog)
{
	return policy_ext_is_of(&members, prog);
}

static int cache_ext_init(struct btf *btf)
{
	return policy_ext_members_init(&members, btf, "cache_ext_ops");
}

/*
 * Most run where nothing may sleep. init and exit could, but a task that waits for
 * a program must not wait for what the program waits for.
 */
static int cache_ext_check_member(const struct btf_type *t,
				  const struct btf_member *member,
				  const struct bpf_prog *prog)
{
	u32 moff = __btf_member_bit_offset(t, member) / 8;

	if (moff == offsetof(struct cache_ext_ops, admit_folio) &&
	    !(cache_ext_glue_abilities() & CACHE_EXT_CAN_ADMIT)) {
		pr_notice_ratelimited("cache_ext: this kernel cannot refuse folios, so no policy may have admit_folio\n");
		return -EOPNOTSUPP;
	}
	if (moff == offsetof(struct cache_ext_ops, tick) &&
	    !IS_ENABLED(CONFIG_CACHE_EXT_TICK)) {
		pr_notice_ratelimited("cache_ext: this kernel has no ticks, so no policy may have tick\n");
		return -EOPNOTSUPP;
	}
	return prog->sleepable ? -EINVAL : 0;
}

/* 1: handled here. 0: a program, or must be zero. */
static int cache_ext_init_member(const struct btf_type *t,
				 const struct btf_member *member,
				 void *kdata, const void *udata)
{
	const struct cache_ext_ops *from = udata;
	struct cache_ext_ops *to = kdata;

	switch (__btf_member_bit_offset(t, member) / 8) {
	case offsetof(struct cache_ext_ops, procs_fd):
		to->procs_fd = from->procs_fd;
		return policy_ext_cgroup_of_procs(from->procs_fd,
						  &to->cgroup_id) ?: 1;
	case offsetof(struct cache_ext_ops, folio_data_size):
		if (from->folio_data_size > CACHE_EXT_MAX_DATA)
			return -E2BIG;
		to->folio_data_size = from->folio_data_size;
		return 1;
	case offsetof(struct cache_ext_ops, flags):
		if (from->flags & ~(CACHE_EXT_DATA_ALIGN4 |
				    CACHE_EXT_ONLY_REUSES))
			return -EINVAL;
		to->flags = from->flags;
		return 1;
	case offsetof(struct cache_ext_ops, name):
		return policy_ext_copy_name(to->name, from->name) ?: 1;
	case offsetof(struct cache_ext_ops, tick_ms):
		if (from->tick_ms > CACHE_EXT_MAX_TICK_MS)
			return -ERANGE;
		to->tick_ms = from->tick_ms;
		return 1;
	case offsetof(struct cache_ext_ops, nr_lists):
		if (from->nr_lists > CACHE_EXT_MAX_LISTS)
			return -ENOSPC;
		to->nr_lists = from->nr_lists;
		return 1;
	case offsetof(struct cache_ext_ops, pin_pages):
		to->pin_pages = from->pin_pages;
		return 1;
	}
	return 0;
}

static int cache_ext_validate(void *kdata)
{
	struct cache_ext_ops *ops = kdata;

	if (!ops->folio_added || !ops->evict_folios)
		return -EINVAL;
	if (ops->tick_ms && !ops->tick)
		return -EINVAL;
	return 0;
}

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
	.verifier_ops = &policy_ext_verifier_ops,
	.init = cache_ext_init,
	.check_member = cache_ext_check_member,
	.init_member = cache_ext_init_member,
	.reg = cache_ext_reg,
	.unreg = cache_ext_unreg,
	.update = cache_ext_update,
	.validate = cache_ext_validate,
	.name = "cache_ext_ops",
	.cfi_stubs = &cache_ext_stubs,
	.owner = THIS_MODULE,
};

int __init cache_ext_type_init(void)
{
	return register_bpf_struct_ops(&bpf_cache_ext_ops, cache_ext_ops);
}
