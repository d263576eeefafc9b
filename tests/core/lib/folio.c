// SPDX-License-Identifier: GPL-2.0
/*
 * Page frames, references, charges and the classic LRU, as far as the core can
 * tell them from the kernel's.
 *
 * New folios wait in a batch of their CPU before they come to the LRU, as in
 * mm/swap.c, with a reference. Locks: a batch's, then the LRU's, both with
 * interrupts off.
 */
#include <linux/percpu.h>
#include <stdlib.h>
#include "shim.h"

#define LRU_BATCH 5

struct lru_batch {
	spinlock_t lock;
	unsigned int nr;
	struct folio *folios[LRU_BATCH];
};

struct pglist_data shim_nodes[MAX_NUMNODES] = { { .node_id = 0 },
						{ .node_id = 1 } };
int nr_online_nodes = 1;
bool shim_mglru;

static struct page *frames;
static unsigned int nr_frames, used_frames;
static struct shim_section sections[16];
static unsigned int nr_sections;
static struct lru_batch batches[NR_CPUS];

void shim_frames_init(const struct shim_section *wanted, unsigned int nr)
{
	unsigned int i, n = 0;
	u32 pfn;

	nr_sections = nr;
	memcpy(sections, wanted, nr * sizeof(*wanted));
	nr_frames = 0;
	for (i = 0; i < nr; i++)
		nr_frames += wanted[i].nr;
	frames = calloc(nr_frames, sizeof(*frames));
	for (i = 0; i < nr; i++) {
		for (pfn = 0; pfn < wanted[i].nr; pfn++, n++) {
			frames[n].folio.pfn = wanted[i].first + pfn;
			frames[n].folio.nid = i % nr_online_nodes;
			frames[n].folio.zone = i / 2 % MAX_NR_ZONES;
			frames[n].folio.flags = BIT(PG_free);
		}
	}
	for (i = 0; i < NR_CPUS; i++)
		spin_lock_init(&batches[i].lock);
}

void shim_frames_exit(void)
{
	if (used_frames)
		shim_die("%u page frames are left", used_frames);
	free(frames);
}

unsigned int shim_nr_frames(void)
{
	return nr_frames;
}

unsigned int shim_used_frames(void)
{
	return __atomic_load_n(&used_frames, __ATOMIC_RELAXED);
}

struct folio *shim_frame(unsigned int n)
{
	return &frames[n].folio;
}

unsigned long totalram_pages(void)
{
	return nr_frames;
}

struct page *pfn_to_page(unsigned long pfn)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr_sections; i++) {
		if (pfn - sections[i].first < sections[i].nr)
			return &frames[n + pfn - sections[i].first];
		n += sections[i].nr;
	}
	shim_die("page frame %#lx does not exist", pfn);
}

void shim_set_order(struct folio *folio, unsigned int order)
{
	WRITE_ONCE(folio->order, order);
	WRITE_ONCE(folio->_folio_nr_pages, 1U << order);
	if (order)
		set_bit(PG_head, &folio->flags);
	else
		clear_bit(PG_head, &folio->flags);
}

static bool claim(struct folio *folio)
{
	return test_and_clear_bit(PG_free, &folio->flags);
}

static void begin_life(struct folio *folio, unsigned int order)
{
	__atomic_fetch_add(&used_frames, 1U << order, __ATOMIC_RELAXED);
	shim_set_order(folio, order);
	__atomic_store_n(&folio->_refcount.counter, 1, __ATOMIC_RELEASE);
}

struct folio *shim_folio_alloc_at(u32 pfn)
{
	struct folio *folio = &pfn_to_page(pfn)->folio;

	if (!claim(folio))
		shim_die("page frame %#x is in use", pfn);
	begin_life(folio, 0);
	return folio;
}

/* With one reference; NULL: none was free at the places that it looked at. */
struct folio *shim_folio_alloc(unsigned int order)
{
	unsigned int try, i, nr = 1U << order;

	for (try = 0; try < 8; try++) {
		struct folio *folio = &frames[shim_pick(nr_frames) &
					      ~(nr - 1)].folio;

		for (i = 0; i < nr; i++)
			if (!claim(folio + i))
				break;
		if (i < nr) {
			while (i--)
				set_bit(PG_free, &folio[i].flags);
			continue;
		}
		begin_life(folio, order);
		return folio;
	}
	return NULL;
}

void shim_charge(struct folio *folio, struct mem_cgroup *memcg)
{
	struct mem_cgroup *pos;

	css_get(&memcg->css);
	for (pos = memcg; pos; pos = parent_mem_cgroup(pos))
		atomic_long_add(folio_nr_pages(folio), &pos->memory.usage);
	smp_store_release(&folio->memcg_data, (unsigned long)memcg);
}

void shim_uncharge(struct folio *folio)
{
	struct mem_cgroup *memcg = folio_memcg(folio), *pos;

	if (!memcg)
		return;
	for (pos = memcg; pos; pos = parent_mem_cgroup(pos))
		atomic_long_add(-folio_nr_pages(folio), &pos->memory.usage);
	smp_store_release(&folio->memcg_data, 0UL);
	css_put(&memcg->css);
}

struct lruvec *shim_lruvec(struct folio *folio)
{
	return &folio_memcg(folio)->lruvec[folio_nid(folio)];
}

/* Caller: lru_lock. */
static void link_lru(struct lruvec *lruvec, struct folio *folio, bool link)
{
	enum lru_list lru = folio_test_active(folio) ? LRU_ACTIVE_FILE :
						       LRU_INACTIVE_FILE;
	long nr = folio_nr_pages(folio);

	if (link)
		list_add(&folio->lru, &lruvec->lists[lru]);
	else
		list_del(&folio->lru);
	update_lru_size(lruvec, lru, folio_zonenum(folio), link ? nr : -nr);
}

/* Caller: has a reference. */
static void lru_link_now(struct folio *folio)
{
	struct lruvec *lruvec = shim_lruvec(folio);

	spin_lock_irq(&lruvec->lru_lock);
	link_lru(lruvec, folio, true);
	set_bit(PG_lru, &folio->flags);
	spin_unlock_irq(&lruvec->lru_lock);
}

/* PG_lru was just cleared by the caller. */
static void lru_unlink_now(struct folio *folio)
{
	struct lruvec *lruvec = shim_lruvec(folio);

	spin_lock_irq(&lruvec->lru_lock);
	link_lru(lruvec, folio, false);
	spin_unlock_irq(&lruvec->lru_lock);
}

static void drain(struct lru_batch *batch)
{
	struct folio *folios[LRU_BATCH];
	unsigned int i, nr;

	spin_lock_irq(&batch->lock);
	nr = batch->nr;
	memcpy(folios, batch->folios, nr * sizeof(folios[0]));
	batch->nr = 0;
	spin_unlock_irq(&batch->lock);
	for (i = 0; i < nr; i++) {
		lru_link_now(folios[i]);
		folio_put(folios[i]);
	}
}

void lru_add_drain(void)
{
	drain(&batches[shim_cpu()]);
}

unsigned int shim_drains;

void lru_add_drain_all(void)
{
	unsigned int cpu;

	__atomic_fetch_add(&shim_drains, 1, __ATOMIC_RELAXED);
	for (cpu = 0; cpu < NR_CPUS; cpu++)
		drain(&batches[cpu]);
}

void shim_lru_add(struct folio *folio)
{
	struct lru_batch *batch = &batches[shim_cpu()];
	bool full;

	folio_try_get(folio);
	do {
		spin_lock_irq(&batch->lock);
		full = batch->nr == LRU_BATCH;
		if (!full)
			batch->folios[batch->nr++] = folio;
		spin_unlock_irq(&batch->lock);
		if (full)
			drain(batch);
	} while (full);
}

void shim_activate(struct folio *folio)
{
	struct lruvec *lruvec;

	/* Its charge may be moving: then it is on no LRU. */
	if (!folio_test_lru(folio) || !folio_memcg(folio))
		return;
	lruvec = shim_lruvec(folio);
	spin_lock_irq(&lruvec->lru_lock);
	if (folio_test_lru(folio) && shim_lruvec(folio) == lruvec &&
	    !folio_test_active(folio)) {
		link_lru(lruvec, folio, false);
		folio_set_active(folio);
		link_lru(lruvec, folio, true);
	}
	spin_unlock_irq(&lruvec->lru_lock);
}

void shim_lru_shrink(struct folio *folio, unsigned int order)
{
	long nr = folio_nr_pages(folio) - (1L << order);
	struct lruvec *lruvec;

	if (!folio_test_lru(folio)) {
		shim_set_order(folio, order);
		return;
	}
	lruvec = shim_lruvec(folio);
	spin_lock_irq(&lruvec->lru_lock);
	update_lru_size(lruvec, folio_test_active(folio) ? LRU_ACTIVE_FILE :
							   LRU_INACTIVE_FILE,
			folio_zonenum(folio), -nr);
	shim_set_order(folio, order);
	spin_unlock_irq(&lruvec->lru_lock);
}

bool folio_isolate_lru(struct folio *folio)
{
	if (!folio_test_clear_lru(folio))
		return false;
	if (!folio_try_get(folio))
		shim_die("a folio on the LRU without references");
	lru_unlink_now(folio);
	return true;
}

/* Whoever has isolated it gives its reference back. */
void shim_lru_putback(struct folio *folio)
{
	lru_link_now(folio);
	folio_put(folio);
}

bool folio_try_get(struct folio *folio)
{
	int was = atomic_read(&folio->_refcount);

	do {
		if (!was)
			return false;
	} while (!atomic_try_cmpxchg(&folio->_refcount, &was, was + 1));
	return true;
}

bool shim_freeze_refs(struct folio *folio, int refs)
{
	return atomic_try_cmpxchg(&folio->_refcount, &refs, 0);
}

void shim_unfreeze_refs(struct folio *folio, int refs)
{
	__atomic_store_n(&folio->_refcount.counter, refs, __ATOMIC_RELEASE);
}

/* Without the core knowing: it had to forget the folio before. */
void shim_folio_free(struct folio *folio)
{
	unsigned int i, nr = folio_nr_pages(folio);

	if (folio->mapping || atomic_read(&folio->_refcount) ||
	    folio_mapped(folio))
		shim_die("a folio is freed that is in use");
	if (folio_test_clear_lru(folio))
		lru_unlink_now(folio);
	shim_uncharge(folio);
	__atomic_fetch_sub(&used_frames, nr, __ATOMIC_RELAXED);
	WRITE_ONCE(folio->order, 0);
	for (i = 0; i < nr; i++)
		__atomic_store_n(&folio[i].flags, BIT(PG_free), __ATOMIC_RELEASE);
}

void folio_put_refs(struct folio *folio, int refs)
{
	int left = atomic_sub_return(refs, &folio->_refcount);

	if (left < 0)
		shim_die("references of a folio below 0");
	if (!left)
		shim_folio_free(folio);
}

void folio_put(struct folio *folio)
{
	folio_put_refs(folio, 1);
}

int folio_referenced(struct folio *folio, int is_locked __maybe_unused,
		     struct mem_cgroup *memcg __maybe_unused,
		     unsigned long *vm_flags)
{
	shim_might_sleep();
	if (shim_chance(50))
		*vm_flags |= VM_LOCKED;
	return folio_test_clear_young(folio);
}

/*
 * Mappings of files, as far as the core asks for them. Of a folio that is PG_data more
 * mappings than the core looks at are no code; of one that is PG_code one is.
 */
static struct vm_area_struct shim_code = { .vm_flags = VM_EXEC }, shim_data[64];

/* A short way out, for files that nobody has mapped. */
bool mapping_mapped(struct address_space *mapping __maybe_unused)
{
	return true;
}

/* The one who has it, or waits, is a case. */
bool i_mmap_trylock_read(struct address_space *mapping)
{
	if (READ_ONCE(mapping->i_mmap.changes))
		return false;
	__atomic_add_fetch(&mapping->i_mmap.readers, 1, __ATOMIC_ACQUIRE);
	return true;
}

void i_mmap_unlock_read(struct address_space *mapping)
{
	if (!__atomic_fetch_sub(&mapping->i_mmap.readers, 1, __ATOMIC_RELEASE))
		shim_die("mappings are unlocked that are not locked");
}

struct vm_area_struct *vma_interval_tree_iter_first(struct rb_root_cached *root,
						    unsigned long first,
						    unsigned long last)
{
	struct address_space *mapping =
		container_of(root, struct address_space, i_mmap);
	struct vm_area_struct *vma = NULL;
	unsigned long i;

	if (!READ_ONCE(root->readers))
		shim_die("mappings are looked at without their lock");
	for (i = first; !vma && i <= last && i < SHIM_FILE_PAGES; i++) {
		struct folio *folio = READ_ONCE(mapping->pages[i]);

		if (folio && folio_test_data(folio))
			vma = &shim_data[0];
		else if (folio && folio_test_code(folio))
			vma = &shim_code;
	}
	return vma;
}

/* Behind those that are no code comes one that is. */
struct vm_area_struct *vma_interval_tree_iter_next(struct vm_area_struct *vma,
						   unsigned long first __maybe_unused,
						   unsigned long last __maybe_unused)
{
	if (vma == &shim_code)
		return NULL;
	return vma + 1 < shim_data + ARRAY_SIZE(shim_data) ? vma + 1 : &shim_code;
}
