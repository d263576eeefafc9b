/* SPDX-License-Identifier: MIT */
/* Ends a trial: brings back the policy that `attach --keep-old` kept, or gives it up. */
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "command/commands.h"
#include "pins/attached.h"
#include "pins/rollback_pins.h"
#include "pins/origin.h"
#include "pins/replace.h"
#include "pins/second_link.h"
#include "system/audit.h"
#include "system/stat_read.h"
#include "system/step.h"
#include "system/system.h"

/* One rollback. The old policy of `replace.h` is here the one that was tried. */
struct back {
	const struct rollback_options *options;
	struct cgroup cgroup;
	struct pins pins;
	struct old_policy tried;
	char name[NAME_SIZE]; /* of the policy that comes back; empty: there was none */
};

static int attach_again(const struct back *back, int ops)
{
	int link = bpf_link_create(ops, 0, ATTACH_STRUCT_OPS, NULL), status;

	if (link < 0)
		return fail("the policy %s cannot be attached to %s again: %s", back->name, back->cgroup.path, reason(errno));
	status = pins_add(&back->pins, LINK_PIN, link);
	close(link);
	if (!status)
		STEP("the old policy is attached again");
	return status;
}

static int give_link(struct back *back, int ops)
{
	if (!back->tried.governs)
		return attach_again(back, ops);
	switch (old_policy_exchange_back(&back->tried, &back->pins, ops)) {
	case EXCHANGED:
		return 0;
	case NO_EXCHANGE:
		break;
	case REFUSED_EXCHANGE:
		return fail("the kernel refuses the policy %s on %s: %s", back->name, back->cgroup.path, reason(errno));
	case BROKEN_EXCHANGE:
	default:
		return -1;
	}
	if (old_policy_detach(&back->tried, &back->pins, &back->cgroup))
		return -1;
	if (!attach_again(back, ops)) {
		ungoverned_end(&back->tried.ungoverned, &back->cgroup);
		return 0;
	}
	old_policy_restore(&back->tried, &back->pins, &back->cgroup);
	return -1;
}

/* Attaches what is staged. What prefetches comes first, as in attach.c. */
static int attach_staged(struct back *back)
{
	int ops = folder_ops(back->pins.staged, MAIN_LINK, NULL), second = folder_ops(back->pins.staged, SECOND_LINK, NULL), status;
	bool is_double = second >= 0 && back->pins.kind == EVICTS;

	if (ops < 0)
		status = fail("the pins of the old policy of %s are not complete", back->cgroup.path);
	else if (is_double && second_link_attach_again(&back->pins, second))
		status = fail("the policy %s cannot prefetch for %s again: %s", back->name, back->cgroup.path, reason(errno));
	else
		status = give_link(back, ops);
	if (status && is_double)
		second_link_undo(&back->pins);
	if (ops >= 0)
		close(ops);
	if (second >= 0)
		close(second);
	return status;
}

static int bring_back(struct back *back)
{
	if (rollback_pins_stage(&back->pins) || attach_staged(back)) {
		pins_unstage(&back->pins);
		return -1;
	}
	if (pins_publish(&back->pins) || rollback_pins_remove(&back->pins))
		return -1;
	printf("%s is back on ", back->name);
	print_text(stdout, back->cgroup.path);
	printf(", in place of %s\n", back->tried.name);
	old_policy_report(&back->tried, back->name);
	return 0;
}

/* The caller holds the lock. */
static int roll_back(struct back *back)
{
	struct origin origin = origin_read(&back->pins);
	const char *tag = back->options->tag;
	int link = pins_link(&back->pins);

	if (link < 0 && !back->options->forget)
		return no_policy(back->cgroup.path, back->cgroup.id, EVICTS, "");
	if (link >= 0)
		close(link);
	if (tag && strcmp(tag, origin.tag))
		return fail("the policy of %s is not the one that was tried (%s): another command has changed it", back->cgroup.path, tag);
	if (back->options->forget)
		return rollback_pins_remove(&back->pins);
	old_policy_open(&back->tried, &back->pins);
	if (rollback_pins_policy(&back->pins, back->name))
		return bring_back(back);
	if (pins_remove(&back->pins))
		return -1;
	printf("%s is detached from ", *back->tried.name ? back->tried.name : "the policy");
	print_text(stdout, back->cgroup.path);
	puts(", which had no policy before");
	return 0;
}

static int locked(struct back *back, enum policy_kind kind)
{
	int status = pins_lock(&back->pins, back->cgroup.id, kind, false);

	if (status)
		return status == -2 ? no_policy(back->cgroup.path, back->cgroup.id, EVICTS, "") : -1;
	status = roll_back(back);
	pins_unlock(&back->pins);
	old_policy_close(&back->tried);
	return status;
}

int command_rollback(const struct rollback_options *options)
{
	struct back back = { .options = options, .tried = { .ops = -1 } };
	struct audit entry = { .action = "rollback", .tag = options->tag };
	sigset_t all;
	int status;

	if (cgroup_open(&back.cgroup, options->cgroup))
		return -1;
	status = check_privileges();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	if (!status)
		status = locked(&back, options->which.only_prefetch ? PREFETCHES : pins_any(back.cgroup.id));
	entry.policy = *back.name ? back.name : back.tried.name;
	entry.cgroup = back.cgroup.path;
	entry.id = back.cgroup.id;
	if (!options->forget)
		audit(&entry, status);
	cgroup_close(&back.cgroup);
	return status ? -1 : 0;
}
