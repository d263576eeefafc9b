/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core needs of the kernel that it runs in. glue_patched.c gives it on a
 * kernel with the prefetch_ext patches, whose hooks call the functions that
 * linux/prefetch_ext.h declares.
 */
#ifndef _MM_PREFETCH_EXT_GLUE_H
#define _MM_PREFETCH_EXT_GLUE_H

#include <linux/btf.h>
#include <linux/memcontrol.h>

struct bpf_prog;
struct prefetch_ext_policy;

/* Declarations of mm's own that the core uses. */
#ifndef MODULE
#include "../internal.h"
#include "../swap.h"
#endif

/*
 * The policy that governs @memcg, which may be NULL: its own, or that of the nearest
 * cgroup above that has one; or NULL. Caller: rcu_read_lock().
 */
#ifndef MODULE
static inline struct prefetch_ext_policy *
prefetch_ext_policy_of(struct mem_cgroup *memcg)
{
	return memcg ? rcu_dereference(memcg->prefetch_ext) : NULL;
}
#else
struct prefetch_ext_policy *prefetch_ext_policy_of(struct mem_cgroup *memcg);
#endif

/*
 * Make hooks see @p in its cgroup, in place of one that is there; or see it no more, if
 * it is not replaced already. Caller: prefetch_ext_mutex.
 */
void prefetch_ext_glue_publish(struct prefetch_ext_policy *p);
void prefetch_ext_glue_hide(struct prefetch_ext_policy *p);

/* Make the kfuncs known to BPF, for struct_ops programs. */
int prefetch_ext_glue_kfuncs(const struct btf_kfunc_id_set *set);

/*
 * The program behind a member of the ops @kdata, as long as these are attached; NULL
 * if it has none, or if the kernel does not tell: then its trampoline is called.
 */
const struct bpf_prog *prefetch_ext_glue_prog(const void *kdata, u32 member);

/* Hooks that not all policies need. */
#define PREFETCH_EXT_HOOKS_RANGES	1	/* opened files, ranges */
#define PREFETCH_EXT_HOOKS_SWAP_OUT	2
#define PREFETCH_EXT_HOOKS_MARKS	4	/* pages that are used, or go */

/*
 * Switch hooks on or off; counted. @more: bits of PREFETCH_EXT_HOOKS_*, besides
 * those that all policies need. May sleep, no lock of ours held.
 */
int prefetch_ext_glue_enable(u32 more);
void prefetch_ext_glue_disable(u32 more);

/*
 * The core's code is in use until as many calls of the second: a module cannot be
 * unloaded. Any context.
 */
void prefetch_ext_glue_hold(void);
void prefetch_ext_glue_release(void);

#endif /* _MM_PREFETCH_EXT_GLUE_H */
