/* SPDX-License-Identifier: MIT */
#include "command/traced_path.h"

#include <string.h>

size_t traced_path(char path[TRACED_PATH + 1], const char *parts, size_t bytes)
{
	size_t left = bytes < TRACED_PATH ? bytes : TRACED_PATH, length = 0;

	while (left) {
		size_t end = left - 1, start = end;

		while (start && parts[start - 1])
			start--;
		path[length++] = '/';
		memcpy(path + length, parts + start, end - start);
		length += end - start;
		left = start;
	}
	return length;
}
