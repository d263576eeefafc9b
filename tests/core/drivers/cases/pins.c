// SPDX-License-Identifier: GPL-2.0
/* Pinned folios, and the limits of cgroups. */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "cases.h"

/* As programs of the policy that governs @group do it. */
static int pin(struct folio *folio)
{
	int ret;

	begin_program();
	ret = bpf_cache_ext_pin(folio);
	end_program();
	return ret;
}

static void unpin(struct folio *folio)
{
	begin_program();
	bpf_cache_ext_unpin(folio);
	end_program();
}

/* kswapd's priority goes down for high watermarks: it took what was pinned. */
void pinned_in_calm_times(void)
{
	struct folio *folio;
	bool kept;

	first->ops.pin_pages = 1;
	group->memory.max = 16;
	attach(first, group);
	folio = cached_folio(0x1000, group);
	if (pin(folio))
		shim_die("a folio is not pinned");
	current->kswapd = true;
	kept = __cache_ext_keeps(folio, 1);
	current->kswapd = false;
	if (!kept)
		shim_die("kswapd takes a pinned folio");
	if (__cache_ext_keeps(folio, 1))
		shim_die("a pinned folio stays near OOM");
	drop(folio);
	detach(first);
}

/* Pins as many of the folios as may be. Returns how many are pinned. */
static unsigned int pin_all(struct folio **folios, unsigned int nr)
{
	unsigned int i, pinned = 0;

	for (i = 0; i < nr; i++)
		pinned += !pin(folios[i]);
	return pinned;
}

static unsigned int kept_of(struct folio **folios, unsigned int nr)
{
	unsigned int i, kept = 0;

	for (i = 0; i < nr; i++)
		kept += __cache_ext_keeps(folios[i], DEF_PRIORITY);
	return kept;
}

/*
 * Only the limits of the policy's own cgroup and of those above counted: a small
 * cgroup below could be filled with pinned folios.
 */
void pinned_below(void)
{
	struct mem_cgroup *mid = shim_memcg_create(group, 3);
	struct mem_cgroup *low = shim_memcg_create(mid, 4);
	struct mem_cgroup *free = shim_memcg_create(group, 5);
	struct folio *of_mid[16], *of_low[16], *of_free[16];
	unsigned int i;

	first->ops.pin_pages = 40;
	group->memory.max = 1000;
	mid->memory.max = 24;
	low->memory.high = 12;
	attach(first, group);
	for (i = 0; i < 16; i++) {
		of_mid[i] = cached_folio(0x1000 + i, mid);
		of_low[i] = cached_folio(0x1010 + i, low);
		of_free[i] = cached_folio(0x1020 + i, free);
	}
	if (pin_all(of_low, 16) != 6)
		shim_die("not the share of a cgroup below is pinned");
	if (pin_all(of_mid, 16) != 6)
		shim_die("what is pinned below does not count above");
	if (pin_all(of_free, 16) != 16)
		shim_die("another cgroup's limit counts");
	if (counted(CES_PIN_REFUSED) != 20)
		shim_die("refused pins are counted wrongly");
	/* They make room for others, wherever they are. */
	unpin(of_low[0]);
	if (pin_all(of_mid, 16) != 7 || pin(of_low[0]) != -EDQUOT)
		shim_die("a pin that ended counts");
	/* One limit is lowered: there they count no more, elsewhere they do. */
	low->memory.high = 8;
	if (kept_of(of_low, 16) || kept_of(of_mid, 16) != 7 ||
	    kept_of(of_free, 16) != 16)
		shim_die("pins count beyond the share of a cgroup below");
	mid->memory.max = 16;
	if (kept_of(of_mid, 16))
		shim_die("pins count beyond the share of the one above");
	for (i = 0; i < 16; i++) {
		drop(of_mid[i]);
		drop(of_free[i]);
	}
	if (group->cache_ext->lists.pinned != 5)
		shim_die("pinned folios that went are counted");
	detach(first);
	shim_settle();
	for (i = 0; i < 16; i++)
		drop(of_low[i]);
	go(low);
	go(mid);
	go(free);
}

/*
 * Without a limit half of the machine could be pinned, and reclaim for anybody else went
 * without it.
 */
void pinned_without_limit(void)
{
	struct mem_cgroup *low = shim_memcg_create(group, 3);
	struct folio *folio[16], *of_low[16];
	unsigned int i;

	first->ops.pin_pages = 40;
	low->memory.max = 8;
	attach(first, group);
	for (i = 0; i < 16; i++) {
		folio[i] = cached_folio(0x1000 + i, group);
		of_low[i] = cached_folio(0x1010 + i, low);
	}
	if (pin_all(folio, 16) || pin_all(of_low, 16))
		shim_die("folios of a cgroup without a limit are pinned");
	if (counted(CES_PIN_REFUSED) != 32 || cache_ext_pin_limit(group->cache_ext))
		shim_die("it is not told that nothing may be pinned");
	/* The machine has no more. */
	group->memory.max = totalram_pages();
	if (pin_all(folio, 16))
		shim_die("a limit that limits nothing counts");
	group->memory.high = 16;
	if (pin_all(of_low, 16) != 4 || pin_all(folio, 16) != 4 || kept_of(folio, 16) != 4)
		shim_die("the share of a limit is not pinned");
	/* It goes, and the one above has none either. */
	group->memory.high = ~0UL;
	if (kept_of(folio, 16) || kept_of(of_low, 16))
		shim_die("pins count without a limit");
	parent_mem_cgroup(group)->memory.max = 1000;
	if (kept_of(folio, 16) != 4 || kept_of(of_low, 16) != 4)
		shim_die("a limit above does not count");
	parent_mem_cgroup(group)->memory.max = ~0UL;
	for (i = 0; i < 16; i++) {
		drop(folio[i]);
		drop(of_low[i]);
	}
	detach(first);
	shim_settle();
	go(low);
}

/* More cgroups below than can be told apart: what has no limit is pinned still. */
void pinned_of_many(void)
{
	static struct mem_cgroup *many[CACHE_EXT_PIN_SLOTS + 10];
	static struct folio *folio[ARRAY_SIZE(many)];
	unsigned int i, last = ARRAY_SIZE(many) - 1;

	first->ops.pin_pages = 2 * ARRAY_SIZE(many);
	group->memory.max = 4 * ARRAY_SIZE(many);
	attach(first, group);
	for (i = 0; i <= last; i++) {
		many[i] = shim_memcg_create(group, 3 + i);
		cache_ext_memcg_online(many[i]);
		folio[i] = cached_folio(0x1000 + i, many[i]);
		if (i < last && pin(folio[i]))
			shim_die("what has no limit is not pinned");
	}
	many[last]->memory.max = 100;
	if (pin(folio[last]) != -EDQUOT)
		shim_die("a limit is not kept to");
	/* One that has gone makes room. */
	unpin(folio[0]);
	if (pin(folio[last]))
		shim_die("there is no room for another");
	for (i = 0; i <= last; i++) {
		/* Files have few pages here: several folios had the same place. */
		page_insert(&world.files[0], folio[i], folio[i]->index);
		drop(folio[i]);
		go(many[i]);
	}
	detach(first);
}

/*
 * A folio that migrates has no charge between cache_ext_folio_replaced() and
 * mem_cgroup_migrate(). Pinned there, it counted for no cgroup below the policy's.
 */
void pinned_while_migrated(void)
{
	struct mem_cgroup *below = shim_memcg_create(group, 3);
	struct folio *folio;

	first->ops.pin_pages = 400;
	group->memory.max = 1000;
	below->memory.max = 16;
	attach(first, group);
	shim_settle();
	folio = cached_folio(0x1000, below);
	lru_add_drain_all();
	shim_uncharge(folio);
	begin_program();
	if (bpf_cache_ext_pin(folio) != -EBUSY || group->cache_ext->lists.pinned)
		shim_die("a folio is pinned that is nobody's yet");
	end_program();
	shim_charge(folio, below);
	begin_program();
	if (bpf_cache_ext_pin(folio) || group->cache_ext->lists.pinned != 1)
		shim_die("a folio that has migrated is not pinned");
	end_program();
	drop(folio);
	detach(first);
	shim_settle();
	go(below);
}

/* While a policy may pin, reclaim of each cgroup looked up each folio that it was about to take. */
void kept_of_others(void)
{
	struct mem_cgroup *other = shim_memcg_create(parent_mem_cgroup(group), 3);
	unsigned long compared;
	struct folio *own;
	unsigned int i;

	first->ops.pin_pages = 400;
	group->memory.max = 1000;
	attach(first, group);
	shim_settle();
	own = cached_folio(0x1000, group);
	begin_program();
	if (bpf_cache_ext_pin(own))
		shim_die("a folio is not pinned");
	end_program();
	for (i = 0; i < 64; i++)
		cached_folio(0x1001 + i, other);
	compared = shim_rht_compared;
	for (i = 0; i < 64; i++)
		if (__cache_ext_keeps((struct folio *)pfn_to_page(0x1001 + i), DEF_PRIORITY))
			shim_die("a folio of another cgroup is kept");
	if (shim_rht_compared != compared)
		shim_die("a folio of a cgroup without a policy is looked up");
	if (!__cache_ext_keeps(own, DEF_PRIORITY))
		shim_die("a pinned folio is not kept");
	for (i = 0; i < 64; i++)
		drop((struct folio *)pfn_to_page(0x1001 + i));
	drop(own);
	detach(first);
	shim_settle();
	go(other);
}
