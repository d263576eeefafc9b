// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel would read ahead of a file, before it decides it: a stock kernel
 * has no place where a hook could read that. The same questions as in
 * mm/readahead.c of 6.12, for what file_readahead is told; what is read if the
 * policy leaves it to the kernel, the kernel decides.
 *
 * Faults of mappings are not seen: read-around goes past these functions, and
 * nothing that can be hooked knows which page is faulted.
 */
#include <linux/backing-dev.h>
#include <linux/log2.h>
#include <linux/pagemap.h>
#include <linux/prefetch_ext.h>
#include "module.h"

static unsigned long most_pages(const struct readahead_control *ractl,
				unsigned long wanted)
{
	unsigned long io = inode_to_bdi(ractl->mapping->host)->io_pages;
	unsigned long most = ractl->ra->ra_pages;

	return wanted > most && io > most ? min(wanted, io) : most;
}

/* Is readahead on for the file and the task? */
static bool reads_ahead(const struct readahead_control *ractl)
{
	return ractl->file && !(ractl->file->f_mode & FMODE_RANDOM) &&
	       ractl->ra->ra_pages && !blk_cgroup_congested();
}

/* The first window of a stream: larger than what is wanted, if that is little. */
static unsigned long first_window(unsigned long wanted, unsigned long most)
{
	unsigned long window = roundup_pow_of_two(wanted);

	if (window <= most / 32)
		return window * 4;
	return window <= most / 4 ? window * 2 : most;
}

static unsigned long next_window(unsigned long window, unsigned long most)
{
	if (window < most / 16)
		return window * 4;
	return window <= most / 2 ? window * 2 : most;
}

/* A page is missing. True: all is read. */
bool cache_ext_prefetch_sync(struct readahead_control *ractl,
			     unsigned long wanted)
{
	pgoff_t index = readahead_index(ractl), gap;
	unsigned long most, before;
	unsigned long window;

	if (!reads_ahead(ractl))
		return false;
	most = most_pages(ractl, wanted);
	before = (unsigned long long)ractl->ra->prev_pos >> PAGE_SHIFT;
	if (!index || wanted > most || index - before <= 1) {
		window = first_window(wanted, most);
	} else {
		/* What is cached before it may be of a stream. */
		rcu_read_lock();
		gap = page_cache_prev_miss(ractl->mapping, index - 1, most);
		rcu_read_unlock();
		before = index - gap - 1;
		if (before <= wanted)
			return __prefetch_ext_readahead(ractl, wanted, index,
							wanted, 0);
		if (gap == ULONG_MAX)
			before *= 2;
		window = min(before + wanted, most);
	}
	return __prefetch_ext_readahead(ractl, min(wanted, most), index, window,
					PREFETCH_RA_SEQUENTIAL);
}

/* A reader came to @folio, which is marked. True: all is read. */
bool cache_ext_prefetch_async(struct readahead_control *ractl,
			      struct folio *folio, unsigned long wanted)
{
	pgoff_t index = readahead_index(ractl), start, expected;
	struct file_ra_state *ra = ractl->ra;
	unsigned int flags = PREFETCH_RA_MARKER;
	unsigned long most, window = 0;

	if (!reads_ahead(ractl) || folio_test_writeback(folio))
		return false;
	most = most_pages(ractl, wanted);
	expected = round_down(ra->start + ra->size - ra->async_size,
			      folio_nr_pages(folio));
	start = index;
	if (index == expected) {
		start = ra->start + ra->size;
		window = max_t(unsigned long, ra->size,
			       next_window(ra->size, most));
	} else {
		/* Of another stream: it goes on behind what is cached. */
		rcu_read_lock();
		expected = page_cache_next_miss(ractl->mapping, index + 1, most);
		rcu_read_unlock();
		if (expected && expected - index <= most) {
			start = expected;
			window = next_window(start - index + wanted, most);
		}
	}
	if (window)
		flags |= PREFETCH_RA_SEQUENTIAL;
	/* The kernel does so, too, and before it reads. */
	folio_clear_readahead(folio);
	return __prefetch_ext_readahead(ractl, min(wanted, most), start, window,
					flags);
}
