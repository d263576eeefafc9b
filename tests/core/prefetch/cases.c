// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of kernel/prefetch_ext that reading found, in few steps.
 *
 *   prefetch-cases [NAME]      prints the names of those that pass; ends with a message at the first that does not
 */
#include "cases.h"

s32 bpf_prefetch_ext_file(struct prefetch_ext_readahead *ra, u64 index, u64 nr, s64 stride);
s32 bpf_prefetch_ext_slot(struct prefetch_ext_fault *f, u64 slot);

/* ---- Readahead ----------------------------------------------------------------------------------------------------- */

static struct prefetch_ext_policy *policy;
static struct a_file *file;

static void eight_more(struct prefetch_ext_readahead *ra, struct mem_cgroup *memcg)
{
	(void)memcg;
	expect(bpf_prefetch_ext_file(ra, ra->index + 1, 8, 1) == 8);
}

static struct prefetch_ext_ops reads_eight = { .file_readahead = eight_more };

static void end_once(struct a_file *f)
{
	f->before_io = NULL;
	expect(policy_end(policy));
}

/* What is read may never come, as from a FUSE server. The policy ends meanwhile, and its programs with it. */
static void ends_while_read(void)
{
	file = file_new();
	policy = policy_new(&reads_eight);
	file->before_io = end_once;
	file_read_ahead(file, 100);
	expect(policies_freed == 1);
	file_free(file);
}

static void two_slots(struct prefetch_ext_fault *fault, struct mem_cgroup *memcg)
{
	(void)memcg;
	expect(!bpf_prefetch_ext_slot(fault, fault->slot + 1));
	expect(!bpf_prefetch_ext_slot(fault, fault->slot + 2));
}

static struct prefetch_ext_ops reads_slots = { .swap_prefetch = two_slots };

static void end_policy(void)
{
	before_swap_read = NULL;
	expect(policy_end(policy));
}

/* The same of swap. */
static void ends_while_swapped_in(void)
{
	policy = policy_new(&reads_slots);
	expect(swap_fault(7, 0));
	expect(counter(policy, PES_PREFETCHED) == 2 && policy->marks.nr == 2);
	before_swap_read = end_policy;
	expect(swap_fault(17, 0));
	expect(policies_freed == 1);
}

static pgoff_t to_be_marked;

static void remove_unless_locked(void)
{
	if (!file->mapping.i_pages.lock.held)
		file_remove_page(file, to_be_marked);
	to_be_marked++;
}

/* A page goes while it is being marked: no mark is left. */
static void gone_while_marked(void)
{
	file = file_new();
	policy = policy_new(&reads_eight);
	at_allocation = remove_unless_locked;
	to_be_marked = 101;
	file_read_ahead(file, 100);
	at_allocation = NULL;
	expect(to_be_marked == 109);
	for (pgoff_t i = 0; i < FILE_PAGES; i++)
		file_remove_page(file, i);
	expect(!policy->marks.nr);
	file_free(file);
	expect(policy_end(policy));
}

static void far(struct prefetch_ext_readahead *ra, struct mem_cgroup *memcg)
{
	(void)memcg;
	/* From within the request, beyond all numbers: it does not come back from below. */
	expect(bpf_prefetch_ext_file(ra, 100, 3, INT64_MAX) == -ERANGE);
	expect(bpf_prefetch_ext_file(ra, 100, 3, INT64_MIN) == -ERANGE);
	/* From before and from behind the file, by long steps. */
	expect(bpf_prefetch_ext_file(ra, (u64)INT64_MIN + 50, 3, INT64_MAX) == 1);
	expect(bpf_prefetch_ext_file(ra, INT64_MAX, 2, -INT64_MAX + 60) == 1);
}

static struct prefetch_ext_ops strides_far = { .file_readahead = far };

static void far_strides(void)
{
	file = file_new();
	policy = policy_new(&strides_far);
	file_read_ahead(file, 100);
	expect(file->mapping.i_pages.pages[49] && file->mapping.i_pages.pages[60]);
	expect(counter(policy, PES_RA_PREFETCHED) == 2);
	file_free(file);
	expect(policy_end(policy));
}

static void eight_far(struct prefetch_ext_readahead *ra, struct mem_cgroup *memcg)
{
	(void)memcg;
	expect(bpf_prefetch_ext_file(ra, ra->index + 50, 8, 1) == 8);
	expect(bpf_prefetch_ext_file(ra, ra->index + 90, 2, 1) == 2);
}

static struct prefetch_ext_ops reads_far = { .file_readahead = eight_far };

/*
 * The file system leaves pages that nobody waits for. They go, and what the kernel remembers of the request stays: it is no
 * size below 0.
 */
static void left_unread(void)
{
	file = file_new();
	policy = policy_new(&reads_far);
	file->takes_most = 1;
	file_read_ahead(file, 100);
	expect(file->mapping.i_pages.pages[100] && file->mapping.i_pages.pages[150] && file->mapping.i_pages.pages[190]);
	expect(!file->mapping.i_pages.pages[151] && !file->mapping.i_pages.pages[191]);
	expect(file->file.f_ra.start == 150 && file->file.f_ra.size == 8);
	expect(counter(policy, PES_RA_PREFETCHED) == 2 && counter(policy, PES_NOMEM) == 8);
	file_free(file);
	expect(policy_end(policy));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "ends-while-read", ends_while_read },
	{ "ends-while-swapped-in", ends_while_swapped_in },
	{ "gone-while-marked", gone_while_marked },
	{ "far-strides", far_strides },
	{ "left-unread", left_unread },
	{ "late-apart", late_apart },
	{ "late-stream", late_stream },
	{ "dropped-later", dropped_later },
	{ "dropped-later-by-number", dropped_later_by_number },
	{ "dropped-and-read-again", dropped_and_read_again },
	{ "dropped-and-written-again", dropped_and_written_again },
	{ "pages-of-another", pages_of_another },
	{ "dropped-of-own", dropped_of_own },
	{ "dropped-of-nearer", dropped_of_nearer },
	{ "drained-by-workers", drained_by_workers },
	{ "part-reads-each-page-once", part_reads_each_page_once },
	{ "part-reads-of-threads", part_reads_of_threads },
	{ "part-reads-elsewhere", part_reads_elsewhere },
	{ "part-written-stays", part_written_stays },
	{ "part-written-later", part_written_later },
	{ "part-at-random", part_at_random },
	{ "left-until-closed", left_until_closed },
	{ "left-when-told", left_when_told },
	{ "left-by-another", left_by_another },
	{ "left-by-threads", left_by_threads },
	{ "left-among-many", left_among_many },
	{ "marks-that-others-touch", marks_that_others_touch },
	{ "marks-by-outcome", marks_by_outcome },
	{ "marks-of-a-policy-above", marks_of_a_policy_above },
	{ "marks-beyond-the-share", marks_beyond_the_share },
	{ "marks-within-the-share", marks_within_the_share },
	{ "marks-by-limit", marks_by_limit },
	{ "marks-without-memory", marks_without_memory },
	{ "marks-of-own-folios", marks_of_own_folios },
	{ "marks-of-nearer", marks_of_nearer },
	{ "marks-taken-meanwhile", marks_taken_meanwhile },
	{ "marks-by-threads", marks_by_threads },
	{ "found-beside-many", found_beside_many },
	{ "statistics-of-all", statistics_of_all },
	{ "statistics-of-one-instant", statistics_of_one_instant },
	{ "statistics-of-an-init", statistics_of_an_init },
	{ "answer-until-a-change", answer_until_a_change },
	{ "answer-of-another-cgroup", answer_of_another_cgroup },
	{ "answer-during-a-change", answer_during_a_change },
	{ "answers-of-task-and-folio", answers_of_task_and_folio },
	{ "redirected-for-whom", redirected_for_whom },
	{ "redirected-once", redirected_once },
	{ "hooks-that-stay", hooks_that_stay },
	{ "told-once", told_once },
	{ "slots-of-others", slots_of_others },
	{ "told-at-once", told_at_once },
	{ "told-while-swapped-off", told_while_swapped_off },
	{ "timed-in-part", timed_in_part },
	{ "replaced-between-hooks", replaced_between_hooks },
	{ "ended-between-hooks", ended_between_hooks },
	{ "whose", whose },
	{ "quota-of-a-second", quota_of_a_second },
	{ "kept-below", kept_below },
	{ "late-in-a-second", late_in_a_second },
	{ "near-oom", near_oom },
	{ "trouble", trouble },
	{ "not-asked", not_asked },
	{ "no-such-member", no_such_member },
};

int main(int argc, char **argv)
{
	unsigned int done = 0;

	if (prefetch_ext_marks_start())
		return 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 1 && strcmp(argv[1], cases[i].name))
			continue;
		policies_freed = 0;
		drains = 0;
		cases[i].run();
		puts(cases[i].name);
		done++;
	}
	prefetch_ext_marks_exit();
	return !done;
}
