// SPDX-License-Identifier: GPL-2.0
/*
 * core-cases: faults that were found, each in as few steps as show it.
 *
 *   core-cases [NAME]	all of them, or one
 */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <stdio.h>
#include <string.h>
#include "../world/kfuncs.h"
#include "../world/world.h"

/* A cgroup, below the root. */
static struct mem_cgroup *group;
static struct policy *const first = &world.policies[0];
static struct policy *const second = &world.policies[1];

/* So many times nothing happens; then whatever may fail fails. */
static unsigned int calm = -1;

unsigned int shim_pick(unsigned int n)
{
	if (!calm)
		return 0;
	calm--;
	return n - 1;
}

static s32 init(struct mem_cgroup *memcg)
{
	return bpf_cache_ext_list_create(memcg);
}

static void added(struct folio *folio, struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_list_add_tail(folio, 0);
}

static void evict(struct cache_ext_evict_ctx *ctx __maybe_unused,
		  struct mem_cgroup *memcg __maybe_unused)
{
}

static void attach(struct policy *policy, struct mem_cgroup *memcg)
{
	policy->ops.init = init;
	policy->ops.folio_added = added;
	policy->ops.evict_folios = evict;
	policy->ops.cgroup_id = memcg->cgroup.id;
	if (cache_ext_reg(&policy->ops, &policy->link))
		shim_die("the policy is not attached");
}

static void detach(struct policy *policy)
{
	cache_ext_unreg(&policy->ops, &policy->link);
}

static void go(struct mem_cgroup *memcg)
{
	memcg->css.online = false;
	shim_memcg_offline(memcg);
}

/* A folio of one page at a page frame, in the page cache. */
static struct folio *added_folio(u32 pfn, struct mem_cgroup *memcg,
				 bool by_read)
{
	struct folio *folio = &pfn_to_page(pfn)->folio;

	clear_bit(PG_free, &folio->flags);
	atomic_set(&folio->_refcount, 1);
	folio_trylock(folio);
	shim_charge(folio, memcg);
	page_insert(&world.files[0], folio, pfn % SHIM_FILE_PAGES);
	page_cached(folio, 1);
	cache_ext_folio_added(folio, GFP_KERNEL, by_read);
	shim_lru_add(folio);
	folio_unlock(folio);
	return folio;
}

static struct folio *cached_folio(u32 pfn, struct mem_cgroup *memcg)
{
	return added_folio(pfn, memcg, true);
}

static void drop(struct folio *folio)
{
	lru_add_drain_all();
	cache_ext_folio_removed(folio, CACHE_EXT_DELETED);
	page_cached(folio, -1);
	page_delete(folio);
	set_bit(PG_free, &folio->flags);
	if (folio_test_clear_lru(folio))
		list_del(&folio->lru);
	atomic_set(&folio->_refcount, 0);
	shim_uncharge(folio);
}

/*
 * The head of an XArray with nothing but index 0 is that entry: a look-up of
 * another index found it.
 */
static void alone_in_a_region(void)
{
	struct cache_ext_node *node;
	struct folio *folio;

	attach(first, group);
	folio = cached_folio(0x1000, group);
	rcu_read_lock();
	if (!cache_ext_node_lookup_fast(folio, &node) || !node)
		shim_die("the node of a folio is not found");
	if (cache_ext_node_lookup_fast(folio + 1, &node) && node)
		shim_die("a folio leads to the node of another");
	rcu_read_unlock();
	drop(folio);
	detach(first);
}

static bool adopted;

static void removed_slowly(struct folio *folio __maybe_unused,
			   struct mem_cgroup *memcg __maybe_unused,
			   u32 reason __maybe_unused)
{
	/* What the other CPU does while this program runs. */
	adopted = shim_run_worker();
}

/*
 * A nearer policy adopts a folio while another CPU, which has seen that it is the
 * nearer one's, has the far one forget it: WARN_ON_ONCE(), as if a hook was
 * missing.
 */
static void adopted_while_disowned(void)
{
	struct mem_cgroup *child;
	struct folio *folio;

	first->ops.folio_removed = removed_slowly;
	attach(first, group);
	child = shim_memcg_create(group, 3);
	cache_ext_memcg_online(child);
	shim_settle();
	folio = cached_folio(0x1000, child);
	lru_add_drain_all();
	attach(second, child);
	cache_ext_folio_accessed(folio);
	if (!adopted)
		shim_die("the adoption was not at the same time");
	shim_settle();
	drop(folio);
	detach(second);
	detach(first);
	shim_settle();
	go(child);
}

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
static void internal_inode(void)
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

static unsigned int told;

static void accessed(struct folio *folio __maybe_unused,
		     struct mem_cgroup *memcg __maybe_unused)
{
	told++;
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
static void only_reuses(void)
{
	if (accesses_told(0x1000, 0, true, 1) != 3 ||
	    accesses_told(0x1001, 0, false, 0) != 3)
		shim_die("an access is not told");
	if (accesses_told(0x1002, CACHE_EXT_ONLY_REUSES, true, 1) != 2 ||
	    accesses_told(0x1003, CACHE_EXT_ONLY_REUSES, false, 0) != 2)
		shim_die("not only reuses are told");
}

static u32 far_away(unsigned int n)
{
	/* Each in an XArray of its own, and not at its head. */
	return 0x1000 + (n << INDEX_PAGE_BITS) + XA_CHUNK_SIZE + n;
}

/*
 * Memory is short when a folio comes, a little later each time. An insertion that
 * fails halfway leaves empty nodes of the tree: cache_ext_index_exit() warned.
 */
static void short_of_memory(void)
{
	unsigned int i;

	attach(first, group);
	for (i = 0; i < 16; i++) {
		calm = i;
		shim_failures = 1;
		cached_folio(far_away(i), group);
		shim_failures = 0;
		calm = -1;
	}
	detach(first);
	for (i = 0; i < 16; i++)
		drop(&pfn_to_page(far_away(i))->folio);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "alone-in-a-region", alone_in_a_region },
	{ "adopted-while-disowned", adopted_while_disowned },
	{ "internal-inode", internal_inode },
	{ "only-reuses", only_reuses },
	{ "short-of-memory", short_of_memory },
};

static void run(unsigned int n)
{
	static const struct shim_section sections[] = { { 0x1000, 17 << 12 } };
	struct mem_cgroup *root;

	printf("%s\n", cases[n].name);
	fflush(stdout);
	memset(&world, 0, sizeof(world));
	shim_start();
	shim_frames_init(sections, ARRAY_SIZE(sections));
	cache_ext_index_init();
	if (cache_ext_nodes_init() || cache_ext_ops_init())
		shim_die("the core does not start");
	root = shim_memcg_create(NULL, 1);
	group = shim_memcg_create(root, 2);
	cases[n].run();
	shim_settle();
	cache_ext_ops_exit();
	cache_ext_index_exit();
	cache_ext_nodes_exit();
	go(group);
	go(root);
	shim_frames_exit();
	shim_stop();
}

int main(int argc, char **argv)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(cases); n++)
		if (argc < 2 || !strcmp(argv[1], cases[n].name))
			run(n);
	return 0;
}
