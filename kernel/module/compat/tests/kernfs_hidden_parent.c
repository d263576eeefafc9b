// SPDX-License-Identifier: GPL-2.0
/* The parent of a kernfs node is under RCU. */
#include <linux/kernfs.h>

struct kernfs_node *parent(struct kernfs_node *kn);

struct kernfs_node *parent(struct kernfs_node *kn)
{
	return rcu_dereference(kn->__parent);
}
