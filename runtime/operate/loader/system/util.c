/* SPDX-License-Identifier: MIT */
#include "system/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool verbose;

static char failure[512];

/* Writes a line in one call, so that lines of several processes do not mix. Its text may come from an object. */
static void say(const char *before, const char *format, va_list args)
{
	char *text, *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out || vasprintf(&text, format, args) < 0)
		abort();
	fputs(before, out);
	print_text(out, text);
	fputc('\n', out);
	if (fclose(out))
		abort();
	fputs(line, stderr);
	free(text);
	free(line);
}

int fail(const char *format, ...)
{
	va_list args;

	if (!*failure) {
		va_start(args, format);
		vsnprintf(failure, sizeof(failure), format, args);
		va_end(args);
	}
	va_start(args, format);
	say("cpol-loader: error: ", format, args);
	va_end(args);
	return -1;
}

const char *first_failure(void)
{
	return failure;
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

/* Bytes of the character at `text`, which is not its end, and the character; 0: invalid (overlong, surrogate, beyond Unicode, cut off). */
static int utf8_length(const char *text, uint32_t *value)
{
	const unsigned char *byte = (const unsigned char *)text;
	int more = *byte >= 0xf0 ? 3 : *byte >= 0xe0 ? 2 : 1;

	*value = *byte;
	if (*byte < 0x80)
		return 1;
	if (*byte < 0xc2 || *byte > 0xf4)
		return 0;
	*value &= 0x3fU >> more;
	for (int i = 1; i <= more; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		*value = *value << 6 | (byte[i] & 0x3f);
	}
	if ((more == 2 && *value < 0x800) || (more == 3 && (*value < 0x10000 || *value > 0x10ffff)) || (*value >= 0xd800 && *value < 0xe000))
		return 0;
	return more + 1;
}

/* Characters that a terminal obeys (C0, C1) or that change the direction or the lines of text. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

void print_text(FILE *out, const char *text)
{
	uint32_t c;

	for (int length; *text; text += length) {
		bool valid = (length = utf8_length(text, &c)) > 0;

		length += !valid;
		if (valid && (c == '\t' || !is_control(c)))
			fwrite(text, 1, (size_t)length, out);
		else
			for (int i = 0; i < length; i++)
				fprintf(out, "\\x%02x", (unsigned char)text[i]);
	}
}

void json_string(FILE *out, const char *text)
{
	uint32_t c;

	fputc('"', out);
	for (int length; *text; text += length ? length : 1) {
		length = utf8_length(text, &c);
		if (!length)
			fputs("\\ufffd", out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (int)c);
		else if (is_control(c))
			fprintf(out, "\\u%04x", c);
		else
			fwrite(text, 1, (size_t)length, out);
	}
	fputc('"', out);
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

uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}
