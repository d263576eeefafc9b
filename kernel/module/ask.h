/* SPDX-License-Identifier: GPL-2.0 */
/* Reclaim asks a policy: ask.c */
#ifndef _CACHE_EXT_ASK_H
#define _CACHE_EXT_ASK_H

struct lruvec;
struct scan_control;

unsigned long cache_ext_ask(struct lruvec *lruvec, struct scan_control *sc,
			    unsigned long want);
bool cache_ext_own_limit(struct lruvec *lruvec, struct scan_control *sc);

#endif /* _CACHE_EXT_ASK_H */
