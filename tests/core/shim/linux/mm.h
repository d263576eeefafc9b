/* SPDX-License-Identifier: GPL-2.0 */
/* Folios and page frames. What happens to them: lib/folio.c and ../world. */
#ifndef _LINUX_MM_H
#define _LINUX_MM_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/memcontrol.h>

enum pageflags {
	PG_locked,
	PG_lru,
	PG_active,
	PG_referenced,
	PG_dirty,
	PG_writeback,
	PG_workingset,
	PG_unevictable,
	PG_swapbacked,
	PG_hugetlb,
	PG_young,	/* used through a mapping since the last look */
	PG_poison,	/* its memory is broken */
	PG_head,	/* of more than one page */
	PG_code,	/* a mapping covers it that is executable */
	PG_data,	/* ... many that are not come before that */
	PG_free,	/* no folio: a page frame that nobody uses */
};

struct folio {
	unsigned long flags;
	struct list_head lru;
	struct address_space *mapping;
	unsigned long index;
	unsigned long memcg_data;
	atomic_t _refcount;
	atomic_t _mapcount;
	u8 order;
	u8 zone;
	u8 nid;
	u32 pfn;
	u32 _folio_nr_pages;	/* for generated programs; the core asks for the order */
	atomic_t _large_mapcount;	/* the same: always 0 */
};

/* Each page of a folio has a struct; only the first one's is in use. */
struct page {
	struct folio folio;
};

/* What reclaim counts for itself: nothing here. */
struct reclaim_stat {
	unsigned int nr_dirty;
};

#define PAGE_SHIFT 12
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#define PAGE_MAPPING_FLAGS 3UL

/* Where the memory that is there from the start ends; more may be plugged in. */
#define high_memory ((void *)(1UL << 30))
#define __pa(p) ((unsigned long)(p))
#define PHYS_PFN(pa) ((pa) >> PAGE_SHIFT)

/* The page frame must exist. */
struct page *pfn_to_page(unsigned long pfn);

static inline unsigned long folio_pfn(const struct folio *folio)
{
	return folio->pfn;
}

static inline unsigned int folio_order(const struct folio *folio)
{
	return READ_ONCE(folio->order);
}

static inline long folio_nr_pages(const struct folio *folio)
{
	return 1L << folio_order(folio);
}

static inline size_t folio_size(const struct folio *folio)
{
	return PAGE_SIZE << folio_order(folio);
}

static inline int folio_nid(const struct folio *folio)
{
	return folio->nid;
}

static inline int folio_zonenum(const struct folio *folio)
{
	return folio->zone;
}

static inline struct page *folio_page(struct folio *folio, unsigned long n)
{
	return (struct page *)folio + n;
}

#define SHIM_FLAG(name, flag)                                                  \
	static inline bool folio_test_##name(const struct folio *folio)        \
	{                                                                      \
		return test_bit(flag, &folio->flags);                          \
	}                                                                      \
	static inline void folio_set_##name(struct folio *folio)               \
	{                                                                      \
		set_bit(flag, &folio->flags);                                  \
	}                                                                      \
	static inline void folio_clear_##name(struct folio *folio)             \
	{                                                                      \
		clear_bit(flag, &folio->flags);                                \
	}                                                                      \
	static inline bool folio_test_clear_##name(struct folio *folio)        \
	{                                                                      \
		return test_and_clear_bit(flag, &folio->flags);                \
	}
SHIM_FLAG(locked, PG_locked)
SHIM_FLAG(lru, PG_lru)
SHIM_FLAG(active, PG_active)
SHIM_FLAG(referenced, PG_referenced)
SHIM_FLAG(dirty, PG_dirty)
SHIM_FLAG(writeback, PG_writeback)
SHIM_FLAG(workingset, PG_workingset)
SHIM_FLAG(unevictable, PG_unevictable)
SHIM_FLAG(swapbacked, PG_swapbacked)
SHIM_FLAG(hugetlb, PG_hugetlb)
SHIM_FLAG(young, PG_young)
SHIM_FLAG(poison, PG_poison)
SHIM_FLAG(code, PG_code)
SHIM_FLAG(data, PG_data)

static inline bool folio_trylock(struct folio *folio)
{
	return !test_and_set_bit(PG_locked, &folio->flags);
}

static inline void folio_unlock(struct folio *folio)
{
	bool was = test_and_clear_bit(PG_locked, &folio->flags);

	WARN_ON_ONCE(!was);
}

static inline struct mem_cgroup *folio_memcg(struct folio *folio)
{
	return (struct mem_cgroup *)(smp_load_acquire(&folio->memcg_data) &
				     ~OBJEXTS_FLAGS_MASK);
}

static inline bool folio_mapped(struct folio *folio)
{
	return atomic_read(&folio->_mapcount) > 0;
}

bool folio_try_get(struct folio *folio);
void folio_put(struct folio *folio);
void folio_put_refs(struct folio *folio, int refs);

static inline loff_t folio_pos(const struct folio *folio)
{
	return (loff_t)folio->index << PAGE_SHIFT;
}

unsigned long totalram_pages(void);

/* From mm/internal.h and linux/swap.h. */
bool folio_isolate_lru(struct folio *folio);
void lru_add_drain(void);
void lru_add_drain_all(void);

/* Mappings of files. */
#define VM_EXEC 4UL
struct vm_area_struct {
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
};
bool mapping_mapped(struct address_space *mapping);
bool i_mmap_trylock_read(struct address_space *mapping);
void i_mmap_unlock_read(struct address_space *mapping);
struct vm_area_struct *vma_interval_tree_iter_first(struct rb_root_cached *root,
						    unsigned long first,
						    unsigned long last);
struct vm_area_struct *vma_interval_tree_iter_next(struct vm_area_struct *vma,
						   unsigned long first,
						   unsigned long last);

/* From linux/rmap.h. */
#define VM_LOCKED 0x2000UL
int folio_referenced(struct folio *folio, int is_locked,
		     struct mem_cgroup *memcg, unsigned long *vm_flags);

#endif
