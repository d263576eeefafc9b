/* SPDX-License-Identifier: MIT */
/*
 * For libFuzzer: a trace that comes in pieces gives what the whole gives: the same requests, or the same error at the same place. The
 * requests may be taken between the pieces. The first bytes say the format, the options and the columns; then the trace follows.
 */
#include <stdint.h>

#include "parse.c"

#define HEAD (4 + N_COLUMNS)
#define REQUEST_LIMIT 64
#define LIMIT 3000
#define LONG_BYTE '\xfe' /* stands for many of the letter x, so that lines become too long */
#define LONG (MAX_LINE / 2)
#define MOST_LONG 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a parser made of a trace. */
struct made {
	int error;
	u64 *ids, *times, *tasks, *processes, *comms, *writes, *sizes, n, where, skipped, found;
	u64 *files, *indices, n_names, *firsts, *seconds, n_comms, back, back_where, back_ms;
};

static void append(u64 **to, u64 n, const u64 *from, u64 more)
{
	if (!from || !more)
		return;
	*to = realloc(*to, (n + more) * sizeof(u64));
	if (!*to)
		abort();
	memcpy(*to + n, from, more * sizeof(u64));
}

/* Appends the requests that the parser holds. */
static void collect(struct parser *parser, struct made *made)
{
	const u64 *ids, *times, *tasks, *processes, *firsts, *seconds, *comms;
	u64 count = parser_state(parser, &ids, &made->where, &made->skipped, &made->found);

	parser_details(parser, &times, &tasks, &processes);
	parser_comms(parser, &comms, &firsts, &seconds);
	append(&made->ids, made->n, ids, count);
	append(&made->sizes, made->n, parser_sizes(parser), count);
	if (parser->details) {
		append(&made->times, made->n, times, count);
		append(&made->tasks, made->n, tasks, count);
		append(&made->processes, made->n, processes, count);
		append(&made->comms, made->n, comms, count);
		append(&made->writes, made->n, parser_writes(parser), count);
	}
	made->n += count;
}

static struct made parse(const uint8_t *head, const char *text, u64 length, u32 piece, bool takes)
{
	struct parser *parser = parser_new(head[0] % (COLUMNS + 1), head[1] & 1, head[1] >> 1 & 1, head[2] & 1, REQUEST_LIMIT, LIMIT);
	struct made made = {};
	s32 columns[N_COLUMNS];
	const u64 *files, *indices, *comms;

	if (!parser)
		abort();
	for (u32 i = 0; i < N_COLUMNS; i++)
		columns[i] = head[4 + i] % 12 - 4 < 0 ? -1 : head[4 + i] % 12 - 4;
	parser_columns(parser, columns, head[3] % 2 ? 1000 : 0, (head[1] >> 2 & 3) % 3, (u32)",; \t"[head[3] >> 1 & 3], 1 + (head[3] >> 3 & 1));
	while (length && !made.error) {
		u64 part = piece ? 1 + (piece >> 16) % (piece & 31 ? piece & 31 : 70000) : length;

		part = part < length ? part : length;
		piece = piece ? piece * 1664525 + 1013904223 : 0; /* Knuth's and Lewis' random numbers */
		made.error = parser_feed(parser, text, part);
		text += part;
		length -= part;
		if (takes && !made.error) {
			collect(parser, &made);
			parser_take(parser);
		}
	}
	if (!made.error)
		made.error = parser_finish(parser);
	collect(parser, &made);
	made.back = parser_back(parser, &made.back_where, &made.back_ms);
	made.n_names = parser_names(parser, &files, &indices);
	append(&made.files, 0, files, made.n_names);
	append(&made.indices, 0, indices, made.n_names);
	made.n_comms = parser_comms(parser, &comms, &files, &indices);
	append(&made.firsts, 0, files, made.n_comms);
	append(&made.seconds, 0, indices, made.n_comms);
	parser_free(parser);
	return made;
}

static void same(const u64 *a, const u64 *b, u64 n)
{
	if (!a != !b || (a && memcmp(a, b, n * sizeof(u64))))
		abort();
}

static void compare(struct made *a, struct made *b)
{
	if (a->error != b->error || a->n != b->n || a->where != b->where || a->skipped != b->skipped || (a->error && a->found != b->found) ||
	    a->back != b->back || a->back_where != b->back_where || a->back_ms != b->back_ms || a->n_names != b->n_names || a->n_comms != b->n_comms)
		abort();
	same(a->ids, b->ids, a->n);
	same(a->times, b->times, a->n);
	same(a->tasks, b->tasks, a->n);
	same(a->processes, b->processes, a->n);
	same(a->comms, b->comms, a->n);
	same(a->writes, b->writes, a->n);
	same(a->sizes, b->sizes, a->n);
	same(a->files, b->files, a->n_names);
	same(a->indices, b->indices, a->n_names);
	same(a->firsts, b->firsts, a->n_comms);
	same(a->seconds, b->seconds, a->n_comms);
}

static void forget(struct made *made)
{
	u64 *all[] = { made->ids, made->times, made->tasks, made->processes, made->comms, made->writes, made->sizes, made->files,
		       made->indices, made->firsts, made->seconds };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		free(all[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u64 length = 0, longs = 0;
	struct made whole, pieces;
	char *text;

	if (size < HEAD)
		return 0;
	text = malloc(size + (size_t)MOST_LONG * LONG);
	if (!text)
		abort();
	for (size_t i = HEAD; i < size; i++) {
		if ((char)data[i] == LONG_BYTE && longs < MOST_LONG) {
			memset(text + length, 'x', LONG);
			length += LONG;
			longs++;
		} else {
			text[length++] = (char)data[i];
		}
	}
	whole = parse(data, text, length, 0, false);
	pieces = parse(data, text, length, (data[2] | 1U) * 2654435761U, data[1] >> 3 & 1);
	compare(&whole, &pieces);
	forget(&whole);
	forget(&pieces);
	free(text);
	return 0;
}
