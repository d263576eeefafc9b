/* SPDX-License-Identifier: MIT */
#ifndef LOADER_ATTACH_JOB_H
#define LOADER_ATTACH_JOB_H

#include <bpf/libbpf.h>
#include <sha2.h>

#include "command/commands.h"
#include "inputs/elements.h"
#include "manifest/manifest.h"
#include "pins/pins.h"
#include "pins/replace.h"
#include "system/audit.h"
#include "system/cgroup.h"

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
