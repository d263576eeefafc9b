/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

static _Thread_local char words[512];

int cpol_fail(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	return -error;
}

const char *cpol_error(void)
{
	return words;
}
