/* SPDX-License-Identifier: GPL-2.0 */
/* Reclaim asks a policy: evict_lruvec.c */
#ifndef _CACHE_EXT_EVICT_LRUVEC_H
#define _CACHE_EXT_EVICT_LRUVEC_H

struct lruvec;
struct scan_control;

unsigned long cache_ext_evict_lruvec(struct lruvec *lruvec, struct scan_control *sc,
				     unsigned long want);
bool cache_ext_own_limit(struct lruvec *lruvec, struct scan_control *sc);

#endif /* _CACHE_EXT_EVICT_LRUVEC_H */
