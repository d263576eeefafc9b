// SPDX-License-Identifier: GPL-2.0
/*
 * What the administrator does:
 *
 *   attach P G, attaching P G   attach policy P to a cgroup; and do not wait until it is
 *   detach P, kill P	       end its loader; and by SIGKILL
 *   replace P Q	       update its link to policy Q, in its cgroup
 *   max|high|low|min G KIB    limits and protection
 *   reclaim G KIB	       memory.reclaim, in a process of its own
 *   gone G, come G	       kill what is in the cgroup and remove it; make it again
 *   move G		       the first worker goes there
 *   run G		       a process there reads a quarter of each big file, as a worker that is waited for
 *   drop 1|2|3, compact, sync, stat, lru, nap MS
 *   swapoff 0|1		       and on again, in a process of its own; 1: as a disk that rotates
 *   swap.max G KIB; cluster N  how much a cgroup may have there; what the kernel's own readahead of it takes, as a power of 2
 *   ahead KIB		       the disks' readahead of files
 *   poison FILE hard|soft     a page of it is taken out of use, by a process of its own
 *   press MIB		       the machine is short of memory: a process takes all but so much
 */
#define _GNU_SOURCE
#include "storm.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t workers[MOST_WORKERS];
int nr_workers;

static void do_limit(const struct op *op)
{
	char file[32], text[32];

	snprintf(file, sizeof(file), "memory.%s", op->word[0]);
	snprintf(text, sizeof(text), "%s%s", op->word[2], strcmp(op->word[2], "max") ? "K" : "");
	write_group(op->word[1], file, text);
}

/* A child that does something slow; it ends like a worker. */
static bool in_background(void)
{
	pid_t pid;

	if (nr_workers == MOST_WORKERS)
		return false;
	pid = fork();
	if (pid) {
		workers[nr_workers++] = pid;
		return false;
	}
	policies_forget();
	return true;
}

static void do_reclaim(const struct op *op)
{
	char text[32];

	if (!in_background())
		return;
	snprintf(text, sizeof(text), "%sK", op->word[2]);
	write_group(op->word[1], "memory.reclaim", text);
	_exit(0);
}

static void do_gone(const struct op *op)
{
	write_group(op->word[1], "cgroup.kill", "1");
	for (int i = 0; i < 20 && rmdir(group_path(op->word[1])); i++)
		nap_ms(2);
}

/* By a process of its own, since MADV_HWPOISON ends who asks for it (SIGBUS) if the page was dirty. */
static void do_poison(const struct op *op)
{
	if (!in_background())
		return;
	poison(op->word[1], !strcmp(op->word[2], "hard"), 0, 1);
	_exit(0);
}

static void do_move(const struct op *op)
{
	char text[16];

	if (!nr_workers)
		return;
	snprintf(text, sizeof(text), "%d", workers[0]);
	write_group(op->word[1], "cgroup.procs", text);
}

static void do_run(const struct op *op)
{
	static char *words[][4] = { { "read", "eb", "0", "256" }, { "read", "xb", "512", "256" }, { "read", "e0", "0", "128" } };
	struct ops ops = { .nr = 3 };
	int status;
	pid_t pid;

	for (int i = 0; i < 3; i++) {
		memcpy(ops.op[i].word, words[i], sizeof(words[i]));
		ops.op[i].nr = 4;
	}
	pid = work_start(op->word[1], 0, &ops);
	if (nr_workers < MOST_WORKERS)
		workers[nr_workers++] = pid;
	else
		ended(pid, settings.patience, &status);
	/* Left for workers_end() to judge. */
	for (double limit = now() + settings.patience; now() < limit && !kill(pid, 0);) {
		siginfo_t info = { .si_pid = 0 };

		if (!waitid(P_PID, pid, &info, WEXITED | WNOWAIT | WNOHANG) && info.si_pid)
			break;
		nap_ms(2);
	}
}

static void do_ahead(const char *kib)
{
	write_to("/sys/block/vda/queue/read_ahead_kb", kib);
	write_to("/sys/block/vdb/queue/read_ahead_kb", kib);
}

static void do_lru(void)
{
	static bool on;

	on = !on;
	write_to("/sys/kernel/mm/lru_gen/enabled", on ? "y" : "n");
}

static void do_swapoff(bool rotates)
{
	if (!in_background())
		return;
	swap_off_and_on(rotates);
	_exit(0);
}

/* All but @mib of the memory, so that all of the machine reclaims; it stays out of swap. */
static void do_press(int mib)
{
	unsigned long kib = 0;
	char line[128];
	FILE *file;
	char *memory;

	if (!in_background())
		return;
	file = fopen("/proc/meminfo", "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %lu kB", &kib) == 1)
			break;
	write_to("/proc/self/oom_score_adj", "1000");
	if (kib < (unsigned long)mib << 10)
		_exit(0);
	kib -= (unsigned long)mib << 10;
	mlockall(MCL_FUTURE | MCL_ONFAULT);
	memory = mmap(NULL, kib << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		_exit(0);
	/* Each fault takes long on a kernel with KASAN. */
	madvise(memory, kib << 10, MADV_HUGEPAGE);
	for (size_t at = 0; at < kib << 10; at += PAGE)
		*(volatile char *)(memory + at) = 1;
	_exit(0);
}

static void do_op(const struct op *op)
{
	const char *word = op->word[0];

	if (!strcmp(word, "attach") || !strcmp(word, "attaching"))
		policy_attach(op->word[1], op->word[2], !strcmp(word, "attach"));
	else if (!strcmp(word, "detach") || !strcmp(word, "kill"))
		policy_detach(op->word[1], !strcmp(word, "kill"));
	else if (!strcmp(word, "replace"))
		policy_replace(op->word[1], op->word[2]);
	else if (!strcmp(word, "max") || !strcmp(word, "high") || !strcmp(word, "low") || !strcmp(word, "min") ||
		 !strcmp(word, "swap.max"))
		do_limit(op);
	else if (!strcmp(word, "reclaim"))
		do_reclaim(op);
	else if (!strcmp(word, "gone"))
		do_gone(op);
	else if (!strcmp(word, "come"))
		make_group(op->word[1]);
	else if (!strcmp(word, "move"))
		do_move(op);
	else if (!strcmp(word, "run"))
		do_run(op);
	else if (!strcmp(word, "drop"))
		write_to("/proc/sys/vm/drop_caches", op->word[1]);
	else if (!strcmp(word, "compact"))
		write_to("/proc/sys/vm/compact_memory", "1");
	else if (!strcmp(word, "sync"))
		sync();
	else if (!strcmp(word, "stat"))
		stat_read_all();
	else if (!strcmp(word, "swapoff"))
		do_swapoff(op->word[1][0] == '1');
	else if (!strcmp(word, "cluster"))
		write_to("/proc/sys/vm/page-cluster", op->word[1]);
	else if (!strcmp(word, "ahead"))
		do_ahead(op->word[1]);
	else if (!strcmp(word, "lru"))
		do_lru();
	else if (!strcmp(word, "nap"))
		nap_ms(atoi(op->word[1]));
	else if (!strcmp(word, "poison"))
		do_poison(op);
	else if (!strcmp(word, "press"))
		do_press(atoi(op->word[1]));
	else
		say("not ok round %d: unknown word %s", round_number, word);
}

void administer(const struct ops *ops)
{
	for (int i = 0; i < ops->nr; i++)
		do_op(&ops->op[i]);
}
