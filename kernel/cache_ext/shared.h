/* SPDX-License-Identifier: GPL-2.0 */
/* What mm/prefetch_ext, the other type of policies, shares with this one. */
#ifndef _MM_CACHE_EXT_SHARED_H
#define _MM_CACHE_EXT_SHARED_H

#include <linux/types.h>

struct bpf_verifier_ops;
struct mem_cgroup;
struct workqueue_struct;

/* life.c: work of policies, short and long. A module that goes waits for both. */
extern struct workqueue_struct *cache_ext_wq;
extern struct workqueue_struct *cache_ext_long_wq;
void cache_ext_drain(void);

/* ops.c */
struct mem_cgroup *cache_ext_memcg_of_id(u64 cgroup_id);

/* type.c */
extern const struct bpf_verifier_ops cache_ext_verifier_ops;
int cache_ext_copy_name(char to[16], const char from[16]);
int cache_ext_cgroup_of_procs(s32 fd, u64 *id);

/* pin.c */
#ifdef CONFIG_CACHE_EXT_PIN
unsigned long cache_ext_pin_share(struct mem_cgroup *memcg);
#endif

#endif /* _MM_CACHE_EXT_SHARED_H */
