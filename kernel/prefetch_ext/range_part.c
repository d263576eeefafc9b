// SPDX-License-Identifier: GPL-2.0
/*
 * Where readers and writers have stopped inside a page. A task that goes on there needs
 * the page again. So the task is done with the page only when it has come to its end,
 * reads or writes elsewhere in the file, or closes the file.
 *
 * Each open file has one such page at most, of the task that stopped last. Another thread does
 * not end it by being elsewhere: threads that share an open file read streams of their
 * own. The table forgets: one entry takes another one's place. Then a page stays in the
 * cache, no more.
 *
 * What is remembered of a file that was closed goes by prefetch_ext_part_ends(), or when
 * another one is opened at its address.
 */
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include "prefetch_ext.h"
#include "range.h"

#define ENTRIES		1024

static struct entry {
	spinlock_t lock;	/* innermost; process context */
	const struct file *file;	/* NULL: none; looked at without the lock, too */
	const struct task_struct *task;	/* to compare with */
	struct prefetch_ext_part part;
} entries[ENTRIES];

static struct entry *place_of(const struct file *file)
{
	return &entries[hash_ptr(file, ilog2(ENTRIES))];
}

void prefetch_ext_parts_init(void)
{
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		spin_lock_init(&entries[i].lock);
}

/* Has a task stopped inside a page of @file, as far as the table remembers? */
bool prefetch_ext_in_part(const struct file *file)
{
	return READ_ONCE(place_of(file)->file) == file;
}

/*
 * The current task has read or written the pages from @first to @last of @file. @stops: and
 * has not come to the end of @last. Returns whether it is done with another page now: @left.
 */
bool prefetch_ext_part_goes_on(const struct file *file, pgoff_t first,
			       pgoff_t last, bool stops, bool written,
			       struct prefetch_ext_part *left)
{
	struct entry *e = place_of(file);
	bool elsewhere = false;

	if (likely(!stops && READ_ONCE(e->file) != file))
		return false;
	spin_lock(&e->lock);
	if (e->file == file) {
		bool inside = e->part.index >= first && e->part.index <= last;

		elsewhere = !inside && e->task == current;
		*left = e->part;
		if (inside || elsewhere)
			WRITE_ONCE(e->file, NULL);
	}
	if (stops) {
		WRITE_ONCE(e->file, file);
		e->task = current;
		e->part.index = last;
		e->part.written = written;
	}
	spin_unlock(&e->lock);
	return elsewhere;
}

/* @file is closed, or opened: no task stops in it. Returns in @left whether one did. */
bool prefetch_ext_part_ends(const struct file *file,
			    struct prefetch_ext_part *left)
{
	struct entry *e = place_of(file);
	bool found;

	if (likely(READ_ONCE(e->file) != file))
		return false;
	spin_lock(&e->lock);
	found = e->file == file;
	if (found) {
		*left = e->part;
		WRITE_ONCE(e->file, NULL);
	}
	spin_unlock(&e->lock);
	return found;
}
