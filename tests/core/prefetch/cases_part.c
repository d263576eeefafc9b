// SPDX-License-Identifier: GPL-2.0
/* Pages that are read or written in part: nobody who goes on inside one has to read it again, and each goes in the end. */
#include "cases.h"

s32 bpf_prefetch_ext_flush(struct prefetch_ext_range *range, bool wait);
s32 bpf_prefetch_ext_drop(struct prefetch_ext_range *range);

static u64 told, next; /* pages in all, and the page behind the last range */
static bool in_a_row; /* each range begins where the last one ended */

static void was_read(struct prefetch_ext_range *range, struct mem_cgroup *memcg)
{
	(void)memcg;
	expect(range->pages);
	in_a_row &= range->index == next;
	next = range->index + range->pages;
	told += range->pages;
	bpf_prefetch_ext_drop(range);
}

static void was_written(struct prefetch_ext_range *range, struct mem_cgroup *memcg)
{
	(void)memcg;
	bpf_prefetch_ext_flush(range, true);
	bpf_prefetch_ext_drop(range);
}

static struct prefetch_ext_ops off = { .file_read = was_read, .file_written = was_written };
static struct prefetch_ext_policy *policy;
static struct a_file *file;

static void begin(loff_t size)
{
	expect(!prefetch_ext_ranges_init());
	policy = policy_new(&off);
	file = file_new();
	file->inode.i_size = size;
	file_open(file);
	told = next = 0;
	in_a_row = true;
}

static void end(void)
{
	pgoff_t last;

	file_close(file);
	expect(!file_cached(file, &last));
	expect(policy_end(policy));
	prefetch_ext_ranges_exit();
	expect(!holds && !inodes_held);
	file_free(file);
}

static loff_t least(loff_t a, loff_t b)
{
	return a < b ? a : b;
}

static const size_t blocks[] = { 7, 100, 512, 3000, 4096, 5000, 10240, 65536, 100000 };
#define PAGES 37
#define SIZE (PAGES * (loff_t)PAGE_SIZE - 1000)

/* Whatever the size of blocks: the disk reads each page once, the program is told of each once, and none stays. */
void part_reads_each_page_once(void)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		pgoff_t last;

		begin(SIZE);
		for (loff_t pos = 0; pos < SIZE; pos += blocks[i]) {
			file_read_bytes(file, pos, least(blocks[i], SIZE - pos));
			expect(file_cached(file, &last) <= 1);
		}
		expect(file->disk_reads == PAGES && told == PAGES && in_a_row && next == PAGES);
		expect(!file_cached(file, &last)); /* to the end of the file */
		end();
	}
}

/* Two threads read a half of the file each, by one open file. */
void part_reads_of_threads(void)
{
	static struct task_struct other = { .memcg = &group };
	loff_t half = 20 * PAGE_SIZE;

	begin(2 * half);
	for (loff_t pos = 0; pos < half; pos += 10240) {
		size_t count = least(10240, half - pos);

		file_read_bytes(file, pos, count);
		acting = &other;
		file_read_bytes(file, half + pos, count);
		acting = &the_task;
	}
	expect(file->disk_reads == 40 && told == 40);
	end();
}

/* Who reads a part of a page and goes elsewhere, or closes the file, is done with it. */
void part_reads_elsewhere(void)
{
	pgoff_t last;

	begin(SIZE);
	for (pgoff_t i = 1; i < 30; i++) {
		file_read_bytes(file, i * 7 % PAGES * PAGE_SIZE + 50, 100);
		file_read_bytes(file, i * 7 % PAGES * PAGE_SIZE + 10, 100);
		expect(file->disk_reads == i && told == i - 1);
		expect(file_cached(file, &last) == 1 && last == i * 7 % PAGES);
	}
	file_close(file);
	expect(told == 29 && !file_cached(file, &last));

	/* The next file at that address. */
	file_read_bytes(file, 10, 100);
	file_open(file);
	file_read_bytes(file, 3 * PAGE_SIZE, PAGE_SIZE);
	expect(told == 30 && file_cached(file, &last) == 1 && last == 0);
	file_read_bytes(file, 0, PAGE_SIZE);
	end();
}

/* The page stays into which the next write goes. It is flushed with the others. */
void part_written_stays(void)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		loff_t size = least(SIZE, 300 * (loff_t)blocks[i]);
		pgoff_t last;

		begin(0);
		for (loff_t pos = 0; pos < size; pos += blocks[i]) {
			size_t count = least(blocks[i], size - pos);
			bool part = (pos + count) % PAGE_SIZE;

			file_write_bytes(file, pos, count, false);
			expect(file->flushed_from <= pos && file->flushed_to >= pos + (loff_t)count - 1);
			expect(file_cached(file, &last) == part && (!part || last == (pos + count) / PAGE_SIZE));
		}
		expect(!file->disk_reads && !counter(policy, PES_LEFT));
		file_close(file);
		expect(!file_cached(file, &last));

		/* Where it had been. */
		file_write_bytes(file, 20, 30, false);
		expect(file_cached(file, &last) == 1 && last == 0);
		file_write_bytes(file, 10 * PAGE_SIZE, PAGE_SIZE, false);
		expect(!file_cached(file, &last));
		end();
	}
}

/* A worker does not drop it either, before its writer is done with it. */
void part_written_later(void)
{
	pgoff_t last;

	begin(0);
	for (loff_t pos = 0; pos < 20 * 10000; pos += 10000)
		file_write_bytes(file, pos, 10000, true);
	for (int i = 0; i < 3000 && file_cached(file, &last) > 1; i++)
		usleep(1000);
	usleep(20000);
	expect(!file->disk_reads && file_cached(file, &last) == 1 && last == 20 * 10000 / PAGE_SIZE);
	end();
}

/* Reads and writes anywhere: what is cached is the page in which the last one stopped, at most. */
void part_at_random(void)
{
	unsigned int seed = 1;

	begin(SIZE);
	for (int i = 0; i < 20000; i++) {
		loff_t pos = rand_r(&seed) % 4 ? next * (loff_t)PAGE_SIZE : (loff_t)(rand_r(&seed) % SIZE);
		size_t most = 1 + rand_r(&seed) % (rand_r(&seed) % 2 ? 3 * PAGE_SIZE : 300);
		bool writes = rand_r(&seed) % 3 == 0;
		pgoff_t last, cached;
		size_t count;
		bool part;

		if (pos >= SIZE)
			pos = 0;
		count = least(most, SIZE - pos);
		if (writes)
			file_write_bytes(file, pos, count, false);
		else
			file_read_bytes(file, pos, count);
		part = (pos + count) % PAGE_SIZE && (writes || pos + (loff_t)count < SIZE);
		cached = file_cached(file, &last);
		/* A reader leaves to a worker what may have to be flushed. */
		for (int j = 0; j < 3000 && !writes && cached > part; j++) {
			usleep(1000);
			cached = file_cached(file, &last);
		}
		expect(cached == part && (!part || last == (pos + count) / PAGE_SIZE));
		if (rand_r(&seed) % 50 == 0) {
			file_close(file);
			expect(!file_cached(file, &last));
			file_open(file);
		}
	}
	end();
}
