// SPDX-License-Identifier: GPL-2.0
/* EXPECT: attach to unsupported member file_written of struct prefetch_ext_ops */
/* The verifier refuses it. */
#include "../prefetch.bpf.h"

SEC("struct_ops.s/file_written") void handler(u64 *ctx)
{
}

PREFETCHER("sleepable", .file_written = (void *)handler)
