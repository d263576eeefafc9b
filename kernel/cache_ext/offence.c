// SPDX-License-Identifier: GPL-2.0
/*
 * Offences: a policy that keeps back what could go is detached in the end.
 *
 *   pass: reclaim asks the policy, then (if it fell short) the kernel's own scan
 *
 *	 fell short, fell short ... fell short		   delivered
 *	|<------------- trouble ------------->|
 *	  the kernel takes pages off the policy's lists: evidence
 *
 * A pass fails if fewer pages went than an eighth of what was wanted, or of a
 * batch, whichever is less. Passes that fail in a row are trouble, which is no
 * offence: all folios may be dirty, locked, in use, or not there. What makes an
 * offence of it is evidence: meanwhile the kernel's own scan took at least
 * CACHE_EXT_BATCH pages that were on the policy's lists. So there were some. And
 *
 *   starves	 the last call of the policy came to nothing, and in all calls of
 *		 that pass it looked at fewer folios than a batch
 *   rotates	 the last call came to nothing, and in the trouble the policy
 *		 looked at as many folios as it owns pages: all of them went by
 *   cannot-go	 what it proposed did not go, and in the trouble it proposed twice
 *		 as many pages as it owns: so the same ones again and again
 *
 * After an offence evidence is taken anew. A pass that delivers all that was
 * wanted halves the count, and CACHE_EXT_OFFENCES detach the policy; a policy
 * that owns nothing has no offences. Passes do not count in which iterators had
 * to leave out folios (other cgroups': tree.c), and where the kernel is so near
 * OOM that the policy is not asked.
 *
 * Locks: a policy's conduct is under evict_mutex. Detaching wants
 * cache_ext_mutex, which reclaim must not wait for: so a worker does it.
 */
#include <linux/cgroup.h>
#include <linux/slab.h>
#include "cache_ext.h"

static const char * const why_name[] = {
	[CACHE_EXT_STARVES]	= "starves",
	[CACHE_EXT_ROTATES]	= "rotates",
	[CACHE_EXT_CANNOT_GO]	= "cannot-go",
};

static const char * const why_text[] = {
	[CACHE_EXT_STARVES]	= "it proposes nothing",
	[CACHE_EXT_ROTATES]	= "it scans all of its lists and proposes nothing",
	[CACHE_EXT_CANNOT_GO]	= "it keeps proposing folios that cannot be evicted",
};

/* For statistics; NULL: it is not overruled for good. */
const char *cache_ext_overruled_why(struct cache_ext_policy *p)
{
	enum cache_ext_offence why = READ_ONCE(p->conduct.overruled);

	return why ? why_name[why] : NULL;
}

static void overrule(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  conduct.overrule);
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);

	if (path && cgroup_path(p->memcg->css.cgroup, path, PATH_MAX) < 0)
		strscpy(path, "?", PATH_MAX);
	if (cache_ext_retire(p))
		pr_warn("cache_ext: policy %s of cgroup %llu (%s) is detached after %u offences: %s, but the kernel could evict pages from its lists; the kernel's own reclaim takes over\n",
			p->name, p->cgroup_id, path ?: "?", CACHE_EXT_OFFENCES,
			why_text[p->conduct.overruled]);
	kfree(path);
}

static void trouble_ends(struct cache_ext_conduct *c)
{
	WRITE_ONCE(c->trouble, false);
	c->looked = 0;
	c->tried = 0;
}

/* The last pass failed: which offence is it, if there is evidence? */
static enum cache_ext_offence judge(struct cache_ext_policy *p,
				    const struct cache_ext_pass *pass)
{
	struct cache_ext_conduct *c = &p->conduct;
	unsigned long owned = READ_ONCE(p->owned);

	if (pass->futile)
		return c->tried >= 2 * owned ? CACHE_EXT_CANNOT_GO : 0;
	if (pass->looked < CACHE_EXT_BATCH)
		return CACHE_EXT_STARVES;
	return c->looked >= owned ? CACHE_EXT_ROTATES : 0;
}

static void failed(struct cache_ext_policy *p,
		   const struct cache_ext_pass *pass)
{
	struct cache_ext_conduct *c = &p->conduct;
	enum cache_ext_offence why;

	if (!c->trouble) {
		atomic_long_set(&c->taken, 0);
		WRITE_ONCE(c->trouble, true);
	}
	c->looked += pass->looked;
	c->tried += pass->tried - min(pass->kept, pass->tried);
	if (atomic_long_read(&c->taken) < CACHE_EXT_BATCH)
		return;
	why = judge(p, pass);
	if (!why)
		return;
	ces_inc(p, CES_OFFENCES);
	trouble_ends(c);
	if (++c->offences < CACHE_EXT_OFFENCES || c->overruled)
		return;
	WRITE_ONCE(c->overruled, why);
	queue_work(system_unbound_wq, &c->overrule);
}

/* A pass of reclaim is over, but for the kernel's own scan. May sleep. */
void cache_ext_pass_over(struct cache_ext_policy *p,
			 const struct cache_ext_pass *pass)
{
	struct cache_ext_conduct *c = &p->conduct;
	bool delivered = pass->freed >= pass->wanted;

	/* Mostly; whoever comes meanwhile is in time with the next pass. */
	if (delivered && !READ_ONCE(c->trouble) && !READ_ONCE(c->offences))
		return;
	if (pass->left_out || READ_ONCE(p->dead))
		return;
	mutex_lock(&p->evict_mutex);
	if (pass->freed * 8 < min(pass->wanted, CACHE_EXT_BATCH)) {
		failed(p, pass);
	} else {
		trouble_ends(c);
		if (delivered)
			c->offences /= 2;
	}
	mutex_unlock(&p->evict_mutex);
}

/* Near OOM the kernel takes what it needs: that is no evidence. May sleep. */
bool cache_ext_near_oom(struct cache_ext_policy *p,
			const struct cache_ext_shrink *s)
{
	if (likely(s->priority > CACHE_EXT_LAST_PRIORITY))
		return false;
	ces_inc(p, CES_NEAR_OOM);
	mutex_lock(&p->evict_mutex);
	trouble_ends(&p->conduct);
	mutex_unlock(&p->evict_mutex);
	return true;
}

void cache_ext_offence_init(struct cache_ext_policy *p)
{
	INIT_WORK(&p->conduct.overrule, overrule);
}

/* Caller: @p is dead, and nobody asks it any more. */
void cache_ext_offence_stop(struct cache_ext_policy *p)
{
	cancel_work_sync(&p->conduct.overrule);
}
