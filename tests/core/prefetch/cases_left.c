// SPDX-License-Identifier: GPL-2.0
/* Open files that policies leave to the kernel: who is asked about them, and who is not. */
#include "cases.h"

s32 bpf_prefetch_ext_leave(struct prefetch_ext_range *range);

static bool leaves, leaves_then;

static void opened(struct prefetch_ext_range *range, struct mem_cgroup *memcg)
{
	(void)memcg;
	if (leaves)
		bpf_prefetch_ext_leave(range);
}

static void be_told(struct prefetch_ext_range *range, struct mem_cgroup *memcg)
{
	(void)memcg;
	if (leaves_then)
		bpf_prefetch_ext_leave(range);
}

static struct prefetch_ext_ops ops = { .file_opened = opened, .file_read = be_told, .file_written = be_told };

static void open_file(struct a_file *f, bool left)
{
	leaves = left;
	file_open(f);
}

/* Whether the policy that governs is told of a read and a write of @f: of both, or of none. */
static bool is_asked(struct prefetch_ext_policy *p, struct a_file *f)
{
	u64 before = counter(p, PES_RANGES);
	u64 told;

	file_read(f, 1);
	told = counter(p, PES_RANGES) - before;
	file_write(f, 1, false);
	expect(counter(p, PES_RANGES) - before == 2 * told);
	return told;
}

/* Until it is closed, by the policy that left it, and nobody else. */
void left_until_closed(void)
{
	struct a_file *file = file_new(), *other = file_new();
	struct prefetch_ext_policy *first = policy_new(&ops), *second;

	open_file(file, true);
	open_file(other, false);
	expect(counter(first, PES_OPENED) == 2 && counter(first, PES_FILES_LEFT) == 1);
	expect(!is_asked(first, file) && is_asked(first, other));

	second = policy_new(&ops);
	expect(is_asked(second, file));
	open_file(other, true);
	expect(!is_asked(second, other));
	policy_govern(first);
	expect(!is_asked(first, file) && is_asked(first, other));

	/* Another file at the same address, which it leaves alone or not, or is not told of. */
	open_file(file, false);
	expect(is_asked(first, file));
	open_file(file, true);
	expect(!is_asked(first, file));
	policy_govern(NULL);
	open_file(file, true);
	policy_govern(first);
	expect(is_asked(first, file));

	open_file(file, true);
	expect(policy_end(first) && policy_end(second));
	file_free(file);
	file_free(other);
}

/* What it is told of it may leave, too: so files come back that were forgotten. */
void left_when_told(void)
{
	struct a_file *file = file_new();
	struct prefetch_ext_policy *p = policy_new(&ops);

	open_file(file, false);
	expect(is_asked(p, file));
	leaves_then = true;
	file_write(file, 1, false);
	expect(!is_asked(p, file));
	open_file(file, false);
	file_read(file, 1);
	expect(!is_asked(p, file));
	leaves_then = false;
	expect(counter(p, PES_RANGES) == 4 && counter(p, PES_FILES_LEFT) == 2);
	expect(policy_end(p));
	file_free(file);
}

/* The next policy may have the number of the last one. It has left nothing. */
void left_by_another(void)
{
	struct a_file *file = file_new();
	struct prefetch_ext_policy *p = policy_new(&ops);
	u32 id = p->id;

	open_file(file, true);
	expect(!is_asked(p, file));
	expect(policy_end(p));
	p = policy_new(&ops);
	p->id = id;
	expect(is_asked(p, file));
	expect(policy_end(p));
	file_free(file);
}

#define MANY 5000

#define THREADS 4

/* Each has files of its own, whose entries take the places of others'. What is found is what it has left. */
static void *leave_and_look(void *first)
{
	struct prefetch_ext_policy mine = { .id = 1 }, other = { .id = 2 };
	unsigned int seed = (unsigned long)first;
	bool by_mine[64] = { false }, by_other[64] = { false };

	for (int i = 0; i < 200000; i++) {
		unsigned int nr = rand_r(&seed) % 64;
		const struct file *file = (void *)((unsigned long)first + 64 * 4096UL * nr);

		switch (rand_r(&seed) % 4) {
		case 0:
			prefetch_ext_file_is_new(file);
			by_mine[nr] = by_other[nr] = false;
			break;
		case 1:
			prefetch_ext_leave(&mine, file);
			by_mine[nr] = true;
			break;
		case 2:
			prefetch_ext_leave(&other, file);
			by_other[nr] = true;
			break;
		default:
			expect(by_mine[nr] || !prefetch_ext_has_left(&mine, file));
			expect(by_other[nr] || !prefetch_ext_has_left(&other, file));
		}
	}
	return NULL;
}

void left_by_threads(void)
{
	static char memory[THREADS * 64];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		expect(!pthread_create(&threads[i], NULL, leave_and_look, (void *)(((unsigned long)memory & ~63UL) + 64 * i)));
	for (int i = 0; i < THREADS; i++)
		expect(!pthread_join(threads[i], NULL));
	prefetch_ext_leave_none(1);
	prefetch_ext_leave_none(2);
}

/* More files than are remembered. A policy is asked about each that it has not left, and about few that it has. */
void left_among_many(void)
{
	static struct a_file *files[MANY];
	static bool is_left[MANY];
	struct prefetch_ext_policy *p = policy_new(&ops);
	unsigned int seed = 1, spared = 0;

	for (int i = 0; i < 10 * MANY; i++) {
		/* A thousand of them are in use, then the next thousand. */
		int nr = i / 1000 % (MANY / 1000) * 1000 + rand_r(&seed) % 1000;

		files[nr] = files[nr] ?: file_new();
		if (rand_r(&seed) % 4 == 0) {
			is_left[nr] = rand_r(&seed) % 2;
			open_file(files[nr], is_left[nr]);
		} else if (!is_asked(p, files[nr])) {
			expect(is_left[nr]);
			spared++;
		}
	}
	/* Half of what was opened before is left: a third of all reads, or so. */
	expect(spared > MANY);
	expect(policy_end(p));
	for (int i = 0; i < MANY; i++)
		if (files[i])
			file_free(files[i]);
}
