// SPDX-License-Identifier: GPL-2.0
/* Folios in executable mappings: what a program is told, and what it leaves behind. */
#include <linux/cache_ext.h>
#include <linux/irqflags.h>
#include <string.h>
#include "cases.h"

/* As a program of the policy that governs @group does it. */
static bool is_code(struct folio *folio)
{
	int references = atomic_read(&folio->_refcount);
	bool ret;

	begin_program();
	ret = bpf_cache_ext_folio_executable(folio);
	end_program();
	if (atomic_read(&folio->_refcount) != references)
		shim_die("a reference is left");
	if (world.files[0].mapping.i_mmap.readers)
		shim_die("the lock of the file's mappings is left");
	return ret;
}

static unsigned int asked, said;

static void removed(struct folio *folio, struct mem_cgroup *memcg __maybe_unused,
		    u32 reason __maybe_unused)
{
	asked++;
	said += bpf_cache_ext_folio_executable(folio);
}

void asked_for_code(void)
{
	struct rb_root_cached *mappings = &world.files[0].mapping.i_mmap;
	struct folio *folio;
	unsigned long flags;
	bool ret;

	first->ops.folio_removed = removed;
	attach(first, group);
	folio = cached_folio(0x1000, group);
	if (is_code(folio))
		shim_die("what nobody has mapped is code");
	folio_set_code(folio);
	if (!is_code(folio))
		shim_die("what is mapped as code is none");

	/* Who changes the mappings has the lock, or waits for it: nobody waits for him. */
	mappings->changes = true;
	if (is_code(folio))
		shim_die("mappings that change are looked at");
	mappings->changes = false;

	/* More mappings than are looked at come before the one that is code. */
	folio_set_data(folio);
	if (is_code(folio))
		shim_die("all mappings of a file are looked at");
	folio_clear_data(folio);

	begin_program();
	local_irq_save(flags);
	ret = bpf_cache_ext_folio_executable(folio);
	local_irq_restore(flags);
	end_program();
	if (ret)
		shim_die("mappings are looked at with interrupts off");

	/* Truncated, though its node is still there. */
	folio->mapping = NULL;
	if (is_code(folio))
		shim_die("a folio of no file is code");
	folio->mapping = &world.files[0].mapping;
	if (!is_code(folio))
		shim_die("it is no code any more");

	drop(folio);
	if (asked != 1 || said)
		shim_die("what is removed is code");
	detach(first);
}
