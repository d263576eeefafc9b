/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of a cgroup and of its lruvecs: what reclaim of a policy's folios has done. */
#ifndef STOCK_CALLS
#ifndef _CACHE_EXT_COMPAT_COUNTERS_H
#define _CACHE_EXT_COMPAT_COUNTERS_H

#ifdef STOCK_UNDERSCORE_COUNTERS
#define STOCK_COUNTERS(F)	F(__count_memcg_events) F(__mod_lruvec_state)
#else
#define STOCK_COUNTERS(F)	F(count_memcg_events) F(mod_lruvec_state)
#endif

#endif
#else /* STOCK_CALLS */

#ifdef STOCK_UNDERSCORE_COUNTERS
#define __count_memcg_events static_call(stock___count_memcg_events)
#define __mod_lruvec_state static_call(stock___mod_lruvec_state)
#else
#define count_memcg_events static_call(stock_count_memcg_events)
#define mod_lruvec_state static_call(stock_mod_lruvec_state)
#endif

/* @who: the kind of reclaimer, as an offset from kswapd's counters. */
static inline void stock_count_reclaim(struct lruvec *lruvec,
				       struct mem_cgroup *memcg, bool global,
				       int who, unsigned long scanned,
				       unsigned long reclaimed,
				       unsigned long demoted)
{
#ifdef STOCK_SCAN_IS_NODE_STAT
	mod_lruvec_state(lruvec, PGDEMOTE_KSWAPD + who, demoted);
	mod_lruvec_state(lruvec, PGSCAN_KSWAPD + who, scanned);
	mod_lruvec_state(lruvec, PGSTEAL_KSWAPD + who, reclaimed);
	mod_lruvec_state(lruvec, PGSCAN_FILE, scanned);
	mod_lruvec_state(lruvec, PGSTEAL_FILE, reclaimed);
#else
	local_irq_disable();
	__mod_lruvec_state(lruvec, PGDEMOTE_KSWAPD + who, demoted);
	__count_memcg_events(memcg, PGSCAN_KSWAPD + who, scanned);
	__count_memcg_events(memcg, PGSTEAL_KSWAPD + who, reclaimed);
	local_irq_enable();
	if (global) {
		count_vm_events(PGSCAN_KSWAPD + who, scanned);
		count_vm_events(PGSTEAL_KSWAPD + who, reclaimed);
	}
	count_vm_events(PGSCAN_FILE, scanned);
	count_vm_events(PGSTEAL_FILE, reclaimed);
#endif
}

#endif /* STOCK_CALLS */
