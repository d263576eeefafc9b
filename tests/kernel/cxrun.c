// SPDX-License-Identifier: GPL-2.0
/*
 * Load a test policy with libbpf only.
 *
 *   cxrun --load OBJ         load; exit 0 if the verifier accepts; else 1, with its log on stdout
 *   cxrun OBJ CGROUP         load, attach to the cgroup's directory and print "attached"; wait for a line or the end of
 *                            standard input, or a signal; detach, print the policy's counters and "detached"
 *   cxrun OBJ CGROUP NEXT    the same, but for each line update the link to the policy NEXT: "updated", or "update: " and why not
 *
 * The cgroup is named by its cgroup.procs, open for writing. In the environment: CXRUN_FILE names another file of that directory;
 * CXRUN_READ_ONLY has it opened for reading; CXRUN_USER=CAPABILITIES makes cxrun another user before that, with so many of CAP_BPF and
 * CAP_PERFMON (0 or 2).
 * A policy may have a u32 in the section .data.stop. It becomes 1 before the policy is detached.
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define USER 1000

static int log_to_stdout(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_DEBUG ? 0 : vprintf(format, args);
}

static void on_signal(int number)
{
	(void)number;
}

static void tell_to_stop(struct bpf_object *object)
{
	struct bpf_map *map;
	unsigned int zero = 0, one = 1;

	bpf_object__for_each_map(map, object)
		if (strstr(bpf_map__name(map), ".data.stop") &&
		    bpf_map__update_elem(map, &zero, sizeof(zero), &one, sizeof(one), 0))
			perror("stop");
}

static struct bpf_map *find_ops(struct bpf_object *object)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object)
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
			return map;
	return NULL;
}

/* Every variable in .bss is a u64. */
static void print_counters(struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	struct bpf_map *map, *bss = NULL;
	const struct btf_var_secinfo *var;
	const struct btf_type *section;
	int id, i;
	char data[4096];
	unsigned int zero = 0;

	bpf_object__for_each_map(map, object)
		if (strstr(bpf_map__name(map), ".bss"))
			bss = map;
	id = btf__find_by_name_kind(btf, ".bss", BTF_KIND_DATASEC);
	if (!bss || id < 0)
		return;
	if (bpf_map__value_size(bss) > sizeof(data) || bpf_map__lookup_elem(bss, &zero, sizeof(zero), data, bpf_map__value_size(bss), 0))
		return;
	section = btf__type_by_id(btf, id);
	var = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section); i++, var++)
		printf("%s=%llu ", btf__name_by_offset(btf, btf__type_by_id(btf, var->type)->name_off),
		       *(unsigned long long *)(data + var->offset));
	printf("\n");
}

/* Where the policy, of either type, says which cgroup it is for: its cgroup.procs. NULL: it is of another type. */
static int *procs_of(struct bpf_object *object, struct bpf_map *map)
{
	const struct btf *btf = bpf_object__btf(object);
	const struct btf_type *type = btf__type_by_id(btf, btf__find_by_name_kind(btf, bpf_map__name(map), BTF_KIND_VAR));
	const struct btf_member *member;
	size_t size;
	int i;

	type = btf__type_by_id(btf, type->type);
	member = btf_members(type);
	for (i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, member[i].name_off), "procs_fd"))
			return (void *)((char *)bpf_map__initial_value(map, &size) + member[i].offset / 8);
	return NULL;
}

/* The object's policy, for the cgroup; loaded. NULL: not, which libbpf has told. */
static struct bpf_map *load(struct bpf_object *object, int procs)
{
	struct bpf_map *map = find_ops(object);
	int *at = procs_of(object, map);

	if (at)
		*at = procs;
	return bpf_object__load(object) ? NULL : map;
}

static unsigned long long boot_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/*
 * The kernel runs init after it has made or updated the link. Waits for that. Returns 0, or the code with which the init of a policy of
 * the cgroup has failed since then.
 */
static int begun(unsigned long long cgroup, unsigned long long since)
{
	const char *files[] = { "/proc/cache_ext/stat", "/proc/prefetch_ext/stat" };
	bool waits;
	int code;

	do {
		waits = false;
		code = 0;
		for (int i = 0; i < 2; i++) {
			FILE *stat = fopen(files[i], "r");
			char *line = NULL, *at;
			size_t size = 0;

			while (stat && getline(&line, &size, stat) > 0) {
				if (strtoull(line + strlen("cgroup="), NULL, 10) != cgroup)
					continue;
				waits |= !!strstr(line, " state=init ") && !strstr(line, " exit=");
				at = strstr(line, " exit=init code=");
				if (at && strtoull(strstr(at, "ended_ms=") + strlen("ended_ms="), NULL, 10) >= since)
					code = atoi(at + strlen(" exit=init code="));
			}
			free(line);
			if (stat)
				fclose(stat);
		}
		usleep(20000);
	} while (waits);
	return code;
}

static void update(struct bpf_link *link, const char *path, int procs, unsigned long long cgroup)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	struct bpf_map *map = object ? load(object, procs) : NULL;
	unsigned long long since = boot_ms();
	int code = 0;

	if (!map || bpf_link__update_map(link, map))
		printf("update: %s\n", strerror(errno));
	else if ((code = begun(cgroup, since)))
		printf("update: %s\n", strerror(-code));
	else
		printf("updated\n");
	/* The link holds the new policy. */
	bpf_object__close(object);
}

/* The kernel runs exit after the link is gone. It counts in nr_exit, if there is that. */
static void wait_for_exit(struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);

	if (btf__find_by_name_kind(btf, "nr_exit", BTF_KIND_VAR) > 0)
		sleep(2);
}

static void become_user(int nr)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	__u32 high = nr ? CAP_TO_MASK(CAP_BPF) | CAP_TO_MASK(CAP_PERFMON) : 0;
	struct __user_cap_data_struct sets[2] = { [1] = { .effective = high, .permitted = high } };

	if (prctl(PR_SET_KEEPCAPS, 1) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER) || syscall(SYS_capset, &head, sets)) {
		perror("another user");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	bool only_load = argc == 3 && !strcmp(argv[1], "--load");
	ssize_t got;
	struct bpf_object *object;
	struct bpf_link *link;
	struct bpf_map *map;
	struct stat cgroup = { 0 };
	unsigned long long since;
	char line[16], path[512];
	int procs = -1, code = 0;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: cxrun --load OBJ | cxrun OBJ CGROUP [NEXT]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	libbpf_set_print(log_to_stdout);
	/* Another user may not read it. */
	object = bpf_object__open_file(argv[only_load ? 2 : 1], NULL);
	if (!object)
		return 1;
	if (!only_load) {
		snprintf(path, sizeof(path), "%s/%s", argv[2], getenv("CXRUN_FILE") ?: "cgroup.procs");
		if (getenv("CXRUN_USER"))
			become_user(atoi(getenv("CXRUN_USER")));
		procs = open(path, getenv("CXRUN_READ_ONLY") ? O_RDONLY : O_WRONLY);
		if (procs < 0 || stat(argv[2], &cgroup)) {
			perror(argv[2]);
			return 2;
		}
	}
	map = load(object, procs);
	if (!map)
		return 1;
	if (only_load)
		return 0;

	since = boot_ms();
	link = bpf_map__attach_struct_ops(map);
	if (!link || (code = begun(cgroup.st_ino, since))) {
		printf("attach: %s\n", strerror(link ? -code : errno));
		bpf_link__destroy(link);
		return 3;
	}
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	printf("attached\n");
	while ((got = read(0, line, sizeof(line))) > 0 && argc == 4)
		update(link, argv[3], procs, cgroup.st_ino);
	if (got < 0 && errno != EINTR)
		perror("read");
	tell_to_stop(object);
	bpf_link__destroy(link);
	wait_for_exit(object);
	print_counters(object);
	bpf_object__close(object);
	printf("detached\n");
	return 0;
}
