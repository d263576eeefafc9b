/* SPDX-License-Identifier: GPL-2.0 */
/* What kfuncs.c calls in offer.c. Callers: rcu_read_lock(), evict_mutex. */
#ifndef _MM_CACHE_EXT_KFUNCS_H
#define _MM_CACHE_EXT_KFUNCS_H

struct cache_ext_request;
struct folio;

int cache_ext_propose(struct cache_ext_request *r, struct folio *folio);
int cache_ext_offer_folio(struct cache_ext_request *r, struct folio *folio,
			  u64 score);
int cache_ext_select(struct cache_ext_request *r, s32 nr, u32 flags, u64 limit,
		     u32 where);
int cache_ext_take_offered(struct cache_ext_request *r);

#endif /* _MM_CACHE_EXT_KFUNCS_H */
