// SPDX-License-Identifier: GPL-2.0
/*
 * Open files that policies leave to the kernel until they are closed. A policy
 * cares about few files of its cgroup, and running its programs at each read costs
 * several times a look-up here.
 *
 * The table has no locks, and it forgets: one entry takes another one's place. Then the
 * policy is asked about a file that it left, no more. What it did not leave is not found:
 *
 *   - An entry is one word, of the address of a struct file and the policy's number.
 *   - The address of a file that was closed may be that of another one. The open
 *     calls prefetch_ext_not_left() before the file can be used.
 *   - A policy's number is not given to another one before prefetch_ext_leave_none().
 *
 * Stores are of whole words. Of two that race one is lost, no more. A user of a file
 * sees what was stored while it was opened.
 */
#include <linux/hash.h>
#include "prefetch_ext.h"

#define ENTRIES		2048	/* 16 KiB */

/*
 * The upper bits of an address in the kernel are all ones, or KASAN's tag; the lower three
 * are zero.
 */
#define ADDRESS_SHIFT	7
#define ID_BITS		(ADDRESS_SHIFT + 3)
#define ID_MASK		((1UL << ID_BITS) - 1)
static_assert(PREFETCH_EXT_MAX_ID <= ID_MASK);
static_assert(BITS_PER_LONG == 64);

static unsigned long left[ENTRIES];

static unsigned long *place_of(const struct file *file)
{
	return &left[hash_ptr(file, ilog2(ENTRIES))];
}

static unsigned long address_of(const struct file *file)
{
	return (unsigned long)file << ADDRESS_SHIFT;
}

/*
 * Programs of @p no longer run for @file, as long as the table remembers it.
 * Caller: rcu_read_lock().
 */
void prefetch_ext_leave(const struct prefetch_ext_policy *p,
			const struct file *file)
{
	WRITE_ONCE(*place_of(file), address_of(file) | p->id);
}

/* Caller: rcu_read_lock(), and then found @p. */
bool prefetch_ext_has_left(const struct prefetch_ext_policy *p,
			   const struct file *file)
{
	/* Before @p was published, all entries of its number were removed. */
	smp_rmb();
	return READ_ONCE(*place_of(file)) == (address_of(file) | p->id);
}

/* @file is being opened: nobody else has it yet. */
void prefetch_ext_not_left(const struct file *file)
{
	unsigned long *place = place_of(file);

	if ((READ_ONCE(*place) & ~ID_MASK) == address_of(file))
		WRITE_ONCE(*place, 0);
}

/* No program of the policy with the number @id runs any more. */
void prefetch_ext_leave_none(u32 id)
{
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		if ((READ_ONCE(left[i]) & ID_MASK) == id)
			WRITE_ONCE(left[i], 0);
}
