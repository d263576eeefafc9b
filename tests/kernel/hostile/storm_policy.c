// SPDX-License-Identifier: GPL-2.0
/* Loaders: a process for each policy, so that it can be killed. */
#define _GNU_SOURCE
#include "storm.h"
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_POLICIES 16
#define LOG 65536

/* What a loader says: how far it came, and errno. */
struct report {
	enum { REFUSED, DECLINED, ATTACHED } state;
	int error;
};

static struct policy {
	char name[MOST_NAME];
	pid_t pid;
	int control;	/* the name of a policy replaces it; closing it detaches. -1: closed */
	int report;
	int unheard;	/* reports that are still to come */
} policies[MOST_POLICIES];
static int nr_policies;

/* The kernel's types: read once for all loaders, since an emulated one takes longer for that than for anything else it does. */
static struct btf *types;

struct btf *__wrap_btf__load_vmlinux_btf(void);
struct btf *__real_btf__load_vmlinux_btf(void);
void __wrap_btf__free(struct btf *btf);
void __real_btf__free(struct btf *btf);

struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	return types ?: __real_btf__load_vmlinux_btf();
}

void __wrap_btf__free(struct btf *btf)
{
	if (btf != types)
		__real_btf__free(btf);
}

bool policies_begin(void)
{
	types = __real_btf__load_vmlinux_btf();
	if (!types)
		perror("types of the kernel");
	return types;
}

static char *log_text;
static size_t log_used;

static int keep_log(enum libbpf_print_level level, const char *format, va_list args)
{
	char text[LOG];
	int size;

	if (level == LIBBPF_DEBUG)
		return 0;
	size = vsnprintf(text, sizeof(text), format, args);
	if (size > (int)sizeof(text) - 1)
		size = sizeof(text) - 1;
	log_text = realloc(log_text, log_used + size + 1);
	memcpy(log_text + log_used, text, size + 1);
	log_used += size;
	return size;
}

/* The verifier's last lines. */
static void say_refused(const char *name, int error)
{
	char *at = log_text + log_used;

	for (int lines = 0; at > log_text && lines < 30; at--)
		lines += at[-1] == '\n';
	say("refused %s: %s\n%s", name, strerror(error), at);
}

static struct bpf_map *find_ops(struct bpf_object *object)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object)
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
			return map;
	return NULL;
}

static void answer(int fd, int state, int error)
{
	struct report report = { state, error };

	if (write(fd, &report, sizeof(report)) < 0)
		_exit(2);
}

/* Sets the cgroup of a policy of either kind, by its cgroup.procs. */
static void set_cgroup(const struct bpf_object *object, struct bpf_map *map, int procs)
{
	const struct btf *btf = bpf_object__btf(object);
	const struct btf_type *ops = btf__type_by_id(btf, bpf_map__btf_value_type_id(map));
	const struct btf_member *member = btf_members(ops);
	size_t size;
	char *value = bpf_map__initial_value(map, &size);

	for (int i = 0; i < btf_vlen(ops); i++)
		if (!strcmp(btf__name_by_offset(btf, member[i].name_off), "procs_fd"))
			memcpy(value + member[i].offset / 8, &procs, sizeof(procs));
}

/* Loads a policy for a cgroup. NULL: answered why not. */
static struct bpf_map *load(const char *name, int procs, int report)
{
	struct bpf_object *object;
	struct bpf_map *map;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s.bpf.o", settings.objects, name);
	object = bpf_object__open_file(path, NULL);
	if (!object) {
		answer(report, REFUSED, errno);
		return NULL;
	}
	map = find_ops(object);
	set_cgroup(object, map, procs);
	if (!bpf_object__load(object))
		return map;
	if (errno == ENOMEM) {
		answer(report, DECLINED, ENOMEM);
	} else {
		say_refused(name, errno);
		answer(report, REFUSED, errno);
	}
	return NULL;
}

/* Attaches, replaces when asked to, and detaches in the end. */
static void loader(const char *name, const char *group, int control, int report)
{
	char procs_path[512];
	struct bpf_link *link;
	struct bpf_map *map;
	char pid[16], next[MOST_NAME];
	int index = atoi(name + 1);
	bool may_fail = index % 5 == 0 || index % 5 == 3;
	int procs;

	libbpf_set_print(keep_log);
	/* A cgroup may be gone by now: then the kernel refuses it. */
	snprintf(procs_path, sizeof(procs_path), "%s/cgroup.procs", group_path(group));
	procs = open(procs_path, O_WRONLY | O_CLOEXEC);
	map = load(name, procs, report);
	if (!map)
		return;
	/* Half of them are charged for what the attach takes, and may end with the cgroup meanwhile. */
	snprintf(pid, sizeof(pid), "%d", getpid());
	if (index % 2)
		write_group(group, "cgroup.procs", pid);
	/* One of a round's programs of each kind: where allocations fail, attaching does, too. */
	faults_join(may_fail);
	link = bpf_map__attach_struct_ops(map);
	answer(report, link ? ATTACHED : DECLINED, errno);
	write_to("/sys/fs/cgroup/cgroup.procs", pid);
	if (!link)
		return;
	while (read(control, next, sizeof(next)) == sizeof(next)) {
		/* Else the verifier would seem to refuse it. */
		faults_join(false);
		map = load(next, procs, report);
		faults_join(may_fail);
		if (map)
			answer(report, bpf_link__update_map(link, map) ? DECLINED : ATTACHED, errno);
	}
	bpf_link__destroy(link);
}

static void hear(struct policy *p)
{
	for (; p->unheard; p->unheard--) {
		struct pollfd poller = { p->report, POLLIN, 0 };
		struct report report;

		/* Nothing comes from one that was killed, or hangs: the verifier has not refused it. */
		if (poll(&poller, 1, settings.patience * 1000) != 1 || read(p->report, &report, sizeof(report)) != sizeof(report))
			report.state = ATTACHED;
		if (report.state == REFUSED)
			counts.refused++;
		else
			counts.accepted++;
		if (report.state == DECLINED)
			counts.declined++;
	}
}

void policies_forget(void)
{
	for (int i = 0; i < nr_policies; i++) {
		close(policies[i].control);
		close(policies[i].report);
	}
}

void policy_attach(const char *name, const char *group, bool wait)
{
	struct policy *p = &policies[nr_policies];
	int control[2], report[2];

	if (nr_policies == MOST_POLICIES || pipe2(control, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
		return;
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->pid = fork();
	if (!p->pid) {
		policies_forget();
		close(control[1]);
		close(report[0]);
		loader(name, group, control[0], report[1]);
		_exit(0);
	}
	close(control[0]);
	close(report[1]);
	p->control = control[1];
	p->report = report[0];
	p->unheard = 1;
	nr_policies++;
	if (wait)
		hear(p);
}

/* Asks for the end and does not wait for it. */
static void let_go(struct policy *p, bool kill_it)
{
	hear(p);
	if (p->control >= 0)
		stat_add(p->name);
	if (kill_it)
		kill(p->pid, SIGKILL);
	if (p->control >= 0)
		close(p->control);
	p->control = -1;
}

void policy_detach(const char *name, bool kill_it)
{
	for (int i = 0; i < nr_policies; i++)
		if (!strcmp(policies[i].name, name))
			let_go(&policies[i], kill_it);
}

void policy_replace(const char *name, const char *next)
{
	for (int i = 0; i < nr_policies; i++) {
		struct policy *p = &policies[i];

		if (strcmp(p->name, name) || p->control < 0)
			continue;
		hear(p);
		stat_add(name);
		memset(p->name, 0, sizeof(p->name));
		snprintf(p->name, sizeof(p->name), "%s", next);
		if (write(p->control, p->name, sizeof(p->name)) != sizeof(p->name))
			return;
		p->unheard = 1;
		hear(p);
	}
}

static long ms_of(const struct rusage *use)
{
	return (use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000 + (use->ru_utime.tv_usec + use->ru_stime.tv_usec) / 1000;
}

bool policies_end(void)
{
	struct rusage before, after;
	bool good = true;
	int status;

	for (int i = 0; i < nr_policies; i++) {
		let_go(&policies[i], false);
		getrusage(RUSAGE_CHILDREN, &before);
		good &= ended(policies[i].pid, settings.patience, &status);
		getrusage(RUSAGE_CHILDREN, &after);
		counts.loaders += ms_of(&after) - ms_of(&before);
		close(policies[i].report);
	}
	nr_policies = 0;
	return good;
}
