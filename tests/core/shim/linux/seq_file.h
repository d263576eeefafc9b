/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_SEQ_FILE_H
#define _LINUX_SEQ_FILE_H

#include <linux/kernel.h>

struct seq_file {
	void *to;	/* FILE * */
};

__attribute__((format(printf, 2, 3))) void seq_printf(struct seq_file *m,
						      const char *format, ...);
void seq_putc(struct seq_file *m, char c);

#endif
