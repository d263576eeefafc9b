// SPDX-License-Identifier: GPL-2.0
/*
 * The policies that have a link, the lock of their list, and who holds a policy.
 * How one comes and goes is told in ops.c.
 */
#include <linux/slab.h>
#include "prefetch_ext.h"

/* Attach, detach, the list of policies; see prefetch_ext.h for the order. */
DEFINE_MUTEX(prefetch_ext_mutex);
/* Policies that have a link. Under prefetch_ext_mutex. */
LIST_HEAD(prefetch_ext_policies);
struct cache_ext_lives prefetch_ext_lives = {
	.lock = &prefetch_ext_mutex,
	.all = &prefetch_ext_policies,
};

void prefetch_ext_free(struct kref *kref)
{
	struct prefetch_ext_policy *p;

	p = container_of(kref, struct prefetch_ext_policy, refs);
	free_percpu(p->stats);
	cache_ext_life_uncharge(&p->life);
	if (p->memcg)
		css_put(&p->memcg->css);
	kfree(p);
}
