/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of cases share; cases.c has the table of all. */
#ifndef PREFETCH_CASES_H
#define PREFETCH_CASES_H

#include <stdio.h>
#include <unistd.h>
#include "world.h"

#define expect(c) ((c) ? (void)0 : failed(#c, __FILE__, __LINE__))

static inline void failed(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	_exit(1);
}

static inline u64 counter(struct prefetch_ext_policy *p, enum prefetch_ext_stat_item item)
{
	return __atomic_load_n(&p->stats->nr[item], __ATOMIC_SEQ_CST);
}

/* cases_range.c */
void late_apart(void);
void late_stream(void);
void dropped_later(void);
void dropped_later_by_number(void);
void dropped_and_read_again(void);
void dropped_and_written_again(void);
void pages_of_another(void);
void dropped_of_own(void);
void dropped_of_nearer(void);
void drained_by_workers(void);

/* cases_part.c */
void part_reads_each_page_once(void);
void part_reads_of_threads(void);
void part_reads_elsewhere(void);
void part_written_stays(void);
void part_written_later(void);
void part_at_random(void);

/* cases_left.c */
void left_until_closed(void);
void left_when_told(void);
void left_by_another(void);
void left_by_threads(void);
void left_among_many(void);

/* cases_mark.c */
void marks_that_others_touch(void);
void marks_by_outcome(void);
void marks_of_a_policy_above(void);
void marks_beyond_the_share(void);
void marks_within_the_share(void);
void marks_by_limit(void);
void marks_without_memory(void);
void marks_of_own_folios(void);
void marks_of_nearer(void);
void marks_taken_meanwhile(void);
void marks_by_threads(void);

/* cases_find.c */
void found_beside_many(void);

/* cases_stat.c */
void statistics_of_all(void);
void statistics_of_one_instant(void);
void statistics_of_an_init(void);

/* cases_governed.c */
void answer_until_a_change(void);
void answer_of_another_cgroup(void);
void answer_during_a_change(void);
void answers_of_task_and_folio(void);
void redirected_for_whom(void);
void redirected_once(void);
void hooks_that_stay(void);

/* cases_swap.c */
void told_once(void);
void slots_of_others(void);
void told_at_once(void);
void told_while_swapped_off(void);
void timed_in_part(void);
void replaced_between_hooks(void);
void ended_between_hooks(void);

/* cases_swap_out.c */
void whose(void);
void quota_of_a_second(void);
void kept_below(void);
void late_in_a_second(void);
void near_oom(void);
void trouble(void);
void not_asked(void);
void no_such_member(void);

#endif
