// SPDX-License-Identifier: GPL-2.0
/*
 * Runs rounds of hostile policies in a virtual machine. activity.py writes the plan; a line is a word and its arguments:
 *
 *   round N		    then its cgroups: group NAME PARENT|- KIB
 *   before, during, after  what the administrator does, in order (storm_admin.c); workers run meanwhile from `during` on
 *   worker GROUP	    a process in that cgroup, and what it does (storm_work.c)
 *   end		    carries out the round; detaches what is left; removes the cgroups; looks for complaints (storm_check.c)
 *
 * Whatever fails is passed over, since policies, limits and cgroups come and go: only complaints of the kernel, wrong data, processes
 * that do not end and policies that do not go count as failures.
 */
#ifndef STORM_H
#define STORM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PAGE 4096UL
/* As activity.py has them. */
#define PAGES 512
#define BIG_PAGES 1024

#define MOST_WORDS 8
/* Of policies: as the kernel has them. */
#define MOST_NAME 16
#define SWAP_DISK "/dev/vdc"
#define MOST_OPS 128
#define MOST_WORKERS 16
#define MOST_GROUPS 8

struct op {
	char *word[MOST_WORDS];
	int nr;
};

struct ops {
	struct op op[MOST_OPS];
	int nr;
};

struct round {
	struct ops groups, before, during, after;
	struct ops work[MOST_WORKERS];
	const char *groups_of[MOST_WORKERS];	/* each worker's cgroup */
	int nr_workers;
};

struct settings {
	const char *objects;
	int patience;	/* seconds that a process may take to end */
	int faults;	/* percent of allocations that fail in every other round */
	bool verbose;	/* show the statistics of policies */
};

/* Of a round; the other lines sum statistics of its policies. */
struct counts {
	int accepted, refused, declined, overruled, oom, races, slept;
	unsigned long accessed, evicted, fallback, migrated, split;
	/* Processor time in ms: of loaders, and of all before, while and after policies are there. */
	long loaders, prepare, attach, storm, detach, check;
	unsigned long asked, prefetched, used, wasted, foreign, ra_asked, ra_prefetched, ranges, out_asked, out_kept;
};

extern struct settings settings;
extern struct counts counts;
extern int round_number;

/* storm.c */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool write_to(const char *file, const char *text);
void nap_ms(int ms);
double now(void);
/* Processor time of the machine so far, in ms. */
long busy_ms(void);
/* Waits for a process to end; kills it when its time is over. */
bool ended(pid_t pid, int seconds, int *status);

/* storm_round.c */
bool round_go(const struct round *round);
/* The directory of a cgroup of this round. */
const char *group_path(const char *name);
bool write_group(const char *name, const char *file, const char *text);
void make_group(const char *name);

/* storm_policy.c */
bool policies_begin(void);
void policy_attach(const char *name, const char *group, bool wait);
void policy_detach(const char *name, bool kill_it);
void policy_replace(const char *name, const char *next);
/* Detaches all; false: a loader does not end. */
bool policies_end(void);
/* Children close what only their parents may hold open. */
void policies_forget(void);

/* storm_admin.c */
void administer(const struct ops *ops);
extern pid_t workers[MOST_WORKERS];
extern int nr_workers;

/* storm_work.c; exit codes of workers. */
#define WRONG_DATA 3
pid_t work_start(const char *group, int cpu, const struct ops *ops);
const char *file_path(const char *name);
int file_open(const char *name, int flags);
void files_restore(void);
bool file_systems_ready(bool again);
void poison(const char *name, bool hard, size_t first, size_t count);

/* storm_swap.c */
void swap_use(const char *group, size_t kib, const char *order, const char *how);
bool swap_on(bool rotates);
void swap_off_and_on(bool rotates);

/* storm_check.c */
void log_skip(void);
/* Whether the log since the last call has no complaint; prints the first one. */
bool log_clean(void);
bool no_policy_left(void);
/* Reads the statistics of all policies. */
void stat_read_all(void);
/* Adds those of a policy that is attached to the round's counts. */
void stat_add(const char *name);
void faults_begin(void);
/* This process's allocations may fail, or no longer. */
void faults_join(bool may_fail);

#endif
