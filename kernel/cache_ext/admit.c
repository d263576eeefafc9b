// SPDX-License-Identifier: GPL-2.0
/*
 * Does the policy admit a folio that comes? If not, it has a node of NODE_REFUSED,
 * on lists of its own. refused.c tells what becomes of it.
 *
 * Only folios of files that can be opened are refused: regular ones with a name.
 * Some file systems keep folios of their directories and of internal inodes by
 * reference, and change them without the folio's lock.
 *
 * Locks: the folio's, around all changes to and from NODE_REFUSED but removal;
 * lists.lock for the lists.
 */
#include <linux/fs.h>
#include "cache_ext.h"
#include "hint.h"

/*
 * i_mode alone does not tell an internal inode. new_inode() leaves it as the slab
 * object's earlier life had it, so ext4's buddy cache may look like a regular file;
 * and others, such as btrfs's free space inodes, are regular. None has a dentry.
 * A read(2) or splice needs an open file, which has a dentry even if it is
 * unlinked. The folio is in the page cache and locked, so its inode stays.
 */
static bool may_refuse(const struct inode *inode)
{
	return S_ISREG(inode->i_mode) && !hlist_empty(&inode->i_dentry);
}

/*
 * There is a program to ask. The folio is locked and in the page cache. Caller:
 * rcu_read_lock().
 */
bool cache_ext_admits(struct cache_ext_policy *p, struct cache_ext_node *node,
		      struct folio *folio)
{
	bool ret;

	if (!may_refuse(folio->mapping->host))
		return true;
	hint_begin(node);
	cache_ext_timed(p, ret = p->ops->admit_folio(folio, p->life.memcg));
	hint_end();
	return ret;
}

/*
 * To the end of one of the two lists. node->list tells which: no number of a list of
 * programs. Caller: lists.lock.
 */
void cache_ext_refused_push(struct cache_ext_policy *p,
			    struct cache_ext_node *node, unsigned int age)
{
	/* Others read it without the lock, as that of any node. */
	WRITE_ONCE(node->list, NODE_LISTS + age);
	list_add_tail(&node->link, &p->refused[age]);
}

/* A node that is on no list. Caller: lists.lock. */
void cache_ext_refused_link(struct cache_ext_policy *p,
			    struct cache_ext_node *node)
{
	lockdep_assert_held(&p->lists.lock);
	cnode_set_state(node, NODE_REFUSED);
	cache_ext_refused_push(p, node, 0);
	WRITE_ONCE(p->nr_refused, p->nr_refused + 1);
}

/* Caller: lists.lock; sets the new state. */
void cache_ext_refused_unlink(struct cache_ext_policy *p,
			      struct cache_ext_node *node)
{
	lockdep_assert_held(&p->lists.lock);
	list_del_init(&node->link);
	WRITE_ONCE(node->list, NODE_NOWHERE);
	WRITE_ONCE(p->nr_refused, p->nr_refused - 1);
}

/* Caller: rcu_read_lock(), and has the folio locked; @p is attached. */
void cache_ext_refuse(struct cache_ext_policy *p, struct cache_ext_node *node)
{
	unsigned long irq;

	spin_lock_irqsave(&p->lists.lock, irq);
	/* Unless a nearer policy came meanwhile. */
	if (cnode_state(node) == NODE_NEW)
		cache_ext_refused_link(p, node);
	spin_unlock_irqrestore(&p->lists.lock, irq);
	ces_inc(p, CES_REFUSED_ADMISSION);
	queue_delayed_work(policy_ext_wq, &p->sweep, CACHE_EXT_SWEEP);
}
