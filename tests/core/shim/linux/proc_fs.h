/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_PROC_FS_H
#define _LINUX_PROC_FS_H

#include <linux/seq_file.h>

struct proc_dir_entry;

struct proc_dir_entry *proc_mkdir(const char *name, struct proc_dir_entry *parent);
void proc_create_single(const char *name, int mode, struct proc_dir_entry *dir,
			int (*show)(struct seq_file *m, void *v));
int remove_proc_subtree(const char *name, struct proc_dir_entry *parent);

/* Calls what was created. */
void shim_proc_show(struct seq_file *m);

#endif
