// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of kernel/prefetch_ext that reading found, in few steps.
 *
 *   prefetch-cases [NAME]      prints the names of those that pass; ends with a message at the first that does not
 */
#include <stdio.h>
#include <unistd.h>
#include "world.h"

s32 bpf_prefetch_ext_file(struct prefetch_ext_readahead *ra, u64 index, u64 nr, s64 stride);
s32 bpf_prefetch_ext_slot(struct prefetch_ext_fault *f, u64 slot);
s32 bpf_prefetch_ext_flush(struct prefetch_ext_range *range, bool wait);
s32 bpf_prefetch_ext_drop(struct prefetch_ext_range *range);
s32 bpf_prefetch_ext_keep(struct prefetch_ext_swap_out *out);

#define expect(c) ((c) ? (void)0 : failed(#c, __LINE__))

static void failed(const char *what, int line)
{
	fprintf(stderr, "cases.c:%d: %s\n", line, what);
	_exit(1);
}

static u64 counter(struct prefetch_ext_policy *p, enum prefetch_ext_stat_item item)
{
	return __atomic_load_n(&p->stats->nr[item], __ATOMIC_SEQ_CST);
}

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
	swap_fault(7);
	expect(counter(policy, PES_PREFETCHED) == 2 && atomic_long_read(&policy->nr_marks) == 2);
	before_swap_read = end_policy;
	swap_fault(17);
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
	expect(!atomic_long_read(&policy->nr_marks));
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

/* ---- Ranges -------------------------------------------------------------------------------------------------------- */

static void flush_and_wait(struct prefetch_ext_range *range, struct mem_cgroup *memcg)
{
	(void)memcg;
	bpf_prefetch_ext_flush(range, true);
}

static struct prefetch_ext_ops flushes = { .file_written = flush_and_wait };
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void wait_at_gate(struct a_file *f)
{
	(void)f;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
}

static bool comes_to(struct prefetch_ext_policy *p, enum prefetch_ext_stat_item item, u64 nr)
{
	for (int i = 0; i < 3000 && counter(p, item) != nr; i++)
		usleep(10000);
	return counter(p, item) == nr;
}

/* One policy's worker waits for a disk, or a server. Others' do not wait for it, and the policy can end. */
static void late_apart(void)
{
	struct a_file *slow = file_new(), *fast = file_new();
	struct prefetch_ext_policy *waits, *other;

	expect(!prefetch_ext_ranges_init());
	pthread_mutex_lock(&gate);
	slow->before_io = wait_at_gate;
	waits = policy_new(&flushes);
	for (int i = 0; i < 100; i++)
		file_write_nowait(slow, 2 * i);
	expect(counter(waits, PES_DEFERRED) == 64 && counter(waits, PES_SKIPPED) == 36);

	other = policy_new(&flushes);
	for (int i = 0; i < 8; i++)
		file_write_nowait(fast, i);
	expect(comes_to(other, PES_WAITED, 8));
	expect(!counter(waits, PES_WAITED));

	/* It still has its counters. */
	expect(policy_end(waits));
	expect(!counter(waits, PES_WAITED));
	policy_govern(other);
	expect(!policies_freed && holds);
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < 8; i++)
		file_write_nowait(fast, i);
	expect(comes_to(other, PES_WAITED, 16));
	expect(policy_end(other));
	prefetch_ext_ranges_exit();
	expect(policies_freed == 2 && !holds);
	file_free(slow);
	file_free(fast);
}

/* A stream of writes is one range for the worker, however far that is behind. Other writes are others. */
static void late_stream(void)
{
	struct a_file *slow = file_new();

	expect(!prefetch_ext_ranges_init());
	pthread_mutex_lock(&gate);
	slow->before_io = wait_at_gate;
	policy = policy_new(&flushes);
	for (int i = 0; i < 200; i++)
		file_write_nowait(slow, i);
	file_write_nowait(slow, 100);
	file_write_nowait(slow, 220);
	file_write_nowait(slow, 219);
	expect(counter(policy, PES_DEFERRED) == 203 && !counter(policy, PES_SKIPPED));
	expect(READ_ONCE(policy->late.nr.counter) <= 3);
	pthread_mutex_unlock(&gate);
	expect(comes_to(policy, PES_WAITED, 203) && counter(policy, PES_FLUSHED) == 203);
	expect(policy_end(policy));
	prefetch_ext_ranges_exit();
	expect(!holds);
	file_free(slow);
}

static void flush_wait_and_drop(struct prefetch_ext_range *range, struct mem_cgroup *memcg)
{
	flush_and_wait(range, memcg);
	bpf_prefetch_ext_drop(range);
}

static struct prefetch_ext_ops drops = { .file_written = flush_wait_and_drop };

/* Of what is flushed, some is in use: it goes when nobody uses it any more, also if the policy has ended. */
static void dropped_later(void)
{
	struct a_file *f = file_new(), *other = file_new();
	struct folio *used, *kept;

	expect(!prefetch_ext_ranges_init());
	policy = policy_new(&drops);
	expect(!file_write(f, 7, false) && counter(policy, PES_DROPPED) == 1);
	used = file_write(f, 8, true);
	kept = file_write(other, 8, true);
	expect(used && kept && counter(policy, PES_DROPPED) == 1 && !counter(policy, PES_LEFT));
	prefetch_ext_keep(policy); /* for its counters */
	expect(policy_end(policy) && holds);
	WRITE_ONCE(used->in_use, false);
	expect(comes_to(policy, PES_DROPPED, 2));
	expect(comes_to(policy, PES_LEFT, 1));
	prefetch_ext_ranges_exit();
	expect(!f->mapping.i_pages.pages[8] && other->mapping.i_pages.pages[8] == kept);
	expect(!holds && !policy->again.nr.counter && counter(policy, PES_FLUSHED) == 3);
	prefetch_ext_forget(policy);
	file_free(f);
	file_free(other);
}

/* No more than so many wait for that; the rest is left. Neighbours are one. */
static void dropped_later_by_number(void)
{
	struct a_file *f = file_new();
	struct folio *used[400];

	expect(!prefetch_ext_ranges_init());
	policy = policy_new(&drops);
	for (int i = 0; i < 100; i++)
		used[i] = file_write(f, (pgoff_t)i, true);
	expect(!counter(policy, PES_LEFT) && policy->again.nr.counter <= 64);
	for (int i = 100; i < 400; i++)
		used[i] = file_write(f, (pgoff_t)(2 * i), true);
	expect(counter(policy, PES_LEFT) >= 300 - 256);
	for (int i = 0; i < 400; i++)
		WRITE_ONCE(used[i]->in_use, false);
	prefetch_ext_keep(policy);
	expect(policy_end(policy));
	prefetch_ext_ranges_exit();
	expect(!holds && counter(policy, PES_DROPPED) + counter(policy, PES_LEFT) == 400);
	prefetch_ext_forget(policy);
	file_free(f);
}

/* ---- Swap-out ------------------------------------------------------------------------------------------------------ */

static struct prefetch_ext_swap_out told;

static void keep(struct prefetch_ext_swap_out *out, struct mem_cgroup *memcg)
{
	(void)memcg;
	told = *out;
	expect(!bpf_prefetch_ext_keep(out) && !bpf_prefetch_ext_keep(out));
}

static struct prefetch_ext_ops keeps = { .swap_out = keep, .keep_pages = 10 };

static void begin_keeping(u64 quota, unsigned long of_administrator)
{
	keeps.keep_pages = quota;
	share = of_administrator;
	seconds = 1000;
	policy = policy_new(&keeps);
}

/* What a program is told; of a process that would take waiting for a lock it is told nothing. */
static void whose(void)
{
	begin_keeping(100, 100);
	expect(swap_out(4, 12));
	expect(told.page == 70 && told.first == 64 && told.last == 127 && told.pages == 4 && told.process == 42);
	expect(!memcmp(&told.comm, "a long command\0", 16) && told.area && told.flags == PREFETCH_EXT_WORKINGSET);
	is_contended = true;
	expect(swap_out(1, 12));
	is_contended = false;
	expect(!told.page && !told.area && !told.comm && !told.comm_rest && !told.process && told.pages == 1);
	expect(policy_end(policy));
}

/* Of each second the lower one of both limits; a folio that does not fit goes, a smaller one stays. */
static void quota_of_a_second(void)
{
	for (int i = 0; i < 2; i++) {
		begin_keeping(i ? 1000 : 10, i ? 10 : 1000);
		expect(swap_out(8, 12) && !swap_out(4, 12) && swap_out(2, 12) && !swap_out(1, 12));
		seconds++;
		expect(swap_out(8, 12) && !swap_out(4, 12));
		expect(counter(policy, PES_OUT_ASKED) == 27 && counter(policy, PES_OUT_KEPT) == 18);
		expect(counter(policy, PES_OUT_REFUSED) == 9 && !counter(policy, PES_OUT_OVERRULED));
		expect(policy_end(policy));
	}
}

/* The limit of a cgroup below holds for its folios, also if others have used the second. And in trouble. */
static void kept_below(void)
{
	begin_keeping(1000, 1000);
	share_below = 10;
	expect(swap_out_below(8, 12) && !swap_out_below(4, 12) && swap_out_below(2, 12) && !swap_out_below(1, 12));
	expect(swap_out(100, 12));
	seconds++;
	expect(swap_out(100, 12) && !swap_out_below(1, 12));
	expect(counter(policy, PES_OUT_REFUSED) == 6 && !counter(policy, PES_OUT_OVERRULED));
	for (int i = 0; i < 10; i++) {
		seconds++;
		expect(swap_out_below(1, 9));
	}
	expect(!swap_out_below(1, 9) && counter(policy, PES_OUT_OVERRULED) == 1);
	expect(policy_end(policy));
}

/* Who reads the clock, and comes late, begins no new second. */
static void late_in_a_second(void)
{
	begin_keeping(10, 1000);
	expect(swap_out(8, 12));
	seconds++;
	expect(swap_out(8, 12));
	seconds--;
	expect(!swap_out(8, 12));
	seconds++;
	expect(!swap_out(8, 12) && swap_out(2, 12));
	expect(policy_end(policy));
}

/* Nobody is asked near OOM, or without a reclaim. */
static void near_oom(void)
{
	begin_keeping(1000, 1000);
	told.pages = 0;
	for (int priority = 0; priority <= 2; priority++)
		expect(!swap_out(1, priority));
	expect(!told.pages && !counter(policy, PES_OUT_ASKED) && counter(policy, PES_OUT_OVERRULED) == 3);
	expect(swap_out(1, 3) && told.pages);
	expect(policy_end(policy));
}

/* A reclaim in trouble gets as much as stays, however many seconds it takes. */
static void trouble(void)
{
	u64 stay = 0;

	begin_keeping(10, 1000);
	for (int i = 0; i < 1000; i++, seconds++)
		stay += swap_out(1, 9);
	expect(stay <= 505 && stay >= 495);
	expect(counter(policy, PES_OUT_KEPT) == stay && counter(policy, PES_OUT_OVERRULED) == 1000 - stay);
	expect(policy_end(policy));

	/* One without trouble does not. */
	begin_keeping(10, 1000);
	for (int i = 0; i < 1000; i++, seconds++)
		expect(swap_out(1, 10));
	expect(policy_end(policy));

	/* Without a limit there is nothing to overrule. */
	begin_keeping(10, 0);
	expect(!swap_out(1, 9) && counter(policy, PES_OUT_REFUSED) == 1 && !counter(policy, PES_OUT_OVERRULED));
	expect(policy_end(policy));
}

/* Without the program nobody is asked. */
static void not_asked(void)
{
	policy = policy_new(&reads_slots);
	share = 100;
	expect(!swap_out(1, 12) && !swap_out(1, 0));
	expect(!counter(policy, PES_OUT_ASKED) && !counter(policy, PES_OUT_OVERRULED));
	expect(policy_end(policy));
	expect(!swap_out(1, 12));
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
	{ "whose", whose },
	{ "quota-of-a-second", quota_of_a_second },
	{ "kept-below", kept_below },
	{ "late-in-a-second", late_in_a_second },
	{ "near-oom", near_oom },
	{ "trouble", trouble },
	{ "not-asked", not_asked },
};

int main(int argc, char **argv)
{
	unsigned int done = 0;

	if (prefetch_ext_marks_init())
		return 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 1 && strcmp(argv[1], cases[i].name))
			continue;
		policies_freed = 0;
		cases[i].run();
		puts(cases[i].name);
		done++;
	}
	prefetch_ext_marks_exit();
	return !done;
}
