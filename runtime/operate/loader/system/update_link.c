/* SPDX-License-Identifier: MIT */
#include "system/update_link.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdint.h>
#include <time.h>

#define PATIENCE_MS 10000
#define PAUSE_MS 5

int update_link(int link, int ops, int only)
{
	LIBBPF_OPTS(bpf_link_update_opts, options, .flags = BPF_F_REPLACE, .old_map_fd = (uint32_t)only);
	struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	int error;

	for (int left = PATIENCE_MS / PAUSE_MS;; left--) {
		error = bpf_link_update(link, ops, only < 0 ? NULL : &options);
		if (error != -EBUSY || !left)
			return error;
		nanosleep(&pause, NULL);
	}
}
