// SPDX-License-Identifier: GPL-2.0
/* Policies that come: while their cgroup goes, and in place of others. */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "cases.h"

static struct mem_cgroup *going;
static bool removed;
static s32 init_says;
/* Another policy is attached, above: else the kernel does not tell that cgroups go. */
static bool another;

/* As mem_cgroup_css_offline(). */
static void take_away(void)
{
	WRITE_ONCE(going->css.online, false);
	cache_ext_memcg_offline(going);
	shim_memcg_offline(going);
}

static struct cache_ext_policy *newest(void)
{
	return list_last_entry(&cache_ext_policies, struct cache_ext_policy,
			       life.all);
}

static void run_workers(void);

/* The cgroup goes while a worker runs its policy's init. */
static s32 init_while_removed(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p = newest();
	unsigned int i;

	if (p->life.memcg != memcg || p->lists.nr != 3)
		shim_die("init runs for another policy, or before its lists");
	/* On another CPU, and then what is queued. */
	in_gap(take_away);
	while (meanwhile)
		shim_gap(false);
	in_gap(run_workers);
	for (i = 0; i < 100; i++)
		shim_gap(false);
	in_gap(NULL);
	if (another && !p->life.dead)
		shim_die("a policy whose cgroup went goes on");
	if (!atomic_read(&p->users.refcount))
		shim_die("a policy is torn down whose init runs");
	cache_ext_check(p, true);
	return init_says;
}

/* Of a policy that was never attached nothing is left, and not of its cgroup. */
static void nothing_is_left(void)
{
	unsigned int i, policies = 0;

	shim_settle();
	mutex_lock(&cache_ext_mutex);
	if (first->ops.cgroup_id && policy_ext_life_of(&cache_ext_type, &first->ops))
		shim_die("a policy is on the list");
	mutex_unlock(&cache_ext_mutex);
	for (i = 0; i < CACHE_EXT_MAX_POLICIES; i++)
		policies += !!cache_ext_policy_ids[i];
	if (policies != another || cache_ext_enabled() != another)
		shim_die("a policy or a hook is left");
	if (shim_slab_objects() || shim_memcgs() != 2)
		shim_die("%lu objects or %u cgroups are left",
			 shim_slab_objects(), shim_memcgs());
}

/* @other_cpu: NULL: none does anything meanwhile. */
static int attach_to_going(s32 (*init)(struct mem_cgroup *memcg),
			   void (*other_cpu)(void))
{
	int err;

	memset(&first->ops, 0, sizeof(first->ops));
	going = shim_memcg_create(group, 3);
	cache_ext_memcg_online(going);
	first->ops.init = init;
	first->ops.nr_lists = 3;
	first->ops.cgroup_id = going->cgroup.id;
	in_gap(other_cpu);
	err = cache_ext_reg(&first->ops, &first->link);
	removed = meanwhile != other_cpu;
	in_gap(NULL);
	return err;
}

static unsigned int gaps;

static void run_workers(void)
{
	meanwhile = run_workers;
	shim_run_worker();
}

/* In the gap after so many, or in the next one in which it need not wait. */
static void take_away_in_gap(void)
{
	meanwhile = take_away_in_gap;
	if (gaps) {
		gaps--;
		return;
	}
	if (mutex_is_locked(&cache_ext_mutex))
		return;
	meanwhile = run_workers;
	take_away();
}

static s32 init_well(struct mem_cgroup *memcg __maybe_unused)
{
	shim_gap(false);
	return 0;
}

/* Is the cgroup gone before it is attached? Then there is no gap left. */
static bool removed_after(unsigned int nr)
{
	int err;

	gaps = nr;
	err = attach_to_going(init_well, take_away_in_gap);
	in_gap(removed ? NULL : take_away_in_gap);
	shim_settle();
	removed |= meanwhile == run_workers;
	in_gap(NULL);
	if (!removed) {
		if (err)
			shim_die("a policy is not attached");
		take_away();
	}
	if (err && err != -EINVAL)
		shim_die("the cgroup is gone, and that is error %d", err);
	if (!err)
		detach(first);
	nothing_is_left();
	return removed;
}

static void remove_during_init(void)
{
	unsigned int nr = 0;

	for (init_says = 0; init_says >= -5; init_says -= 5) {
		if (attach_to_going(init_while_removed, NULL))
			shim_die("who attaches a policy hears of its init");
		shim_settle();
		if (shim_memcgs() != 2)
			shim_die("a policy holds a cgroup that is gone");
		detach(first);
		nothing_is_left();
	}
	while (removed_after(nr))
		nr++;
	if (nr < 8)
		shim_die("there were %u gaps only", nr);
}

/* The cgroup goes while its policy's init has still to run, or runs. */
void removed_during_init(void)
{
	remove_during_init();
	attach(second, group);
	shim_settle();
	another = true;
	remove_during_init();
	another = false;
	detach(second);
}

#define MANY_LISTS 1000

static s32 init_fails(struct mem_cgroup *memcg __maybe_unused)
{
	return -5;
}

static s32 init_nothing(struct mem_cgroup *memcg __maybe_unused)
{
	return 0;
}

/* A policy with so many lists, for a cgroup that is full but for 1 KiB. */
static int attach_to_full(unsigned int lists, s32 (*init)(struct mem_cgroup *),
			  long cache)
{
	struct obj_cgroup *objcg = group->objcg;
	int err;

	memset(&first->ops, 0, sizeof(first->ops));
	*objcg = (struct obj_cgroup){ .limit = 1024, .cache = cache };
	first->ops.init = init;
	first->ops.nr_lists = lists;
	first->ops.cgroup_id = group->cgroup.id;
	err = register_policy(first);
	shim_settle();
	return err;
}

static void nothing_is_charged(void)
{
	shim_settle();
	if (group->objcg->charged || group->objcg->refs)
		shim_die("%ld bytes of a policy stay charged", group->objcg->charged);
}

/*
 * The lists of a policy were charged past all limits, and its counters not at all. Most
 * cgroups are full: who has BPF's lock must not reclaim, so a worker does.
 */
void attached_to_a_full_cgroup(void)
{
	const long lists = MANY_LISTS * sizeof(struct cache_ext_list);
	const long each = NR_CPUS * (sizeof(struct cache_ext_stats) +
				     sizeof(struct cache_ext_batch));

	if (attach_to_full(MANY_LISTS, init_nothing, 1 << 20) ||
	    !group->cache_ext)
		shim_die("no policy comes to a cgroup that is full of cache");
	if (group->objcg->forced)
		shim_die("a policy is charged past the limit");
	if (group->objcg->charged <
	    lists + each + (long)sizeof(struct cache_ext_policy))
		shim_die("not all of a policy is charged");
	detach(first);
	nothing_is_charged();

	if (attach_to_full(MANY_LISTS, init_nothing, 0) || group->cache_ext)
		shim_die("a policy governs for which there is no room");
	if (group->objcg->forced)
		shim_die("a policy is charged past the limit");
	detach(first);
	nothing_is_charged();

	/* Without init there is no worker. */
	if (attach_to_full(MANY_LISTS, NULL, 1 << 20) != -ENOMEM)
		shim_die("lists are made for which there is no room");
	nothing_is_charged();
	if (attach_to_full(1, NULL, 1 << 20) || !group->cache_ext)
		shim_die("a small policy does not come to a full cgroup");
	detach(first);
	nothing_is_charged();
	*group->objcg = (struct obj_cgroup){ .charged = 0 };
}

#define REPLACED 40	/* folios that change hands */

static struct folio *expected[REPLACED];
static unsigned int nr_expected, nr_reclaimed;

/* Not in the order in which they come, which the kernel's LRU has. */
static void added_here_and_there(struct folio *folio,
				 struct mem_cgroup *memcg __maybe_unused)
{
	unsigned long n = folio_pfn(folio);

	if (n & 2)
		bpf_cache_ext_list_add(folio, n & 1);
	else
		bpf_cache_ext_list_add_tail(folio, n & 1);
}

/* The folios of the cgroup's policy, list by list, but one. */
static void expect_order(const struct folio *but)
{
	struct cache_ext_lists *ls = &group->cache_ext->lists;
	struct cache_ext_node *node;
	unsigned int i;

	nr_expected = 0;
	for (i = 0; i < ls->nr; i++)
		list_for_each_entry(node, &ls->list[i].nodes, link)
			if (cnode_folio(node) != but)
				expected[nr_expected++] = cnode_folio(node);
}

static void must_be_next(struct list_head *folios)
{
	struct folio *folio;

	list_for_each_entry(folio, folios, lru)
		if (folio != expected[nr_reclaimed++])
			shim_die("not the oldest folio of the old policy is reclaimed");
}

static void replace_first(void)
{
	if (cache_ext_update(&second->ops, &first->ops, &first->link))
		shim_die("the policy is not replaced");
	shim_settle();
}

/*
 * The policy @first, which is attached, is replaced by a fifo, which has its folios in
 * its order: reclaim takes them in that. One is locked, and so left to the kernel.
 */
static void replaced_by_fifo(void)
{
	struct cache_ext_shrink s = reclaim_of(group, group, 1);
	struct folio *folios[REPLACED];
	struct cache_ext_lists *ls;
	struct cache_ext_node *node;
	unsigned int i;

	/* Its worker does not go through what comes now. */
	shim_settle();
	for (i = 0; i < REPLACED; i++)
		folios[i] = cached_folio(0x1000 + i * 7 % REPLACED, group);
	lru_add_drain_all();
	/* The kernel would have others go first. */
	for (i = 0; i < REPLACED; i += 3)
		shim_activate(folios[i]);
	expect_order(folios[5]);
	if (nr_expected != REPLACED - 1 || !folio_trylock(folios[5]))
		shim_die("the old policy has not all folios");
	replace_first();
	folio_unlock(folios[5]);

	ls = &group->cache_ext->lists;
	if (group->cache_ext->ops != &second->ops || ls->owned != nr_expected)
		shim_die("the new policy has not the old one's folios");
	i = 0;
	list_for_each_entry(node, &ls->list[0].nodes, link)
		if (cnode_folio(node) != expected[i++])
			shim_die("not the old policy's order");
	nr_reclaimed = 0;
	reclaim_watch = must_be_next;
	for (i = 0; i < nr_expected; i++)
		if (cache_ext_shrink(&s) != 1)
			shim_die("the new policy does not evict");
	reclaim_watch = NULL;
	drop(folios[5]);
	cache_ext_unreg(&second->ops, &first->link);
	shim_settle();
}

/* A policy that takes another's place has its folios in its order, not in the LRU's. */
void replaced_in_order(void)
{
	attach(first, group);
	second->ops = first->ops;
	second->ops.evict_folios = evict_oldest;
	replaced_by_fifo();

	memset(&first->ops, 0, sizeof(first->ops));
	first->ops.nr_lists = 2;
	first->ops.folio_added = added_here_and_there;
	attach(first, group);
	replaced_by_fifo();
}

/*
 * The link goes while the init of a policy that replaces another runs. The other governed
 * until that init was over, without a link; so the cgroup could have a third one, which it
 * then took away.
 */
void link_goes_during_init(void)
{
	struct policy *third = &world.policies[2];

	attach(first, group);
	shim_settle();
	second->ops.init = init_fails;
	second->ops.folio_added = first->ops.folio_added;
	second->ops.evict_folios = first->ops.evict_folios;
	second->ops.cgroup_id = group->cgroup.id;
	if (cache_ext_update(&second->ops, &first->ops, &first->link))
		shim_die("a policy cannot be replaced");
	cache_ext_unreg(&second->ops, &first->link);
	if (group->cache_ext)
		shim_die("a policy governs without a link");
	attach(third, group);
	shim_settle();
	if (!group->cache_ext || group->cache_ext->ops != &third->ops)
		shim_die("the policy of a link is taken away with another's");
	detach(third);
	nothing_is_left();
}
