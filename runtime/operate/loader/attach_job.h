/* SPDX-License-Identifier: MIT */
#ifndef LOADER_ATTACH_JOB_H
#define LOADER_ATTACH_JOB_H

#include <bpf/libbpf.h>
#include <sha2.h>

#include "audit.h"
#include "cgroup.h"
#include "commands.h"
#include "elements.h"
#include "manifest.h"
#include "pins.h"
#include "replace.h"

/* One attach. */
struct job {
	const struct attach_options *options;
	struct manifest manifest;
	struct elements inputs[MAX_INPUTS];
	struct cgroup cgroup;
	struct bpf_object *object; /* loaded */
	struct bpf_map *ops[POLICY_KINDS];
	struct pins pins;
	struct old_policy old; /* the one that this attach replaces */
	struct audit entry; /* for the journal */
	char digest[SHA256_DIGEST_STRING_LENGTH];
};

static inline enum policy_kind kind_of(const struct job *job)
{
	return job->ops[EVICTS] ? EVICTS : PREFETCHES;
}

static inline bool is_double(const struct job *job)
{
	return job->ops[EVICTS] && job->ops[PREFETCHES];
}

#endif
