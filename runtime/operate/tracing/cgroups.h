/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether folios and tasks belong to a cgroup, or to one below it. */
#ifndef TRACING_CGROUPS_H
#define TRACING_CGROUPS_H

#include "tracing/kernel.h"

#define MAX_DEPTH 64

/* From the css of a cgroup, its own or that of its memory controller, to that of the cgroup with this id. NULL: it is not below that. */
static const struct cgroup_subsys_state *css_above(const struct cgroup_subsys_state *css, uint64_t id)
{
	for (int depth = 0; css && depth < MAX_DEPTH; depth++) {
		if (css->cgroup->kn->id == id)
			return css;
		css = css->parent;
	}
	return NULL;
}

/* Whether the current task belongs to that cgroup. */
static bool task_is_of(uint64_t id)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return css_above(&task->cgroups->dfl_cgrp->self, id);
}

/*
 * The css of that cgroup, if a folio is of a file, not of tmpfs, and charged to that cgroup or below it; else NULL. This runs for all folios
 * of the machine.
 */
static const struct cgroup_subsys_state *folio_is_of(const struct folio *folio, uint64_t id)
{
	unsigned long mapping = 0, memcg_data = folio->memcg_data;
	const struct cgroup_subsys_state *css;
	const struct mem_cgroup *memcg;

	if (!memcg_data || memcg_data & MEMCG_FLAGS || folio->flags & FLAG(PG_swapbacked))
		return NULL;
	memcg = bpf_rdonly_cast((void *)memcg_data, TYPE_ID(struct mem_cgroup));
	css = css_above(&memcg->css, id);
	if (!css)
		return NULL;
	/* As a number: the verifier allows no arithmetic on the pointer. */
	bpf_probe_read_kernel(&mapping, sizeof(mapping), &folio->mapping);
	return mapping && !(mapping & MAPPING_FLAGS) ? css : NULL;
}

static uint32_t folio_pages(const struct folio *folio)
{
	return folio->flags & FLAG(PG_head) ? folio->_folio_nr_pages : 1;
}

#endif
