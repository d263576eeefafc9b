/* SPDX-License-Identifier: GPL-2.0 */
/* core-cases: what its files share (common.c), and the cases by file. */
#ifndef CORE_CASES_H
#define CORE_CASES_H

#include "../../world/kfuncs.h"
#include "../../world/world.h"

/* A program: from list 0, the oldest first. */
void evict_oldest(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg);

/* A cgroup, below the root. */
extern struct mem_cgroup *group;
extern struct policy *const first, *const second;

/* So many times nothing happens; then whatever may fail fails. */
extern unsigned int calm;
/* What other CPUs do, wherever they can. */
extern void (*meanwhile)(void);
/* Runs @what once, in the next gap. */
void in_gap(void (*what)(void));

/* What it has no program for: one list to which all is added, and nothing is taken. */
void attach(struct policy *policy, struct mem_cgroup *memcg);
int register_policy(struct policy *policy);
void detach(struct policy *policy);
void go(struct mem_cgroup *memcg);

/* What stands between is done by a program of the policy that governs @group. */
void begin_program(void);
void end_program(void);

/* Of what is in @memcg, for @target, at a calm time. */
struct cache_ext_shrink reclaim_of(struct mem_cgroup *memcg,
				   struct mem_cgroup *target, unsigned long nr);

/* A folio of one page at a page frame, in the page cache. */
struct folio *added_folio(u32 pfn, struct mem_cgroup *memcg, bool by_read);
struct folio *cached_folio(u32 pfn, struct mem_cgroup *memcg);
void take_out(struct folio *folio, enum cache_ext_reason why);
void drop(struct folio *folio);
void dirty_folio(struct folio *folio);
void clean_folio(struct folio *folio);

/* For folio_accessed: counts in @told. */
void accessed(struct folio *folio, struct mem_cgroup *memcg);
extern unsigned int told;
/* Of the policy that the cgroup has. */
u64 counted(enum cache_ext_stat_item item);

/* nodes.c */
void alone_in_the_index(void);
void adopted_while_disowned(void);
void short_of_memory(void);
void split_part_disowned(void);
void chains_of_the_index(void);

/* migrate.c */
void looked_up_while_migrated(void);
void migrates_while_proposed(void);

/* events.c */
void internal_inode(void);
void only_reuses(void);
void adoption_is_no_access(void);
void read_by_others(void);
void removed_while_noted(void);
void charged_until_freed(void);

/* attach.c */
void removed_during_init(void);
void link_goes_during_init(void);
void replaced_in_order(void);
void attached_to_a_full_cgroup(void);

/* life.c */
void ending_policy(void);
void goes_from_who_leaves(void);
void inherited_while_freed(void);
void ends_while_reclaimed(void);
void ends_while_asked(void);
void links_of_cgroups_that_are_gone(void);
void drains_once_a_second(void);
void error_while_replaced(void);
void lost_node(void);

/* reclaim.c */
void nested_iterators(void);
void protected_sibling(void);
void resumes_for_another(void);
void blamed_for_io(void);
void limit_of_the_parent(void);
void short_list_that_cannot_go(void);

/* steps.c */
void few_of_all_at_a_time(void);
void one_that_is_protected(void);
void twice_through_for_each_batch(void);

/* numa.c */
void only_of_the_asked_node(void);

/* foreign.c */
void foreign_folio(void);
void no_such_member(void);

/* moves.c */
void orders_of_moves(void);
void moved_between_lists(void);
void moved_while_used(void);

/* code.c */
void asked_for_code(void);

/* pins.c */
void pinned_in_calm_times(void);
void pinned_below(void);
void pinned_of_many(void);
void pinned_without_limit(void);
void pinned_while_migrated(void);
void kept_of_others(void);

/* wanted.c */
void wanted_by_the_policy(void);
void wanted_from_a_size_of_before(void);
void wants_all_there_is(void);
void wants_and_gives_nothing(void);
void wants_dearly(void);
void wanted_anew_in_a_dear_run(void);
void wanted_less_after_reclaim(void);
void wanted_when_detached(void);

#endif
