// SPDX-License-Identifier: GPL-2.0
/*
 * storm [-v] [-f PERCENT] [-p SECONDS] PLAN OBJECTS: carry out a plan (storm.h). Exit code 1: something failed, as the last
 * round says. -v: show statistics of policies.
 */
#define _GNU_SOURCE
#include "storm.h"
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct settings settings = { .patience = 60 };
struct counts counts;
int round_number;

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

long busy_ms(void)
{
	long user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0;
	FILE *file = fopen("/proc/stat", "re");

	if (!file)
		return 0;
	if (fscanf(file, "cpu %ld %ld %ld %ld %ld %ld %ld", &user, &nice, &system, &idle, &iowait, &irq, &softirq) < 7)
		user = 0;
	fclose(file);
	return (user + nice + system + irq + softirq) * 1000 / sysconf(_SC_CLK_TCK);
}

void nap_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

bool write_to(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool written;

	if (fd < 0)
		return false;
	written = write(fd, text, strlen(text)) >= 0;
	close(fd);
	return written;
}

bool ended(pid_t pid, int seconds, int *status)
{
	double limit = now() + seconds;
	bool killed = false;

	while (waitpid(pid, status, WNOHANG) == 0) {
		if (now() > limit) {
			if (killed)
				return false;
			kill(pid, SIGKILL);
			killed = true;
			limit = now() + seconds;
		}
		nap_ms(2);
	}
	return !killed;
}

static struct op split(char *line)
{
	struct op op = { .nr = 0 };
	char *rest = NULL;

	for (char *word = strtok_r(line, " \n", &rest); word && op.nr < MOST_WORDS; word = strtok_r(NULL, " \n", &rest))
		op.word[op.nr++] = strdup(word);
	return op;
}

static void add(struct ops *ops, struct op op)
{
	if (ops && ops->nr < MOST_OPS)
		ops->op[ops->nr++] = op;
}

/* Where the lines after a title go; NULL: the line is no title. */
static struct ops *titled(struct round *round, const struct op *op)
{
	const char *word = op->word[0];

	if (!strcmp(word, "worker") && round->nr_workers < MOST_WORKERS / 2) {
		round->groups_of[round->nr_workers] = op->word[1];
		return &round->work[round->nr_workers++];
	}
	if (op->nr > 1)
		return NULL;
	return !strcmp(word, "before") ? &round->before : !strcmp(word, "during") ? &round->during : !strcmp(word, "after") ? &round->after : NULL;
}

static bool follow(FILE *plan)
{
	static struct round round;
	struct ops *into = NULL, *next;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, plan) > 0) {
		struct op op = split(line);

		if (!op.nr)
			continue;
		next = titled(&round, &op);
		if (!strcmp(op.word[0], "round")) {
			memset(&round, 0, sizeof(round));
			round_number = atoi(op.word[1]);
		} else if (!strcmp(op.word[0], "group")) {
			add(&round.groups, op);
		} else if (!strcmp(op.word[0], "end")) {
			if (!round_go(&round))
				return false;
		} else if (next) {
			into = next;
		} else {
			add(into, op);
		}
	}
	free(line);
	return true;
}

int main(int argc, char **argv)
{
	FILE *plan;
	int c;

	while ((c = getopt(argc, argv, "f:p:v")) != -1) {
		if (c == 'f')
			settings.faults = atoi(optarg);
		else if (c == 'p')
			settings.patience = atoi(optarg);
		else if (c == 'v')
			settings.verbose = true;
		else
			return 2;
	}
	if (argc - optind != 2 || !(plan = fopen(argv[optind], "re"))) {
		fprintf(stderr, "usage: storm [-v] [-f PERCENT] [-p SECONDS] PLAN OBJECTS\n");
		return 2;
	}
	settings.objects = argv[optind + 1];
	/* What a machine does not survive ends it at once. */
	write_to("/proc/sys/kernel/panic_on_oops", "1");
	write_to("/proc/sys/kernel/panic_on_rcu_stall", "1");
	write_to("/proc/sys/kernel/softlockup_panic", "1");
	write_to("/proc/sys/kernel/hung_task_panic", "1");
	signal(SIGPIPE, SIG_IGN);
	if (!policies_begin() || system("mkswap " SWAP_DISK " >/dev/null") || !swap_on(false))
		return 2;
	faults_begin();
	if (!file_systems_ready(false))
		return 2;
	files_restore();
	if (!file_systems_ready(true))
		return 2;
	log_skip();
	return follow(plan) ? 0 : 1;
}
