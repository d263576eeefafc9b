/* SPDX-License-Identifier: GPL-2.0 */
/* Between drivers/agree.c and the policy that it drives. */
#ifndef CORE_AGREE_H
#define CORE_AGREE_H

#include <linux/types.h>

struct folio;
struct mem_cgroup;

/* policy.c: the generated struct cache_ext_ops, whose members are BPF programs. */
extern const void *const agree_ops;
extern const unsigned int agree_ops_size;

/* What the loader does before the attach: params, inputs, the seed. */
void agree_param(unsigned int n, u64 value);
void agree_input(unsigned int n, const u64 key[3], u64 value);
void agree_array(unsigned int n, u64 index, u64 value);
void agree_seed(u64 seed);
/* 0: the policy has no `every ... ms`. */
u64 agree_tick_ms(struct mem_cgroup *memcg);
u64 agree_pin_pages(struct mem_cgroup *memcg);
/* ... and the sizes of ghosts, tables and arrays. In init, where capacity is known. */
void agree_sizes(struct mem_cgroup *memcg);
/* After that. */
u32 agree_nr_lists(void);

/* To standard output, a word each, after a space. */
void agree_show_states(void);
void agree_show_record(struct folio *folio);
/* Lines of their own. */
void agree_show_ghosts(void);
void agree_show_tables(struct mem_cgroup *memcg);

/* The inode number of the file that programs find to be @file. */
u64 agree_inode(u64 file);

/* helpers.c: the task, and the time in nanoseconds. */
extern u64 agree_task, agree_now;

/* Where the variable at @address is, of which the object has a part only. */
u64 agree_place(u64 address);
/* It has so many bytes, all 0. */
void agree_grow(const volatile void *at, size_t bytes);
/* @pages: @key is a file, the first and the last index; else it is @key[0]. */
void agree_put(const void *map, bool pages, const u64 key[3], s64 value);

/* programs.c: the policy governs @memcg from now on. */
void agree_attach(struct mem_cgroup *memcg, u64 capacity);
void agree_limit(struct mem_cgroup *memcg);
/* show.c. The first files of the world are nobody's: admission is not asked of them. */
#define AGREE_OTHERS 2
void agree_show_name(struct folio *folio);
void agree_show_event(struct mem_cgroup *memcg, struct folio *folio);
void agree_show_lists(struct mem_cgroup *memcg);
void agree_show_statistics(struct mem_cgroup *memcg);

/* agree.c: a call of evict_folios() has proposed something. */
struct cache_ext_request;
void agree_proposed(struct cache_ext_request *r);
/* Does the policy have `every ... ms`? */
extern bool agree_by_time;

#endif
