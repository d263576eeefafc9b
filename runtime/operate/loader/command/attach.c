/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/attach_inputs.h"
#include "command/attach_links.h"
#include "command/attach_stage.h"
#include "command/unpinned.h"
#include "object/object.h"
#include "pins/attached.h"
#include "pins/rollback_pins.h"
#include "system/step.h"
#include "system/system.h"
#include "system/version.h"

#define MAX_OBJECT (16 << 20)

static int refuse_second(const char *name, const struct cgroup *cgroup)
{
	return fail("%s already has the policy %s; add --replace to replace it, or detach it first: cpolc detach %s",
		    cgroup->path, name, cgroup->path);
}

/* Another policy may already do the prefetching of the cgroup. The kernel would only say that it is taken. */
static int refuse_other_prefetch(const struct job *job)
{
	struct pins other;
	struct manifest manifest;
	char name[NAME_SIZE];

	pins_name(&other, job->cgroup.id, kind_of(job) == EVICTS ? PREFETCHES : EVICTS);
	if (!job->ops[PREFETCHES] || !pins_policy(&other, name, NULL))
		return 0;
	if (kind_of(job) == PREFETCHES && !folder_link_map(other.path, SECOND_LINK))
		return 0;
	if (!attached_manifest(&other, "", true, &manifest)) { /* which has the whole name */
		snprintf(name, sizeof(name), "%s", manifest.policy);
		manifest_free(&manifest);
	}
	return fail("%s already has the policy %s, which prefetches, as %s would; detach it first: cpolc detach %s%s", job->cgroup.path, name,
		    job->manifest.policy, other.kind == PREFETCHES ? "--prefetch " : "", job->cgroup.path);
}

/* A policy that has ended is not kept: it would only end again. */
static bool keeps_old(const struct job *job)
{
	return job->options->keep_old && job->old.governs && !job->old.ended;
}

/* The caller holds the lock. */
static int pin_and_attach(struct job *job)
{
	old_policy_open(&job->old, &job->pins);
	if (job->old.governs && !job->options->replace)
		return refuse_second(job->old.name, &job->cgroup);
	if (refuse_other_prefetch(job))
		return -1;
	if (keeps_old(job) && rollback_pins_make(&job->pins))
		return -1;
	if (attach_stage(job) || attach_links(job)) {
		pins_unstage(&job->pins);
		if (keeps_old(job))
			rollback_pins_remove(&job->pins);
		return -1;
	}
	if (pins_publish(&job->pins))
		return -1;
	return keeps_old(job) ? 0 : rollback_pins_remove(&job->pins);
}

static void report(const struct job *job)
{
	const struct manifest *manifest = &job->manifest;

	if (job->options->dry_run)
		printf("%s can be attached to ", manifest->policy);
	else if (job->old.governs)
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

/*
 * The short part after the load: it holds the lock, and only SIGKILL can interrupt it. Signals stay blocked until the journal has its entry:
 * one that is pending would end the loader at once.
 */
static int attach_loaded(struct job *job)
{
	sigset_t all;
	int status;

	STEP("loaded");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	status = pins_lock(&job->pins, job->cgroup.id, kind_of(job), true);
	if (!status) {
		status = pin_and_attach(job);
		pins_unlock(&job->pins);
	}
	if (!status)
		report(job);
	return status ? -1 : 0;
}

/* A policy that evicts would leave what it holds in no order when its process ends. */
static int attach_loaded_unpinned(struct job *job)
{
	if (kind_of(job) == EVICTS)
		return fail("%s evicts: only a policy that says nothing about eviction can be held", job->manifest.policy);
	return attach_unpinned(job->ops[PREFETCHES], &job->cgroup, &job->entry);
}

/* Refuses a second policy before the slow load. The check under the lock decides. A policy with lists evicts; others are known then. */
static int refuse_early(const struct job *job)
{
	int root = job->manifest.n_lists ? open_pins(false) : -2;
	struct old_policy old;
	struct pins pins;
	int status = 0;

	if (root < 0)
		return root == -2 ? 0 : -1;
	close(root);
	pins_name(&pins, job->cgroup.id, EVICTS);
	old_policy_open(&old, &pins);
	if (old.governs && !job->options->replace)
		status = refuse_second(old.name, &job->cgroup);
	old_policy_close(&old);
	return status;
}

static int attach_to(struct job *job, const byte *content, size_t size)
{
	int status;

	if (check_privileges() || cgroup_check_memory(&job->cgroup, true) || cgroup_open_procs(&job->cgroup) || refuse_early(job))
		return -1;
	job->object = object_load(content, size, &job->manifest, &job->cgroup, job->options->object, job->ops);
	if (!job->object)
		return -1;
	status = attach_fill_inputs(job);
	if (!status && job->options->dry_run)
		report(job);
	else if (!status && job->options->unpinned)
		status = attach_loaded_unpinned(job);
	else if (!status)
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

/* What the journal is told of it. */
static void begin_entry(struct job *job, const byte *content, size_t size)
{
	SHA256Data(content, size, job->digest);
	job->entry = (struct audit){
		.action = job->options->unpinned ? "attach-unpinned" : "attach",
		.policy = job->manifest.policy,
		.cgroup = job->options->cgroup,
		.object = job->options->object,
		.sha256 = job->digest,
		.tag = job->options->tag,
	};
}

/* Notes an attach, or one that was refused, in the journal. For a policy that was held, notes its end. */
static void note_attach(struct job *job, int status)
{
	if (job->options->dry_run)
		return;
	if (job->old.governs)
		job->entry.action = "replace";
	audit(&job->entry, status);
}

int command_attach(const struct attach_options *options)
{
	size_t size;
	struct job job = { .options = options, .old = { .ops = -1 } };
	byte *content = (byte *)read_file_at(AT_FDCWD, options->object, MAX_OBJECT, &size);
	sigset_t signals;
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
	note_version(LOADED_VERSION);
	begin_entry(&job, content, size);
	status = refuse_interface(&job.manifest, options->object);
	for (int i = 0; i < options->n_settings && !status; i++)
		status = manifest_set(&job.manifest, "--set", options->settings[i]);
	for (int i = 0; i < options->n_inputs && !status; i++)
		status = attach_parse_input(&job, options->inputs[i]);
	if (!status)
		status = cgroup_open(&job.cgroup, options->cgroup);
	if (!status) {
		job.entry.cgroup = job.cgroup.path;
		job.entry.id = job.cgroup.id;
		sigprocmask(SIG_BLOCK, NULL, &signals);
		status = attach_to(&job, content, size);
		note_attach(&job, status);
		sigprocmask(SIG_SETMASK, &signals, NULL); /* attach_loaded() blocked them */
		cgroup_close(&job.cgroup);
		if (!status && !options->dry_run && !options->unpinned)
			command_detach_gone(); /* else what removed cgroups leave piles up: maps, pins */
	} else {
		note_attach(&job, status);
	}
	for (int i = 0; i < MAX_INPUTS; i++)
		elements_free(&job.inputs[i]);
	manifest_free(&job.manifest);
	free(content);
	return status;
}
