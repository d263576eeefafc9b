// SPDX-License-Identifier: GPL-2.0
/*
 * The events, one after another. Those that may wait are done by workers, of
 * which several are under way at once.
 */
#include <linux/cache_ext.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include "world.h"

#define TASKS 4

struct world world;
struct counts counts;

static struct task {
	struct delayed_work work;
	void (*run)(void);
} tasks[TASKS];
static struct seq_file nowhere;

/*
 * At the edges of what names of page frames can be: 0, over the end of a region
 * and of all regions, and the last ones, of which one cannot have a node. Sizes
 * are powers of two, from 16 to 512.
 */
static void make_frames(void)
{
	struct shim_section sections[4];
	unsigned int i, half;

	for (i = 0; i < ARRAY_SIZE(sections); i++)
		sections[i].nr = pick(4) ? 64 << pick(4) : 16;
	half = sections[1].nr / 2;
	sections[0].first = pick(2) ? 0 : 0x2000;
	sections[1].first = 0x1000 - half;
	sections[2].first = 0x400000 - pick(2) * half;
	sections[3].first = 0U - sections[3].nr;
	shim_frames_init(sections, 1 + pick(ARRAY_SIZE(sections)));
}

static void run_task(struct work_struct *work)
{
	struct task *task = container_of(to_delayed_work(work), struct task,
					 work);

	task->run();
}

/* What may take long, in a worker. */
static void start_task(void)
{
	static void (*const runs[])(void) = {
		policy_attach, policy_detach, policy_update, cgroup_create,
		cgroup_remove, reclaim_some,  reclaim_some,  page_read,
		change_replace,
	};
	struct task *task = &tasks[pick(TASKS)];

	if (shim_threads) {
		runs[pick(ARRAY_SIZE(runs))]();
		return;
	}
	if (task->work.work.pending)
		return;
	task->run = runs[pick(ARRAY_SIZE(runs))];
	queue_delayed_work(NULL, &task->work, pick(3));
}

static void be_short_of_memory(void)
{
	struct mem_cgroup *memcg = cgroup_any();

	if (!memcg)
		return;
	if (page_counter_read(&memcg->memory) > READ_ONCE(memcg->memory.max))
		reclaim_cgroup(memcg, 1 + pick(40));
	css_put(&memcg->css);
}

static void run_worker(void)
{
	shim_run_worker();
}

static void show(void)
{
	if (shim_may_wait() && !mutex_is_locked(&cache_ext_mutex))
		shim_proc_show(&nowhere);
}

static void rarely(void)
{
	switch (pick(16)) {
	case 0:
		cgroup_limits();
		break;
	case 1:
		show();
		break;
	default:
		shim_time_passes(pick(8));
	}
}

/* How often what happens, in parts of their sum. A row is chosen for each world. */
static const struct kind {
	void (*run)(void);
	u8 weight[4];
} kinds[] = {
	/*		       calm, hot, short of memory, restless */
	{ page_read,		{ 35, 90, 35, 35 } },
	{ page_write,		{ 4, 1, 2, 3 } },
	{ page_truncate,	{ 3, 1, 1, 8 } },
	{ page_flags,		{ 3, 1, 2, 6 } },
	{ page_map,		{ 2, 1, 1, 6 } },
	{ change_migrate,	{ 2, 1, 1, 8 } },
	{ change_replace,	{ 1, 0, 1, 3 } },
	{ change_split,		{ 3, 0, 1, 12 } },
	{ change_collapse,	{ 1, 0, 0, 6 } },
	{ be_short_of_memory,	{ 3, 1, 16, 2 } },
	{ reclaim_some,		{ 1, 0, 6, 1 } },
	{ start_task,		{ 1, 1, 1, 6 } },
	{ run_worker,		{ 2, 2, 2, 6 } },
	{ rarely,		{ 1, 1, 1, 1 } },
};

static unsigned int mood, weights;

static void choose_mood(void)
{
	unsigned int i;

	mood = pick(ARRAY_SIZE(kinds[0].weight));
	weights = 0;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		weights += kinds[i].weight[mood];
}

void world_event(void)
{
	const struct kind *kind = kinds;
	unsigned int n = pick(weights);

	COUNT(events);
	for (; n >= kind->weight[mood]; kind++)
		n -= kind->weight[mood];
	kind->run();
}

static void other_cpu(void)
{
	COUNT(nested);
	world_event();
}

static void make_files(void)
{
	unsigned int i;

	for (i = 0; i < FILES; i++) {
		struct file *file = &world.files[i];

		file->pages = 32 + pick(SHIM_FILE_PAGES - 32 + 1);
		file->inode.i_mode = i > 0;	/* the first is a directory */
		/* The second is a file system's own. */
		file->inode.i_dentry.first = i == 1 ? NULL : &file->name;
		file->inode.i_size = (loff_t)(file->pages - 3) << PAGE_SHIFT;
		file->mapping.host = &file->inode;
		file->mapping.unevictable = i == FILES - 1 && !pick(4);
	}
}

/* The core starts, with files and cgroups. */
static void begin(void)
{
	unsigned int i;

	if (!nowhere.to)
		nowhere.to = fopen("/dev/null", "w");
	COUNT(worlds);
	for (i = 0; i < POLICIES && world.shadow; i++)
		world.policies[i].has = calloc(1, shim_nr_frames());
	mutex_init(&world.bpf);
	for (i = 0; i < TASKS; i++)
		INIT_DELAYED_WORK(&tasks[i].work, run_task);
	make_files();
	if (cache_ext_index_init() || cache_ext_nodes_init() || policy_ext_wq_init() ||
	    cache_ext_glue_init() || cache_ext_kfuncs_init())
		shim_die("the core does not start");
	cache_ext_stats_init();
	cgroups_start();
	shim_other_cpu = other_cpu;
}

void world_start(void)
{
	unsigned int i;

	memset(&world, 0, sizeof(world));
	nr_online_nodes = 1 + pick(2);
	shim_mglru = !pick(4);
	bpf_stats_enabled_key.enabled.counter = !pick(8);
	world.hostile = pick(3) ? 0 : pick(20);
	world.style = pick(4) ? STYLES : pick(STYLES);
	world.shadow = !shim_threads;
	make_frames();
	choose_mood();
	begin();
	for (i = 0; i < CGROUPS; i++)
		policy_attach();
	WRITE_ONCE(shim_failures, pick(3) ? 0 : 1 << pick(9));
	WRITE_ONCE(shim_calm, pick(8) ? 4 << pick(8) : 0);
}

void world_start_bare(void)
{
	static const struct shim_section frames = { 0x1000, 2048 };

	memset(&world, 0, sizeof(world));
	nr_online_nodes = 1;
	shim_mglru = false;
	bpf_stats_enabled_key.enabled.counter = 0;
	shim_frames_init(&frames, 1);
	begin();
}

/* One cgroup has a policy of this style, and nothing fails. */
void world_start_calm(enum style style)
{
	world_start_bare();
	policy_attach_whole(world.cgroups[0], style);
}

/* Everything goes, and nothing is left. */
void world_stop(void)
{
	unsigned int i;

	WRITE_ONCE(shim_calm, 0);
	WRITE_ONCE(shim_failures, 0);
	for (i = 0; i < TASKS; i++)
		flush_work(&tasks[i].work.work);
	shim_settle();
	if (pick(2))
		policies_stop();
	lru_add_drain_all();
	while (!page_remove_all())
		shim_settle();
	policies_stop();
	cgroups_stop();
	cache_ext_stats_exit();
	policy_ext_wq_exit();
	/* A worker may have given folios back that others removed meanwhile. */
	lru_add_drain_all();
	cache_ext_glue_exit();
	rcu_barrier();
	check_all();
	for (i = 0; i < CACHE_EXT_MAX_POLICIES; i++)
		if (cache_ext_policy_ids[i])
			shim_die("a policy is left");
	cache_ext_index_exit();
	cache_ext_nodes_exit();
	if (shim_slab_objects() || shim_memcgs() || cache_ext_enabled() ||
	    cache_ext_admission())
		shim_die("%lu objects, %u cgroups or a hook are left",
			 shim_slab_objects(), shim_memcgs());
	shim_frames_exit();
	for (i = 0; i < POLICIES; i++)
		free(world.policies[i].has);
}

void world_print(void)
{
	printf(		"%lu events (%lu in gaps of others) in %lu worlds, %lu checks\n"
		"folios: %lu added, %lu accessed, %lu removed, %lu migrated, "
		"%lu replaced, %lu split, %lu collapsed\n"
		"requests: %lu, of whose pages %lu went as proposed, %lu by the "
		"kernel's own scan; %lu folios broke\n"
		"policies: %lu attached, %lu updated, %lu detached, %lu refused; "
		"%lu cgroups\n"
		"programs: %lu runs, %lu kfunc calls, %lu foreign\n",
		counts.events, counts.nested, counts.worlds, counts.checks,
		counts.added, counts.accessed, counts.removed, counts.migrated,
		counts.replaced, counts.split, counts.collapsed,
		counts.requests, counts.reclaimed, counts.reclaimed_by_kernel,
		counts.lost, counts.attached, counts.updated, counts.detached,
		counts.refused, counts.cgroups, counts.programs, counts.kfuncs, counts.foreign);
}
