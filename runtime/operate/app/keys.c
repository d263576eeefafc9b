/* SPDX-License-Identifier: MIT */
/* Elements of inputs that are sets or maps of numbers. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

#define INITIAL_PID_NAMESPACE 0xeffffffcU /* the kernel's PROC_PID_INIT_INO */

/* A descriptor of the input's map. */
static int open_numbers(const struct cpol *policy, const char *name)
{
	char path[CPOL_PATH_MAX];
	struct cpol_map map;
	int fd = cpol_input_open(policy, CPOL_INPUT_PIN, name, path), error;

	if (fd < 0)
		return fd;
	error = cpol_kernel_info(fd, &map);
	if (error)
		error = cpol_fail(-error, "cannot look at the input %s: %s", name, strerror(-error));
	else if (map.type != BPF_MAP_TYPE_HASH || map.key_size != sizeof(uint64_t) || map.value_size != sizeof(int64_t))
		error = cpol_fail(EINVAL, "the keys of the input %s are no numbers: use `cpolc input`, or cpol_array_open()", name);
	if (!error)
		return fd;
	close(fd);
	return error;
}

int cpol_map_add(const struct cpol *policy, const char *name, uint64_t key, int64_t value)
{
	int fd = open_numbers(policy, name), error;

	if (fd < 0)
		return fd;
	error = cpol_kernel_update(fd, &key, &value);
	close(fd);
	if (error == -E2BIG)
		return cpol_fail(E2BIG, "the input %s is full", name);
	return error ? cpol_fail(-error, "cannot add to the input %s: %s", name, strerror(-error)) : 0;
}

int cpol_set_add(const struct cpol *policy, const char *name, uint64_t key)
{
	return cpol_map_add(policy, name, key, 1);
}

int cpol_remove(const struct cpol *policy, const char *name, uint64_t key)
{
	int fd = open_numbers(policy, name), error;

	if (fd < 0)
		return fd;
	error = cpol_kernel_delete(fd, &key);
	close(fd);
	if (error == -ENOENT)
		return cpol_fail(ENOENT, "the input %s does not hold %llu", name, (unsigned long long)key);
	return error ? cpol_fail(-error, "cannot remove from the input %s: %s", name, strerror(-error)) : 0;
}

/* Policies know the numbers of the initial pid namespace. */
static int check_namespace(void)
{
	struct stat found;

	if (stat("/proc/self/ns/pid", &found))
		return cpol_fail(errno, "cannot look at /proc/self/ns/pid: %s", strerror(errno));
	if (found.st_ino != INITIAL_PID_NAMESPACE)
		return cpol_fail(ENOTSUP, "this is not the initial pid namespace, whose numbers policies know");
	return 0;
}

int cpol_thread(uint64_t *key)
{
	*key = (uint64_t)syscall(SYS_gettid);
	return check_namespace();
}

int cpol_process(uint64_t *key)
{
	*key = (uint64_t)getpid();
	return check_namespace();
}
