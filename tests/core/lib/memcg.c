// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups: a tree whose members stay in it, offline or not, as long as anything
 * is charged to them. Lock: of the tree; nothing is taken inside it.
 */
#include <linux/cgroup.h>
#include <stdlib.h>
#include "shim.h"

static spinlock_t tree;
static LIST_HEAD(roots);
static unsigned int members;

static void free_rcu(struct rcu_head *head)
{
	free(container_of(head, struct mem_cgroup, rcu));
}

static struct mem_cgroup *of(struct cgroup_subsys_state *css)
{
	return mem_cgroup_from_css(css);
}

static void release(struct mem_cgroup *memcg)
{
	struct cgroup_subsys_state *parent = memcg->css.parent;
	unsigned int nid;
	unsigned long irq;

	if (memcg->css.online || page_counter_read(&memcg->memory))
		shim_die("a cgroup goes that is in use");
	if (memcg->own_objcg.charged || memcg->own_objcg.refs)
		shim_die("a cgroup goes that is charged for %ld bytes of nodes",
			 memcg->own_objcg.charged);
	for (nid = 0; nid < MAX_NUMNODES; nid++)
		if (memcg->lruvec[nid].cached ||
		    !list_empty(&memcg->lruvec[nid].lists[0]) ||
		    !list_empty(&memcg->lruvec[nid].lists[1]))
			shim_die("a cgroup goes that has folios");
	spin_lock_irqsave(&tree, irq);
	list_del(&memcg->sibling);
	members--;
	spin_unlock_irqrestore(&tree, irq);
	call_rcu(&memcg->rcu, free_rcu);
	if (parent)
		css_put(parent);
}

bool obj_cgroup_tryget(struct obj_cgroup *objcg)
{
	__atomic_fetch_add(&objcg->refs, 1, __ATOMIC_RELAXED);
	return true;
}

void obj_cgroup_put(struct obj_cgroup *objcg)
{
	if (__atomic_fetch_sub(&objcg->refs, 1, __ATOMIC_ACQ_REL) < 1)
		shim_die("an obj_cgroup is put too often");
}

int obj_cgroup_charge(struct obj_cgroup *objcg, gfp_t gfp, size_t size)
{
	long most = objcg->limit;

	if (shim_fails(gfp))
		return -ENOMEM;
	if (gfpflags_allow_blocking(gfp))
		most += objcg->cache;
	if (objcg->limit && objcg->charged + (long)size > most) {
		if (!(gfp & __GFP_HIGH))
			return -ENOMEM;
		objcg->forced += (long)size;
	}
	__atomic_fetch_add(&objcg->charged, size, __ATOMIC_RELAXED);
	return 0;
}

void obj_cgroup_uncharge(struct obj_cgroup *objcg, size_t size)
{
	if (__atomic_fetch_sub(&objcg->charged, size, __ATOMIC_ACQ_REL) <
	    (long)size)
		shim_die("more is uncharged than was charged");
}

void css_get(struct cgroup_subsys_state *css)
{
	atomic_add(1, &css->refs);
}

void css_put(struct cgroup_subsys_state *css)
{
	if (!atomic_sub_return(1, &css->refs))
		release(of(css));
}

static bool tryget(struct cgroup_subsys_state *css)
{
	int was = atomic_read(&css->refs);

	do {
		if (!was)
			return false;
	} while (!atomic_try_cmpxchg(&css->refs, &was, was + 1));
	return true;
}

bool css_tryget_online(struct cgroup_subsys_state *css)
{
	return READ_ONCE(css->online) && tryget(css);
}

/* Its online reference goes with shim_memcg_offline(). */
struct mem_cgroup *shim_memcg_create(struct mem_cgroup *parent, u64 id)
{
	struct mem_cgroup *memcg = calloc(1, sizeof(*memcg));
	unsigned int nid, lru;
	unsigned long irq;

	memcg->css.cgroup = &memcg->cgroup;
	memcg->css.parent = parent ? &parent->css : NULL;
	atomic_set(&memcg->css.refs, 1);
	memcg->css.online = true;
	memcg->cgroup.id = id;
	memcg->cgroup.subsys[0] = &memcg->css;
	/* Now and then a kernel that does not charge its own memory. */
	memcg->objcg = shim_chance(50) ? NULL : &memcg->own_objcg;
	memcg->memory.max = ~0UL;
	memcg->memory.high = ~0UL;
	INIT_LIST_HEAD(&memcg->children);
	for (nid = 0; nid < MAX_NUMNODES; nid++) {
		struct lruvec *lruvec = &memcg->lruvec[nid];

		spin_lock_init(&lruvec->lru_lock);
		for (lru = 0; lru < NR_LRU_LISTS; lru++)
			INIT_LIST_HEAD(&lruvec->lists[lru]);
		lruvec->memcg = memcg;
		lruvec->pgdat = NODE_DATA(nid);
	}
	if (parent)
		css_get(&parent->css);
	spin_lock_irqsave(&tree, irq);
	list_add_tail(&memcg->sibling, parent ? &parent->children : &roots);
	members++;
	spin_unlock_irqrestore(&tree, irq);
	return memcg;
}

void shim_memcg_offline(struct mem_cgroup *memcg)
{
	WRITE_ONCE(memcg->css.online, false);
	css_put(&memcg->css);
}

unsigned int shim_memcgs(void)
{
	return READ_ONCE(members);
}

/* Caller: the tree's lock. */
static struct mem_cgroup *next(struct mem_cgroup *root, struct mem_cgroup *pos)
{
	if (!list_empty(&pos->children))
		return list_first_entry(&pos->children, struct mem_cgroup,
					sibling);
	while (pos != root) {
		struct mem_cgroup *parent = parent_mem_cgroup(pos);

		if (pos->sibling.next != &parent->children)
			return list_next_entry(pos, sibling);
		pos = parent;
	}
	return NULL;
}

struct mem_cgroup *mem_cgroup_iter(struct mem_cgroup *root,
				   struct mem_cgroup *prev,
				   void *cookie __maybe_unused)
{
	struct mem_cgroup *pos = prev;
	unsigned long irq;

	spin_lock_irqsave(&tree, irq);
	do {
		pos = pos ? next(root, pos) : root;
	} while (pos && !tryget(&pos->css));
	spin_unlock_irqrestore(&tree, irq);
	if (prev)
		css_put(&prev->css);
	return pos;
}

bool mem_cgroup_is_descendant(struct mem_cgroup *memcg, struct mem_cgroup *root)
{
	for (; memcg; memcg = parent_mem_cgroup(memcg))
		if (memcg == root)
			return true;
	return false;
}

/* What is protected depends on who reclaims, and is as of the last time that somebody computed it. */
void mem_cgroup_calculate_protection(struct mem_cgroup *root,
				     struct mem_cgroup *memcg)
{
	struct mem_cgroup *parent = parent_mem_cgroup(memcg);
	bool top = !parent || parent == root || !parent_mem_cgroup(parent);

	if (!parent || memcg == root)
		return;
	WRITE_ONCE(memcg->emin, top ? READ_ONCE(memcg->min) :
		   min(READ_ONCE(memcg->min), READ_ONCE(parent->emin)));
	WRITE_ONCE(memcg->elow, top ? READ_ONCE(memcg->low) :
		   min(READ_ONCE(memcg->low), READ_ONCE(parent->elow)));
}

static bool below(struct mem_cgroup *target, struct mem_cgroup *memcg,
		  unsigned long bound)
{
	return memcg != target && bound &&
	       page_counter_read(&memcg->memory) <= bound;
}

bool mem_cgroup_below_min(struct mem_cgroup *target, struct mem_cgroup *memcg)
{
	return below(target, memcg, READ_ONCE(memcg->emin));
}

bool mem_cgroup_below_low(struct mem_cgroup *target, struct mem_cgroup *memcg)
{
	return below(target, memcg, READ_ONCE(memcg->elow));
}

static struct mem_cgroup *search(struct list_head *list, u64 id)
{
	struct mem_cgroup *memcg, *found;

	list_for_each_entry(memcg, list, sibling) {
		if (memcg->cgroup.id == id)
			return memcg;
		found = search(&memcg->children, id);
		if (found)
			return found;
	}
	return NULL;
}

struct cgroup *cgroup_get_from_id(u64 id)
{
	struct mem_cgroup *memcg;
	unsigned long irq;

	spin_lock_irqsave(&tree, irq);
	memcg = search(&roots, id);
	if (memcg && !tryget(&memcg->css))
		memcg = NULL;
	spin_unlock_irqrestore(&tree, irq);
	return memcg ? &memcg->cgroup : ERR_PTR(-ENOENT);
}

void cgroup_put(struct cgroup *cgrp)
{
	css_put(cgrp->subsys[0]);
}

int cgroup_path(struct cgroup *cgrp, char *path, size_t size)
{
	return snprintf(path, size, "/%llu", cgrp->id);
}
