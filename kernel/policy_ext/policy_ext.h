/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy_ext: what policies of both types, mm/cache_ext and mm/prefetch_ext, have in common.
 * It knows neither of them; each has a struct policy_ext_life in its policies, and a struct
 * policy_ext_type.
 *
 * Layers, each of which knows those above it only:
 *
 *   memcg.h	 of a cgroup, what kernels differ in
 *   exit.c	 why a policy ended, and what is told of that afterwards
 *   work.c	 where work is done: short, and long
 *   life.c	 attach, replace, detach: which policies there are, and references on them
 *   quota.c	 a cgroup's limit, and what share of it a policy may have
 *   members.c	 struct_ops: the policy of a program, members that both have, what programs may do
 *   stat.c	 statistics: /proc/TYPE/stat
 *
 * Locks, outermost first: BPF's, of all links; that of a type (struct policy_ext_type).
 */
#ifndef _MM_POLICY_EXT_H
#define _MM_POLICY_EXT_H

#include <linux/types.h>
#include "life.h"
#include "memcg.h"

struct bpf_prog;
struct bpf_verifier_ops;
struct btf;
struct seq_file;
struct workqueue_struct;

/* work.c: of policies, short and long. A module that goes waits for both. */
extern struct workqueue_struct *policy_ext_wq;
extern struct workqueue_struct *policy_ext_long_wq;
extern struct workqueue_struct *policy_ext_wanted_wq;
int policy_ext_wq_init(void);
void policy_ext_wq_exit(void);
void policy_ext_drain(void);

/* quota.c */
unsigned long policy_ext_limit(struct mem_cgroup *memcg);
#ifdef CONFIG_CACHE_EXT_PIN
unsigned int policy_ext_percent(void);
unsigned long policy_ext_share(struct mem_cgroup *memcg);
#endif

/* members.c: a type in its BTF; written once, when it is registered. */
struct policy_ext_members {
	struct btf *btf;
	u32 id;
};

extern const struct bpf_verifier_ops policy_ext_verifier_ops;
int policy_ext_members_init(struct policy_ext_members *of, struct btf *btf,
			    const char *name);
bool policy_ext_is_of(const struct policy_ext_members *of,
		      const struct bpf_prog *prog);
int policy_ext_copy_name(char to[16], const char from[16]);
int policy_ext_cgroup_of_procs(s32 fd, u64 *id);

/* stat.c: what is told of a policy as of the moment it was taken, with a reference. */
struct policy_ext_line {
	struct policy_ext_life *life;
	const char *state;
	const char *why;	/* it is overruled; NULL: it is not */
	char until_then[16];	/* the policy that governs until its init has run, or "" */
	bool exited;
};

int policy_ext_stat_show(struct seq_file *m, struct policy_ext_type *type,
			 void (*look)(struct policy_ext_line *line),
			 void (*show)(struct seq_file *m, struct policy_ext_life *l));
void policy_ext_stat_sum(const u64 __percpu *stats, u64 *sum, unsigned int nr);
void policy_ext_stat_counters(struct seq_file *m, const char * const *names,
			      const u64 *sum, unsigned int nr);
void policy_ext_stat_init(const char *name,
			  int (*show)(struct seq_file *m, void *v));
void policy_ext_stat_exit(const char *name);

#endif /* _MM_POLICY_EXT_H */
