// SPDX-License-Identifier: GPL-2.0
/*
 * Runs kernel/module/callsites.c on a kernel that standard input describes:
 *
 *   FUNCTION [HOW:CALLEE]...	HOW is call, jump, or pad: a call to the padding before CALLEE
 *
 * Prints the module's messages and the error code. -DARM64 makes the code of arm64 instead of x86-64. Functions lie
 * 256 bytes apart; the first line of a name is the one that is called.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32, __le32;
typedef int32_t s32;
#define __init
#define __initdata
#define __initconst
#define UTS_RELEASE "6.12.0-test"
#define CONFIG_NUMA 1
#define CONFIG_MEMCG_V1 1
#define CONFIG_PREFETCH_EXT 1
#define CONFIG_FUNCTION_PADDING_BYTES 16
#ifdef ARM64
#define CONFIG_ARM64 1
#else
#define CONFIG_X86_64 1
#endif
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define WARN_ON(condition) (condition)
#define pr_err printf
#define le32_to_cpu(value) (value)

#define MAX_FUNCTIONS	200
#define SPACING		256
#define OF_IT		128	/* bytes of a function; the rest is padding */

static char names[MAX_FUNCTIONS][64];
static u8 memory[(MAX_FUNCTIONS + 1) * SPACING] __attribute__((aligned(4096)));
static unsigned int nr_functions;

static struct {
	void *css_offline;
} memory_cgrp_subsys;

static s32 __attribute__((unused)) get_unaligned(const s32 *at)
{
	s32 value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static s32 __attribute__((unused)) sign_extend32(u32 value, int bit)
{
	return (s32)(value << (31 - bit)) >> (31 - bit);
}

static u8 *address_of(unsigned int function)
{
	return memory + (function + 1) * SPACING;
}

static int kallsyms_on_each_symbol(int (*fn)(void *, const char *, unsigned long), void *data)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < nr_functions; i++)
		ret = fn(data, names[i], (unsigned long)address_of(i));
	return ret;
}

static int kallsyms_lookup_size_offset(unsigned long address, unsigned long *size, unsigned long *offset)
{
	*offset = (address - (unsigned long)memory) % SPACING;
	*size = OF_IT;
	return 1;
}

/* As in 6.12. */
#define STOCK_COLLAPSE_IS_OPTION
#include "../../kernel/module/compat/folio.h"
#include "../../kernel/module/callsites.c"

static unsigned int number_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_functions; i++)
		if (!strcmp(names[i], name))
			return i;
	fprintf(stderr, "no function %s\n", name);
	exit(2);
}

#ifdef ARM64
static void write_call(u8 *at, const char *how, long target)
{
	u32 code = (strcmp(how, "jump") ? 0x94000000 : 0x14000000) | (((target - (long)at) / 4) & 0x03ffffff);

	memcpy(at, &code, sizeof(code));
}
#else
static void write_call(u8 *at, const char *how, long target)
{
	s32 offset = target - (long)at - 5 - (strcmp(how, "pad") ? 0 : 10);

	*at = strcmp(how, "jump") ? 0xe8 : 0xe9;
	memcpy(at + 1, &offset, sizeof(offset));
}
#endif

int main(void)
{
	static char lines[MAX_FUNCTIONS][256];
	unsigned int i;
	u8 *at;

	/* Calls begin at any byte (x86) or at any word, and the last one ends where its function does. */
	memset(memory, 0x90, sizeof(memory));
	while (nr_functions < MAX_FUNCTIONS && fgets(lines[nr_functions], sizeof(lines[0]), stdin)) {
		if (sscanf(lines[nr_functions], "%63s", names[nr_functions]) == 1)
			nr_functions++;
	}
	for (i = 0; i < nr_functions; i++) {
		at = address_of(i) + OF_IT;
		strtok(lines[i], " \n");
		for (char *word; (word = strtok(NULL, " \n"));) {
			char *callee = strchr(word, ':');

			*callee++ = 0;
#ifdef ARM64
			at -= 4;
#else
			at -= 5;
#endif
			write_call(at, word, (long)address_of(number_of(callee)));
		}
	}
	memory_cgrp_subsys.css_offline = address_of(number_of("mem_cgroup_css_offline"));
	printf("%d\n", cache_ext_callsites_init());
	return 0;
}
