// SPDX-License-Identifier: GPL-2.0
/*
 * A small XArray. It follows lib/xarray.c of 6.12 in what a user of it can tell:
 * the shape of the tree after each store, what an RCU reader may meet meanwhile,
 * and that nodes which -ENOMEM left empty stay until something is stored below.
 */
#include <linux/slab.h>
#include <linux/xarray.h>

static struct kmem_cache *cache;

void xa_init_flags(struct xarray *xa, unsigned int flags)
{
	if (!cache)
		cache = kmem_cache_create("radix_tree_node",
					  sizeof(struct xa_node), 8, 0, NULL);
	spin_lock_init(&xa->xa_lock);
	xa->xa_flags = flags;
	xa->xa_head = NULL;
}

static unsigned int offset_in(const struct xa_node *node, unsigned long index)
{
	return index >> node->shift & XA_CHUNK_MASK;
}

/* The entry, XA_RETRY_ENTRY or NULL. *@last: the node that it is in. */
static void *walk(const struct xarray *xa, unsigned long index,
		  struct xa_node **last)
{
	void *entry = xa_head(xa);

	*last = NULL;
	if (!xa_is_node(entry))
		return index ? NULL : entry;
	if (index >> xa_to_node(entry)->shift > XA_CHUNK_MASK)
		return NULL;
	while (xa_is_node(entry)) {
		*last = xa_to_node(entry);
		entry = xa_entry(xa, *last, offset_in(*last, index));
		if (!(*last)->shift)
			break;
	}
	return entry;
}

void *xa_load(struct xarray *xa, unsigned long index)
{
	struct xa_node *last;
	void *entry;

	rcu_read_lock();
	do {
		entry = walk(xa, index, &last);
	} while (entry == XA_RETRY_ENTRY);
	rcu_read_unlock();
	return entry;
}

static void assert_locked(struct xa_state *xas)
{
	if (!shim_is_held(&xas->xa->xa_lock))
		shim_die("the lock of an XArray is not held");
}

void *xas_load(struct xa_state *xas)
{
	struct xa_node *last;

	assert_locked(xas);
	return xas->error ? NULL : walk(xas->xa, xas->xa_index, &last);
}

static struct xa_node *make(struct xa_state *xas, unsigned int shift,
			    struct xa_node *parent, unsigned int offset)
{
	struct xa_node *node = xas->xa_alloc;

	xas->xa_alloc = NULL;
	if (!node)
		node = kmem_cache_zalloc(cache, GFP_NOWAIT);
	if (!node) {
		xas->error = -ENOMEM;
		return NULL;
	}
	node->shift = shift;
	node->parent = parent;
	if (parent) {
		node->offset = offset;
		parent->count++;
	}
	return node;
}

static unsigned long reach(const void *head)
{
	if (!xa_is_node(head))
		return 0;
	return (XA_CHUNK_SIZE << xa_to_node(head)->shift) - 1;
}

/* Nodes above the head until @index is in reach. The tree's height, or -ENOMEM. */
static int expand(struct xa_state *xas)
{
	struct xarray *xa = xas->xa;
	unsigned long index = xas->xa_index;
	void *head = xa->xa_head;
	struct xa_node *node;
	int shift = 0;

	if (!head) {
		if (!index)
			return 0;
		while (index >> shift >= XA_CHUNK_SIZE)
			shift += XA_CHUNK_SHIFT;
		return shift + XA_CHUNK_SHIFT;
	}
	if (xa_is_node(head))
		shift = xa_to_node(head)->shift + XA_CHUNK_SHIFT;
	while (index > reach(head)) {
		node = make(xas, shift, NULL, 0);
		if (!node)
			return -ENOMEM;
		node->count = 1;
		node->slots[0] = head;
		if (xa_is_node(head)) {
			xa_to_node(head)->offset = 0;
			xa_to_node(head)->parent = node;
		}
		head = xa_mk_node(node);
		rcu_assign_pointer(xa->xa_head, head);
		shift += XA_CHUNK_SHIFT;
	}
	return shift;
}

/* The slot of the index, in *@last; NULL: no memory. */
static void **create(struct xa_state *xas, struct xa_node **last)
{
	void **slot = &xas->xa->xa_head;
	int shift = expand(xas);
	struct xa_node *node;
	unsigned int offset = 0;

	*last = NULL;
	if (shift < 0)
		return NULL;
	while (shift > 0) {
		shift -= XA_CHUNK_SHIFT;
		if (!*slot) {
			node = make(xas, shift, *last, offset);
			if (!node)
				return NULL;
			rcu_assign_pointer(*slot, xa_mk_node(node));
		}
		*last = xa_to_node(*slot);
		offset = offset_in(*last, xas->xa_index);
		slot = &(*last)->slots[offset];
	}
	return slot;
}

static void free_node_rcu(struct rcu_head *head)
{
	shim_rcu_begins();
	kmem_cache_free(cache, container_of(head, struct xa_node, rcu));
}

/* Readers may stand on it. */
static void free_node(struct xa_node *node)
{
	call_rcu(&node->rcu, free_node_rcu);
}

/* The head goes as long as it only leads to index 0. */
static void shrink(struct xarray *xa, struct xa_node *node)
{
	void *entry;

	while (node->count == 1) {
		entry = node->slots[0];
		if (!entry || (!xa_is_node(entry) && node->shift))
			break;
		rcu_assign_pointer(xa->xa_head, entry);
		if (!xa_is_node(entry))
			rcu_assign_pointer(node->slots[0], XA_RETRY_ENTRY);
		free_node(node);
		if (!xa_is_node(entry))
			break;
		node = xa_to_node(entry);
		node->parent = NULL;
	}
}

static void *erase(struct xa_state *xas)
{
	struct xarray *xa = xas->xa;
	struct xa_node *node, *parent;
	unsigned int offset;
	void *was = walk(xa, xas->xa_index, &node);

	if (!was)
		return NULL;
	if (!node) {
		rcu_assign_pointer(xa->xa_head, NULL);
		return was;
	}
	rcu_assign_pointer(node->slots[offset_in(node, xas->xa_index)], NULL);
	node->count--;
	while (!node->count) {
		parent = node->parent;
		offset = node->offset;
		free_node(node);
		if (!parent) {
			rcu_assign_pointer(xa->xa_head, NULL);
			return was;
		}
		rcu_assign_pointer(parent->slots[offset], NULL);
		parent->count--;
		node = parent;
	}
	if (!node->parent)
		shrink(xa, node);
	return was;
}

void *xas_store(struct xa_state *xas, void *entry)
{
	struct xa_node *last;
	void **slot, *was;

	assert_locked(xas);
	if (xas->error)
		return NULL;
	if (!entry)
		return erase(xas);
	slot = create(xas, &last);
	if (!slot)
		return NULL;
	was = *slot;
	rcu_assign_pointer(*slot, entry);
	if (last && !was)
		last->count++;
	return was;
}

bool xas_nomem(struct xa_state *xas, gfp_t gfp)
{
	if (xas->error != -ENOMEM) {
		if (xas->xa_alloc)
			kmem_cache_free(cache, xas->xa_alloc);
		xas->xa_alloc = NULL;
		return false;
	}
	xas->xa_alloc = kmem_cache_zalloc(cache, gfp);
	if (!xas->xa_alloc)
		return false;
	xas->error = 0;
	return true;
}

static void walk_all(void *entry, unsigned long base,
		     void (*fn)(unsigned long index, void *entry))
{
	struct xa_node *node;
	unsigned long i;

	if (!xa_is_node(entry)) {
		if (entry)
			fn(base, entry);
		return;
	}
	node = xa_to_node(entry);
	for (i = 0; i < XA_CHUNK_SIZE; i++)
		walk_all(node->slots[i], base + (i << node->shift), fn);
}

void shim_xa_walk(struct xarray *xa, void (*fn)(unsigned long index, void *entry))
{
	walk_all(xa->xa_head, 0, fn);
}

static unsigned long found_at;
static void *found;

static void find_last(unsigned long index, void *entry)
{
	found_at = index;
	found = entry;
}

/* Finds the last one instead of the first: the core asks only if there is one. */
void *xa_find(struct xarray *xa, unsigned long *index,
	      unsigned long max __maybe_unused, unsigned int mark __maybe_unused)
{
	found = NULL;
	shim_xa_walk(xa, find_last);
	if (found)
		*index = found_at;
	return found;
}

static void free_all(void *entry)
{
	struct xa_node *node;
	unsigned int i;

	if (!xa_is_node(entry))
		return;
	node = xa_to_node(entry);
	for (i = 0; i < XA_CHUNK_SIZE; i++)
		free_all(node->slots[i]);
	kmem_cache_free(cache, node);
}

/* Caller: nobody uses it any more. */
void xa_destroy(struct xarray *xa)
{
	free_all(xa->xa_head);
	xa->xa_head = NULL;
}
