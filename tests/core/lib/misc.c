// SPDX-License-Identifier: GPL-2.0
/* How a run ends; clocks; /proc. */
#include <linux/bpf.h>
#include <linux/proc_fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "shim.h"

struct static_key_false bpf_stats_enabled_key;
const struct btf_kfunc_id_set *shim_kfuncs;
void (*shim_on_death)(void);
unsigned int shim_complaints;

static int (*proc_show)(struct seq_file *m, void *v);

void shim_die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "core: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	if (shim_on_death)
		shim_on_death();
	abort();
}

bool shim_chance(unsigned int of)
{
	return of && shim_pick(1024) < of;
}

u64 ktime_get_boot_fast_ns(void)
{
	return ktime_get_ns();
}

struct proc_dir_entry *proc_mkdir(const char *name __maybe_unused,
				  struct proc_dir_entry *parent __maybe_unused)
{
	return (struct proc_dir_entry *)&proc_show;
}

void proc_create_single(const char *name __maybe_unused, int mode __maybe_unused,
			struct proc_dir_entry *dir __maybe_unused,
			int (*show)(struct seq_file *m, void *v))
{
	proc_show = show;
}

int remove_proc_subtree(const char *name __maybe_unused,
			struct proc_dir_entry *parent __maybe_unused)
{
	proc_show = NULL;
	return 0;
}

void shim_proc_show(struct seq_file *m)
{
	proc_show(m, NULL);
}

void seq_printf(struct seq_file *m, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(m->to, format, args);
	va_end(args);
}

void seq_putc(struct seq_file *m, char c)
{
	fputc(c, m->to);
}

/* Objects that are freed are not kept for long: there are many. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=16:detect_stack_use_after_return=0:handle_abort=1";
}
