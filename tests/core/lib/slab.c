// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: each object is an allocation of its own, so that AddressSanitizer sees
 * each use after it was freed. Allocations fail at random.
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <stdlib.h>
#include "shim.h"

struct kmem_cache {
	size_t size;
	unsigned long objects;
};

/* Before each object, which so is aligned to 16 bytes. */
struct header {
	struct kmem_cache *cache;
	unsigned long magic;
};

#define MAGIC 0x6f626a656374UL

unsigned int shim_failures;

static unsigned long objects;

bool shim_fails(gfp_t gfp)
{
	unsigned int failures = READ_ONCE(shim_failures);

	shim_pass_by();
	if (gfpflags_allow_blocking(gfp)) {
		if (current->no_reclaim)
			shim_die("reclaim under BPF's lock of all links");
		shim_might_sleep();
		shim_gap(true);
		return failures && shim_chance(1 + failures / 16);
	}
	return shim_chance(failures);
}

struct kmem_cache *kmem_cache_create(const char *name __maybe_unused,
				     size_t size, size_t align __maybe_unused,
				     unsigned int flags __maybe_unused,
				     void (*ctor)(void *object) __maybe_unused)
{
	struct kmem_cache *cache = calloc(1, sizeof(*cache));

	cache->size = size;
	return cache;
}

void kmem_cache_destroy(struct kmem_cache *cache)
{
	rcu_barrier();
	if (cache && __atomic_load_n(&cache->objects, __ATOMIC_ACQUIRE))
		shim_die("objects of %zu bytes are left", cache->size);
	free(cache);
}

void *kmem_cache_zalloc(struct kmem_cache *cache, gfp_t gfp)
{
	struct header *header;

	if ((gfp & __GFP_HIGH) || !(gfp & __GFP_NOMEMALLOC))
		shim_die("a slab object is taken from the machine's reserves");
	if (shim_fails(gfp))
		return NULL;
	header = calloc(1, sizeof(*header) + cache->size);
	header->cache = cache;
	header->magic = MAGIC;
	__atomic_fetch_add(&cache->objects, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&objects, 1, __ATOMIC_RELAXED);
	return header + 1;
}

static void free_object(void *object)
{
	struct header *header = (struct header *)object - 1;

	if (header->magic != MAGIC)
		shim_die("%p is no slab object", object);
	header->magic = 0;
	__atomic_fetch_sub(&header->cache->objects, 1, __ATOMIC_ACQ_REL);
	__atomic_fetch_sub(&objects, 1, __ATOMIC_RELAXED);
	free(header);
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	if (((struct header *)object - 1)->cache != cache)
		shim_die("%p is freed to another cache", object);
	free_object(object);
}

void shim_free_rcu(struct rcu_head *head)
{
	free_object(head);
}

unsigned long shim_slab_objects(void)
{
	return __atomic_load_n(&objects, __ATOMIC_RELAXED);
}

void *shim_zalloc(size_t size, gfp_t gfp)
{
	return shim_fails(gfp) ? NULL : calloc(1, size);
}

void kfree(const void *p)
{
	free((void *)p);
}

void *shim_alloc_percpu(size_t size, gfp_t gfp)
{
	if (size > SHIM_STRIDE)
		shim_die("%zu bytes for each CPU are too many", size);
	if (shim_fails(gfp))
		return NULL;
	return calloc(NR_CPUS, SHIM_STRIDE);
}

void free_percpu(void *p)
{
	free(p);
}
