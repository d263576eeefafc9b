/* SPDX-License-Identifier: GPL-2.0 */
/* What programs.c and chaos.c share. */
#ifndef WORLD_PROGRAMS_H
#define WORLD_PROGRAMS_H

#include "world.h"
#include "kfuncs.h"

#define CALLED() COUNT(kfuncs)

/* The kfuncs, and which folios the policy has after them. */
s32 program_add(struct policy *policy, struct folio *folio, s32 list, bool tail);
void program_move(struct policy *policy, struct folio *folio, s32 list,
		  bool tail);
void program_del(struct policy *policy, struct folio *folio);

/* Is the folio another policy's now? One thread only: else it may be any time. */
bool is_foreign(struct policy *policy, struct folio *folio);
/* What a program did with a folio that was foreign before: nothing. */
void stays_out(bool foreign, bool refused);

void chaos_event(struct policy *policy, struct folio *folio,
		 struct mem_cgroup *memcg, bool may_peek);
void chaos_added(struct policy *policy, struct folio *folio,
		 struct mem_cgroup *memcg);
void chaos_evict(struct policy *policy, struct cache_ext_evict_ctx *ctx,
		 struct mem_cgroup *memcg);

#endif
