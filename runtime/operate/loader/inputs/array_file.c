/* SPDX-License-Identifier: MIT */
/* Files with the entries of an array: text with a number on each line, or the entries as they lie in memory, little-endian. */
#include "inputs/array_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>


#define SNIFFED 4095
#define LONGEST 64 /* bytes of an entry as text, with its newline and some blanks */

/* A file that is read, for messages. */
struct source {
	const struct user_array *array;
	const char *path, *command;
	byte *content, *entries;
	size_t size; /* of the content */
	uint64_t count;
};

static int too_many(const struct source *source)
{
	return fail("%s: %s has more than the %" PRIu64 " entries of %s", source->command, source->path, source->array->entries,
		    source->array->entry.name);
}

static int unreadable(const struct source *source)
{
	return fail("%s: cannot read %s: %s", source->command, source->path, reason(errno));
}

/* Reads all of it once: a pipe cannot be read again. -1: reported. */
static int slurp(struct source *source, FILE *file)
{
	size_t limit = source->array->entries * LONGEST, room = SNIFFED;

	do {
		room *= 2;
		source->content = need(realloc(source->content, room));
		source->size += fread(source->content + source->size, 1, room - source->size, file);
	} while (source->size == room && source->size <= limit);
	if (ferror(file))
		return unreadable(source);
	if (source->size > limit)
		return fail("%s: %s has more than %zu bytes, %d for each entry of %s", source->command, source->path, limit, LONGEST,
			    source->array->entry.name);
	return 0;
}

static bool is_text(byte c)
{
	return (c >= ' ' && c <= '~') || c == '\t' || c == '\r' || c == '\n';
}

/* Bytes of a byte order mark at the beginning, which some editors write; it is no part of a text. */
static size_t mark(const struct source *source)
{
	return source->size >= 3 && !memcmp(source->content, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* Also what is no list of numbers: it is refused then, rather than taken for binary. */
static bool looks_like_text(const struct source *source)
{
	for (size_t i = mark(source); i < source->size && i < SNIFFED; i++)
		if (!is_text(source->content[i]))
			return false;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Reads the number on a line; only blanks may stand around it. -1: reported. */
static int read_line(struct source *source, const char *line, size_t length)
{
	const struct param *entry = &source->array->entry;
	char text[LONGEST], what[NAME_SIZE + 512];
	wide value = 0;
	uint64_t raw;

	while (length && is_blank(line[length - 1]))
		length--;
	while (length && is_blank(*line)) {
		line++;
		length--;
	}
	if (source->count == source->array->entries)
		return too_many(source);
	snprintf(what, sizeof(what), "%s: %.300s:%" PRIu64 ": an entry of %s", source->command, source->path, source->count + 1, entry->name);
	if (memchr(line, '\0', length))
		return fail("%s must be text, and the line has a NUL byte", what);
	if (length >= sizeof(text))
		return fail("%s must be one number on a line, not `%.20s...`", what, line);
	memcpy(text, line, length);
	text[length] = '\0';
	if (param_parse(entry, text, what, &value))
		return -1;
	raw = (uint64_t)value;
	memcpy(source->entries + source->count++ * entry->size, &raw, entry->size); /* little-endian, as all of this */
	return 0;
}

static int read_text(struct source *source, bool guessed)
{
	const char *at = (const char *)source->content + mark(source), *end = (const char *)source->content + source->size;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;

		if (read_line(source, at, (size_t)(stop - at))) {
			if (guessed)
				note("A file of printable characters is read as text, with a number on each line. If it holds the entries as "
				     "they lie in memory, load it with `cpolc input CGROUP %s load FILE --format binary`",
				     source->array->entry.name);
			return -1;
		}
		at = stop + 1;
	}
	return 0;
}

static int read_binary(struct source *source)
{
	const struct param *entry = &source->array->entry;
	size_t n = source->size;

	if (n > source->array->entries * entry->size)
		return too_many(source);
	if (n % entry->size)
		return fail("%s: %s has %zu bytes, which is no multiple of the %u bytes of an entry of %s", source->command, source->path, n,
			    entry->size, entry->name);
	memcpy(source->entries, source->content, n);
	source->count = n / entry->size;
	for (uint64_t i = 0; i < source->count; i++) {
		wide value = load_value(source->entries + i * entry->size, entry, 0);

		if (value < entry->low || value > entry->high)
			return fail("%s: entry %" PRIu64 " of %s is %" PRId64 ", which is no %s", source->command, i, source->path,
				    (int64_t)value, entry->type);
	}
	return 0;
}

int array_read_file(const struct user_array *array, const char *path, const char *format, byte *entries, uint64_t *count,
		    const char *command)
{
	struct source source = { .array = array, .path = path, .command = command, .entries = entries };
	FILE *file = fopen(path, "re");
	struct stat found;
	bool text;
	int status;

	memset(entries, 0, array->entries * array->entry.size);
	if (!file)
		return unreadable(&source);
	if (fstat(fileno(file), &found) || S_ISDIR(found.st_mode)) {
		fclose(file);
		return fail("%s: %s is no file", command, path);
	}
	status = slurp(&source, file);
	fclose(file);
	if (!status) {
		text = format ? !strcmp(format, "text") : looks_like_text(&source);
		status = text ? read_text(&source, !format) : read_binary(&source);
	}
	free(source.content);
	*count = source.count;
	return status;
}
