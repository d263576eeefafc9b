// SPDX-License-Identifier: GPL-2.0
/*
 * Files: readahead, when a page is missing, when the reader comes to a page that
 * was marked, and around a fault of a mapping.
 *
 * The pages of the request itself are read whatever the policy says. Targets are
 * read in runs of pages that are not cached, by page_cache_ra_unbounded(), so in
 * small folios. One page of them is marked, so that the policy is asked again when
 * the reader comes to it.
 *
 * Left to the kernel: files opened for random access (FMODE_RANDOM, MADV_RANDOM),
 * DAX, file systems' own files, and requests while readahead is off or the cgroup's
 * I/O is congested.
 */
#include <linux/blkdev.h>
#include <linux/pagemap.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "targets.h"

static_assert(PREFETCH_RA_SEQUENTIAL == PREFETCH_EXT_SEQUENTIAL);
static_assert(PREFETCH_RA_MARKER == PREFETCH_EXT_MARKER);
static_assert(PREFETCH_RA_MAPPED == PREFETCH_EXT_MAPPED);

#define NO_PAGE	(~0ULL)

static struct folio *cached(struct address_space *mapping, pgoff_t index)
{
	struct folio *folio = xa_load(&mapping->i_pages, index);

	return xa_is_value(folio) ? NULL : folio;
}

static bool is_cached(struct address_space *mapping, pgoff_t index)
{
	return cached(mapping, index);
}

static bool is_governed(const struct readahead_control *ractl)
{
	const struct inode *inode = ractl->mapping->host;

	return ractl->file && S_ISREG(inode->i_mode) && !IS_DAX(inode);
}

static void insert(struct prefetch_ext_targets *t, u64 index)
{
	unsigned int i = t->nr++;

	for (; i && t->index[i - 1] > index; i--)
		t->index[i] = t->index[i - 1];
	t->index[i] = index;
}

static bool is_target(const struct prefetch_ext_targets *t, u64 index)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->index[i] == index)
			return true;
	return false;
}

/*
 * Leaves the targets that are missing, in the order of the file. Returns the one
 * to mark, or NO_PAGE: the first that is missing of those that go on where the
 * request ends, or else of all, in the order in which the policy named them.
 */
static u64 sift(struct prefetch_ext_policy *p,
		struct prefetch_ext_file_call *call)
{
	struct address_space *mapping = call->ra.mapping;
	u64 index = call->ra.index + call->ra.wanted, marker = NO_PAGE;
	struct prefetch_ext_targets *t = &call->targets;
	unsigned int i, nr = t->nr;

	for (; marker == NO_PAGE && is_target(t, index); index++)
		if (!is_cached(mapping, index))
			marker = index;
	t->nr = 0;
	for (i = 0; i < nr; i++) {
		index = t->index[i];
		if (is_cached(mapping, index)) {
			pes_inc(p, PES_ABSENT);
			continue;
		}
		if (marker == NO_PAGE)
			marker = index;
		insert(t, index);
	}
	return marker;
}

/* Targets from number @i on that are pages in a row. */
static unsigned int run_of(const struct prefetch_ext_targets *t, unsigned int i)
{
	unsigned int n = 1;

	while (i + n < t->nr && t->index[i + n] == t->index[i] + n)
		n++;
	return n;
}

/* Pages from @first on, @nr of them, with the marker if that is among them. */
static void read_run(struct readahead_control *ractl, struct file_ra_state *ra,
		     u64 first, u64 nr, u64 marker)
{
	DEFINE_READAHEAD(run, ractl->file, ra, ractl->mapping, first);
	u64 ahead = 0;

	if (marker >= first && marker < first + nr)
		ahead = first + nr - marker;
	page_cache_ra_unbounded(&run, nr, ahead);
}

/*
 * The same for pages that no task waits for. Pages that the file system leaves
 * unread go from the cache, and are subtracted from a readahead state of their own:
 * the file's state is that of the request.
 */
static void read_ahead(struct readahead_control *ractl, u64 first, u64 nr,
		       u64 marker)
{
	struct file_ra_state ra = *ractl->ra;

	ra.start = first;
	ra.size = nr;
	ra.async_size = nr;
	read_run(ractl, &ra, first, nr, marker);
}

/* Caller: i_pages lock, so @folio neither goes nor moves. */
static void follow_one(struct prefetch_ext_policy *p, struct folio *folio,
		       struct address_space *mapping, pgoff_t index)
{
	/* The file system has left it, or there was no memory. */
	if (!folio) {
		pes_inc(p, PES_NOMEM);
		return;
	}
	/* Another cgroup has read it meanwhile. */
	if (!prefetch_ext_governs_folio(p, folio)) {
		pes_inc(p, PES_ABSENT);
		return;
	}
	pes_inc(p, PES_RA_PREFETCHED);
	if (!mapping_min_folio_order(mapping) &&
	    !prefetch_ext_mark(p, mapping, index, false))
		pes_inc(p, PES_NOMEM);
}

/* Follow what was read; it was missing before. */
static void follow(struct prefetch_ext_policy *p, struct address_space *mapping,
		   const struct prefetch_ext_targets *t)
{
	unsigned long irq;
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		/* A page that goes before it is marked would leave the mark behind. */
		xa_lock_irqsave(&mapping->i_pages, irq);
		follow_one(p, cached(mapping, t->index[i]), mapping,
			   t->index[i]);
		xa_unlock_irqrestore(&mapping->i_pages, irq);
	}
}

/*
 * What was read, as the kernel remembers it: a reader that comes to the marker is
 * then taken for sequential, and readahead goes on behind the run of @nr pages
 * from @first on.
 */
static void remember(struct file_ra_state *ra, u64 first, u64 nr, u64 marker)
{
	ra->start = first;
	ra->size = max(nr, 1ULL);
	ra->async_size = 0;
	if (marker >= first && marker < first + nr)
		ra->async_size = first + nr - marker;
}

/* The request, unless the kernel reads it, and all targets, under one plug. */
static void read_all(struct prefetch_ext_policy *p,
		     struct readahead_control *ractl,
		     struct prefetch_ext_file_call *call)
{
	const struct prefetch_ext_readahead *r = &call->ra;
	bool asked = !(r->flags & PREFETCH_EXT_MARKER);
	struct prefetch_ext_targets *t = &call->targets;
	u64 marker = sift(p, call), nr = r->wanted;
	struct blk_plug plug;
	unsigned int i, n;

	blk_start_plug(&plug);
	for (i = 0; i < t->nr && t->index[i] < r->index + nr; i++)
		;
	/* Targets that begin where the request ends are read in one run with it. */
	if (i < t->nr && t->index[i] == r->index + nr)
		nr += run_of(t, i);
	if (!t->by_default) {
		remember(ractl->ra, r->index, nr, marker);
		if (asked)
			read_run(ractl, ractl->ra, r->index, nr, marker);
	}
	for (i = 0; i < t->nr; i += n) {
		n = run_of(t, i);
		if (!t->by_default && marker == t->index[i] &&
		    marker != r->index + r->wanted)
			remember(ractl->ra, marker, n, marker);
		if (t->by_default || !asked ||
		    t->index[i] != r->index + r->wanted)
			read_ahead(ractl, t->index[i], n, marker);
	}
	blk_finish_plug(&plug);
	follow(p, r->mapping, t);
}

/* Pages from @index on that are cached, at most @most. */
static u64 cached_from(struct address_space *mapping, pgoff_t index, u64 most)
{
	u64 nr;

	rcu_read_lock();
	nr = page_cache_next_miss(mapping, index, most) - index;
	rcu_read_unlock();
	return min(nr, most);
}

/* Caller: rcu_read_lock(). Keeps the policy's counters; its programs may end then. */
static void run_program(struct prefetch_ext_policy *p,
			struct prefetch_ext_file_call *call)
{
	struct prefetch_ext_readahead *r = &call->ra;

	r->wanted = min(r->wanted, r->size - r->index);
	if (r->flags & PREFETCH_EXT_MARKER)
		r->wanted = max(cached_from(r->mapping, r->index, r->wanted),
				1ULL);
	else
		pes_add(p, PES_RA_WANTED, r->wanted);
	pes_inc(p, PES_RA_ASKED);
	prefetch_ext_targets_init(&call->targets);
	prefetch_ext_run(p, PREFETCH_EXT_FILE_READAHEAD, file_readahead, r);
	prefetch_ext_targets_count(p, &call->targets);
	if (call->targets.by_default)
		pes_inc(p, PES_RA_DEFAULTED);
	policy_ext_get(&p->life);
}

/*
 * The policy that decides on files of the current task, or NULL. Caller:
 * rcu_read_lock().
 */
static struct prefetch_ext_policy *policy_of_files(void)
{
	struct prefetch_ext_policy *p = prefetch_ext_of_current();

	return p && p->ops->file_readahead ? p : NULL;
}

/*
 * The kernel is about to read @window pages of a file from @start on, for a request
 * of @wanted pages. True: it need not. The caller holds a reference on the file.
 */
bool __prefetch_ext_readahead(struct readahead_control *ractl,
			      unsigned long wanted, pgoff_t start,
			      unsigned long window, unsigned int flags)
{
	struct address_space *mapping = ractl->mapping;
	u64 size = DIV_ROUND_UP_ULL(i_size_read(mapping->host), PAGE_SIZE);
	struct prefetch_ext_file_call call;
	struct prefetch_ext_policy *p;

	if (!is_governed(ractl) || readahead_index(ractl) >= size)
		return false;
	rcu_read_lock();
	p = policy_of_files();
	if (p) {
		call.ra = (struct prefetch_ext_readahead) {
			.mapping = mapping,
			.index = readahead_index(ractl),
			.wanted = max(wanted, 1UL),
			.start = start,
			.window = window,
			.size = size,
			.flags = flags,
		};
		run_program(p, &call);
	}
	rcu_read_unlock();
	if (!p)
		return false;
	read_all(p, ractl, &call);
	policy_ext_put(&p->life);
	return !call.targets.by_default;
}

/* Would a fault of a file's mapping ask a policy? */
bool __prefetch_ext_asks_files(void)
{
	bool asks;

	rcu_read_lock();
	asks = policy_of_files();
	rcu_read_unlock();
	return asks;
}

/* Pages of @folio, a small one, are used: by a read, a write, or a mapping. */
void __prefetch_ext_file_used(struct folio *folio)
{
	struct address_space *mapping = READ_ONCE(folio->mapping);

	if (folio_test_large(folio) || !mapping ||
	    (unsigned long)mapping & PAGE_MAPPING_FLAGS)
		return;
	prefetch_ext_use(folio_memcg(folio), mapping, folio->index, false);
}

/* @folio is about to leave the page cache, whose lock is held. */
void __prefetch_ext_file_gone(struct folio *folio)
{
	unsigned long nr = folio_nr_pages(folio);

	/* What was collapsed into a large one may have been used. */
	prefetch_ext_gone(folio_memcg(folio), folio->mapping, folio->index, nr,
			  nr == 1);
}
