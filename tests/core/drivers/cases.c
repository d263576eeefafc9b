// SPDX-License-Identifier: GPL-2.0
/*
 * core-cases: faults that were found, each in as few steps as show it (cases/).
 *
 *   core-cases [NAME]	all of them, each in a process of its own, or one
 */
#include <linux/cache_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cases/cases.h"

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "alone-in-the-index", alone_in_the_index },
	{ "adopted-while-disowned", adopted_while_disowned },
	{ "internal-inode", internal_inode },
	{ "only-reuses", only_reuses },
	{ "adoption-is-no-access", adoption_is_no_access },
	{ "read-by-others", read_by_others },
	{ "removed-while-noted", removed_while_noted },
	{ "charged-until-freed", charged_until_freed },
	{ "short-of-memory", short_of_memory },
	{ "split-part-disowned", split_part_disowned },
	{ "chains-of-the-index", chains_of_the_index },
	{ "looked-up-while-migrated", looked_up_while_migrated },
	{ "migrates-while-proposed", migrates_while_proposed },
	{ "removed-during-init", removed_during_init },
	{ "link-goes-during-init", link_goes_during_init },
	{ "replaced-in-order", replaced_in_order },
	{ "attached-to-a-full-cgroup", attached_to_a_full_cgroup },
	{ "ending-policy", ending_policy },
	{ "goes-from-who-leaves", goes_from_who_leaves },
	{ "inherited-while-freed", inherited_while_freed },
	{ "nested-iterators", nested_iterators },
	{ "protected-sibling", protected_sibling },
	{ "resumes-for-another", resumes_for_another },
	{ "blamed-for-io", blamed_for_io },
	{ "limit-of-the-parent", limit_of_the_parent },
	{ "short-list-that-cannot-go", short_list_that_cannot_go },
	{ "few-of-all-at-a-time", few_of_all_at_a_time },
	{ "one-that-is-protected", one_that_is_protected },
	{ "twice-through-for-each-batch", twice_through_for_each_batch },
	{ "only-of-the-asked-node", only_of_the_asked_node },
	{ "ends-while-reclaimed", ends_while_reclaimed },
	{ "ends-while-asked", ends_while_asked },
	{ "links-of-cgroups-that-are-gone", links_of_cgroups_that_are_gone },
	{ "drains-once-a-second", drains_once_a_second },
	{ "error-while-replaced", error_while_replaced },
	{ "lost-node", lost_node },
	{ "foreign-folio", foreign_folio },
	{ "no-such-member", no_such_member },
	{ "orders-of-moves", orders_of_moves },
	{ "moved-between-lists", moved_between_lists },
	{ "moved-while-used", moved_while_used },
	{ "asked-for-code", asked_for_code },
	{ "pinned-in-calm-times", pinned_in_calm_times },
	{ "pinned-below", pinned_below },
	{ "pinned-of-many", pinned_of_many },
	{ "pinned-without-limit", pinned_without_limit },
	{ "pinned-while-migrated", pinned_while_migrated },
	{ "kept-of-others", kept_of_others },
	{ "wanted-by-the-policy", wanted_by_the_policy },
	{ "wanted-from-a-size-of-before", wanted_from_a_size_of_before },
	{ "wants-all-there-is", wants_all_there_is },
	{ "wants-and-gives-nothing", wants_and_gives_nothing },
	{ "wants-dearly", wants_dearly },
	{ "wanted-anew-in-a-dear-run", wanted_anew_in_a_dear_run },
	{ "wanted-less-after-reclaim", wanted_less_after_reclaim },
	{ "wanted-when-detached", wanted_when_detached },
};

static void run(unsigned int n)
{
	static const struct shim_section sections[] = { { 0x1000, 17 << 12 } };
	struct mem_cgroup *root;

	printf("%s\n", cases[n].name);
	fflush(stdout);
	memset(&world, 0, sizeof(world));
	shim_start();
	shim_frames_init(sections, ARRAY_SIZE(sections));
	if (cache_ext_index_init() || cache_ext_nodes_init() || policy_ext_wq_init())
		shim_die("the core does not start");
	root = shim_memcg_create(NULL, 1);
	group = shim_memcg_create(root, 2);
	cases[n].run();
	shim_settle();
	policy_ext_wq_exit();
	cache_ext_index_exit();
	cache_ext_nodes_exit();
	go(group);
	go(root);
	shim_frames_exit();
	shim_stop();
}

/* Cases keep what they need in static variables: no two of them run in one process. */
static bool run_alone(unsigned int n)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		run(n);
		exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

int main(int argc, char **argv)
{
	unsigned int n, failed = 0;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		if (argc < 2) {
			failed += !run_alone(n);
		} else if (!strcmp(argv[1], cases[n].name)) {
			run(n);
			return 0;
		}
	}
	/* One that is not there is no success. */
	return argc > 1 || failed;
}
