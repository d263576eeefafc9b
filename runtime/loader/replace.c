/* SPDX-License-Identifier: MIT */
#include "replace.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "attached.h"
#include "step.h"

#define ATTACH_STRUCT_OPS ((enum bpf_attach_type)44) /* BPF_STRUCT_OPS, which the headers of Linux 6.1 lack */

void old_policy_open(struct old_policy *old, const struct pins *pins)
{
	struct manifest manifest;

	*old = (struct old_policy){};
	old->governs = pins_policy(pins, old->name, &old->ops);
	if (!attached_manifest(pins, "", true, &manifest)) { /* which has the whole name */
		snprintf(old->name, sizeof(old->name), "%s", manifest.policy);
		manifest_free(&manifest);
	}
}

void old_policy_close(struct old_policy *old)
{
	if (old->ops >= 0)
		close(old->ops);
	old->ops = -1;
}

int old_policy_detach(struct old_policy *old, const struct pins *pins, const struct cgroup *cgroup)
{
	int link = pins_link(pins), status;

	gap_begin(&old->gap, cgroup);
	status = link < 0 ? -1 : bpf_link_detach(link);
	if (status)
		fail("cannot detach the policy %s, so it stays attached: %s", old->name, reason(errno));
	else
		STEP("the old policy is detached");
	if (link >= 0)
		close(link);
	return status ? -1 : 0;
}

void old_policy_restore(const struct old_policy *old, const struct pins *pins, const struct cgroup *cgroup)
{
	int link = old->ops < 0 ? -1 : bpf_link_create(old->ops, 0, ATTACH_STRUCT_OPS, NULL);

	if (link >= 0 && !pins_relink(pins, link))
		fail("the policy %s is attached to %s again", old->name, cgroup->path);
	else
		fail("the policy %s could not be attached again either (%s): %s has no policy now", old->name,
		     old->ops < 0 ? "its map is gone" : reason(errno), cgroup->path);
	if (link >= 0)
		close(link);
}
