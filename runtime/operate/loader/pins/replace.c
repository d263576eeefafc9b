/* SPDX-License-Identifier: MIT */
#include "pins/replace.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "pins/attached.h"
#include "system/begun.h"
#include "system/stat_read.h"
#include "system/step.h"
#include "system/update_link.h"

void old_policy_open(struct old_policy *old, const struct pins *pins)
{
	struct manifest manifest;
	char *text, *line;

	*old = (struct old_policy){};
	old->governs = pins_policy(pins, old->name, &old->ops);
	text = old->governs ? stat_read(pins->kind, true) : NULL;
	line = text ? stat_line_of(text, pins->id) : NULL;
	old->ended = line && stat_ending(line, &old->ending);
	free(line);
	free(text);
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

int make_ready(const struct bpf_map *ops)
{
	struct bpf_link *link = bpf_map__attach_struct_ops(ops);

	if (!link)
		return errno == EBUSY ? 0 : -errno;
	bpf_link__destroy(link); /* somebody else detached the old policy in this moment */
	return -EAGAIN;
}

/* `fresh`: the map, if libbpf has yet to make it ready; or NULL. */
static enum exchange exchange(const struct old_policy *old, const struct pins *pins, int ops, const struct bpf_map *fresh)
{
	int link = pins_link(pins), error;

	if (link < 0 || old->ops < 0) {
		fail("cannot replace the policy %s, so it stays attached: its pins in %s are not complete; run cpolc detach first",
		     old->name, pins->path);
		if (link >= 0)
			close(link);
		return BROKEN_EXCHANGE;
	}
	error = fresh ? make_ready(fresh) : 0;
	if (!error && pins_lend_link(pins)) {
		close(link);
		return BROKEN_EXCHANGE;
	}
	if (!error) {
		STEP("both folders have the link");
		error = update_link(link, ops, old->ops);
	}
	close(link);
	if (!error) {
		STEP("the link has the new policy");
		return EXCHANGED;
	}
	pins_return_link(pins);
	errno = -error;
	return error == -EOPNOTSUPP ? NO_EXCHANGE : REFUSED_EXCHANGE;
}

enum exchange old_policy_exchange(const struct old_policy *old, const struct pins *pins, const struct bpf_map *ops)
{
	return exchange(old, pins, bpf_map__fd(ops), ops);
}

enum exchange old_policy_exchange_back(const struct old_policy *old, const struct pins *pins, int ops)
{
	return exchange(old, pins, ops, NULL);
}

void old_policy_takes_back(const struct old_policy *old, const struct pins *pins)
{
	int link = pins_link(pins);

	/* The kernel goes on with it already; now the link says so, too. */
	if (link < 0 || update_link(link, old->ops, -1))
		fail("the link of %s does not name it any more: %s; detach it, and attach it again", old->name, reason(errno));
	if (link >= 0)
		close(link);
	pins_return_link(pins);
}

int old_policy_detach(struct old_policy *old, const struct pins *pins, const struct cgroup *cgroup)
{
	int link = pins_link(pins), status;

	old->had_gap = true;
	ungoverned_begin(&old->ungoverned, cgroup);
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
	uint64_t since = boot_ms();
	int link = old->ops < 0 ? -1 : bpf_link_create(old->ops, 0, ATTACH_STRUCT_OPS, NULL);

	if (link >= 0 && has_begun(cgroup, pins->kind, since) && !pins_relink(pins, link))
		fail("the policy %s is attached to %s again", old->name, cgroup->path);
	else
		fail("the policy %s could not be attached again either (%s): %s has no policy now", old->name,
		     old->ops < 0 ? "its map is gone" : reason(errno), cgroup->path);
	if (link >= 0)
		close(link);
}

void old_policy_report(const struct old_policy *old, const char *policy)
{
	if (old->ended) {
		printf("%s had governed no more: ", old->name);
		print_ending(stdout, &old->ending, boot_ms());
		putchar('\n');
	} else if (old->had_gap) {
		printf("this kernel cannot exchange policies, so there was a gap: no policy governed for at most %.1f ms: %" PRIu64
		       " pages were reclaimed, %" PRIu64 " refaulted\n", old->ungoverned.milliseconds, old->ungoverned.reclaimed, old->ungoverned.refaulted);
	} else {
		printf("there was no gap: %s governed until %s did\n", old->name, policy);
	}
}
