// SPDX-License-Identifier: GPL-2.0
/* One round: its cgroups, and what happens in which order. */
#define _GNU_SOURCE
#include "storm.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	const struct op *op;	/* group NAME PARENT KIB */
	char path[128];
} groups[MOST_GROUPS];
static int nr_groups;

const char *group_path(const char *name)
{
	for (int i = 0; i < nr_groups; i++)
		if (!strcmp(groups[i].op->word[1], name))
			return groups[i].path;
	return "/nowhere";
}

bool write_group(const char *name, const char *file, const char *text)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/%s", group_path(name), file);
	return write_to(path, text);
}

void make_group(const char *name)
{
	char text[24];

	for (int i = 0; i < nr_groups; i++) {
		char **word = (char **)groups[i].op->word;

		if (strcmp(word[1], name))
			continue;
		if (strcmp(word[2], "-"))
			write_group(word[2], "cgroup.subtree_control", "+memory");
		mkdir(groups[i].path, 0755);
		snprintf(text, sizeof(text), "%sK", word[3]);
		write_group(name, "memory.max", text);
	}
}

static void make_groups(const struct ops *ops)
{
	for (nr_groups = 0; nr_groups < ops->nr && nr_groups < MOST_GROUPS;) {
		const struct op *op = &ops->op[nr_groups];

		groups[nr_groups].op = op;
		if (strcmp(op->word[2], "-"))
			snprintf(groups[nr_groups].path, sizeof(groups[0].path), "%s/%s", group_path(op->word[2]), op->word[1]);
		else
			snprintf(groups[nr_groups].path, sizeof(groups[0].path), "/sys/fs/cgroup/r%d%s", round_number, op->word[1]);
		nr_groups++;
		make_group(op->word[1]);
	}
}

static bool remove_groups(void)
{
	bool good = true;

	for (int i = nr_groups - 1; i >= 0; i--) {
		double limit = now() + settings.patience;

		write_group(groups[i].op->word[1], "cgroup.kill", "1");
		while (rmdir(groups[i].path) && errno != ENOENT && now() < limit)
			nap_ms(2);
		if (!access(groups[i].path, F_OK)) {
			say("not ok round %d: cgroup %s cannot be removed", round_number, groups[i].path);
			good = false;
		}
	}
	return good;
}

/* False: no cgroup has a memory.high. */
static bool lift_high(void)
{
	bool had = false;

	for (int i = 0; i < nr_groups; i++) {
		char path[192], text[24] = "max";
		FILE *file;

		snprintf(path, sizeof(path), "%s/memory.high", groups[i].path);
		file = fopen(path, "r");
		if (!file)
			continue;
		had |= fgets(text, sizeof(text), file) && strncmp(text, "max", 3);
		fclose(file);
		write_to(path, "max");
	}
	return had;
}

/*
 * The kernel lets a process that is beyond memory.high sleep at each return to user space, up to 2 s, whatever a policy does. A worker
 * that uses swap in a small cgroup does so thousands of times. So who is late gets the memory, and is counted.
 */
static bool worker_ended(pid_t pid, int *status)
{
	if (ended(pid, settings.patience, status))
		return true;
	if (!lift_high())
		return false;
	counts.slept++;
	return ended(pid, settings.patience, status);
}

static bool workers_end(void)
{
	bool good = true;
	int status;

	for (int i = 0; i < nr_workers; i++) {
		if (!worker_ended(workers[i], &status)) {
			say("not ok round %d: worker %d has not ended after %d s", round_number, i, settings.patience);
			write_to("/proc/sysrq-trigger", "w");
			good = false;
		} else if (WIFEXITED(status) && WEXITSTATUS(status) == WRONG_DATA) {
			good = false;
		}
	}
	nr_workers = 0;
	return good;
}

static long since(long *at)
{
	long now = busy_ms(), passed = now - *at;

	*at = now;
	return passed;
}

static bool carry_out(const struct round *round)
{
	long at = busy_ms();
	bool good;

	/* The round before may have ended between off and on. */
	if (!swap_on(false)) {
		say("not ok round %d: no swap", round_number);
		return false;
	}

	make_groups(&round->groups);
	files_restore();
	counts.prepare = since(&at);
	administer(&round->before);
	counts.attach = since(&at);
	for (int i = 0; i < round->nr_workers; i++)
		workers[nr_workers++] = work_start(round->groups_of[i], i, &round->work[i]);
	administer(&round->during);
	good = workers_end();
	counts.storm = since(&at);
	administer(&round->after);
	good &= workers_end();
	if (!policies_end()) {
		say("not ok round %d: a loader has not ended", round_number);
		good = false;
	}
	good &= remove_groups();
	if (!no_policy_left()) {
		say("not ok round %d: a policy is left", round_number);
		good = false;
	}
	counts.detach = since(&at);
	good = log_clean() && good && file_systems_ready(round_number % 8 == 7);
	counts.check = since(&at);
	return good;
}

bool round_go(const struct round *round)
{
	double begun = now();
	char text[64];
	bool good;

	counts = (struct counts){ 0 };
	say("begin %d", round_number);
	/* On the console, for when the machine dies. */
	snprintf(text, sizeof(text), "<4>hostile: round %d", round_number);
	write_to("/dev/kmsg", text);
	good = carry_out(round);
	say("%s %d: accepted %d refused %d declined %d overruled %d oom %d races %d slept %d accessed %lu evicted %lu fallback %lu migrated %lu split %lu "
	    "asked %lu prefetched %lu used %lu wasted %lu foreign %lu ra_asked %lu ra_prefetched %lu ranges %lu out_asked %lu out_kept %lu "
	    "loaders %ld prepare %ld attach %ld storm %ld detach %ld check %ld ms %.0f",
	    good ? "round" : "failed", round_number, counts.accepted, counts.refused, counts.declined, counts.overruled, counts.oom,
	    counts.races, counts.slept, counts.accessed, counts.evicted, counts.fallback, counts.migrated, counts.split, counts.asked, counts.prefetched, counts.used,
	    counts.wasted, counts.foreign, counts.ra_asked, counts.ra_prefetched, counts.ranges, counts.out_asked, counts.out_kept, counts.loaders, counts.prepare, counts.attach, counts.storm, counts.detach, counts.check,
	    1000 * (now() - begun));
	return good;
}
