/* SPDX-License-Identifier: MIT */
/* The names of commands, as the kernel keeps one for each task: up to 15 bytes, filled up with zeros. */
#ifndef LOADER_COMM_H
#define LOADER_COMM_H

#include "system/util.h"

#define COMM_SIZE 16 /* TASK_COMM_LEN */

/* Reads a name, in which `\xHH` is a byte. -1: reported, with `command` in front. */
int comm_parse(const char *text, char name[COMM_SIZE], const char *command);

/* `task.comm` of a name: the same as cpol_task_comm in bpf_read.h. */
uint64_t comm_number(const char name[COMM_SIZE]);

#endif
