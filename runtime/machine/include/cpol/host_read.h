/* SPDX-License-Identifier: MIT */
/* Clock, time, task, random numbers, hashes and the answer of admit on the host (host.h). */
#ifndef CPOL_HOST_READ_H
#define CPOL_HOST_READ_H

#if CPOL_USES_CLOCK
CPOL_INLINE u64 cpol_cache_clock(cpol_ctx *c)
{
	return c->clock;
}
#endif

#if CPOL_USES_TIME
CPOL_INLINE u64 cpol_cache_time(cpol_ctx *c)
{
	return c->ms;
}
#endif

#if CPOL_USES_TASK
CPOL_INLINE u64 cpol_task_thread(cpol_ctx *c)
{
	return c->thread;
}

CPOL_INLINE u64 cpol_task_process(cpol_ctx *c)
{
	return c->process;
}

CPOL_INLINE u64 cpol_task_comm(cpol_ctx *c)
{
	return c->comm;
}
#endif

#if CPOL_USES_FLAGS
#define CPOL_FOLIO_FLAG(NAME, name)                                             \
	CPOL_INLINE bool cpol_folio_##name(cpol_ctx *c, cpol_folio f)           \
	{                                                                       \
		return c->flags[f] & CPOL_##NAME;                               \
	}
CPOL_FLAGS(CPOL_FOLIO_FLAG)
#endif

#if CPOL_USES_WRITES
CPOL_INLINE bool cpol_task_writes(cpol_ctx *c)
{
	return c->writes;
}
#endif

#if CPOL_USES_ORIGIN
CPOL_INLINE u64 cpol_folio_device(cpol_ctx *c, cpol_folio f)
{
	return c->origins[f].device;
}

CPOL_INLINE u64 cpol_folio_cgroup(cpol_ctx *c, cpol_folio f)
{
	return c->origins[f].cgroup;
}
#endif

#if CPOL_USES_READERS
CPOL_INLINE u64 cpol_readers(const cpol_ctx *c, u64 file)
{
	for (u64 at = 0; at < c->n_opened; at++)
		if (c->opened[at].file == file)
			return c->opened[at].readers;
	return 0;
}

#define cpol_folio_readers(c, f) cpol_readers(c, cpol_folio_file(c, f))
#define cpol_request_readers(c) cpol_readers(c, cpol_request_file(c))
#endif

#if CPOL_USES_RANDOM
CPOL_INLINE u64 cpol_random(cpol_ctx *c, u64 bound)
{
	c->random += CPOL_RANDOM_STEP;
	return cpol_random_below(c->random, bound);
}
#endif

#if CPOL_EVENTS || CPOL_HAS_IDS
CPOL_INLINE u64 cpol_hash(cpol_ctx *c, cpol_folio f, u64 salt)
{
	return cpol_hash_name(cpol_folio_file(c, f), cpol_folio_index(c, f), salt);
}
#endif

#if CPOL_HAS_ADMIT
CPOL_INLINE void cpol_refuse(cpol_ctx *c, cpol_folio f)
{
	(void)f;
	CPOL_LOG(c, CPOL_OP_REFUSE, f, 0, 0);
	c->refuses = true;
}
#endif

#endif
