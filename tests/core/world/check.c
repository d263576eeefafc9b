// SPDX-License-Identifier: GPL-2.0
/*
 * Is what the core knows what is there? Asked when nothing is going on.
 */
#include "world.h"

static unsigned int nr_nodes;
static unsigned int nodes_of[CACHE_EXT_MAX_POLICIES];

static void check_node(struct cache_ext_node *node, void *unused __maybe_unused)
{
	struct cache_ext_policy *p = cnode_policy(node);
	struct folio *folio = cnode_folio(node);
	struct policy *policy;

	nr_nodes++;
	if (!p)
		shim_die("a node of a policy that is gone");
	nodes_of[node->policy]++;
	if (cache_ext_node_find(folio) != node)
		shim_die("a node at a place that its name does not lead to");
	if (cnode_state(node) != NODE_LISTED &&
	    cnode_state(node) != NODE_REFUSED)
		shim_die("a node of state %d is left", cnode_state(node));
	if (!folio->mapping)
		shim_die("a node of a folio that left the page cache");
	if (folio_order(folio) != cnode_order(node))
		shim_die("a node of another size than its folio");
	policy = policy_of_ops(p->ops);
	if (!p->life.dead && policy->has && policy->ops.folio_removed &&
	    policy->has[frame_of(folio)] != cnode_owned(node))
		shim_die("a policy was told otherwise than it owns");
}

/* As many as on its lists. */
static void check_policy(struct cache_ext_policy *p)
{
	struct policy *policy = policy_of_ops(p->ops);
	unsigned long nodes = p->nr_refused, has = 0, owned = 0;
	unsigned int i;

	cache_ext_check(p, true);
	for (i = 0; i < p->lists.nr; i++) {
		owned += p->lists.list[i].nr_folios;
		if (p->lists.list[i].iterating)
			shim_die("an iterator is left");
	}
	nodes += owned;
	if (nodes_of[p->kind.policy] != nodes)
		shim_die("policy %s has %lu nodes on lists, %u in the index",
			 p->life.name, nodes, nodes_of[p->kind.policy]);
	if (p->life.dead || !policy->has)
		return;
	for (i = 0; i < shim_nr_frames(); i++)
		has += policy->has[i];
	if (has != owned)
		shim_die("policy %s owns %lu folios, and was told of %lu",
			 p->life.name, owned, has);
}

void check_all(void)
{
	struct cache_ext_policy *p;
	unsigned int i, calm = shim_calm;

	WRITE_ONCE(shim_calm, 0);
	shim_stand_still();
	COUNT(checks);
	nr_nodes = 0;
	memset(nodes_of, 0, sizeof(nodes_of));
	cache_ext_index_walk(check_node, NULL);
	mutex_lock(&cache_ext_mutex);
	list_for_each_entry(p, &cache_ext_policies, life.all) {
		cache_ext_batch_flush_all(&p->lists);
		check_policy(p);
	}
	mutex_unlock(&cache_ext_mutex);
	for (i = 0; i < MAX_NUMNODES; i++)
		if (shim_nodes[i].state[NR_ISOLATED_FILE].counter)
			shim_die("NR_ISOLATED_FILE is not balanced");
	shim_go_on();
	WRITE_ONCE(shim_calm, calm);
}
