// SPDX-License-Identifier: GPL-2.0
/* Ranges of files that were read or written: who flushes and drops them, and when. */
#include "cases.h"

s32 bpf_prefetch_ext_flush(struct prefetch_ext_range *range, bool wait);
s32 bpf_prefetch_ext_drop(struct prefetch_ext_range *range);

static struct prefetch_ext_policy *policy;

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
void late_apart(void)
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
void late_stream(void)
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
	/* The worker has what came until it began: perhaps page 100, too. Then that waits by itself. */
	expect(READ_ONCE(policy->late.nr.counter) <= 4);
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

static void drop_only(struct prefetch_ext_range *range, struct mem_cgroup *memcg)
{
	(void)memcg;
	bpf_prefetch_ext_drop(range);
}

static struct prefetch_ext_ops takes = { .file_read = drop_only, .file_written = flush_wait_and_drop };

static void flush_and_drop(struct prefetch_ext_range *range, struct mem_cgroup *memcg)
{
	(void)memcg;
	bpf_prefetch_ext_flush(range, false);
	bpf_prefetch_ext_drop(range);
}

static struct prefetch_ext_ops begins = { .file_written = flush_and_drop };

/* The policy ends, and then its workers do. Its counters are there until policy_ext_put(). */
static void end_with_counters(void)
{
	policy_ext_get(&policy->life);
	expect(policy_end(policy));
	prefetch_ext_ranges_exit();
	expect(!holds && !inodes_held && !policy->again.nr.counter && !policy->late.nr.counter);
}

/* Of what is flushed, some is in use: it goes when nobody uses it any more, also if the policy has ended. */
void dropped_later(void)
{
	struct a_file *f = file_new(), *other = file_new();
	struct folio *used, *kept;

	expect(!prefetch_ext_ranges_init());
	policy = policy_new(&drops);
	expect(!file_write(f, 7, false) && counter(policy, PES_DROPPED) == 1);
	used = file_write(f, 8, true);
	kept = file_write(other, 8, true);
	expect(used && kept && counter(policy, PES_DROPPED) == 1 && !counter(policy, PES_LEFT));
	policy_ext_get(&policy->life); /* for its counters */
	expect(policy_end(policy) && holds);
	WRITE_ONCE(used->in_use, false);
	expect(comes_to(policy, PES_DROPPED, 2));
	expect(comes_to(policy, PES_LEFT, 1));
	prefetch_ext_ranges_exit();
	expect(!f->mapping.i_pages.pages[8] && other->mapping.i_pages.pages[8] == kept);
	expect(!holds && !inodes_held && !policy->again.nr.counter && counter(policy, PES_FLUSHED) == 3);
	policy_ext_put(&policy->life);
	file_free(f);
	file_free(other);
}

/* No more than so many wait for that; the rest is left. Neighbours are one. */
void dropped_later_by_number(void)
{
	struct a_file *f = file_new();
	struct folio *used[300];

	expect(!prefetch_ext_ranges_init());
	policy = policy_new(&drops);
	for (int i = 0; i < 100; i++)
		used[i] = file_write(f, (pgoff_t)i, true);
	expect(!counter(policy, PES_LEFT) && policy->again.nr.counter == 1);
	for (int i = 100; i < 300; i++)
		used[i] = file_write(f, (pgoff_t)(2 * i), true);
	expect(counter(policy, PES_LEFT) == 200 - 127 && policy->again.nr.counter == 128);
	for (int i = 0; i < 300; i++)
		WRITE_ONCE(used[i]->in_use, false);
	end_with_counters();
	expect(counter(policy, PES_DROPPED) + counter(policy, PES_LEFT) == 300);
	policy_ext_put(&policy->life);
	file_free(f);
}

/* Others read in what goes, again and again; one page of the range stays in use. Its worker ends all the same. */
void dropped_and_read_again(void)
{
	struct a_file *f = file_new();
	struct folio *used[100];

	expect(!prefetch_ext_ranges_init());
	policy = policy_new(&drops);
	for (int i = 0; i < 100; i++)
		used[i] = file_write(f, (pgoff_t)i, true);
	for (int i = 1; i < 100; i++)
		WRITE_ONCE(used[i]->in_use, false);
	policy_ext_get(&policy->life);
	expect(policy_end(policy));
	for (int i = 0; i < 20000 && READ_ONCE(holds); i++) {
		file_add_page(f, 50);
		usleep(1000);
	}
	expect(!holds && !inodes_held && counter(policy, PES_LEFT) == 1);
	expect(f->mapping.i_pages.pages[0] == used[0] && f->mapping.i_pages.pages[50]);
	prefetch_ext_ranges_exit();
	policy_ext_put(&policy->life);
	file_free(f);
}

/* A page that is written again and again is one range. What waits for the disk alone drains no CPU. */
void dropped_and_written_again(void)
{
	struct a_file *f = file_new();
	struct folio *page;

	expect(!prefetch_ext_ranges_init());
	policy = policy_new(&begins);
	file_add_page(f, 3);
	page = f->mapping.i_pages.pages[3];
	page->written = true;
	for (int i = 0; i < 400; i++) {
		expect(file_write(f, 3, false) == page && policy->again.nr.counter == 1);
		usleep(500);
	}
	expect(!drains);
	WRITE_ONCE(page->written, false);
	expect(comes_to(policy, PES_DROPPED, 1) && !counter(policy, PES_LEFT));
	end_with_counters();
	policy_ext_put(&policy->life);
	file_free(f);
}

/* What is charged elsewhere is another cgroup's cache, whoever reads or writes it. */
void dropped_of_own(void)
{
	struct a_file *f = file_new();
	pgoff_t i;

	expect(!prefetch_ext_ranges_init());
	policy = policy_new(&takes);
	the_task.memcg = &elsewhere;
	for (i = 0; i < 100; i++)
		file_add_page(f, i);
	the_task.memcg = &below;
	for (i = 100; i < 200; i++)
		file_add_page(f, i);
	the_task.memcg = &group;
	for (i = 0; i < 300; i++)
		file_read(f, i);
	for (i = 0; i < 300; i++)
		expect(!f->mapping.i_pages.pages[i] == (i >= 100));
	expect(counter(policy, PES_DROPPED) == 200 && counter(policy, PES_LEFT) == 100);
	/* After a flush as well: no worker waits for what stays. */
	expect(file_write(f, 7, false) && counter(policy, PES_DROPPED) == 200 && counter(policy, PES_LEFT) == 101);
	expect(!file_write(f, 200, false) && counter(policy, PES_DROPPED) == 201);
	expect(!policy->again.nr.counter);
	expect(policy_end(policy));
	prefetch_ext_ranges_exit();
	file_free(f);
}

/*
 * A cgroup below has a policy of its own: then its folios are not the one's above, which still drops those of others below,
 * and its own when another has replaced it, or it has ended.
 */
void dropped_of_nearer(void)
{
	struct prefetch_ext_policy *nearer, *newer;
	struct a_file *f = file_new();
	pgoff_t i;

	expect(!prefetch_ext_ranges_init());
	policy = policy_new(&takes);
	nearer = policy_new(&flushes);
	policy_move(nearer, &below);
	policy_govern(policy);
	the_task.memcg = &below;
	for (i = 0; i < 100; i++)
		file_add_page(f, i);
	the_task.memcg = &group;
	for (i = 0; i < 200; i++)
		file_read(f, i);
	for (i = 0; i < 200; i++)
		expect(!f->mapping.i_pages.pages[i] == (i >= 100));
	expect(counter(policy, PES_DROPPED) == 100 && counter(policy, PES_LEFT) == 100);
	rcu_read_lock();
	expect(prefetch_ext_governs(nearer, &below) && !prefetch_ext_governs(nearer, &group));
	expect(prefetch_ext_governs(policy, &group) && !prefetch_ext_governs(policy, &below));
	expect(!prefetch_ext_governs(policy, &elsewhere) && !prefetch_ext_governs(policy, &root) && !prefetch_ext_governs(policy, NULL));
	newer = policy_new(&flushes);
	expect(prefetch_ext_governs(policy, &group) && prefetch_ext_governs(newer, &group));
	expect(!prefetch_ext_governs(policy, &below) && !prefetch_ext_governs(newer, &below));
	rcu_read_unlock();
	expect(policy_end(newer));
	policy_govern(policy);
	/* It goes, and its folios come to the policy above. */
	expect(policy_end(nearer));
	file_read(f, 7);
	expect(!f->mapping.i_pages.pages[7] && counter(policy, PES_DROPPED) == 101);
	policy_ext_get(&policy->life);
	expect(policy_end(policy));
	rcu_read_lock();
	expect(prefetch_ext_governs(policy, &below) && !prefetch_ext_governs(policy, &elsewhere));
	rcu_read_unlock();
	policy_ext_put(&policy->life);
	prefetch_ext_ranges_exit();
	file_free(f);
}

#define MANY 6

/*
 * Who writes drains his own CPU only. Workers drain all, after a try that did not help, and once a second, however many
 * policies there are.
 */
void drained_by_workers(void)
{
	struct prefetch_ext_policy *policies[MANY];
	struct folio *used[MANY];
	struct a_file *f = file_new();
	unsigned long since = jiffies_now();

	expect(!prefetch_ext_ranges_init());
	for (int i = 0; i < MANY; i++) {
		policies[i] = policy_new(&drops);
		used[i] = file_write(f, (pgoff_t)(2 * i), true);
		expect(used[i]);
	}
	expect(!READ_ONCE(drains));
	usleep(1500000);
	expect(READ_ONCE(drains) >= 1 && (unsigned long)READ_ONCE(drains) <= 1 + (jiffies_now() - since) / HZ);
	for (int i = 0; i < MANY; i++)
		WRITE_ONCE(used[i]->in_use, false);
	for (int i = 0; i < MANY; i++) {
		expect(comes_to(policies[i], PES_DROPPED, 1));
		expect(policy_end(policies[i]));
	}
	prefetch_ext_ranges_exit();
	file_free(f);
}

/* Coda's files have the pages of other files, which their inode does not keep. */
void pages_of_another(void)
{
	struct a_file *f = file_new(), *other = file_new();

	policy = policy_new(&drops);
	f->inode.i_mapping = f->file.f_mapping = &other->mapping;
	file_write(f, 3, false);
	expect(!counter(policy, PES_RANGES));
	expect(policy_end(policy));
	file_free(f);
	file_free(other);
}
