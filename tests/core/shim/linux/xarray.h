/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the XArray that the core uses. Trees have the kernel's shape: an
 * entry at index 0 and no other sits in the head itself, empty nodes go at once,
 * and a look-up that meets what was just taken away finds XA_RETRY_ENTRY.
 */
#ifndef _LINUX_XARRAY_H
#define _LINUX_XARRAY_H

#include <linux/gfp.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#define XA_CHUNK_SHIFT 6
#define XA_CHUNK_SIZE (1UL << XA_CHUNK_SHIFT)
#define XA_CHUNK_MASK (XA_CHUNK_SIZE - 1)
#define XA_FLAGS_LOCK_IRQ 1
#define XA_FLAGS_ACCOUNT 2
#define XA_PRESENT 8

struct xarray {
	spinlock_t xa_lock;
	unsigned int xa_flags;
	void *xa_head;
};

struct xa_node {
	unsigned char shift;
	unsigned char offset;	/* in the parent */
	unsigned char count;	/* slots in use */
	struct xa_node *parent;
	struct rcu_head rcu;
	void *slots[XA_CHUNK_SIZE];
};

struct xa_state {
	struct xarray *xa;
	unsigned long xa_index;
	struct xa_node *xa_alloc;
	int error;
};

#define XA_STATE(name, array, index)                                           \
	struct xa_state name = { .xa = (array), .xa_index = (index) }

static inline bool xa_is_internal(const void *entry)
{
	return ((unsigned long)entry & 3) == 2;
}

#define XA_RETRY_ENTRY ((void *)(256UL << 2 | 2))

static inline bool xa_is_node(const void *entry)
{
	return xa_is_internal(entry) && (unsigned long)entry > 4096;
}

static inline struct xa_node *xa_to_node(const void *entry)
{
	return (struct xa_node *)((unsigned long)entry - 2);
}

static inline void *xa_mk_node(const struct xa_node *node)
{
	return (void *)((unsigned long)node | 2);
}

static inline void *xa_head(const struct xarray *xa)
{
	return rcu_dereference(xa->xa_head);
}

static inline void *xa_entry(const struct xarray *xa __maybe_unused,
			     const struct xa_node *node, unsigned int offset)
{
	return rcu_dereference(node->slots[offset]);
}

static inline bool xa_empty(const struct xarray *xa)
{
	return !rcu_access_pointer(xa->xa_head);
}

void xa_init_flags(struct xarray *xa, unsigned int flags);
void *xa_load(struct xarray *xa, unsigned long index);
void *xa_find(struct xarray *xa, unsigned long *index, unsigned long max,
	      unsigned int mark);
void xa_destroy(struct xarray *xa);
/* Calls @fn for each entry. Caller: nobody changes it. */
void shim_xa_walk(struct xarray *xa,
		  void (*fn)(unsigned long index, void *entry));

#define xas_lock_irqsave(xas, flags) spin_lock_irqsave(&(xas)->xa->xa_lock, flags)
#define xas_unlock_irqrestore(xas, flags)                                      \
	spin_unlock_irqrestore(&(xas)->xa->xa_lock, flags)
void *xas_load(struct xa_state *xas);
void *xas_store(struct xa_state *xas, void *entry);
bool xas_nomem(struct xa_state *xas, gfp_t gfp);

static inline int xas_error(const struct xa_state *xas)
{
	return xas->error;
}

#endif
