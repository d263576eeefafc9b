// SPDX-License-Identifier: GPL-2.0
/*
 * The glue on a stock kernel: hooks come and go with the first and the last policy; all of
 * the module starts, and stops.
 */
#include <linux/module.h>
#include "cache_ext.h"
#include "glue.h"
#include "module.h"
#include "compat/collapse.h"
#include "use.h"
#include "version.h" /* made by stage */

/* Hooks on or off, and for how many policies. Outside of any other lock. */
static DEFINE_MUTEX(hooks_mutex);
static unsigned int hooks_users;

/* A stock kernel does not tell: programs run through the trampoline. */
const struct bpf_prog *cache_ext_glue_prog(const void *kdata, u32 member)
{
	return NULL;
}

/* Files are not collapsed while folios are followed. */
static int all_on(void)
{
	int err = cache_ext_collapse_stop();

	if (err)
		return err;
	err = cache_ext_hooks_on();
	if (err)
		goto collapse;
	err = cache_ext_shrink_on();
	if (!err)
		return 0;
	cache_ext_hooks_off();
collapse:
	cache_ext_collapse_go_on();
	return err;
}

int cache_ext_glue_enable(void)
{
	int err = 0;

	mutex_lock(&hooks_mutex);
	if (!hooks_users)
		err = all_on();
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
		cache_ext_collapse_go_on();
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
		err = cache_ext_collapse_init();
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
