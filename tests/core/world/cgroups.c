// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups come and go, in a tree below a root that has none above.
 *
 * Locks: world.cgroup around coming and going, with what the core does then.
 */
#include <linux/cache_ext.h>
#include <linux/cgroup.h>
#include "world.h"

static struct mem_cgroup *root;
static spinlock_t slots;	/* of world.cgroups: to get a reference */
static u64 next_id;

struct mem_cgroup *cgroup_root(void)
{
	return root;
}

struct mem_cgroup *cgroup_any(void)
{
	unsigned int n, first = pick(CGROUPS);
	struct mem_cgroup *memcg = NULL;
	unsigned long irq;

	/* Pages of kernel threads are nobody's. */
	if (!pick(20))
		return NULL;
	spin_lock_irqsave(&slots, irq);
	for (n = 0; !memcg && n < CGROUPS; n++)
		memcg = world.cgroups[(first + n) % CGROUPS];
	if (memcg)
		css_get(&memcg->css);
	spin_unlock_irqrestore(&slots, irq);
	return memcg;
}

static void put_in(unsigned int n, struct mem_cgroup *memcg)
{
	unsigned long irq;

	spin_lock_irqsave(&slots, irq);
	world.cgroups[n] = memcg;
	spin_unlock_irqrestore(&slots, irq);
}

/* mem_cgroup_css_online(): below another, which may be going itself. */
static void create(unsigned int n, struct mem_cgroup *parent)
{
	struct mem_cgroup *memcg = shim_memcg_create(parent, next_id++);

	/* The tree has it already: who looks below its parent may read the limit. */
	WRITE_ONCE(memcg->memory.max, 32 + pick(256));
	cache_ext_memcg_online(memcg);
	put_in(n, memcg);
	COUNT(cgroups);
}

void cgroup_create(void)
{
	unsigned int n = pick(CGROUPS);
	struct mem_cgroup *parent;

	mutex_lock(&world.cgroup);
	if (!world.cgroups[n]) {
		parent = pick(3) ? cgroup_any() : NULL;
		create(n, parent ?: root);
		if (parent)
			css_put(&parent->css);
	}
	mutex_unlock(&world.cgroup);
}

/* mem_cgroup_css_offline(). Caller: world.cgroup. */
static void remove(unsigned int n)
{
	struct mem_cgroup *memcg = world.cgroups[n];

	put_in(n, NULL);
	WRITE_ONCE(memcg->css.online, false);
	cache_ext_memcg_offline(memcg);
	shim_memcg_offline(memcg);
}

static bool has_children(struct mem_cgroup *memcg)
{
	unsigned int n;

	for (n = 0; n < CGROUPS; n++)
		if (world.cgroups[n] &&
		    parent_mem_cgroup(world.cgroups[n]) == memcg)
			return true;
	return false;
}

void cgroup_remove(void)
{
	unsigned int n = pick(CGROUPS);

	mutex_lock(&world.cgroup);
	if (world.cgroups[n] && !has_children(world.cgroups[n]))
		remove(n);
	mutex_unlock(&world.cgroup);
}

void cgroup_limits(void)
{
	struct mem_cgroup *memcg = cgroup_any();

	if (!memcg)
		return;
	WRITE_ONCE(memcg->memory.max, pick(4) ? 16 + pick(256) : ~0UL);
	WRITE_ONCE(memcg->min, pick(4) ? 0 : pick(64));
	WRITE_ONCE(memcg->low, pick(4) ? 0 : pick(64));
	css_put(&memcg->css);
}

void cgroups_start(void)
{
	unsigned int n;

	spin_lock_init(&slots);
	next_id = 1;
	root = shim_memcg_create(NULL, next_id++);
	mutex_init(&world.cgroup);
	for (n = 0; n <= pick(CGROUPS); n++)
		create(n, root);
}

void cgroups_stop(void)
{
	unsigned int n, left;

	mutex_lock(&world.cgroup);
	do {
		left = 0;
		for (n = 0; n < CGROUPS; n++) {
			if (!world.cgroups[n])
				continue;
			if (has_children(world.cgroups[n]))
				left++;
			else
				remove(n);
		}
	} while (left);
	mutex_unlock(&world.cgroup);
	WRITE_ONCE(root->css.online, false);
	shim_memcg_offline(root);
}
