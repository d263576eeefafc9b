/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small machine around the core: files with a page cache, cgroups, reclaim, and
 * policies whose programs do what they like. Whatever is decided is decided by
 * shim_pick(), so a run is repeated by repeating what that returns.
 *
 *   world.c	events, one after another
 *   pages.c	folios come, are used, go
 *   change.c	folios become others: migration, replacing, split, collapse
 *   reclaim.c	what mm/vmscan.c and mm/truncate.c do for the core
 *   cgroups.c	cgroups come and go
 *   policies.c	policies come, replace each other, and go
 *   programs.c	their programs
 *   check.c	is what the core knows what is there?
 */
#ifndef WORLD_H
#define WORLD_H

#include <linux/mm.h>
#include "../../../kernel/cache_ext/cache_ext.h"
#include "../../../kernel/cache_ext/glue.h"
#include "../lib/shim.h"

#define FILES 6
#define CGROUPS 8
#define POLICIES 12
#define MAX_ORDER 3

struct file {
	struct address_space mapping;
	struct inode inode;
	struct hlist_node name;
	unsigned int pages;	/* that it has */
};

/* How a policy's programs decide. */
enum style {
	STYLE_CHAOS,	/* any call that the verifier lets through */
	STYLE_FIFO,
	STYLE_LRU,
	STYLE_MRU,
	STYLE_LFU,	/* by bpf_cache_ext_select() */
	STYLE_OFFER,
	STYLE_STARVE,	/* proposes nothing */
	STYLES,
};

struct policy {
	struct cache_ext_ops ops;
	struct bpf_prog progs[CACHE_EXT_MEMBERS];
	struct bpf_link link;
	enum style style;
	bool used;	/* somebody has a reference */
	bool linked;	/* it has a link */
	int refs;	/* of its link, and of the core, which may run its programs */
	bool direct;	/* programs are called through @progs */
	bool running;	/* its init has returned 0; exit has not begun */
	bool told;	/* of a folio, so it is attached */
	unsigned int lists;
	/* Which frames' folios it owns, as its programs are told. One thread only. */
	u8 *has;
};

struct world {
	struct file files[FILES];
	struct mem_cgroup *cgroups[CGROUPS];	/* online, or NULL */
	struct policy policies[POLICIES];
	struct mutex bpf;		/* one attach, detach, update at a time */
	struct mutex cgroup;		/* one that comes or goes at a time */
	bool shadow;			/* policies' @has is kept: one thread */
	unsigned int moving;		/* folios that @has does not follow yet */
	enum style style;		/* of all policies; STYLES: any */
	unsigned int hostile;		/* of 1024 programs: they end the policy */
};

/* What happened, for the report at the end. */
struct counts {
	unsigned long events;
	unsigned long added, accessed, removed, migrated, replaced, split,
		collapsed;
	unsigned long requests, reclaimed, reclaimed_by_kernel, lost;
	unsigned long attached, refused, detached, updated, cgroups;
	unsigned long programs, kfuncs;
	unsigned long foreign;	/* calls for folios of other policies */
	unsigned long nested, checks, worlds;
};

extern struct world world;
extern struct counts counts;

#define COUNT(what) ((void)__atomic_fetch_add(&counts.what, 1, __ATOMIC_RELAXED))
#define COUNT_MANY(what, n)                                                    \
	((void)__atomic_fetch_add(&counts.what, (n), __ATOMIC_RELAXED))

static inline unsigned int pick(unsigned int n)
{
	return shim_pick(n);
}

static inline unsigned int frame_of(const struct folio *folio)
{
	return (const struct page *)folio - (struct page *)shim_frame(0);
}

/* world.c */
void world_start(void);
void world_start_calm(enum style style);
/* No policy; nothing fails. */
void world_start_bare(void);
void world_stop(void);
/* Something happens; what began in a gap does not wait. */
void world_event(void);
void world_print(void);

/* pages.c. A folio that is returned is referenced; NULL: none, or not now. */
struct folio *page_find(struct file *file, unsigned long index);
struct folio *page_find_any(struct file **file);
bool page_add(struct file *file, unsigned long index, unsigned int order,
	      struct mem_cgroup *memcg, bool by_read);
void page_read(void);
void page_write(void);
/* Truncation, invalidation. Caller: has a reference, which stays. */
bool page_remove(struct file *file, struct folio *folio);
void page_truncate(void);
void page_flags(void);
bool page_remove_all(void);
void page_map(void);
/* Caller: @folio is locked, i_pages; with their references. */
void page_insert(struct file *file, struct folio *folio, unsigned long index);
void page_delete(struct folio *folio);
struct file *file_of(struct folio *folio);
void page_cached(struct folio *folio, long nr);

/* change.c */
void change_migrate(void);
void change_replace(void);
void change_split(void);
void change_collapse(void);
/* Caller: @folio is locked, and has @extra references beside the page cache's. */
bool change_split_folio(struct folio *folio, unsigned int order, int extra,
			struct list_head *isolated);

/* reclaim.c */
void reclaim_some(void);
void reclaim_cgroup(struct mem_cgroup *memcg, unsigned long nr);
unsigned long reclaim_scan(struct lruvec *lruvec, unsigned long nr);
bool reclaim_folio_alone(struct folio *folio);
/* Called with what a request proposed, the last of it first, before it is reclaimed. */
extern void (*reclaim_watch)(struct list_head *folios);
/* Of the kernel's own scans; below 0: any. */
extern int reclaim_priority;

/* cgroups.c. A cgroup that is returned is referenced. */
struct mem_cgroup *cgroup_any(void);
struct mem_cgroup *cgroup_root(void);
void cgroup_create(void);
void cgroup_remove(void);
void cgroup_limits(void);
void cgroups_start(void);
void cgroups_stop(void);

/* policies.c */
void policy_attach(void);
/* One with all programs that the style has. */
void policy_attach_whole(struct mem_cgroup *memcg, enum style style);
void policy_detach(void);
void policy_update(void);
void policies_stop(void);
struct policy *policy_of_ops(const struct cache_ext_ops *ops);

/* programs.c */
void programs_init(struct policy *policy, unsigned int number);

/* check.c */
void check_all(void);

#endif
