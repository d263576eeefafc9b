/* SPDX-License-Identifier: MIT */
#include "command/attach_links.h"

#include <errno.h>

#include "command/attach_explain.h"
#include "pins/second_link.h"
#include "system/begun.h"
#include "system/stat_text.h"
#include "system/step.h"

/* Attaches the policy by a new link. If an old one governs, there is a gap; if this fails, the old one comes back. */
static int attach_fresh(struct job *job)
{
	uint64_t since = boot_ms();
	struct bpf_link *link;
	int status, error;

	if (job->old.governs && old_policy_detach(&job->old, &job->pins, &job->cgroup))
		return -1;
	link = bpf_map__attach_struct_ops(job->ops[kind_of(job)]);
	error = errno;
	if (link && !has_begun(&job->cgroup, kind_of(job), since)) {
		error = errno;
		bpf_link__destroy(link);
		link = NULL;
	}
	if (job->old.governs)
		ungoverned_end(&job->old.ungoverned, &job->cgroup);
	if (!link) {
		explain_attach(error, job->manifest.policy, &job->cgroup, kind_of(job), since, NULL);
		if (job->old.governs)
			old_policy_restore(&job->old, &job->pins, &job->cgroup);
		return -1;
	}
	STEP("the new policy is attached");
	status = pins_add(&job->pins, LINK_PIN, bpf_link__fd(link));
	if (!status)
		bpf_link__disconnect(link); /* the pin keeps it */
	bpf_link__destroy(link);
	if (status && job->old.governs)
		old_policy_restore(&job->old, &job->pins, &job->cgroup);
	if (!status)
		STEP("the link is pinned");
	return status;
}

static int attach_new(struct job *job)
{
	uint64_t since = boot_ms();

	if (!job->old.governs)
		return attach_fresh(job);
	switch (old_policy_exchange(&job->old, &job->pins, job->ops[kind_of(job)])) {
	case EXCHANGED:
		if (has_begun(&job->cgroup, kind_of(job), since))
			return 0;
		explain_attach(errno, job->manifest.policy, &job->cgroup, kind_of(job), since, job->old.name);
		old_policy_takes_back(&job->old, &job->pins);
		return -1;
	case NO_EXCHANGE:
		return attach_fresh(job);
	case REFUSED_EXCHANGE:
		return explain_attach(errno, job->manifest.policy, &job->cgroup, kind_of(job), since, job->old.name);
	case BROKEN_EXCHANGE:
	default:
		return -1;
	}
}

/* What prefetches, and then what evicts. */
static int attach_both(struct job *job)
{
	uint64_t since = boot_ms();

	if (second_link_attach(&job->pins, job->ops[PREFETCHES]))
		return explain_attach(errno, job->manifest.policy, &job->cgroup, PREFETCHES, since,
				      job->old.governs ? job->old.name : NULL);
	if (!attach_new(job))
		return 0;
	second_link_undo(&job->pins);
	return -1;
}

int attach_links(struct job *job)
{
	return is_double(job) ? attach_both(job) : attach_new(job);
}
