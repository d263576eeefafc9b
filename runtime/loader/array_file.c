/* SPDX-License-Identifier: MIT */
/* Files with the entries of an array: text with a number on each line, or the entries as they lie in memory, little-endian. */
#include "array_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>


#define SNIFFED 4096

/* A file that is read, for messages. */
struct source {
	const struct user_array *array;
	const char *path, *command;
	FILE *file;
	byte *entries;
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

/* Text has digits, signs, points, and the letters of true and false. */
static bool looks_like_text(FILE *file)
{
	char head[SNIFFED];
	size_t n = fread(head, 1, sizeof(head) - 1, file);

	head[n] = '\0';
	rewind(file);
	return strspn(head, "0123456789+-. \t\r\ntruefals") == n;
}

static int read_text(struct source *source)
{
	const struct param *entry = &source->array->entry;
	char *line = NULL, what[NAME_SIZE + 512];
	size_t room = 0;
	int status = 0;

	while (!status && getline(&line, &room, source->file) > 0) {
		char *text = line + strspn(line, " \t");
		wide value = 0;

		text[strcspn(text, " \t\r\n")] = '\0';
		if (source->count == source->array->entries) {
			status = too_many(source);
			break;
		}
		snprintf(what, sizeof(what), "%s: %.300s:%" PRIu64 ": an entry of %s", source->command, source->path, source->count + 1,
			 entry->name);
		status = param_parse(entry, text, what, &value);
		if (!status) {
			uint64_t raw = (uint64_t)value;

			memcpy(source->entries + source->count++ * entry->size, &raw, entry->size); /* little-endian, as all of this */
		}
	}
	free(line);
	return status || !ferror(source->file) ? status : unreadable(source);
}

static int read_binary(struct source *source)
{
	const struct param *entry = &source->array->entry;
	size_t room = source->array->entries * entry->size, n = fread(source->entries, 1, room, source->file);

	if (ferror(source->file))
		return unreadable(source);
	if (n == room && fgetc(source->file) != EOF)
		return too_many(source);
	if (n % entry->size)
		return fail("%s: %s has %zu bytes, which is no multiple of the %u bytes of an entry of %s", source->command, source->path, n,
			    entry->size, entry->name);
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
	struct source source = { .array = array, .path = path, .command = command, .file = fopen(path, "re"), .entries = entries };
	struct stat found;
	int status;

	memset(entries, 0, array->entries * array->entry.size);
	if (!source.file)
		return unreadable(&source);
	if (fstat(fileno(source.file), &found) || S_ISDIR(found.st_mode)) {
		fclose(source.file);
		return fail("%s: %s is no file", command, path);
	}
	status = (format ? !strcmp(format, "text") : looks_like_text(source.file)) ? read_text(&source) : read_binary(&source);
	fclose(source.file);
	*count = source.count;
	return status;
}
