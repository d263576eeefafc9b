// SPDX-License-Identifier: GPL-2.0
#include "world.h"
#include "glue.h"

struct task_struct the_task;
struct prefetch_ext_policy *prefetch_ext_running;
bool bpf_stats_enabled_key;
unsigned int policies_freed;
void (*at_allocation)(void);
int rcu_readers;
static struct prefetch_ext_policy *governs;

/* ---- Locks, memory, time ---------------------------------------------------------------------------------------------- */

void spin_lock_init(spinlock_t *lock)
{
	pthread_mutex_init(&lock->mutex, NULL);
	lock->held = false;
}

void spin_lock(spinlock_t *lock)
{
	pthread_mutex_lock(&lock->mutex);
	lock->held = true;
}

void spin_unlock(spinlock_t *lock)
{
	lock->held = false;
	pthread_mutex_unlock(&lock->mutex);
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	(void)gfp;
	if (at_allocation)
		at_allocation();
	return calloc(1, (size_t)cache);
}

unsigned int clock_reads;

u64 ktime_get_ns(void)
{
	clock_reads++;
	return 0;
}

long long seconds;

long long ktime_get_seconds(void)
{
	return seconds;
}

/* ---- Files --------------------------------------------------------------------------------------------------------- */

struct a_file *file_new(void)
{
	struct a_file *f = calloc(1, sizeof(*f));

	f->inode.i_mode = S_IFREG;
	f->inode.i_size = FILE_PAGES * PAGE_SIZE;
	f->inode.i_mapping = &f->mapping;
	f->mapping.host = &f->inode;
	spin_lock_init(&f->mapping.i_pages.lock);
	spin_lock_init(&f->file.f_lock);
	f->file.f_inode = &f->inode;
	f->file.f_mapping = &f->mapping;
	f->file.f_ra.ra_pages = 32;
	return f;
}

static void add_page(struct a_file *f, pgoff_t index)
{
	struct folio *folio = calloc(1, sizeof(*folio));

	*folio = (struct folio){ &f->mapping, index };
	f->mapping.i_pages.pages[index] = folio;
}

/* As __filemap_remove_folio(). */
static void remove_locked(struct a_file *f, pgoff_t index)
{
	struct folio *folio = f->mapping.i_pages.pages[index];

	if (!folio)
		return;
	__prefetch_ext_file_gone(folio);
	f->mapping.i_pages.pages[index] = NULL;
	free(folio);
}

void file_remove_page(struct a_file *f, pgoff_t index)
{
	spin_lock(&f->mapping.i_pages.lock);
	remove_locked(f, index);
	spin_unlock(&f->mapping.i_pages.lock);
}

void file_free(struct a_file *f)
{
	for (pgoff_t i = 0; i < FILE_PAGES; i++)
		file_remove_page(f, i);
	free(f);
}

void file_open(struct a_file *f)
{
	f->file.f_mode = FMODE_READ | FMODE_WRITE;
	__prefetch_ext_file_opened(&f->file);
}

void file_read(struct a_file *f, pgoff_t index)
{
	file_add_page(f, index);
	__prefetch_ext_file_read(&f->file, index * PAGE_SIZE, PAGE_SIZE, 0);
}

void file_read_ahead(struct a_file *f, pgoff_t index)
{
	struct readahead_control ractl = { .file = &f->file, .mapping = &f->mapping, .ra = &f->file.f_ra, ._index = index };

	if (!__prefetch_ext_readahead(&ractl, 1, index, 1, 0))
		abort();
}

static void file_written(struct a_file *f, pgoff_t index, int flags)
{
	struct kiocb iocb = { .ki_filp = &f->file, .ki_pos = (index + 1) * PAGE_SIZE, .ki_flags = flags };

	__prefetch_ext_file_written(&iocb, PAGE_SIZE, false);
}

void file_write_nowait(struct a_file *f, pgoff_t index)
{
	file_written(f, index, IOCB_NOWAIT);
}

void file_add_page(struct a_file *f, pgoff_t index)
{
	spin_lock(&f->mapping.i_pages.lock);
	if (!f->mapping.i_pages.pages[index])
		add_page(f, index);
	spin_unlock(&f->mapping.i_pages.lock);
}

struct folio *file_write(struct a_file *f, pgoff_t index, bool in_use)
{
	file_add_page(f, index);
	f->mapping.i_pages.pages[index]->in_use = in_use;
	file_written(f, index, 0);
	return READ_ONCE(f->mapping.i_pages.pages[index]);
}

static struct a_file *file_of(struct address_space *mapping)
{
	return container_of(mapping, struct a_file, mapping);
}

void page_cache_ra_unbounded(struct readahead_control *ractl, unsigned long nr, unsigned long ahead)
{
	struct a_file *f = file_of(ractl->mapping);

	(void)ahead;
	if (rcu_readers)
		abort();
	if (f->before_io)
		f->before_io(f);
	for (pgoff_t i = ractl->_index; i < ractl->_index + nr; i++) {
		if (f->mapping.i_pages.pages[i])
			continue;
		add_page(f, i);
		if (!f->takes_most || i - ractl->_index < f->takes_most)
			continue;
		/* As read_pages() does with what the file system has left. */
		ractl->ra->size--;
		if (!ractl->ra->async_size)
			continue;
		ractl->ra->async_size--;
		file_remove_page(f, i);
	}
}

int filemap_fdatawrite_wbc(struct address_space *mapping, struct writeback_control *wbc)
{
	struct a_file *f = file_of(mapping);

	(void)wbc;
	if (f->before_io)
		f->before_io(f);
	return 0;
}

int filemap_fdatawait_range_keep_errors(struct address_space *mapping, loff_t start, loff_t end)
{
	(void)mapping;
	(void)start;
	(void)end;
	return 0;
}

pgoff_t page_cache_next_miss(struct address_space *mapping, pgoff_t index, unsigned long most)
{
	for (; most && mapping->i_pages.pages[index]; most--)
		index++;
	return index;
}

unsigned int filemap_get_folios(struct address_space *mapping, pgoff_t *index, pgoff_t last, struct folio_batch *batch)
{
	for (; *index <= last && *index < FILE_PAGES && batch->nr < 15; ++*index)
		if (mapping->i_pages.pages[*index])
			batch->folios[batch->nr++] = mapping->i_pages.pages[*index];
	return batch->nr;
}

unsigned long mapping_evict_folio(struct address_space *mapping, struct folio *folio)
{
	if (READ_ONCE(folio->in_use) || READ_ONCE(folio->written))
		return 0;
	file_remove_page(file_of(mapping), folio->index);
	return 1;
}

struct backing_dev_info *inode_to_bdi(struct inode *inode)
{
	static struct backing_dev_info bdi = { 32, 32 };

	(void)inode;
	return &bdi;
}

/* ---- Policies ------------------------------------------------------------------------------------------------------ */

void prefetch_ext_free(struct kref *kref)
{
	struct prefetch_ext_policy *p = container_of(kref, struct prefetch_ext_policy, refs);

	free(p->stats);
	free(p);
	__atomic_add_fetch(&policies_freed, 1, __ATOMIC_SEQ_CST);
}

/* By number. */
static struct prefetch_ext_policy *policies[PREFETCH_EXT_MAX_ID + 1];

struct prefetch_ext_policy *policy_new(struct prefetch_ext_ops *ops)
{
	struct prefetch_ext_policy *p = calloc(1, sizeof(*p));
	static u32 id;

	if (++id > PREFETCH_EXT_MAX_ID)
		abort();
	p->id = id;
	policies[id] = p;
	p->ops = ops;
	p->stats = calloc(1, sizeof(*p->stats));
	kref_init(&p->refs);
	prefetch_ext_late_init(p);
	prefetch_ext_act_init(p);
	governs = p;
	return p;
}

void policy_govern(struct prefetch_ext_policy *p)
{
	governs = p;
}

bool policy_end(struct prefetch_ext_policy *p)
{
	if (governs == p)
		governs = NULL;
	p->dead = true;
	/* synchronize_rcu() would wait. */
	if (rcu_readers)
		return false;
	p->ops = NULL;
	policies[p->id] = NULL;
	prefetch_ext_leave_none(p->id);
	prefetch_ext_unmark_all(p);
	prefetch_ext_forget(p);
	return true;
}

struct prefetch_ext_policy *prefetch_ext_of_current(void)
{
	if (!rcu_readers)
		abort();
	return governs && !governs->dead ? governs : NULL;
}

struct prefetch_ext_policy *prefetch_ext_of_mm(struct mm_struct *mm)
{
	(void)mm;
	return prefetch_ext_of_current();
}

struct prefetch_ext_policy *prefetch_ext_policy_of_id(u32 id)
{
	return policies[id];
}

/* Whose slots they are: of a policy that still has its cgroup. */
bool prefetch_ext_governs(const struct prefetch_ext_policy *p, struct mem_cgroup *memcg)
{
	return p->memcg == memcg;
}

struct prefetch_ext_policy *prefetch_ext_policy_of(struct mem_cgroup *memcg)
{
	(void)memcg;
	return governs;
}

void prefetch_ext_judge(struct prefetch_ext_policy *p, bool wasted)
{
	(void)p;
	(void)wasted;
}

bool prefetch_ext_is_ours(const struct bpf_prog *prog)
{
	return prog;
}

int prefetch_ext_glue_kfuncs(const struct btf_kfunc_id_set *set)
{
	return set ? 0 : -EINVAL;
}

int holds, inodes_held, drains;

void prefetch_ext_glue_hold(void)
{
	__atomic_add_fetch(&holds, 1, __ATOMIC_SEQ_CST);
}

void prefetch_ext_glue_release(void)
{
	__atomic_sub_fetch(&holds, 1, __ATOMIC_SEQ_CST);
}

void cache_ext_life_error(struct cache_ext_life *l, s32 code, const char *message)
{
	(void)l;
	(void)code;
	(void)message;
}

void cache_ext_life_exit(struct cache_ext_life *l, enum cache_ext_exit_kind kind, s32 code, const char *message)
{
	(void)l;
	(void)kind;
	(void)code;
	(void)message;
}
