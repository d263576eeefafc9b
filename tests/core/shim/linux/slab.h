/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_SLAB_H
#define _LINUX_SLAB_H

#include <linux/gfp.h>
#include <linux/kernel.h>

struct kmem_cache;

struct kmem_cache *kmem_cache_create(const char *name, size_t size,
				     size_t align, unsigned int flags,
				     void (*ctor)(void *object));
void kmem_cache_destroy(struct kmem_cache *cache);
void *kmem_cache_zalloc(struct kmem_cache *cache, gfp_t gfp);
void kmem_cache_free(struct kmem_cache *cache, void *object);

/* Objects that are not freed yet, of all caches. */
unsigned long shim_slab_objects(void);

void *shim_zalloc(size_t size, gfp_t gfp);
void kfree(const void *p);
#define kmalloc(size, gfp) shim_zalloc(size, gfp)
#define kzalloc(size, gfp) shim_zalloc(size, gfp)
#define kvzalloc(size, gfp) shim_zalloc(size, gfp)
#define kvcalloc(n, size, gfp) shim_zalloc((n) * (size), gfp)
#define kvfree(p) kfree(p)

#endif
