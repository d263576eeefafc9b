/* SPDX-License-Identifier: GPL-2.0-only */
/* Loops over numbers in BPF. */
#ifndef CPOL_BPF_LOOP_H
#define CPOL_BPF_LOOP_H

/* Rounds by the kernel's number iterator: the verifier follows the body until its state repeats, not once per round. */
struct cpol_rounds {
	struct bpf_iter_num *iter;
	u64 low;
};

CPOL_PRIMITIVE struct cpol_rounds cpol_rounds_begin(struct bpf_iter_num *iter, struct cpol_range range)
{
	bpf_iter_num_new(iter, 0, (int)range.rounds);
	return (struct cpol_rounds){ iter, range.low };
}

CPOL_PRIMITIVE bool cpol_rounds_next(const struct cpol_rounds *rounds, u64 *i)
{
	int *round = bpf_iter_num_next(rounds->iter);

	if (!round)
		return false;
	*i = rounds->low + (u32)*round;
	return true;
}

CPOL_PRIMITIVE void cpol_rounds_end(const struct cpol_rounds *rounds)
{
	bpf_iter_num_destroy(rounds->iter);
}

#define CPOL_FOR(i, range)                                                                                                     \
	for (struct bpf_iter_num cpol_num, *cpol_once = &cpol_num; cpol_once; cpol_once = NULL)                                \
		for (const struct cpol_rounds cpol_rounds __attribute__((cleanup(cpol_rounds_end))) =                          \
			     cpol_rounds_begin(&cpol_num, range);                                                              \
		     cpol_once; cpol_once = NULL)                                                                              \
			for (u64 i; cpol_rounds_next(&cpol_rounds, &i);)

#endif
