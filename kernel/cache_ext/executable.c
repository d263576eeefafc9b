// SPDX-License-Identifier: GPL-2.0
/*
 * Is a folio code? Linux keeps that with the mappings of its file, and not with the
 * folio. Nothing is hooked for it: when a program asks, the mappings that cover the
 * folio are looked at.
 *
 *   bpf_cache_ext_folio_executable() ---> file's i_mmap ---> a VMA with VM_EXEC?
 *
 * Who maps and unmaps the file waits for nobody here for long, whatever programs do:
 * i_mmap_rwsem is tried, and for reading. If somebody waits for it the trylock fails,
 * so each CPU may delay him by the look that it is at. A look is at SHORT_WALK
 * mappings at most, with preemption off: no program is stopped (cpu.max) while it has
 * the lock. A file that nobody has mapped takes no lock at all.
 *
 * Lock: i_mmap_rwsem, inside all others by trylock; nothing is taken inside it.
 */
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include "cache_ext.h"
#include "kfuncs.h"

/* A library may be mapped by thousands, but what covers its code is code. */
#define SHORT_WALK	16
/* PAGE_MAPPING_FLAGS, by whichever name: what is no file's says so there. */
#define MAPPING_BITS	3UL

/* Caller: rcu_read_lock(), which keeps the inode's memory. */
static bool covered_by_code(struct address_space *mapping, pgoff_t first,
			    pgoff_t last)
{
	struct vm_area_struct *vma;
	unsigned int looks = 0;
	bool ret = false;

	if (!mapping_mapped(mapping))
		return false;
	preempt_disable();
	if (i_mmap_trylock_read(mapping)) {
		vma = vma_interval_tree_iter_first(&mapping->i_mmap, first, last);
		while (vma && looks++ < SHORT_WALK && !ret) {
			/* mprotect() changes it under other locks. */
			ret = READ_ONCE(vma->vm_flags) & VM_EXEC;
			vma = vma_interval_tree_iter_next(vma, first, last);
		}
		i_mmap_unlock_read(mapping);
	}
	preempt_enable();
	return ret;
}

/*
 * Is it the page cache's, of the policy whose program calls? Such a folio leaves its
 * policy before the page cache lets go of it. So if there is a node while the caller
 * has a reference, the folio was cached since then, and stays itself.
 */
static bool is_cached(struct folio *folio)
{
	struct cache_ext_node *node = cache_ext_own_node(folio);

	return node && cnode_state(node) != NODE_DYING;
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_folio_executable - does a folio lie in an executable mapping?
 * @folio: any folio
 *
 * Of its file, by whichever process, and whether it was ever used through that
 * mapping or not. It waits for nothing. It says false if it cannot tell: where
 * interrupts are off, while the file's mappings change, and if the first 16
 * mappings that cover the folio are no code.
 *
 * Context: from folio_added, folio_accessed, folio_evicted, folio_removed,
 * evict_folios and tick.
 * Return: true: an executable mapping covers one of its pages; false also if the
 * policy does not own it.
 */
__bpf_kfunc bool bpf_cache_ext_folio_executable(struct folio *folio)
{
	struct address_space *mapping;
	bool ret = false;

	/* What goes is no code any more: i_pages is held, and no reference is to be had. */
	if (irqs_disabled())
		return false;
	rcu_read_lock();
	if (!folio_try_get(folio))
		goto out;
	if (is_cached(folio)) {
		/* Truncation may have been here. No file's mapping has a bit of these. */
		mapping = READ_ONCE(folio->mapping);
		if (mapping && !((unsigned long)mapping & MAPPING_BITS))
			ret = covered_by_code(mapping, folio->index,
					      folio->index + folio_nr_pages(folio) - 1);
	}
	folio_put(folio);
out:
	rcu_read_unlock();
	return ret;
}

__bpf_kfunc_end_defs();
