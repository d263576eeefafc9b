/* SPDX-License-Identifier: GPL-2.0 */
/* Words of a folio, a kernfs node, and what is called before a folio is split. */
#ifndef _CACHE_EXT_COMPAT_FOLIO_H
#define _CACHE_EXT_COMPAT_FOLIO_H

#ifdef STOCK_FOLIO_FLAGS_STRUCT
#define stock_folio_flags(folio)	(&(folio)->flags.f)
#else
#define stock_folio_flags(folio)	(&(folio)->flags)
#endif

/* Bits of folio->mapping that say what kind of memory it is. */
#ifndef PAGE_MAPPING_FLAGS
#define PAGE_MAPPING_FLAGS		FOLIO_MAPPING_FLAGS
#endif

/* Caller: rcu_read_lock(). */
#ifdef STOCK_KERNFS_HIDDEN_PARENT
#define policy_ext_kernfs_parent(kn)	rcu_dereference((kn)->__parent)
#else
#define policy_ext_kernfs_parent(kn)	((kn)->parent)
#endif

/* Called with a folio or its first page, its order, and that of the parts. */
#if defined(STOCK_SPLIT_MEMCG_REFS)
#define STOCK_SPLIT(F) F(folio_split_memcg_refs,				\
	void (struct folio *folio, unsigned int old_order,		\
	      unsigned int new_order))
#define STOCK_SPLIT_NAME	"folio_split_memcg_refs"
#define STOCK_SPLIT_PATH						\
	"__split_huge_page_to_list_to_order", "__folio_split",		\
	"__folio_freeze_and_split_unmapped", "__split_unmapped_folio",	\
	"folio_split_memcg_refs"
#else
#define STOCK_SPLIT(F) F(split_page_memcg,					\
	void (struct page *head, int old_order, int new_order))
#define STOCK_SPLIT_NAME	"split_page_memcg"
#define STOCK_SPLIT_PATH						\
	"split_huge_page_to_list_to_order", "__split_huge_page",	\
	"split_page_memcg"
#endif
#if defined(MODULE) && !defined(STOCK_SPLIT_MEMCG_REFS) && \
	!defined(STOCK_SPLIT_PAGE_MEMCG_ORDERS)
#error "cache_ext: this kernel does not tell of splits in a way that the module knows"
#endif

#endif /* _CACHE_EXT_COMPAT_FOLIO_H */
