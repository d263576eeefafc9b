// SPDX-License-Identifier: GPL-2.0
/* The verifier refuses it. */
#include "../prefetch.bpf.h"

SEC("struct_ops.s/file_written") void handler(u64 *ctx)
{
}

PREFETCHER("sleepable", .file_written = (void *)handler)
