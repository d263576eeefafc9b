/* SPDX-License-Identifier: GPL-2.0 */
/* Which cgroups have a policy: policies.c, and prefetch_find.c for prefetching. */
#ifndef _CACHE_EXT_POLICIES_H
#define _CACHE_EXT_POLICIES_H

struct mem_cgroup;
struct policy_ext_type;

bool cache_ext_governs(struct mem_cgroup *memcg);
bool cache_ext_prefetches(struct mem_cgroup *memcg);
void cache_ext_reap(struct policy_ext_type *type);

/*
 * Tables lead from cgroups to policies, and hooks climb from the cgroup of the current
 * task. Policies of other cgroups must not make that slower: there are four buckets for
 * each possible policy.
 */
#define CACHE_EXT_TABLE_BITS	12
#define CACHE_EXT_TABLE_MOST	(1 << (CACHE_EXT_TABLE_BITS - 2))

#endif /* _CACHE_EXT_POLICIES_H */
