// SPDX-License-Identifier: GPL-2.0
/* Asks for pages of a file that cannot be had, in one call: the first, which must be of one page, number 100, of 4,096. */
#include "../prefetch.bpf.h"

u64 nr_calls, nr_wrong;

static void expect(s32 got, s32 wanted)
{
	if (got != wanted)
		COUNT(nr_wrong);
}

SEC("struct_ops/file_readahead") void readahead(u64 *ctx)
{
	struct prefetch_ext_readahead *ra = ARG_RA(ctx);

	if (ra->index != 100 || ra->size != 4096 || COUNT(nr_calls))
		return;
	expect(ra->wanted, 1);
	/* Out of range, all of them, however many. */
	expect(bpf_prefetch_ext_file(ra, 100, 1, 1), -34);
	expect(bpf_prefetch_ext_file(ra, 4096, 1, 0), -34);
	expect(bpf_prefetch_ext_file(ra, -1, 1000000, -1), -34);
	expect(bpf_prefetch_ext_file(ra, 5000, 1ULL << 62, 1), -34);
	expect(bpf_prefetch_ext_file(ra, -1ULL << 63, 1ULL << 63, 1), -34);
	/* 95 … 105 without 100: 10; then the same again. */
	expect(bpf_prefetch_ext_file(ra, 95, 11, 1), 10);
	expect(bpf_prefetch_ext_file(ra, 105, 11, -1), -17);
	/* From before the file: of 8 pages 3 are in it, 0, 2 and 4. */
	expect(bpf_prefetch_ext_file(ra, -10, 8, 2), 3);
	/* From behind it: 4095 and 4085 of 3. */
	expect(bpf_prefetch_ext_file(ra, 4105, 3, -10), 2);
	/* A stride that leaves at once, forward and backward. */
	expect(bpf_prefetch_ext_file(ra, 200, 1000, 0x7fffffffffffffff), 1);
	expect(bpf_prefetch_ext_file(ra, 201, 1000, -0x7fffffffffffffff - 1), 1);
	/* So does one from the request: it ends there, and does not come back from below. */
	expect(bpf_prefetch_ext_file(ra, 100, 3, 0x7fffffffffffffff), -34);
	/* 17 are there. 47 more, of as many as there are. */
	expect(bpf_prefetch_ext_file(ra, 1000, -1, 1), 47);
	expect(bpf_prefetch_ext_file(ra, 3000, 1, 1), -7);
	expect(bpf_prefetch_ext_file(ra, 3000, 0, 1), 0);
}

PREFETCHER("file_drops", .file_readahead = (void *)readahead)
