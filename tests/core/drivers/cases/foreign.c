// SPDX-License-Identifier: GPL-2.0
/*
 * A program of one policy calls each kfunc for a folio and for a cgroup of another:
 * nothing of that one changes. test_core.py holds the table against the contract, so a
 * new kfunc has a row.
 *
 * Programs come by such folios: one that they hold may be freed, and its frame be
 * another cgroup's by then.
 */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "../../../../kernel/cache_ext/hint.h"
#include "cases.h"

#define DATA 8

static struct mem_cgroup *theirs;
static struct folio *folio;		/* of theirs */
static struct cache_ext_evict_ctx *ctx;	/* of the program that runs; or NULL */

/* Each returns whether it was refused. */
static bool try_list_add(void)
{
	return bpf_cache_ext_list_add(folio, 0) < 0;
}

static bool try_list_add_tail(void)
{
	return bpf_cache_ext_list_add_tail(folio, 0) < 0;
}

static bool try_list_move(void)
{
	return bpf_cache_ext_list_move(folio, 1, true) == -ENOENT &&
	       bpf_cache_ext_list_move(folio, 0, false) == -ENOENT;
}

static bool try_list_del(void)
{
	return bpf_cache_ext_list_del(folio) == -ENOENT;
}

static bool try_evict(void)
{
	return !ctx || bpf_cache_ext_evict(ctx, folio) == -ENOENT;
}

static bool try_offer(void)
{
	return !ctx || bpf_cache_ext_offer(ctx, folio, 0) == -ENOENT;
}

/* What is offered and selected is the request's own. */
static bool try_select_own(void)
{
	return !ctx || bpf_cache_ext_select(ctx, 0, 0, 8, 4 << 16) <= 0;
}

static bool try_take_offers(void)
{
	return !ctx || bpf_cache_ext_take_offers(ctx) >= 0;
}

static bool try_folio_data(void)
{
	return !bpf_cache_ext_folio_data(folio, DATA);
}

static bool try_folio_list(void)
{
	return bpf_cache_ext_folio_list(folio) == -ENOENT;
}

static bool try_pin(void)
{
	return bpf_cache_ext_pin(folio) == -ENOENT;
}

static bool try_unpin(void)
{
	return bpf_cache_ext_unpin(folio) == -ENOENT;
}

static bool try_folio_pinned(void)
{
	return bpf_cache_ext_folio_pinned(folio) == -ENOENT;
}

static bool try_folio_executable(void)
{
	bool ret;

	folio_set_code(folio);
	ret = !bpf_cache_ext_folio_executable(folio);
	folio_clear_code(folio);
	return ret;
}

static bool try_list_size(void)
{
	return !bpf_cache_ext_list_size(theirs, 0);
}

static bool try_size(void)
{
	return !bpf_cache_ext_size(theirs);
}

static bool try_capacity(void)
{
	return !bpf_cache_ext_capacity(theirs);
}

static bool try_ask_tick(void)
{
	bpf_cache_ext_tick(theirs);
	return true;
}

static bool try_gone(void)
{
	return !bpf_cache_ext_gone(theirs);
}

static bool try_want(void)
{
	bpf_cache_ext_reclaim(theirs, 7, 0);
	return true;
}

static bool try_error(void)
{
	bpf_cache_ext_error(theirs, 7, "of another policy");
	return true;
}

static bool try_iter_list(void)
{
	struct bpf_iter_cache_ext_list it;
	bool ret;

	ret = bpf_iter_cache_ext_list_new(&it, theirs, 0) < 0 &&
	      !bpf_iter_cache_ext_list_next(&it);
	bpf_iter_cache_ext_list_destroy(&it);
	return ret;
}

static bool try_iter_scan(void)
{
	struct bpf_iter_cache_ext_scan it;
	bool ret;

	ret = bpf_iter_cache_ext_scan_new(&it, theirs, 0, 0, 1) < 0 &&
	      !bpf_iter_cache_ext_scan_next(&it);
	bpf_iter_cache_ext_scan_destroy(&it);
	return ret;
}

static const struct {
	const char *name;
	bool (*refused)(void);
} calls[] = {
	{ "bpf_cache_ext_list_add", try_list_add },
	{ "bpf_cache_ext_list_add_tail", try_list_add_tail },
	{ "bpf_cache_ext_list_move", try_list_move },
	{ "bpf_cache_ext_list_del", try_list_del },
	{ "bpf_cache_ext_evict", try_evict },
	{ "bpf_cache_ext_offer", try_offer },
	{ "bpf_cache_ext_select", try_select_own },
	{ "bpf_cache_ext_take_offers", try_take_offers },
	{ "bpf_cache_ext_folio_data", try_folio_data },
	{ "bpf_cache_ext_folio_list", try_folio_list },
	{ "bpf_cache_ext_folio_executable", try_folio_executable },
	{ "bpf_cache_ext_pin", try_pin },
	{ "bpf_cache_ext_unpin", try_unpin },
	{ "bpf_cache_ext_folio_pinned", try_folio_pinned },
	{ "bpf_cache_ext_list_size", try_list_size },
	{ "bpf_cache_ext_size", try_size },
	{ "bpf_cache_ext_capacity", try_capacity },
	{ "bpf_cache_ext_tick", try_ask_tick },
	{ "bpf_cache_ext_gone", try_gone },
	{ "bpf_cache_ext_reclaim", try_want },
	{ "bpf_cache_ext_error", try_error },
	{ "bpf_iter_cache_ext_list_new", try_iter_list },
	{ "bpf_iter_cache_ext_list_next", try_iter_list },
	{ "bpf_iter_cache_ext_list_destroy", try_iter_list },
	{ "bpf_iter_cache_ext_scan_new", try_iter_scan },
	{ "bpf_iter_cache_ext_scan_next", try_iter_scan },
	{ "bpf_iter_cache_ext_scan_destroy", try_iter_scan },
};

/* All that a call could have changed of the other policy. */
struct seen {
	u32 order[2][8];
	u8 data[DATA];
	unsigned int word;
	unsigned long owned, pinned, wanted, evictions;
	u16 list;
	bool iterating, dead, ended;
};

static void look_at(struct seen *seen)
{
	struct cache_ext_policy *p = theirs->cache_ext;
	struct cache_ext_node *node;
	unsigned int i, n;

	memset(seen, 0, sizeof(*seen));
	cache_ext_batch_flush_all(&p->lists);
	for (i = 0; i < 2; i++) {
		n = 0;
		list_for_each_entry(node, &p->lists.list[i].nodes, link)
			seen->order[i][n++] = node->pfn;
		seen->iterating |= p->lists.list[i].iterating;
	}
	rcu_read_lock();
	node = cache_ext_node_find(folio);
	memcpy(seen->data, cnode_record(node, p->kind.record), DATA);
	seen->word = cnode_word(node);
	seen->list = node->list;
	rcu_read_unlock();
	seen->owned = p->lists.owned;
	seen->pinned = p->lists.pinned;
	seen->wanted = p->tick_wanted;
	seen->evictions = atomic_long_read(&p->wanted_goal);
	seen->dead = p->life.dead;
	seen->ended = p->life.exit.kind != POLICY_EXT_EXIT_NONE;
}

static void call_all(const char *where)
{
	struct seen before, after;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		look_at(&before);
		if (!calls[i].refused())
			shim_die("%s, in %s, takes what is another policy's",
				 calls[i].name, where);
		look_at(&after);
		if (memcmp(&before, &after, sizeof(before)))
			shim_die("%s, in %s, changes another policy",
				 calls[i].name, where);
	}
}

static void evict_folios(struct cache_ext_evict_ctx *c,
			 struct mem_cgroup *memcg __maybe_unused)
{
	ctx = c;
	call_all("evict_folios");
	ctx = NULL;
}

static void idle_tick(struct mem_cgroup *memcg __maybe_unused)
{
}

/* Where RCU readers can be preempted evict_folios runs without a hint. */
static void without_hint(void)
{
	rcu_read_lock();
	group->cache_ext->evicting = current;
	call_all("evict_folios that may be preempted");
	group->cache_ext->evicting = NULL;
	call_all("no program");
	rcu_read_unlock();
}

/* User space says of which member a program is, and BPF looks at that after it has asked who may call what. */
void no_such_member(void)
{
	struct bpf_prog prog = { .expected_attach_type = CACHE_EXT_ADDED };

	if (cache_ext_kfuncs_init() || shim_kfuncs->filter(&prog, 0) || shim_kfuncs->filter(&prog, 1))
		shim_die("folio_added may not call a kfunc");
	for (u64 member = CACHE_EXT_MEMBERS; member <= U32_MAX; member = 2 * member + 1) {
		prog.expected_attach_type = member;
		if (shim_kfuncs->filter(&prog, 1) != -EACCES)
			shim_die("a program of no member may call a kfunc");
	}
}

void foreign_folio(void)
{
	struct cache_ext_shrink s = reclaim_of(group, group, 1);
	struct folio *beside;

	theirs = shim_memcg_create(parent_mem_cgroup(group), 9);
	first->ops.evict_folios = evict_folios;
	first->ops.pin_pages = 4;
	first->ops.folio_data_size = DATA;
	second->ops.pin_pages = 4;
	second->ops.nr_lists = 2;
	second->ops.folio_data_size = DATA;
	second->ops.tick = idle_tick;
	attach(first, group);
	attach(second, theirs);
	shim_settle();
	cached_folio(0x1001, group);
	folio = cached_folio(0x1000, theirs);
	beside = cached_folio(0x1002, theirs);
	lru_add_drain_all();
	begin_program();
	call_all("a program of an event");
	end_program();
	/* Its own it may take. */
	if (cache_ext_shrink(&s) != 1)
		shim_die("what a policy selects of its own list is not reclaimed");
	without_hint();
	drop(folio);
	drop(beside);
	detach(first);
	detach(second);
	shim_settle();
	go(theirs);
}
