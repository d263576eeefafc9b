// SPDX-License-Identifier: GPL-2.0
/*
 * The watchdog: a policy that keeps back what could go is ended.
 *
 *   pass: reclaim asks the policy, then (if it fell short) the kernel's own scan
 *
 *	 fell short, fell short ... fell short		   delivered
 *	|<------------- stalled ------------->|
 *	  the kernel takes pages off the policy's lists: evidence
 *
 * A pass fails if fewer pages went than an eighth of what was wanted, or of a
 * batch, whichever is less. A policy whose passes fail in a row is stalled. That
 * is no offence: all folios may be dirty, locked, in use, or not there. Evidence
 * makes an offence of it: meanwhile the kernel's own scan took at least
 * CACHE_EXT_BATCH pages that were on the policy's lists. So there were some. And
 *
 *   starves	 the last pass came to nothing, and in all its calls the policy
 *		 looked at fewer folios than a batch
 *   rotates	 the last pass came to nothing, and while stalled the policy looked
 *		 at as many folios as it owns pages: all of them went by
 *   cannot-go	 what it proposed did not go, and while stalled it proposed twice
 *		 as many pages as it owns: so the same ones again and again
 *
 * A pass that costs its reclaimer too much time is an offence without evidence:
 *
 *   dawdles	 what it proposed went, but the last pass ended since it had taken too
 *		 many steps (evict.c), and while stalled the policy looked at as many
 *		 folios as it owns pages. So going once through all lists is none, as
 *		 when all folios have a second chance.
 *
 * Pages do not count as tried that are in use through a mapping, or that are being
 * read or written back: on a slow disk these may be most of what is old.
 *
 * After an offence evidence is taken anew. A pass that delivers all that was
 * wanted halves the count, and CACHE_EXT_OFFENCES end the policy; one that owns
 * nothing has no offences. Passes do not count in which iterators had to leave out
 * folios (other cgroups': tree.c) unless it dawdles, and where the kernel is so near
 * OOM that the policy is not asked.
 *
 * Ending a policy wants cache_ext_mutex, for which reclaim must not wait: a
 * worker does it (../policy_ext/life.c).
 */
#include "cache_ext.h"

static const char * const name[] = {
	[CACHE_EXT_STARVES]	= "starves",
	[CACHE_EXT_ROTATES]	= "rotates",
	[CACHE_EXT_CANNOT_GO]	= "cannot-go",
	[CACHE_EXT_DAWDLES]	= "dawdles",
};

static const char * const text[] = {
	[CACHE_EXT_STARVES]	= "it proposes nothing",
	[CACHE_EXT_ROTATES]	= "it scans all of its lists and proposes nothing",
	[CACHE_EXT_CANNOT_GO]	= "it keeps proposing folios that cannot be evicted",
	[CACHE_EXT_DAWDLES]	= "it looks at too many folios for each that it proposes",
};

/* For statistics; NULL: the watchdog has not ended it. */
const char *cache_ext_watchdog_reason(struct cache_ext_policy *p)
{
	enum cache_ext_stall why = READ_ONCE(p->watchdog.barks);

	return why ? name[why] : NULL;
}

/* No longer stalled. Caller: w->lock. */
static void reset(struct cache_ext_watchdog *w)
{
	WRITE_ONCE(w->stalled, false);
	w->looked = 0;
	w->tried = 0;
}

/* The last pass failed: which offence is it, if there is evidence where it is wanted? */
static enum cache_ext_stall judge(struct cache_ext_policy *p,
				  const struct cache_ext_pass *pass)
{
	struct cache_ext_watchdog *w = &p->watchdog;
	unsigned long owned = READ_ONCE(p->lists.owned);

	if (pass->futile)
		return w->tried >= 2 * owned ? CACHE_EXT_CANNOT_GO : 0;
	if (pass->spent)
		return w->looked >= owned ? CACHE_EXT_DAWDLES : 0;
	if (pass->looked < CACHE_EXT_BATCH)
		return CACHE_EXT_STARVES;
	return w->looked >= owned ? CACHE_EXT_ROTATES : 0;
}

/* Caller: w->lock. Returns why the policy is to be ended, or 0. */
static enum cache_ext_stall failed(struct cache_ext_policy *p,
				   const struct cache_ext_pass *pass)
{
	struct cache_ext_watchdog *w = &p->watchdog;
	enum cache_ext_stall why;

	if (!w->stalled) {
		atomic_long_set(&w->taken, 0);
		WRITE_ONCE(w->stalled, true);
	}
	w->looked += pass->looked;
	w->tried += pass->tried - min(pass->kept + pass->in_io, pass->tried);
	if (!pass->spent && atomic_long_read(&w->taken) < CACHE_EXT_BATCH)
		return 0;
	why = judge(p, pass);
	if (!why)
		return 0;
	ces_inc(p, CES_OFFENCES);
	reset(w);
	WRITE_ONCE(w->offences, w->offences + 1);
	if (w->offences < CACHE_EXT_OFFENCES || w->barks)
		return 0;
	WRITE_ONCE(w->barks, why);
	return why;
}

/*
 * A policy is not to blame for folios that reclaim could not take, such as those of
 * a protected cgroup below, if they were as many as it was shown. A few would
 * excuse any scan.
 */
static bool excused(const struct cache_ext_pass *pass)
{
	return pass->left_out || (pass->passed && pass->passed >= pass->looked);
}

/* A pass of reclaim is over, but for the kernel's own scan. Process context. */
void cache_ext_watchdog_pass(struct cache_ext_policy *p,
			     const struct cache_ext_pass *pass)
{
	bool delivered = pass->freed >= pass->wanted;
	struct cache_ext_watchdog *w = &p->watchdog;
	enum cache_ext_stall why = 0;

	/* Mostly; a pass that comes meanwhile counts with the next one. */
	if (delivered && !READ_ONCE(w->stalled) && !READ_ONCE(w->offences))
		return;
	if ((excused(pass) && !pass->spent) || READ_ONCE(p->life.dead))
		return;
	spin_lock(&w->lock);
	if (pass->spent ||
	    pass->freed * 8 < min(pass->wanted, CACHE_EXT_BATCH)) {
		why = failed(p, pass);
	} else {
		reset(w);
		if (delivered)
			WRITE_ONCE(w->offences, w->offences / 2);
	}
	spin_unlock(&w->lock);
	if (why)
		policy_ext_exit(&p->life, POLICY_EXT_EXIT_WATCHDOG, why, text[why]);
}

/* Near OOM the kernel takes what it needs: that is no evidence. */
void cache_ext_watchdog_near_oom(struct cache_ext_policy *p)
{
	spin_lock(&p->watchdog.lock);
	reset(&p->watchdog);
	spin_unlock(&p->watchdog.lock);
}
