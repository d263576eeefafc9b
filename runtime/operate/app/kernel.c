/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

static int call(enum bpf_cmd command, union bpf_attr *attr)
{
	long result = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return result < 0 ? -errno : (int)result;
}

int cpol_kernel_open(const char *path, bool write)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = (uint64_t)(uintptr_t)path;
	attr.file_flags = write ? 0 : BPF_F_RDONLY;
	return call(BPF_OBJ_GET, &attr);
}

int cpol_kernel_info(int fd, struct cpol_map *map)
{
	struct bpf_map_info info;
	union bpf_attr attr;
	int error;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uint64_t)(uintptr_t)&info;
	error = call(BPF_OBJ_GET_INFO_BY_FD, &attr);
	*map = (struct cpol_map){ info.type, info.id, info.key_size, info.value_size, info.max_entries, info.map_flags };
	return error;
}

int cpol_kernel_update(int fd, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)fd;
	attr.key = (uint64_t)(uintptr_t)key;
	attr.value = (uint64_t)(uintptr_t)value;
	attr.flags = BPF_ANY;
	return call(BPF_MAP_UPDATE_ELEM, &attr);
}

int cpol_kernel_delete(int fd, const void *key)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)fd;
	attr.key = (uint64_t)(uintptr_t)key;
	return call(BPF_MAP_DELETE_ELEM, &attr);
}
