/* SPDX-License-Identifier: GPL-2.0 */
/* Nodes, zones, and the classic LRU. */
#ifndef _LINUX_MMZONE_H
#define _LINUX_MMZONE_H

#include <linux/spinlock.h>

#define MAX_NUMNODES 2
#define MAX_NR_ZONES 2
#define MAX_PAGECACHE_ORDER 8
#define DEF_PRIORITY 12

enum lru_list {
	LRU_INACTIVE_FILE,
	LRU_ACTIVE_FILE,
	NR_LRU_LISTS,
};
#define LRU_ACTIVE 1

enum { NR_ISOLATED_FILE, NR_FILE_PAGES, NR_SHMEM, NR_SHIM_STATES };

struct zone {
	bool managed;
};

struct pglist_data {
	int node_id;
	struct zone node_zones[MAX_NR_ZONES];
	atomic_long_t state[NR_SHIM_STATES];
};

struct lruvec {
	spinlock_t lru_lock;
	struct list_head lists[NR_LRU_LISTS];
	long nr_pages[NR_LRU_LISTS][MAX_NR_ZONES];
	long cached;			/* pages, on the LRU or not; atomic */
	struct mem_cgroup *memcg;
	struct pglist_data *pgdat;
};

extern struct pglist_data shim_nodes[MAX_NUMNODES];
extern int nr_online_nodes;

/* Half of the folios are of each zone. */
#define managed_zone(zone) ((void)(zone), true)
#define NODE_DATA(nid) (&shim_nodes[nid])
#define for_each_online_node(nid) for (nid = 0; nid < nr_online_nodes; nid++)
#define num_online_nodes() nr_online_nodes
#define next_node_in(nid, map) (((nid) + 1) % nr_online_nodes)

static inline struct pglist_data *lruvec_pgdat(struct lruvec *lruvec)
{
	return lruvec->pgdat;
}

static inline void mod_node_page_state(struct pglist_data *pgdat, int item,
				       long nr)
{
	__atomic_fetch_add(&pgdat->state[item].counter, nr, __ATOMIC_RELAXED);
}

static inline unsigned long lruvec_page_state_local(struct lruvec *lruvec,
						    int item)
{
	return item == NR_FILE_PAGES ?
	       (unsigned long)__atomic_load_n(&lruvec->cached,
					      __ATOMIC_RELAXED) : 0;
}

/* Caller: lru_lock. */
static inline void update_lru_size(struct lruvec *lruvec, enum lru_list lru,
				   int zone, long nr)
{
	WRITE_ONCE(lruvec->nr_pages[lru][zone],
		   lruvec->nr_pages[lru][zone] + nr);
	if (lruvec->nr_pages[lru][zone] < 0)
		shim_die("size of an LRU list below 0");
}

extern bool shim_mglru;

static inline bool lru_gen_enabled(void)
{
	return shim_mglru;
}

#endif
