// SPDX-License-Identifier: GPL-2.0
/*
 * The glue on a stock kernel: policies are found by a table beside the cgroups,
 * hooks come and go with the first and the last policy.
 */
#include <linux/cgroup.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include "cache_ext.h"
#include "glue.h"
#include "module.h"
#include "whose.h"
#include "version.h" /* made by stage */

/* By memcg. Readers: RCU. Writers: cache_ext_mutex. */
static DEFINE_HASHTABLE(policies, CACHE_EXT_TABLE_BITS);
static_assert(CACHE_EXT_MAX_POLICIES <= CACHE_EXT_TABLE_MOST);

/* Hooks on or off, and for how many policies. Outside of any other lock. */
static DEFINE_MUTEX(hooks_mutex);
static unsigned int hooks_users;

/*
 * Who is sent to a function of the module may wait there for any time: for a device,
 * or a server of files that does not answer. Until he is out the module is in use, and
 * rmmod is refused. While there are hooks it is in use, too, so nobody comes to one
 * that is going. For his last steps out cache_ext_glue_exit() waits.
 */
void cache_ext_enter(void)
{
	__module_get(THIS_MODULE);
}

void cache_ext_leave(void)
{
	module_put(THIS_MODULE);
}

static struct cache_ext_policy *own_policy(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;

	hash_for_each_possible_rcu(policies, p, glue_link, (unsigned long)memcg,
				   lockdep_is_held(&cache_ext_mutex))
		if (p->life.memcg == memcg)
			return p;
	return NULL;
}

/* There is no room in a stock kernel's mem_cgroup to note who governs it. */
struct cache_ext_policy *cache_ext_policy_of(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p = NULL;

	for (; memcg && !p; memcg = parent_mem_cgroup(memcg))
		p = own_policy(memcg);
	return p;
}

/* A stock kernel does not tell: programs run through the trampoline. */
const struct bpf_prog *cache_ext_glue_prog(const void *kdata, u32 member)
{
	return NULL;
}

bool cache_ext_governs(struct mem_cgroup *memcg)
{
	bool ret;

	rcu_read_lock();
	ret = memcg && cache_ext_policy_of(memcg);
	rcu_read_unlock();
	return ret;
}

/*
 * A policy that went is freed after a grace period (see teardown in detach.c). Any
 * cgroup may get some below it without our being told: all policies look at the
 * cgroup of a folio before it is proposed.
 */
void cache_ext_glue_publish(struct mem_cgroup *memcg,
			    struct cache_ext_policy *p)
{
	struct cache_ext_policy *old;

	lockdep_assert_held(&cache_ext_mutex);
	old = own_policy(memcg);
	cache_ext_whose_begin(CACHE_EXT_WHOSE_EVICTION);
	if (p) {
		WRITE_ONCE(p->subtree, true);
		hash_add_rcu(policies, &p->glue_link, (unsigned long)memcg);
	}
	/* After the new one: there is always one if there was one. */
	if (old)
		hash_del_rcu(&old->glue_link);
	cache_ext_whose_end(CACHE_EXT_WHOSE_EVICTION);
}

int cache_ext_glue_enable(void)
{
	int err = 0;

	mutex_lock(&hooks_mutex);
	if (!hooks_users) {
		err = cache_ext_hooks_on();
		if (!err) {
			err = cache_ext_shrink_on();
			if (err)
				cache_ext_hooks_off();
		}
	}
	if (!err) {
		hooks_users++;
		cache_ext_enter();
	}
	mutex_unlock(&hooks_mutex);
	return err;
}

void cache_ext_glue_disable(void)
{
	mutex_lock(&hooks_mutex);
	if (!--hooks_users) {
		cache_ext_shrink_off();
		cache_ext_hooks_off();
	}
	mutex_unlock(&hooks_mutex);
	cache_ext_leave();
}

/*
 * A refused folio would have to be dropped at the end of its read and kept from
 * being mapped meanwhile: there is no hook for that here.
 */
u32 cache_ext_glue_abilities(void)
{
	return 0;
}

void cache_ext_glue_admit_enable(void)
{
}

void cache_ext_glue_admit_disable(void)
{
}

bool cache_ext_glue_drop(struct folio *folio)
{
	return false;
}

/* Policies of cgroups that are being removed end; their links stay, inert. */
void cache_ext_reap(void)
{
	struct cgroup_subsys_state *css;
	struct cache_ext_policy *p;

	do {
		css = NULL;
		mutex_lock(&cache_ext_mutex);
		list_for_each_entry(p, &cache_ext_policies, life.all) {
			if (!p->life.gone &&
			    (p->life.memcg->css.flags & CSS_DYING)) {
				css = &p->life.memcg->css;
				css_get(css);
				break;
			}
		}
		mutex_unlock(&cache_ext_mutex);
		if (css) {
			__cache_ext_memcg_offline(mem_cgroup_from_css(css));
			css_put(css);
		}
	} while (css);
}

unsigned long cache_ext_glue_file_pages(struct mem_cgroup *memcg)
{
	struct mem_cgroup *pos = NULL;
	unsigned long nr = 0;
	bool governed;
	int nid;

	mem_cgroup_flush_stats(memcg);
	while ((pos = mem_cgroup_iter(memcg, pos, NULL))) {
		rcu_read_lock();
		governed = cache_ext_policy_of(pos) == own_policy(memcg);
		rcu_read_unlock();
		if (!governed)
			continue;
		for_each_online_node(nid) {
			struct lruvec *lruvec = mem_cgroup_lruvec(pos,
							NODE_DATA(nid));

			nr += lruvec_page_state_local(lruvec, NR_FILE_PAGES);
			nr -= lruvec_page_state_local(lruvec, NR_SHMEM);
		}
	}
	return nr;
}

int __init cache_ext_glue_init(void)
{
	int err = cache_ext_symbols_init();

	if (!err)
		err = cache_ext_prototypes_init();
	if (!err)
		err = cache_ext_callsites_init();
	if (!err)
		err = cache_ext_hooks_init();
	if (!err)
		err = cache_ext_shrink_init();
	if (!err)
		err = cache_ext_pin_init();
	return err;
}

/* Prefetching comes last: it uses what cache_ext has by now. */
int __init cache_ext_glue_started(void)
{
	return cache_ext_prefetch_init();
}

/*
 * rmmod -f comes here although the module is in use, and what is in use would be freed
 * when this returns. So it waits, for as long as somebody uses the module: policies
 * govern meanwhile, and can be detached. No new one can be attached.
 */
void cache_ext_glue_stops(void)
{
	if (module_refcount(THIS_MODULE) > 0)
		pr_warn("cache_ext: rmmod -f waits until nobody uses the module: detach its policies (cpolc list, cpolc detach)\n");
	while (module_refcount(THIS_MODULE) > 0)
		schedule_timeout_idle(HZ / 10);
}

/*
 * The last policy is gone, since links and maps hold the module, and its hooks
 * with it. Somebody may still have his last steps out of our code to do.
 */
void cache_ext_glue_exit(void)
{
	cache_ext_prefetch_exit();
	cache_ext_hooks_exit();
	synchronize_rcu_tasks();
}

MODULE_VERSION(CACHE_EXT_VERSION);
