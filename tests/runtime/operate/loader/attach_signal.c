/* SPDX-License-Identifier: MIT */
/* attach_signal OBJECT FOLDER: attaches to a cgroup in a kernel that is made up. SIGTERM comes before the new policy's pins are there. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command/attach_inputs.h"
#include "command/attach_links.h"
#include "command/attach_stage.h"
#include "made_up_cgroup.h"
#include "object/object.h"
#include "pins/rollback_pins.h"

struct bpf_object *object_load(const byte *content, size_t size, struct manifest *manifest, const struct cgroup *cgroup, const char *path,
			       struct bpf_map *ops[POLICY_KINDS])
{
	static int some;

	(void)content;
	(void)size;
	(void)manifest;
	(void)cgroup;
	(void)path;
	ops[EVICTS] = (struct bpf_map *)&some;
	return (struct bpf_object *)&some;
}

void bpf_object__close(struct bpf_object *object)
{
	(void)object;
}

int attach_fill_inputs(const struct job *job)
{
	(void)job;
	return 0;
}

int open_pins(bool create)
{
	(void)create;
	return -2;
}

int pins_lock(struct pins *pins, uint64_t id, enum policy_kind kind, bool create)
{
	(void)create;
	pins_name(pins, id, kind);
	return 0;
}

void pins_unlock(struct pins *pins)
{
	(void)pins;
}

int attach_stage(const struct job *job)
{
	(void)job;
	return raise(SIGTERM);
}

int attach_links(struct job *job)
{
	(void)job;
	return 0;
}

int pins_publish(const struct pins *pins)
{
	(void)pins;
	return 0;
}

int rollback_pins_remove(const struct pins *pins)
{
	(void)pins;
	return 0;
}

void old_policy_open(struct old_policy *old, const struct pins *pins)
{
	(void)pins;
	*old = (struct old_policy){ .ops = -1 };
}

void audit_to(const char *journal, const char *syslog, const struct audit *entry, int status)
{
	(void)journal;
	(void)syslog;
	printf("entry: %s %s on %s: %d\n", entry->action, entry->policy, entry->cgroup, status);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct attach_options options = {};

	if (argc != 3)
		return 2;
	options.object = argv[1];
	options.cgroup = argv[2];
	return command_attach(&options) ? 1 : 0;
}
