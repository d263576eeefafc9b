// SPDX-License-Identifier: GPL-2.0
/* Which events a policy is told of. */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "cases.h"

static bool admits_nothing(struct folio *folio __maybe_unused,
			   struct mem_cgroup *memcg __maybe_unused)
{
	return false;
}

static void must_be(struct folio *folio, enum cache_ext_state state,
		    const char *else_what)
{
	struct cache_ext_node *node;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	if (!node || cnode_state(node) != state)
		shim_die("%s", else_what);
	rcu_read_unlock();
}

/*
 * A file system's own inode may look like a regular file, but has no name: its
 * folios were refused, and dropped while the file system changed them.
 */
void internal_inode(void)
{
	struct file *file = &world.files[0];
	struct folio *folio;

	file->mapping.host = &file->inode;
	file->inode.i_mode = 1;
	first->ops.admit_folio = admits_nothing;
	attach(first, group);
	folio = cached_folio(0x1000, group);
	must_be(folio, NODE_LISTED, "a file system's own folio is refused");
	drop(folio);
	file->inode.i_dentry.first = &file->name;
	folio = cached_folio(0x1001, group);
	must_be(folio, NODE_REFUSED, "a file's folio is not refused");
	drop(folio);
	detach(first);
}

/* Three accesses of a folio. Returns how many the policy is told of. */
static unsigned int accesses_told(u32 pfn, u32 flags, bool by_read,
				  unsigned int misses)
{
	const u64 *nr;
	struct folio *folio;
	unsigned int i;

	told = 0;
	first->ops.folio_accessed = accessed;
	first->ops.flags = flags;
	attach(first, group);
	nr = this_cpu_ptr(group->cache_ext->stats)->nr;
	folio = added_folio(pfn, group, by_read);
	for (i = 0; i < 3; i++)
		cache_ext_folio_accessed(folio);
	if (nr[CES_ACCESSED] != 3 || nr[CES_MISSES] != misses)
		shim_die("accesses or misses are counted wrongly");
	drop(folio);
	detach(first);
	shim_settle();
	return told;
}

/* A first access is told to those who want it, whatever brought the folio in. */
void only_reuses(void)
{
	if (accesses_told(0x1000, 0, true, 1) != 3 ||
	    accesses_told(0x1001, 0, false, 0) != 3)
		shim_die("an access is not told");
	if (accesses_told(0x1002, CACHE_EXT_ONLY_REUSES, true, 1) != 2 ||
	    accesses_told(0x1003, CACHE_EXT_ONLY_REUSES, false, 0) != 2)
		shim_die("not only reuses are told");
}

/* A folio that is there before the policy. Returns how often it is told of uses. */
static unsigned int adoption_told(u32 pfn, u32 flags, bool used)
{
	struct folio *folio;
	unsigned int before;

	folio = cached_folio(pfn, group);
	lru_add_drain_all();
	if (used)
		folio_set_referenced(folio);
	told = 0;
	first->ops.folio_accessed = accessed;
	first->ops.flags = flags;
	attach(first, group);
	shim_settle();
	if (counted(CES_ADOPTED) != 1 || counted(CES_ADDED) ||
	    counted(CES_ACCESSED) || counted(CES_MISSES))
		shim_die("what is adopted is counted as used now");
	before = told;
	cache_ext_folio_accessed(folio);
	if (counted(CES_ACCESSED) != 1 || counted(CES_MISSES))
		shim_die("the first access of what was adopted is no hit");
	if (used && told != before + 1)
		shim_die("the policy does not know that it was used");
	drop(folio);
	detach(first);
	shim_settle();
	return before;
}

/* Adoption was counted as added, and as hits: 10,241 of them before the first read. */
void adoption_is_no_access(void)
{
	if (adoption_told(0x1000, 0, true) != 1 ||
	    adoption_told(0x1001, 0, false) != 0 ||
	    adoption_told(0x1002, CACHE_EXT_ONLY_REUSES, true) != 0)
		shim_die("uses before the adoption are told wrongly");
}

#define OTHERS	64	/* folios, of a cgroup without a policy */

/*
 * While a policy may refuse, each folio that anybody read or mapped was looked up in the
 * index. The module asks in the function, the patched kernel before it.
 */
void read_by_others(void)
{
	struct mem_cgroup *other = shim_memcg_create(parent_mem_cgroup(group), 3);
	struct file *file = &world.files[0];
	struct folio *own[OTHERS], *others[OTHERS];
	unsigned long compared;
	unsigned int i;

	file->mapping.host = &file->inode;
	file->inode.i_mode = 1;
	file->inode.i_dentry.first = &file->name;
	first->ops.admit_folio = admits_nothing;
	attach(first, group);
	shim_settle();
	for (i = 0; i < OTHERS; i++) {
		own[i] = cached_folio(0x1000 + i, group);
		others[i] = cached_folio(0x1000 + OTHERS + i, other);
	}
	lru_add_drain_all();
	compared = shim_rht_compared;
	for (i = 0; i < OTHERS; i++) {
		folio_trylock(others[i]);
		__cache_ext_folio_mapped(others[i]);
		if (!__cache_ext_may_map(others[i]))
			shim_die("a folio of another cgroup may not be mapped");
		folio_unlock(others[i]);
		__cache_ext_folio_read(&file->mapping, others[i], 0);
	}
	for (i = 0; i < OTHERS; i++)
		drop(others[i]);
	if (shim_rht_compared != compared)
		shim_die("a folio of a cgroup without a policy is looked up");
	for (i = 0; i < OTHERS; i++) {
		folio_trylock(own[i]);
		if (cache_ext_may_map(own[i]))
			shim_die("what is refused may be mapped");
		cache_ext_folio_mapped(own[i]);
		folio_unlock(own[i]);
		must_be(own[i], NODE_LISTED, "what is mapped is not admitted");
		drop(own[i]);
	}
	detach(first);
	shim_settle();
	go(other);
}

static void moves(struct folio *folio, struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_list_move(folio, 0, false);
}

static void flushes(struct folio *folio, struct mem_cgroup *memcg __maybe_unused,
		    u32 reason __maybe_unused)
{
	/* Another CPU's request, while this program takes its time. */
	cache_ext_batch_flush_all(&group->cache_ext->lists);
	if (cache_ext_node_find(folio))
		shim_die("whoever comes now finds a node that is being freed");
}

/*
 * A folio left while a batch noted its node. A flush gave the node to RCU while the index
 * still led to it, so who found it after that grace period had begun used it after its end.
 */
void removed_while_noted(void)
{
	struct folio *folio;

	first->ops.folio_accessed = moves;
	first->ops.folio_removed = flushes;
	attach(first, group);
	shim_settle();
	folio = cached_folio(0x1000, group);
	cache_ext_folio_accessed(folio);
	drop(folio);
	if (counted(CES_REMOVED) != 1 || shim_slab_objects())
		shim_die("the node of a folio that left is not freed once");
	detach(first);
	shim_settle();
}

/*
 * What waited for RCU was charged to nobody, and a program that stayed in its section had
 * as much of it as its cgroup could read in the time.
 */
void charged_until_freed(void)
{
	long charged, each;
	unsigned int i;

	first->ops.folio_data_size = 64;
	attach(first, group);
	shim_settle();
	charged = group->own_objcg.charged;
	each = group->cache_ext->kind.charge;
	rcu_read_lock();
	for (i = 0; i < 1000; i++)
		drop(cached_folio(0x1000 + i % 200, group));
	if (group->own_objcg.charged - charged != 1000 * each)
		shim_die("nodes that wait for RCU are not charged");
	rcu_read_unlock();
	rcu_barrier();
	if (group->own_objcg.charged != charged)
		shim_die("nodes that are gone are charged still");
	detach(first);
	shim_settle();
}
