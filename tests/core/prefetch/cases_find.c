// SPDX-License-Identifier: GPL-2.0
/* Who governs, on a stock kernel, and what it costs others to find out. */
#include "cases.h"
#include "glue.h"

#define OTHERS (PREFETCH_EXT_MAX_ID - 1)
#define DEPTH 8
#define NEIGHBOURS 64

/* As far from each other as those of the kernel are. */
struct far { struct mem_cgroup memcg; char rest[4096 - sizeof(struct mem_cgroup)]; };

static struct prefetch_ext_policy *policies[OTHERS];
static struct prefetch_ext_ops drops_only;
static struct far theirs[OTHERS], neighbour[NEIGHBOURS][DEPTH];

/* Policies that look-ups of cgroups which have none come across. */
static unsigned long visited(void)
{
	hash_visited = 0;
	rcu_read_lock();
	for (unsigned int i = 0; i < NEIGHBOURS; i++)
		expect(!prefetch_ext_policy_of(&neighbour[i][DEPTH - 1].memcg));
	rcu_read_unlock();
	return hash_visited;
}

/* A look-up takes a cgroup without a policy no longer if others have many. */
void found_beside_many(void)
{
	for (unsigned int i = 0; i < NEIGHBOURS; i++)
		for (unsigned int k = 0; k < DEPTH; k++)
			neighbour[i][k].memcg.parent = k ? &neighbour[i][k - 1].memcg : &root;
	expect(!visited());
	for (unsigned int i = 0; i < OTHERS; i++) {
		theirs[i].memcg.parent = &root;
		policies[i] = policy_new(&drops_only);
		policy_move(policies[i], &theirs[i].memcg);
	}
	/* One bucket in four has one of them, in the mean, of those that it takes to climb to the root. */
	expect(visited() <= NEIGHBOURS * (DEPTH + 1) / 2);
	rcu_read_lock();
	for (unsigned int i = 0; i < OTHERS; i++)
		expect(prefetch_ext_policy_of(&theirs[i].memcg) == policies[i]);
	rcu_read_unlock();
	for (unsigned int i = 0; i < OTHERS; i++)
		expect(policy_end(policies[i]));
	expect(!visited());
}

/* User space says of which member a program is, and BPF looks at that after it has asked who may call what. */
void no_such_member(void)
{
	struct bpf_prog prog = { .expected_attach_type = PREFETCH_EXT_SWAP_PREFETCH };

	expect(!prefetch_ext_kfuncs_init());
	expect(!registered->filter(&prog, 0) && !registered->filter(&prog, 1));
	for (u64 member = PREFETCH_EXT_MEMBERS; member <= U32_MAX; member = 2 * member + 1) {
		prog.expected_attach_type = member;
		expect(registered->filter(&prog, 1) == -EACCES);
	}
}
