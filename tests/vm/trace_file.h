/* SPDX-License-Identifier: MIT */
/* What gallery_reads and replay_reads have in common: a trace in memory, and the caller's word to begin. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads a whole file. The caller keeps what it returns until it ends. */
static void *read_file(const char *name, size_t *bytes)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct stat status;
	char *memory;

	if (fd < 0 || fstat(fd, &status) || !(memory = malloc((size_t)status.st_size))) {
		perror(name);
		exit(1);
	}
	*bytes = (size_t)status.st_size;
	for (size_t done = 0; done < *bytes;) {
		ssize_t got = read(fd, memory + done, *bytes - done);

		if (got <= 0) {
			perror(name);
			exit(1);
		}
		done += (size_t)got;
	}
	close(fd);
	return memory;
}

static void wait_for_line(void)
{
	char byte;

	do {
		if (read(STDIN_FILENO, &byte, 1) != 1)
			exit(1);
	} while (byte != '\n');
}

#endif
