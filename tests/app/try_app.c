/* SPDX-License-Identifier: MIT */
/* Calls of libcpol that Python cannot make: threads, misuse, hostile headers. The first argument names what to try. */
#include "fake.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpol/array.h"
#include "libcpol.h"

#define CHECK(condition)                                                                               \
	do {                                                                                           \
		if (!(condition)) {                                                                    \
			fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, cpol_error()); \
			exit(1);                                                                       \
		}                                                                                      \
	} while (0)

static struct cpol_array *opened(void)
{
	struct cpol *policy;
	struct cpol_array *array;

	CHECK(!cpol_open(&policy, NULL));
	CHECK(!cpol_array_open(policy, "degree", &array));
	cpol_close(policy);
	return array;
}

/* The header in the array's memory: entries of version 0 begin a page behind it. */
static struct cpol_array_header *header_of(const struct cpol_array *array)
{
	const unsigned char *first = cpol_array_entries(array);

	CHECK(cpol_array_version(array) == 0);
	return (struct cpol_array_header *)(uintptr_t)(first - CPOL_ARRAY_PAGE);
}

static void publish(struct cpol_array *array, uint32_t value)
{
	struct cpol_array_info info;
	void *entries;

	cpol_array_info(array, &info);
	CHECK(!cpol_array_begin(array, CPOL_COPY, &entries));
	for (uint64_t i = 0; i < info.size; i++)
		((uint32_t *)entries)[i] = value;
	CHECK(!cpol_array_publish(array));
}

/* Versions begin as copies or zeros, end whole, and number themselves. */
static void versions(void)
{
	struct cpol_array *array = opened();
	struct cpol_array_info info;
	const uint32_t *read;
	void *entries, *again;

	cpol_array_info(array, &info);
	CHECK(info.size == 3000 && info.width == 4 && info.bits == 32 && info.type == CPOL_UNSIGNED);
	read = cpol_array_entries(array);
	CHECK(cpol_array_version(array) == 0 && read[0] == 0 && read[2999] == 0);
	publish(array, 7);
	read = cpol_array_entries(array);
	CHECK(cpol_array_version(array) == 1 && read[0] == 7 && read[2999] == 7);
	CHECK(!cpol_array_begin(array, CPOL_COPY, &entries));
	CHECK(((uint32_t *)entries)[2999] == 7 && entries != read);
	((uint32_t *)entries)[0] = 9;
	CHECK(read[0] == 7 && cpol_array_version(array) == 1);
	CHECK(cpol_array_begin(array, CPOL_COPY, &again) == -EBUSY && !again);
	cpol_array_cancel(array);
	CHECK(cpol_array_version(array) == 1 && ((const uint32_t *)cpol_array_entries(array))[0] == 7);
	CHECK(cpol_array_publish(array) == -EINVAL);
	CHECK(!cpol_array_begin(array, CPOL_ZERO, &entries));
	CHECK(((uint32_t *)entries)[0] == 0 && ((uint32_t *)entries)[2999] == 0);
	CHECK(!cpol_array_publish(array));
	CHECK(cpol_array_version(array) == 2 && ((const uint32_t *)cpol_array_entries(array))[5] == 0);
	CHECK(cpol_array_begin(array, 64, &entries) == -EINVAL);
	cpol_array_close(array);
	cpol_array_close(NULL);
}

static struct cpol_array *shared_array;
static atomic_bool running = true, published;

static void *publish_once(void *unused)
{
	(void)unused;
	publish(shared_array, 1);
	published = true;
	return NULL;
}

/* publish returns only when a handler that began before has ended. */
static void waits(void)
{
	pthread_t writer;

	shared_array = opened();
	fake_handler_begin();
	CHECK(!pthread_create(&writer, NULL, publish_once, NULL));
	while (!cpol_array_version(shared_array))
		usleep(1000);
	usleep(50000);
	CHECK(!published);
	fake_handler_end();
	CHECK(!pthread_join(writer, NULL));
	CHECK(published);
	cpol_array_close(shared_array);
}

static const unsigned char *shared_header; /* found before the first version: the reader may begin late */

static void *read_whole(void *torn)
{
	struct cpol_array_info info;
	uint64_t half;

	cpol_array_info(shared_array, &info);
	half = CPOL_ARRAY_HALF(info.size, info.width);
	while (running) {
		const _Atomic(uint32_t) *entries;

		fake_handler_begin();
		entries = (const _Atomic(uint32_t) *)(shared_header + CPOL_ARRAY_PAGE + (cpol_array_version(shared_array) & 1) * half);
		for (uint64_t i = 1; i < info.size; i++)
			*(uint64_t *)torn += entries[i] != entries[0];
		fake_handler_end();
	}
	return NULL;
}

/* A handler sees one version from its beginning to its end. */
static void whole(void)
{
	uint64_t torn = 0;
	pthread_t reader;

	shared_array = opened();
	shared_header = (const unsigned char *)header_of(shared_array);
	CHECK(!pthread_create(&reader, NULL, read_whole, &torn));
	usleep(10000);
	for (uint32_t value = 1; value <= 300; value++)
		publish(shared_array, value);
	running = false;
	CHECK(!pthread_join(reader, NULL));
	CHECK(cpol_array_version(shared_array) == 300);
	CHECK(!torn);
	cpol_array_close(shared_array);
}

/* Two writers: one at a time; who has ended does not count; who takes wins. */
static void writers(void)
{
	struct cpol_array *first = opened(), *second = opened();
	struct cpol_array_header *header = header_of(first);
	void *entries;
	pid_t child;
	int status;

	CHECK(!cpol_array_begin(first, CPOL_COPY, &entries));
	CHECK(cpol_array_begin(second, CPOL_COPY, &entries) == -EBUSY);
	CHECK(strstr(cpol_error(), "is writing the input degree"));
	CHECK(!cpol_array_begin(second, CPOL_ZERO | CPOL_TAKE, &entries));
	CHECK(!cpol_array_publish(second));
	CHECK(cpol_array_publish(first) == -EBUSY && cpol_array_version(first) == 1);
	CHECK(!header->writer && header->settled == 1);

	child = fork();
	if (!child) {
		struct cpol_array *mine = opened();

		_exit(!mine || cpol_array_begin(mine, CPOL_COPY, &entries)); /* and ends with the version begun */
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
	CHECK((header->writer & INT32_MAX) == (u64)child);
	CHECK(!cpol_array_begin(second, CPOL_COPY, &entries)); /* nobody has that number now */
	cpol_array_close(second);
	CHECK(!header->writer);

	header->writer = header->writer ^ 1; /* of process 1, in another pid namespace */
	CHECK(cpol_array_begin(first, CPOL_COPY, &entries) == -EBUSY);
	header->writer = 0;
	cpol_array_close(first);
}

/* A child can neither end nor publish what its parent has begun. */
static void forked(void)
{
	struct cpol_array *array = opened();
	struct cpol_array_header *header = header_of(array);
	void *entries;

	for (int publishes = 0; publishes < 2; publishes++) {
		int status;
		pid_t child;

		CHECK(!cpol_array_begin(array, CPOL_COPY, &entries));
		child = fork();
		if (!child) {
			if (publishes)
				CHECK(cpol_array_publish(array) == -EINVAL && strstr(cpol_error(), "the parent's"));
			cpol_array_close(array);
			_exit(0);
		}
		CHECK(waitpid(child, &status, 0) == child && !status);
		CHECK(header->published == (u64)publishes && (header->writer & INT32_MAX) == (u64)getpid());
		CHECK(!cpol_array_publish(array));
	}
	CHECK(header->published == 2 && !header->writer);
	cpol_array_close(array);
}

/* Who published and could not wait: the next version waits first. */
static void unsettled(void)
{
	struct cpol_array *array = opened();
	struct cpol_array_header *header = header_of(array);
	void *entries;

	CHECK(!cpol_array_begin(array, CPOL_COPY, &entries));
	setenv("FAKE_NO_SYNC", "1", 1);
	CHECK(cpol_array_publish(array) == -EPERM && cpol_array_version(array) == 1);
	CHECK(header->settled == 0 && !header->writer);
	CHECK(cpol_array_begin(array, CPOL_COPY, &entries) == -EPERM && !entries && !header->writer);
	unsetenv("FAKE_NO_SYNC");
	CHECK(!cpol_array_begin(array, CPOL_COPY, &entries) && header->settled == 1);
	cpol_array_close(array);
}

/* A header that somebody changed later is not looked at again, and one that is wrong is refused. */
static void hostile(void)
{
	struct cpol_array *array = opened(), *other;
	struct cpol_array_header *header = header_of(array), wrong;
	static const u64 sizes[] = { 0, 4001, 1ULL << 24, (1ULL << 24) + 1, ~0ULL, 1ULL << 62 };
	static const u32 widths[] = { 0, 3, 16, 8, ~0U };
	struct cpol *policy;
	void *entries;

	CHECK(!cpol_open(&policy, NULL));
	wrong = *header;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		header->size = sizes[i];
		CHECK(cpol_array_open(policy, "degree", &other) == -EINVAL && !other);
	}
	header->size = wrong.size;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		header->width = widths[i];
		CHECK(cpol_array_open(policy, "degree", &other) == -EINVAL);
	}
	header->width = 4;
	header->kind = 4;
	CHECK(cpol_array_open(policy, "degree", &other) == -EINVAL);
	header->kind = 0;
	header->bits = 33;
	CHECK(cpol_array_open(policy, "degree", &other) == -EINVAL);
	header->bits = 0;
	CHECK(cpol_array_open(policy, "degree", &other) == -EINVAL);
	memset(header, 0xff, sizeof(*header)); /* of an array that is open: sizes and writer, too */
	CHECK(cpol_array_begin(array, CPOL_COPY, &entries) == -EBUSY);
	CHECK(!cpol_array_begin(array, CPOL_ZERO | CPOL_TAKE, &entries));
	((uint32_t *)entries)[2999] = 1;
	CHECK(!cpol_array_publish(array) && cpol_array_version(array) == 0);
	cpol_array_close(array);
	cpol_close(policy);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = { { "versions", versions }, { "waits", waits },	 { "whole", whole },
		    { "writers", writers },   { "forked", forked }, { "unsettled", unsettled }, { "hostile", hostile } };

	for (size_t i = 0; argc == 2 && i < sizeof(all) / sizeof(*all); i++) {
		if (!strcmp(argv[1], all[i].name)) {
			all[i].run();
			return 0;
		}
	}
	return 2;
}
