// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include "world.h"
#include "glue.h"

bool bpf_stats_enabled_key;
unsigned int policies_freed;
void (*at_allocation)(void);

struct mem_cgroup root = { NULL, NULL, 1UL << 40 };
struct mem_cgroup group = { &root, NULL, ULONG_MAX };
struct mem_cgroup below = { &group, NULL, ULONG_MAX };
struct mem_cgroup elsewhere = { &root, NULL, ULONG_MAX };
struct task_struct the_task = { .memcg = &group }, *acting = &the_task;

/* ---- Locks, memory, time ---------------------------------------------------------------------------------------------- */

void spin_lock_init(spinlock_t *lock)
{
	pthread_mutex_init(&lock->mutex, NULL);
	lock->held = false;
}

void (*before_lock)(spinlock_t *lock);

void spin_lock(spinlock_t *lock)
{
	if (before_lock)
		before_lock(lock);
	pthread_mutex_lock(&lock->mutex);
	lock->held = true;
}

void spin_unlock(spinlock_t *lock)
{
	lock->held = false;
	pthread_mutex_unlock(&lock->mutex);
}

int rcu_readers;
static pthread_mutex_t dead_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rcu_head *dead;

/* What was left to RCU before nobody was reading. */
static void free_dead(void)
{
	struct rcu_head *head, *all = NULL;

	pthread_mutex_lock(&dead_lock);
	if (!READ_ONCE(rcu_readers)) {
		all = dead;
		dead = NULL;
	}
	pthread_mutex_unlock(&dead_lock);
	while ((head = all)) {
		all = head->next;
		head->func(head);
	}
}

void rcu_read_unlock(void)
{
	if (!__atomic_sub_fetch(&rcu_readers, 1, __ATOMIC_SEQ_CST) && READ_ONCE(dead))
		free_dead();
}

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	pthread_mutex_lock(&dead_lock);
	head->func = func;
	head->next = dead;
	WRITE_ONCE(dead, head);
	pthread_mutex_unlock(&dead_lock);
	free_dead();
}

size_t rcu_offset;

void free_mark_rcu(struct rcu_head *head)
{
	free((char *)head - rcu_offset);
}

unsigned int failures;	/* of 1024 insertions into tables */

bool shim_fails(gfp_t gfp)
{
	(void)gfp;
	return failures && (unsigned int)random() % 1024 < failures;
}

void shim_pass_by(void)
{
}

void shim_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
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

	*folio = (struct folio){ .mapping = &f->mapping, .index = index, .memcg = the_task.memcg };
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

/* As filemap_read() and generic_perform_write() do with what is not cached. */
static void bring_in(struct a_file *f, pgoff_t index, bool reads)
{
	if (!READ_ONCE(f->mapping.i_pages.pages[index]))
		f->disk_reads += reads;
	file_add_page(f, index);
}

void file_read_bytes(struct a_file *f, loff_t pos, size_t count)
{
	for (pgoff_t i = pos / PAGE_SIZE; i <= (pos + count - 1) / PAGE_SIZE; i++)
		bring_in(f, i, true);
	__prefetch_ext_file_read(&f->file, pos, count, 0);
}

void file_write_bytes(struct a_file *f, loff_t pos, size_t count, bool nowait)
{
	struct kiocb iocb = { .ki_filp = &f->file, .ki_pos = pos + count, .ki_flags = nowait ? IOCB_NOWAIT : 0 };

	for (pgoff_t i = pos / PAGE_SIZE; i <= (pos + count - 1) / PAGE_SIZE; i++) {
		loff_t begins = i * PAGE_SIZE, ends = begins + PAGE_SIZE;
		bool keeps = begins < pos || (ends > iocb.ki_pos && iocb.ki_pos < f->inode.i_size);

		/* Of a page that is written in part, the rest comes from the disk, if the file has any there. */
		bring_in(f, i, keeps && begins < f->inode.i_size);
	}
	if (f->inode.i_size < iocb.ki_pos)
		f->inode.i_size = iocb.ki_pos;
	__prefetch_ext_file_written(&iocb, count, false);
}

void file_close(struct a_file *f)
{
	__prefetch_ext_file_closed(&f->file);
}

pgoff_t file_cached(struct a_file *f, pgoff_t *last)
{
	pgoff_t nr = 0;

	for (pgoff_t i = 0; i < FILE_PAGES; i++) {
		if (!READ_ONCE(f->mapping.i_pages.pages[i]))
			continue;
		nr++;
		*last = i;
	}
	return nr;
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

	if (f->before_io)
		f->before_io(f);
	f->flushed_from = wbc->range_start;
	f->flushed_to = wbc->range_end;
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

/* ---- /proc ----------------------------------------------------------------------------------------------------------- */

int (*show_stat)(struct seq_file *m, void *v);
void (*while_shown)(void);
unsigned int ended_shown;

void seq_printf(struct seq_file *m, const char *format, ...)
{
	va_list args;

	if (prefetch_ext_mutex.held)
		shim_die("statistics are written under the mutex");
	if (while_shown) {
		void (*once)(void) = while_shown;

		while_shown = NULL;
		once();
	}
	va_start(args, format);
	m->length += (size_t)vsnprintf(m->text + m->length, sizeof(m->text) - m->length, format, args);
	va_end(args);
}

void proc_create_single(const char *name, int mode, struct proc_dir_entry *dir, int (*show)(struct seq_file *m, void *v))
{
	(void)name;
	(void)mode;
	(void)dir;
	show_stat = show;
}

void policy_ext_exit_show(struct seq_file *m, const struct policy_ext_exit *exit)
{
	if (exit->kind)
		seq_printf(m, " exit=%s", exit->message);
}

void policy_ext_ended_show(struct seq_file *m, const struct policy_ext_ended *ended)
{
	(void)m;
	if (!prefetch_ext_mutex.held || ended != &prefetch_ext_type.ended)
		abort();
	ended_shown++;
}

/* ---- Policies ------------------------------------------------------------------------------------------------------ */

DEFINE_MUTEX(prefetch_ext_mutex);
LIST_HEAD(prefetch_ext_policies);

struct policy_ext_type prefetch_ext_type = { .lock = &prefetch_ext_mutex, .all = &prefetch_ext_policies };

void policy_ext_free(struct kref *kref)
{
	struct prefetch_ext_policy *p = container_of(kref, struct prefetch_ext_policy, life.refs);

	free(p->stats);
	free(p);
	__atomic_add_fetch(&policies_freed, 1, __ATOMIC_SEQ_CST);
}

unsigned long hash_visited;

/* In place of the one that is there; NULL: of nobody. Hooks find one of the two meanwhile. */
static void publish(struct mem_cgroup *memcg, struct prefetch_ext_policy *p)
{
	struct prefetch_ext_policy *old = memcg->policy;

	if (old == p)
		return;
	if (p)
		prefetch_ext_glue_publish(p);
	if (old)
		prefetch_ext_glue_hide(old);
	memcg->policy = p;
}

struct prefetch_ext_policy *policy_new(struct prefetch_ext_ops *ops)
{
	struct prefetch_ext_policy *p = calloc(1, sizeof(*p));

	p->ops = ops;
	p->life.memcg = &group;
	p->stats = calloc(1, sizeof(*p->stats));
	p->watchdog.percent = PREFETCH_EXT_WASTE_PERCENT;
	spin_lock_init(&p->watchdog.lock);
	kref_init(&p->life.refs);
	if (prefetch_ext_find_add(p) || prefetch_ext_marks_init(p))
		abort();
	prefetch_ext_late_init(p);
	prefetch_ext_act_init(p);
	publish(&group, p);
	return p;
}

void policy_govern(struct prefetch_ext_policy *p)
{
	publish(p ? p->life.memcg : &group, p);
}

void policy_move(struct prefetch_ext_policy *p, struct mem_cgroup *memcg)
{
	if (p->life.memcg->policy == p)
		publish(p->life.memcg, NULL);
	p->life.memcg = memcg;
	publish(memcg, p);
}

bool policy_end(struct prefetch_ext_policy *p)
{
	p->life.dead = true;
	if (p->life.memcg->policy == p)
		publish(p->life.memcg, NULL);
	/* synchronize_rcu() would wait. */
	if (rcu_readers)
		return false;
	p->ops = NULL;
	prefetch_ext_find_del(p);
	prefetch_ext_leave_none(p->id);
	prefetch_ext_find_free(p);
	prefetch_ext_unmark_all(p);
	policy_ext_put(&p->life);
	return true;
}

bool mem_cgroup_is_descendant(struct mem_cgroup *memcg, struct mem_cgroup *top)
{
	while (memcg && memcg != top)
		memcg = memcg->parent;
	return memcg;
}

int xa_alloc(struct xarray *xa, u32 *id, void *entry, u32 most, gfp_t gfp)
{
	(void)gfp;
	for (*id = 1; *id <= most; ++*id) {
		if (READ_ONCE(xa->pages[*id]))
			continue;
		WRITE_ONCE(xa->pages[*id], entry);
		return 0;
	}
	return -EBUSY;
}

unsigned long policy_ext_limit(struct mem_cgroup *memcg)
{
	unsigned long limit = ULONG_MAX;

	for (; memcg; memcg = memcg->parent)
		limit = min(limit, memcg->limit);
	return limit;
}

bool prefetch_ext_is_ours(const struct bpf_prog *prog)
{
	return prog;
}

const struct btf_kfunc_id_set *registered;

int prefetch_ext_glue_kfuncs(const struct btf_kfunc_id_set *set)
{
	registered = set;
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

/* As in life.c: the first reason counts. */
void policy_ext_exit(struct policy_ext_life *l, enum policy_ext_exit_kind kind, s32 code, const char *message)
{
	if (l->exit.kind)
		return;
	l->exit.kind = kind;
	l->exit.code = code;
	snprintf(l->exit.message, sizeof(l->exit.message), "%s", message);
}
