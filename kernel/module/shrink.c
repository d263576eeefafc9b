// SPDX-License-Identifier: GPL-2.0
/*
 * Reclaim asks the policy first. ftrace sends shrink_lruvec() (classic LRU) and
 * evict_folios() (MGLRU, gen.c) of a cgroup that has a policy here, with the
 * scan_control of the reclaimer.
 *
 * Classic LRU: the policy is asked for the file pages' share; then the kernel's
 * own function scans anonymous memory for its share, or does the rest of the
 * work if the policy did not deliver. That function counts what is to be scanned
 * out of reach. So it is told with its own words to leave file pages alone ("file
 * is tiny"), at the priority at which it scans about the share.
 */
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/mm_inline.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include "cache_ext.h"
#include "glue.h"
#include "evict_lruvec.h"
#include "module.h"
#include "policies.h"
#include "redirect.h"
#include "scan_control.h"
#include "compat/mglru.h"
#include "use.h"

/* The kernel's switch between classic LRU and MGLRU. */
static struct static_key *mglru;
/* shrink_lruvec(); ftrace's call is in its first bytes. */
static unsigned long classic_entry;

bool cache_ext_glue_mglru(void)
{
	return static_key_enabled(mglru);
}

static unsigned long list_size(struct lruvec *lruvec, struct scan_control *sc,
			       enum lru_list lru)
{
	unsigned long size = 0;
	int zone;

	for (zone = 0; zone <= sc->reclaim_idx; zone++)
		size += mem_cgroup_get_zone_lru_size(lruvec, lru, zone);
	return size;
}

/* Less what memory.low and .min keep. */
static unsigned long unprotected(struct lruvec *lruvec,
				 struct scan_control *sc, unsigned long size)
{
	struct mem_cgroup *memcg = lruvec_memcg(lruvec);
	unsigned long min, low, keep, usage;

	stock_protection(sc->target_mem_cgroup, memcg, &min, &low, &usage);
	keep = sc->memcg_low_reclaim ? min : max(min, low);
	usage = max(usage, keep);
	return size - mult_frac(size, keep, usage + 1);
}

/* Pages of each list that get_scan_count() of 6.12 would scan at priority 0. */
struct counts {
	unsigned long anon;		/* of both lists */
	unsigned long file;		/* of both lists */
	unsigned long inactive_file;
	unsigned long file_ratio;	/* active to inactive file pages */
};

/*
 * How file and anonymous pages share what is to be reclaimed: by size, and by
 * these weights of swappiness and of what refaults of each have cost. Returns
 * what the weights are parts of.
 */
static unsigned long weigh(struct lruvec *lruvec, struct scan_control *sc,
			   unsigned long *file, unsigned long *anon)
{
	unsigned long cost = sc->anon_cost + sc->file_cost;
	unsigned long swappiness = vm_swappiness;

	*file = 1;
	*anon = 0;
	if (sc->proactive && sc->proactive_swappiness)
		swappiness = *sc->proactive_swappiness;
	if (!sc->may_swap ||
	    mem_cgroup_get_nr_swap_pages(lruvec_memcg(lruvec)) <= 0 ||
	    (!swappiness && sc->target_mem_cgroup))
		return 1;
	if (!sc->priority && swappiness) {
		*anon = 1;
		return 1;
	}
	if (sc->file_is_tiny) {
		*file = 0;
		*anon = 1;
		return 1;
	}
	if (sc->cache_trim_mode)
		return 1;
	*anon = swappiness * (3 * cost + 1) / (cost + sc->anon_cost + 1);
	*file = (MAX_SWAPPINESS - swappiness) * (3 * cost + 1) /
		(cost + sc->file_cost + 1);
	return *file + *anon;
}

static struct counts count(struct lruvec *lruvec, struct scan_control *sc)
{
	unsigned long inactive = list_size(lruvec, sc, LRU_INACTIVE_FILE);
	unsigned long file = inactive + list_size(lruvec, sc, LRU_ACTIVE_FILE);
	unsigned long anon = list_size(lruvec, sc, LRU_INACTIVE_ANON) +
			     list_size(lruvec, sc, LRU_ACTIVE_ANON);
	unsigned long gb = file >> (30 - PAGE_SHIFT);
	unsigned long part_file, part_anon, all;

	all = weigh(lruvec, sc, &part_file, &part_anon);
	anon = unprotected(lruvec, sc, anon);
	file = unprotected(lruvec, sc, file);
	inactive = unprotected(lruvec, sc, inactive);
	return (struct counts) {
		.anon = mult_frac(anon, part_anon, all),
		.file = mult_frac(file, part_file, all),
		.inactive_file = mult_frac(inactive, part_file, all),
		.file_ratio = gb ? int_sqrt(10 * gb) : 1,
	};
}

/* On stacks of scan_anon(). */
struct lent {
	struct list_head link;
	const struct scan_control *sc;
	int priority;	/* before */
};

/*
 * By scan_control, which is that of one task: so few tasks meet at a lock. And they come
 * here only for folios that a policy governs.
 */
#define LENT_BITS	6

static struct lent_bucket {
	spinlock_t lock;
	struct list_head lent;
} ____cacheline_aligned_in_smp lent_buckets[1 << LENT_BITS];

static struct lent_bucket *bucket_of(const struct scan_control *sc)
{
	return &lent_buckets[hash_ptr(sc, LENT_BITS)];
}

/* The priority of a reclaim, also while scan_anon() has another. Does not sleep. */
int cache_ext_priority(const struct scan_control *sc)
{
	struct lent_bucket *b = bucket_of(sc);
	int priority = sc->priority;
	struct lent *lent;

	spin_lock(&b->lock);
	list_for_each_entry(lent, &b->lent, link)
		if (lent->sc == sc)
			priority = lent->priority;
	spin_unlock(&b->lock);
	return priority;
}

/* The kernel's own function, for about @pages of anonymous memory only. */
static void scan_anon(struct lruvec *lruvec, struct scan_control *sc,
		      unsigned long pages)
{
	unsigned long size = unprotected(lruvec, sc,
			list_size(lruvec, sc, LRU_INACTIVE_ANON) +
			list_size(lruvec, sc, LRU_ACTIVE_ANON));
	struct scan_control before = *sc;
	struct lent lent = { .sc = sc, .priority = sc->priority };
	struct lent_bucket *b = bucket_of(sc);

	spin_lock(&b->lock);
	list_add(&lent.link, &b->lent);
	spin_unlock(&b->lock);
	sc->file_is_tiny = 1;
	sc->nr_to_reclaim = pages;
	/* At 0 it would scan file pages all the same. */
	sc->priority = clamp(ilog2(max(size / pages, 1UL)), 1, DEF_PRIORITY);
	shrink_lruvec(lruvec, sc);
	sc->file_is_tiny = before.file_is_tiny;
	sc->nr_to_reclaim = before.nr_to_reclaim;
	sc->priority = before.priority;
	spin_lock(&b->lock);
	list_del(&lent.link);
	spin_unlock(&b->lock);
}

/*
 * Under reclaim for others (an ancestor's limit, the system), a cgroup gives what its
 * size asks for, as if it had no policy: inactive file pages, or as many as the kernel
 * would deactivate.
 */
static unsigned long share_of(struct scan_control *sc, struct counts nr)
{
	unsigned long want = max(nr.inactive_file,
				 nr.file / (1 + nr.file_ratio)) >> sc->priority;

	/* shrink_lruvec() aborts there, but not direct reclaim in calm times. */
	if (current_is_kswapd() || sc->priority != DEF_PRIORITY ||
	    sc->target_mem_cgroup)
		want = min(want, sc->nr_to_reclaim);
	return want;
}

/*
 * The policy, then anonymous memory's share. Returns true if that was all; else
 * *@got are the pages that the policy freed, and the kernel has to go on.
 */
static bool shrink(struct lruvec *lruvec, struct scan_control *sc,
		   unsigned long *got)
{
	struct counts nr = count(lruvec, sc);
	unsigned long anon, want = 0;

	*got = 0;
	if (cache_ext_own_limit(lruvec, sc)) {
		if (nr.file)
			want = max(mult_frac(sc->nr_to_reclaim, nr.file,
					     nr.file + nr.anon), 1UL);
		anon = mult_frac(want, nr.anon, max(nr.file, 1UL));
	} else {
		want = share_of(sc, nr);
		anon = nr.anon >> sc->priority;
	}
	if (!want)
		return false;

	*got = cache_ext_evict_lruvec(lruvec, sc, want);
	sc->nr_reclaimed += *got;
	if (*got < want)
		return false;
	if (anon)
		scan_anon(lruvec, sc, anon);
	return true;
}

static noinline void shrink_classic(struct lruvec *lruvec,
				    struct scan_control *sc)
{
	unsigned long got;

	if (!shrink(lruvec, sc, &got)) {
		unsigned long wanted = sc->nr_to_reclaim;

		sc->nr_to_reclaim = wanted > got ? wanted - got : 1;
		shrink_lruvec(lruvec, sc);
		sc->nr_to_reclaim = wanted;
	}
	cache_ext_leave();
}

static int evict_gen_of(unsigned long nr, struct lruvec *lruvec,
			struct scan_control *sc, int swappiness)
{
	int scanned;

	if (!cache_ext_evict_gen(nr, lruvec, sc, swappiness, &scanned))
		/* No macro as for others: programs have a member of this name. */
		scanned = static_call(stock_evict_folios)
				(STOCK_EVICT_ARGS(nr, lruvec, sc, swappiness));
	cache_ext_leave();
	return scanned;
}

static noinline int evict_gen(STOCK_EVICT_PARAMETERS)
{
	return evict_gen_of(STOCK_EVICT_NUMBER, lruvec, sc, swappiness);
}

/*
 * Entry of the kernel's functions. When we call them ourselves, they go on. With
 * MGLRU the first comes to the second, which is the one to ask.
 */
static void redirect(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	bool classic = ip - classic_entry < 16;
	struct lruvec *lruvec = (void *)ftrace_regs_get_argument(fregs,
					classic ? 0 : STOCK_EVICT_LRUVEC);

	if (cache_ext_calls(parent_ip))
		return;
	if (classic && static_key_enabled(mglru))
		return;
	if (!cache_ext_governs(lruvec_memcg(lruvec)))
		return;
	cache_ext_enter();
	ftrace_regs_set_instruction_pointer(fregs, classic ?
					    (unsigned long)shrink_classic :
					    (unsigned long)evict_gen);
}

static struct ftrace_ops shrink_ops = {
	.func = redirect,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION |
		 FTRACE_OPS_FL_PERMANENT,
};

int __init cache_ext_shrink_init(void)
{
	unsigned long ips[2];
	int i, err;

	for (i = 0; i < ARRAY_SIZE(lent_buckets); i++) {
		spin_lock_init(&lent_buckets[i].lock);
		INIT_LIST_HEAD(&lent_buckets[i].lent);
	}
	mglru = (void *)cache_ext_symbol("lru_gen_caps");
	ips[0] = cache_ext_symbol("shrink_lruvec");
	ips[1] = cache_ext_symbol("evict_folios");
	if (!mglru || !ips[0] || !ips[1])
		return -ENOENT;
	classic_entry = ips[0];
	err = ftrace_set_filter_ips(&shrink_ops, ips, 2, 0, 0);
	if (err)
		pr_err("cache_ext: cannot trace reclaim: error %d\n", err);
	return err;
}

int cache_ext_shrink_on(void)
{
	int err = register_ftrace_function(&shrink_ops);

	if (err == -EBUSY)
		pr_err_ratelimited("cache_ext: cannot hook shrink_lruvec: a live patch redirects it, or kernel.ftrace_enabled is 0\n");
	return err;
}

void cache_ext_shrink_off(void)
{
	cache_ext_untrace(&shrink_ops);
}
