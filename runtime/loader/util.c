/* SPDX-License-Identifier: MIT */
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool verbose;

/* Writes a line in one call, so that lines of several processes do not mix. Its text may come from an object. */
static void say(const char *before, const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		abort();
	fprintf(stderr, "%s%s\n", before, printable(text));
	free(text);
}

int fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("cpol-loader: error: ", format, args);
	va_end(args);
	return -1;
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("cpol-loader: warning: ", format, args);
	va_end(args);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("  ", format, args);
	va_end(args);
}

const char *reason(int error)
{
	return strerror(error < 0 ? -error : error);
}

void *need(void *memory)
{
	if (!memory) {
		fail("out of memory");
		exit(1);
	}
	return memory;
}

char *read_file_at(int dir, const char *path, size_t limit, size_t *size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t have = 0, room = 4096;
	char *text;

	if (fd < 0)
		return NULL;
	text = need(malloc(room + 1));
	for (;;) {
		ssize_t got = read(fd, text + have, room - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || have + (size_t)got > limit) {
			int error = got < 0 ? errno : E2BIG;

			free(text);
			close(fd);
			errno = error;
			return NULL;
		}
		if (got == 0)
			break;
		have += (size_t)got;
		if (have == room) {
			room *= 2;
			text = need(realloc(text, room + 1));
		}
	}
	close(fd);
	text[have] = '\0';
	if (size)
		*size = have;
	return text;
}

/* Bytes of the UTF-8 character of more than one byte at `text`; 0: it is invalid (overlong, surrogate, beyond Unicode, cut off). */
static int utf8_length(const unsigned char *text)
{
	int more = *text >= 0xf0 ? 3 : *text >= 0xe0 ? 2 : 1;
	uint32_t value = *text & (0x3fU >> more);

	if (*text < 0xc2 || *text > 0xf4)
		return 0;
	for (int i = 1; i <= more; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (text[i] & 0x3f);
	}
	if ((more == 2 && value < 0x800) || (more == 3 && (value < 0x10000 || value > 0x10ffff)) || (value >= 0xd800 && value < 0xe000))
		return 0;
	return more + 1;
}

void json_string(FILE *out, const char *text)
{
	fputc('"', out);
	while (*text) {
		unsigned char c = (unsigned char)*text;
		int length = c < 0x80 ? 1 : utf8_length((const unsigned char *)text);

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else if (!length)
			fputs("\\ufffd", out);
		else
			fwrite(text, 1, (size_t)length, out);
		text += length ? length : 1;
	}
	fputc('"', out);
}

const char *printable(char *text)
{
	unsigned char *at = (unsigned char *)text;

	while (at && *at) {
		int length = *at < 0x80 ? 1 : utf8_length(at);

		if (*at < ' ' || *at == 0x7f || !length)
			*at = '?';
		else if (length == 2 && at[0] == 0xc2 && at[1] < 0xa0) /* a control character of two bytes, as CSI */
			memset(at, '?', 2);
		at += length ? length : 1;
	}
	return text;
}

bool parse_u64(const char *text, uint64_t *value)
{
	uint64_t sum = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(*text - '0'), &sum))
			return false;
	}
	*value = sum;
	return true;
}
