/* SPDX-License-Identifier: MIT */
#include "inputs/comm.h"

#include <stdio.h>
#include <string.h>

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int comm_parse(const char *text, char name[COMM_SIZE], const char *command)
{
	size_t length = 0;

	memset(name, 0, COMM_SIZE);
	for (const char *at = text; *at; length++) {
		int byte = (unsigned char)*at++;

		if (byte == '\\') {
			if (*at != 'x' || digit(at[1]) < 0 || digit(at[2]) < 0 || !(digit(at[1]) | digit(at[2])))
				return fail("%s: no command is called `%s`: write a backslash as \\x5c", command, text);
			byte = digit(at[1]) << 4 | digit(at[2]);
			at += 3;
		}
		if (length < COMM_SIZE - 1)
			name[length] = (char)byte;
	}
	if (!length)
		return fail("%s: a command has a name", command);
	if (length < COMM_SIZE)
		return 0;
	return fail("%s: no command is called `%s`: it has %zu bytes, and the kernel keeps %d: write `%s`", command, text, length,
		    COMM_SIZE - 1, name);
}

uint64_t comm_number(const char name[COMM_SIZE])
{
	uint64_t words[2];

	memcpy(words, name, COMM_SIZE);
	return mix64(words[0] + mix64(words[1]));
}
