/* SPDX-License-Identifier: MIT */
/*
 * user_parts executor POLICY CAPACITY MOST [PARAM]...: obeys the words of standard input, and prints what a request proposes.
 * user_parts marks LIMIT MARGIN USED OWNED: prints the marks, what is over, and the room.
 * user_parts margins LIMIT LOOK...: prints the margin after each look, at which the limit had been reached (1) or not (0).
 * user_parts runs FILE:INDEX:PAGES...: prints the runs.
 * user_parts mounts DEVICE PATH: reads a mountinfo from standard input, and prints what to open.
 * user_parts drop PATH INODE DEVICE GENERATION 0:INDEX:PAGES...: remembers PATH, waits for a character, and drops pages.
 * user_parts named INODE DEVICE GENERATION PATH...: tells PATH after PATH of one file; prints whether it opens, and how often its name was asked for.
 * user_parts stays MS...: a folio stays at these times; prints at which it is tried, and which time it was.
 * user_parts many MOST: names twice as many files as there is room for.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/dropping.c"
#include "user/marks.c"
#include "user/mounts.c"
#include "user/stayed.h"

#define MOST 256

static uint64_t number(const char *text)
{
	uint64_t value = 0;

	if (!parse_u64(text, &value))
		exit(2);
	return value;
}

static void tell(const struct executor *executor)
{
	const struct user_tally *tally = &executor->tally;

	printf("added %" PRIu64 " accessed %" PRIu64 " adopted %" PRIu64 " proposed %" PRIu64 " evicted %" PRIu64 " stayed %" PRIu64
	       " forgotten %" PRIu64 " fallback %" PRIu64 " left_out %" PRIu64 " folios %" PRIu64 " pages %" PRIu64 "\n",
	       tally->added, tally->accessed, tally->adopted, tally->proposed, tally->evicted, tally->stayed, tally->forgotten,
	       tally->fallback, tally->left_out, executor->folios, executor_pages(executor));
}

static int obey(struct executor *executor)
{
	static struct user_folio folios[MOST];
	uint64_t a, b, c;
	char word[16];
	size_t n = 0;

	while (scanf("%15s", word) == 1) {
		if (!strcmp(word, "add") && scanf("%" SCNu64 "%" SCNu64 "%" SCNu64, &a, &b, &c) == 3) {
			executor_added(executor, a, b, c);
		} else if (!strcmp(word, "use") && scanf("%" SCNu64 "%" SCNu64, &a, &b) == 2) {
			executor_accessed(executor, a, b, 1);
		} else if (!strcmp(word, "gone") && scanf("%" SCNu64 "%" SCNu64, &a, &b) == 2) {
			executor_removed(executor, a, b);
		} else if (!strcmp(word, "task") && scanf("%" SCNu64 "%" SCNu64, &a, &b) == 2) {
			executor_task(executor, a, b, "0123456789abcde");
		} else if (!strcmp(word, "room") && scanf("%" SCNu64, &a) == 1) {
			executor_room(executor, a);
		} else if (!strcmp(word, "tick") && scanf("%" SCNu64, &a) == 1) {
			executor_tick(executor, a);
		} else if (!strcmp(word, "want") && scanf("%" SCNu64, &a) == 1) {
			n = executor_propose(executor, a, folios, MOST);
			for (size_t i = 0; i < n; i++)
				printf("%s%" PRIu64 ":%" PRIu64 ":%" PRIu64, i ? " " : "", folios[i].file, folios[i].index, folios[i].pages);
			puts("");
		} else if (!strcmp(word, "settle") && scanf("%" SCNu64, &a) == 1) {
			for (size_t i = 0; i < n; i++)
				if (executor_stayed(executor, &folios[i]) && !a)
					executor_forget(executor, &folios[i]);
		} else if (!strcmp(word, "tell")) {
			tell(executor);
		} else {
			return 2;
		}
	}
	return executor->failed;
}

static int run_executor(char **words, int n)
{
	unsigned long long params[MOST];
	struct executor executor;
	int status;

	memset(params, 0xff, sizeof(params)); /* not what a policy takes */
	for (int i = 3; i < n; i++)
		params[i - 3] = number(words[i]);
	status = executor_open(&executor, words[0], number(words[1]), params, (uint64_t)n - 3, number(words[2])) ? 1 : obey(&executor);

	executor_close(&executor);
	return status;
}

static int run_marks(char **words)
{
	struct marks marks = { .page = 4096, .margin_wanted = number(words[1]) };
	uint64_t used = number(words[2]);

	marks_set(&marks, number(words[0]), usual_margin(&marks, number(words[0])));
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", marks.high, marks.low, marks_over(&marks, used),
	       marks_room(&marks, used, number(words[3])));
	return 0;
}

static int run_margins(char **words, int n)
{
	struct marks marks = { .page = 4096 };
	uint64_t limit = number(words[0]);

	marks_set(&marks, limit, usual_margin(&marks, limit));
	for (int i = 1; i < n; i++) {
		marks_set(&marks, limit, next_margin(&marks, number(words[i])));
		printf("%" PRIu64 "\n", marks.margin);
	}
	return 0;
}

static size_t read_folios(char **words, int n, struct user_folio *folios)
{
	for (int i = 0; i < n; i++)
		if (sscanf(words[i], "%" SCNu64 ":%" SCNu64 ":%" SCNu64, &folios[i].file, &folios[i].index, &folios[i].pages) != 3)
			exit(2);
	return (size_t)n;
}

static int run_runs(char **words, int count)
{
	struct user_folio folios[MOST] = {};
	size_t n = read_folios(words, count, folios);

	sort_folios(folios, n);
	for (size_t i = 0, length; i < n; i += length) {
		length = run_length(folios + i, n - i);
		printf("%" PRIu64 ":%" PRIu64 "+%zu\n", folios[i].file, folios[i].index, length);
	}
	return 0;
}

static int run_mounts(char **words)
{
	static char text[65536];
	struct mounts mounts = {};

	text[fread(text, 1, sizeof(text) - 1, stdin)] = '\0';
	mounts_parse(&mounts, text);
	for (size_t i = 0; i < mounts.n; i++) {
		const char *below = mounts.all[i].device == number(words[0]) ? path_below(&mounts.all[i], words[1]) : NULL;

		if (below)
			printf("%" PRIu64 " %s %s\n", mounts.all[i].id, mounts.all[i].place, below);
	}
	mounts_free(&mounts);
	return 0;
}

static int run_drop(char **words, int count)
{
	struct user_folio folios[MOST] = {};
	struct known_files files;
	uint64_t inode = number(words[1]), device = number(words[2]);
	size_t n = read_folios(words + 4, count - 4, folios);

	known_files_begin(&files, 4);
	known_files_named(&files, inode, device, (uint32_t)number(words[3]), words[0]);
	for (size_t i = 0; i < n; i++)
		folios[i].file = file_number(inode, device);
	puts(known_files_find(&files, folios->file)->handle ? "known" : "unreachable");
	fflush(stdout);
	getchar();
	printf("%" PRIu64 " calls, %s\n", drop_folios(&files, folios, n), folios->unreachable ? "unreachable" : "reachable");
	known_files_end(&files);
	return 0;
}

static void count_forgotten(void *context, uint64_t inode, uint64_t device)
{
	(void)inode, (void)device;
	++*(int *)context;
}

static int run_named(char **words, int n)
{
	struct known_files files;
	uint64_t inode = number(words[0]), device = number(words[1]);
	int asked = 0;

	known_files_begin(&files, 4);
	files.forgets = count_forgotten;
	files.context = &asked;
	for (int i = 3; i < n; i++) {
		known_files_named(&files, inode, device, (uint32_t)number(words[2]), words[i]);
		printf("%s %d\n", known_file_opens(&files, known_files_find(&files, file_number(inode, device))) ? "opens" : "does not", asked);
	}
	known_files_end(&files);
	return 0;
}

static int run_stays(char **words, int n)
{
	const struct user_folio folio = { .file = 1, .index = 2, .pages = 1 };
	struct stayed stayed;

	stayed_begin(&stayed);
	for (int i = 0; i < n; i++)
		if (!stayed_waits(&stayed, &folio, number(words[i])))
			printf("%s %d\n", words[i], stayed_again(&stayed, &folio, number(words[i])));
	stayed_end(&stayed);
	return 0;
}

/* Names many more files than there is room for, of which every second keeps a page. */
static int run_many(char **words)
{
	struct known_files files;
	uint64_t most = number(words[0]);
	int forgotten = 0;

	known_files_begin(&files, most);
	files.forgets = count_forgotten;
	files.context = &forgotten;
	for (uint64_t inode = 1; inode <= 2 * most; inode++) {
		known_files_named(&files, inode, 0, 0, "/nowhere");
		known_files_count(&files, file_number(inode, 0), inode % 2, 0);
	}
	printf("%zu known, %zu idle, %d forgotten, the first %s, the second %s\n", files.n, files.idle, forgotten,
	       known_files_find(&files, file_number(1, 0)) ? "stays" : "is gone",
	       known_files_find(&files, file_number(2, 0)) ? "stays" : "is gone");
	known_files_end(&files);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 5 && argc < MOST && !strcmp(argv[1], "executor"))
		return run_executor(argv + 2, argc - 2);
	if (argc == 6 && !strcmp(argv[1], "marks"))
		return run_marks(argv + 2);
	if (argc > 3 && !strcmp(argv[1], "margins"))
		return run_margins(argv + 2, argc - 2);
	if (argc > 2 && argc < MOST && !strcmp(argv[1], "runs"))
		return run_runs(argv + 2, argc - 2);
	if (argc == 4 && !strcmp(argv[1], "mounts"))
		return run_mounts(argv + 2);
	if (argc > 6 && argc < MOST && !strcmp(argv[1], "drop"))
		return run_drop(argv + 2, argc - 2);
	if (argc > 5 && !strcmp(argv[1], "named"))
		return run_named(argv + 2, argc - 2);
	if (argc > 2 && !strcmp(argv[1], "stays"))
		return run_stays(argv + 2, argc - 2);
	if (argc == 3 && !strcmp(argv[1], "many"))
		return run_many(argv + 2);
	return 2;
}
