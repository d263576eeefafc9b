/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does any policy govern the cgroup of a folio, or of a task? Hooks ask that for each page
 * that anybody uses, and a stock kernel's mem_cgroup has no room for the answer. So each
 * CPU keeps the last one: governed.c.
 */
#ifndef _CACHE_EXT_GOVERNED_H
#define _CACHE_EXT_GOVERNED_H

#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/percpu.h>

/*
 * The type of the policy, and what is asked: the task or the folio. A task often reads
 * folios that are charged to another cgroup, so each has an answer of its own.
 */
enum cache_ext_lookup {
	CACHE_EXT_LOOKUP_EVICTION,
	CACHE_EXT_LOOKUP_PREFETCHING,
	CACHE_EXT_LOOKUP_TYPES,
	CACHE_EXT_LOOKUP_PREFETCHED_TASK = CACHE_EXT_LOOKUP_TYPES,
	CACHE_EXT_LOOKUP_NR
};

/* An index of cache_ext_changes. */
static __always_inline unsigned int cache_ext_lookup_type(enum cache_ext_lookup lookup)
{
	return lookup < CACHE_EXT_LOOKUP_TYPES ? lookup : CACHE_EXT_LOOKUP_PREFETCHING;
}

struct cache_ext_answer {
	u64 change;		/* when it was found; never comes round */
	u64 key;		/* 0: none */
};

DECLARE_PER_CPU(struct cache_ext_answer, cache_ext_answers[CACHE_EXT_LOOKUP_NR]);
extern u64 cache_ext_changes[CACHE_EXT_LOOKUP_TYPES];

/* changes.c: around a change of policies. Caller: the type's mutex. */
void cache_ext_change_begin(enum cache_ext_lookup type);
void cache_ext_change_end(enum cache_ext_lookup type);

bool cache_ext_lookup_governed(enum cache_ext_lookup lookup, struct mem_cgroup *memcg);

/* No cgroup ever has the serial number of another. */
static inline u64 cache_ext_answer_key(struct mem_cgroup *memcg, bool governed)
{
	return memcg->css.serial_nr << 1 | governed;
}

/* Does no policy of this type govern @memcg? Caller: preemption is off, @memcg stays. */
static __always_inline bool cache_ext_ungoverned(enum cache_ext_lookup lookup,
						 struct mem_cgroup *memcg)
{
	struct cache_ext_answer *answer = this_cpu_ptr(&cache_ext_answers[lookup]);
	u64 key;

	if (answer->change == READ_ONCE(cache_ext_changes[cache_ext_lookup_type(lookup)])) {
		/* An interrupt may have noted another one: of this change, a newer one, or none. */
		barrier();
		key = READ_ONCE(answer->key);
		if (key == cache_ext_answer_key(memcg, false))
			return true;
		if (key == cache_ext_answer_key(memcg, true))
			return false;
	}
	return !cache_ext_lookup_governed(lookup, memcg);
}

/*
 * Nobody's: no policy of this type governs the folio's cgroup. Otherwise the core has to
 * look. Caller: preemption is off, and the folio stays charged.
 */
static __always_inline bool cache_ext_folio_ungoverned(enum cache_ext_lookup lookup,
						       struct folio *folio)
{
	struct mem_cgroup *memcg = policy_ext_memcg_of(folio);

	return memcg && cache_ext_ungoverned(lookup, memcg);
}

#endif /* _CACHE_EXT_GOVERNED_H */
