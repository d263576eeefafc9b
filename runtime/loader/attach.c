/* SPDX-License-Identifier: MIT */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach_explain.h"
#include "commands.h"
#include "inputs.h"
#include "object.h"
#include "object_memory.h"
#include "replace.h"
#include "stat_text.h"
#include "step.h"
#include "system.h"

#define MAX_OBJECT (16 << 20)

/* One attach. */
struct job {
	const struct attach_options *options;
	struct manifest manifest;
	struct elements inputs[MAX_INPUTS];
	struct cgroup cgroup;
	struct bpf_object *object; /* loaded */
	struct bpf_map *ops;
	struct pins pins;
	struct old_policy old; /* the one that this attach replaces */
};

static int refuse_second(const char *name, const struct cgroup *cgroup)
{
	return fail("%s already has the policy %s; add --replace to replace it, or detach it first: cpolc detach %s",
		    cgroup->path, name, cgroup->path);
}

/* Pins the manifest, which later commands read. */
static int pin_manifest(const struct job *job)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_RDONLY_PROG);
	size_t length;
	char *text = manifest_text(&job->manifest, &length);
	uint32_t zero = 0;
	int map, status;

	if (!text)
		return -1;
	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "cpol_manifest", sizeof(zero), (uint32_t)length, 1, &options);
	status = map < 0 || bpf_map_update_elem(map, &zero, text, BPF_ANY);
	status = status ? fail("cannot pin the manifest: %s", reason(errno)) : pins_add(&job->pins, MANIFEST_PIN, map);
	if (map >= 0)
		close(map);
	free(text);
	return status;
}

/* Pins everything except the link. */
static int stage(const struct job *job)
{
	struct bpf_map *map;
	char table[NAME_SIZE + sizeof(TABLE_PIN)];

	if (pins_stage(&job->pins))
		return -1;
	STEP("the staged folder is made");
	bpf_object__for_each_map(map, job->object) {
		const char *name = bpf_map__name(map), *section = strchr(name, '.');

		/* libbpf names .rodata POLICY.rodata, and keeps 15 characters of .bss.table_NAME: two tables may have one name. */
		for (int i = 0; i < job->manifest.n_tables; i++) {
			const char *prefix, *called = job->manifest.tables[i].element.name;

			if (map == table_map(job->object, called, &prefix)) {
				snprintf(table, sizeof(table), TABLE_PIN "%s", called);
				section = table;
			}
		}
		if (pins_add(&job->pins, section ? section : name, bpf_map__fd(map)))
			return -1;
		STEP("a map is pinned");
	}
	if (pin_manifest(job))
		return -1;
	STEP("all maps are pinned");
	return job->options->input_group ? pins_share(&job->pins, job->options->input_group) : 0;
}

/* Attaches the policy by a new link. If an old one governs, there is a gap; if this fails, the old one comes back. */
static int attach_fresh(struct job *job)
{
	uint64_t since = boot_ms();
	struct bpf_link *link;
	int status, error;

	if (job->old.governs && old_policy_detach(&job->old, &job->pins, &job->cgroup))
		return -1;
	link = bpf_map__attach_struct_ops(job->ops);
	error = errno;
	if (job->old.governs)
		gap_end(&job->old.gap, &job->cgroup);
	if (!link) {
		explain_attach(error, job->manifest.policy, &job->cgroup, since, NULL);
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
	switch (old_policy_exchange(&job->old, &job->pins, job->ops)) {
	case EXCHANGED:
		return 0;
	case NO_EXCHANGE:
		return attach_fresh(job);
	case REFUSED_EXCHANGE:
		return explain_attach(errno, job->manifest.policy, &job->cgroup, since, job->old.name);
	case BROKEN_EXCHANGE:
	default:
		return -1;
	}
}

/* The caller holds the lock. */
static int pin_and_attach(struct job *job)
{
	old_policy_open(&job->old, &job->pins);
	if (job->old.governs && !job->options->replace)
		return refuse_second(job->old.name, &job->cgroup);
	if (stage(job) || attach_new(job)) {
		pins_unstage(&job->pins);
		return -1;
	}
	return pins_publish(&job->pins);
}

static void report(const struct job *job)
{
	const struct manifest *manifest = &job->manifest;

	if (job->old.governs)
		printf("%s replaced %s on ", manifest->policy, job->old.name);
	else
		printf("%s is attached to ", manifest->policy);
	print_text(stdout, job->cgroup.path);
	for (int i = 0; i < manifest->n_params; i++) {
		printf("%s%s = ", i ? ", " : " (", manifest->params[i].name);
		param_print(stdout, &manifest->params[i], manifest->params[i].value);
	}
	printf("%s\n", manifest->n_params ? ")" : "");
	if (job->old.governs)
		old_policy_report(&job->old, manifest->policy);
	fflush(stdout);
}

/* The short part after the load: it holds the lock, and only SIGKILL can interrupt it. */
static int attach_loaded(struct job *job)
{
	sigset_t all, before;
	int status;

	STEP("loaded");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	status = pins_lock(&job->pins, job->cgroup.id, true);
	if (!status) {
		status = pin_and_attach(job);
		pins_unlock(&job->pins);
	}
	if (!status)
		report(job);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status ? -1 : 0;
}

/* Refuses a second policy before the slow load. The check under the lock decides. */
static int refuse_early(const struct job *job)
{
	int root = open_pins(false);
	struct old_policy old;
	struct pins pins;
	int status = 0;

	if (root < 0)
		return root == -2 ? 0 : -1;
	close(root);
	pins_name(&pins, job->cgroup.id);
	old_policy_open(&old, &pins);
	if (old.governs && !job->options->replace)
		status = refuse_second(old.name, &job->cgroup);
	old_policy_close(&old);
	return status;
}

/* NAME=VALUE,VALUE,... : what an input holds from the start. */
static int parse_input(struct job *job, const char *setting)
{
	const char *equals = strchr(setting, '=');
	const struct input *input = equals ? manifest_input(&job->manifest, setting, (size_t)(equals - setting)) : NULL;
	char *values, *save = NULL, command[NAME_SIZE + 32];
	int status = 0;

	if (!equals || equals == setting)
		return fail("--input needs name=value,value..., not `%s`", setting);
	if (!input)
		return fail("--input: the policy %s has no input %.*s", job->manifest.policy, (int)(equals - setting), setting);
	snprintf(command, sizeof(command), "--input %s", input->name);
	values = need(strdup(equals + 1));
	for (char *value = strtok_r(values, ",", &save); value && !status; value = strtok_r(NULL, ",", &save))
		status = elements_parse(&job->inputs[input - job->manifest.inputs], input, value, true, command);
	free(values);
	return status;
}

static int fill_inputs(const struct job *job)
{
	for (int i = 0; i < job->manifest.n_inputs; i++) {
		const struct input *input = &job->manifest.inputs[i];
		char name[NAME_SIZE + sizeof(INPUT_MAP)];
		struct changes changes;

		snprintf(name, sizeof(name), INPUT_MAP "%s", input->name);
		if (job->inputs[i].n &&
		    elements_add(bpf_object__find_map_fd_by_name(job->object, name), input, &job->inputs[i], &changes))
			return -1;
	}
	return 0;
}

static int attach_to(struct job *job, const byte *content, size_t size)
{
	int status = -1;

	if (check_privileges() || cgroup_check_memory(&job->cgroup, true) || refuse_early(job))
		return -1;
	job->object = object_load(content, size, &job->manifest, &job->cgroup, job->options->object, &job->ops);
	if (!job->object)
		return -1;
	if (!fill_inputs(job))
		status = attach_loaded(job);
	bpf_object__close(job->object);
	old_policy_close(&job->old);
	return status;
}

/* Refuses an object for another interface. The BTF of this kernel would only report a missing type or function. */
static int refuse_interface(const struct manifest *manifest, const char *path)
{
	if (!*manifest->profile)
		return 0;
	return fail("%s was compiled for the kernel profile %s, which this loader does not support; compile %s again without "
		    "--profile %s", path, manifest->profile, manifest->policy, manifest->profile);
}

int command_attach(const struct attach_options *options)
{
	size_t size;
	struct job job = { .options = options, .old = { .ops = -1 } };
	byte *content = (byte *)read_file_at(AT_FDCWD, options->object, MAX_OBJECT, &size);
	int status = 0;

	if (!content) {
		if (errno == E2BIG)
			return fail("%s is larger than %d MiB, so it is not a policy's object", options->object, MAX_OBJECT >> 20);
		return fail("cannot read %s: %s", options->object, reason(errno));
	}
	if (manifest_read(&job.manifest, content, size, options->object)) {
		free(content);
		return -1;
	}
	status = refuse_interface(&job.manifest, options->object);
	for (int i = 0; i < options->n_settings && !status; i++)
		status = manifest_set(&job.manifest, "--set", options->settings[i]);
	for (int i = 0; i < options->n_inputs && !status; i++)
		status = parse_input(&job, options->inputs[i]);
	if (!status)
		status = cgroup_open(&job.cgroup, options->cgroup);
	if (!status) {
		status = attach_to(&job, content, size);
		cgroup_close(&job.cgroup);
		if (!status)
			command_detach_gone(); /* else what removed cgroups leave piles up: maps, pins */
	}
	for (int i = 0; i < MAX_INPUTS; i++)
		elements_free(&job.inputs[i]);
	manifest_free(&job.manifest);
	free(content);
	return status;
}
