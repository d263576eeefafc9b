// SPDX-License-Identifier: GPL-2.0
/*
 * Load a test policy with libbpf only.
 *
 *   cxrun --load OBJ         load; exit 0 if the verifier accepts; else 1, with its log on stdout
 *   cxrun OBJ CGROUP         load, attach to the cgroup's directory and print "attached"; wait for a line or the end of
 *                            standard input, or a signal; detach, print the policy's counters and "detached"
 *   cxrun OBJ CGROUP NEXT    the same, but for each line update the link to the policy NEXT: "updated", or "update: " and why not
 *
 * A policy may have a u32 in the section .data.stop. It becomes 1 before the policy is detached.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Where the policy, of either type, says which cgroup it is for. NULL: it is of another type. */
static unsigned long long *cgroup_of(struct bpf_object *object, struct bpf_map *map)
{
	const struct btf *btf = bpf_object__btf(object);
	const struct btf_type *type = btf__type_by_id(btf, btf__find_by_name_kind(btf, bpf_map__name(map), BTF_KIND_VAR));
	const struct btf_member *member;
	size_t size;
	int i;

	type = btf__type_by_id(btf, type->type);
	member = btf_members(type);
	for (i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, member[i].name_off), "cgroup_id"))
			return (void *)((char *)bpf_map__initial_value(map, &size) + member[i].offset / 8);
	return NULL;
}

/* The object's policy, for the cgroup; loaded. NULL: not, which libbpf has told. */
static struct bpf_map *load(const char *path, unsigned long long cgroup, struct bpf_object **object)
{
	unsigned long long *at;
	struct bpf_map *map;

	*object = bpf_object__open_file(path, NULL);
	if (!*object)
		return NULL;
	map = find_ops(*object);
	at = cgroup_of(*object, map);
	if (at)
		*at = cgroup;
	return bpf_object__load(*object) ? NULL : map;
}

static void update(struct bpf_link *link, const char *path, unsigned long long cgroup)
{
	struct bpf_object *object;
	struct bpf_map *map = load(path, cgroup, &object);

	if (!map || bpf_link__update_map(link, map))
		printf("update: %s\n", strerror(errno));
	else
		printf("updated\n");
	/* The link holds the new policy. */
	bpf_object__close(object);
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
	char line[16];

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: cxrun --load OBJ | cxrun OBJ CGROUP [NEXT]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	libbpf_set_print(log_to_stdout);
	if (!only_load && stat(argv[2], &cgroup)) {
		perror(argv[2]);
		return 2;
	}
	map = load(argv[only_load ? 2 : 1], cgroup.st_ino, &object);
	if (!map)
		return 1;
	if (only_load)
		return 0;

	link = bpf_map__attach_struct_ops(map);
	if (!link) {
		printf("attach: %s\n", strerror(errno));
		return 3;
	}
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	printf("attached\n");
	while ((got = read(0, line, sizeof(line))) > 0 && argc == 4)
		update(link, argv[3], cgroup.st_ino);
	if (got < 0 && errno != EINTR)
		perror("read");
	tell_to_stop(object);
	bpf_link__destroy(link);
	print_counters(object);
	bpf_object__close(object);
	printf("detached\n");
	return 0;
}
