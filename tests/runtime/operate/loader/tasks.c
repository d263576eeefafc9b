/* SPDX-License-Identifier: MIT */
/* tasks NUMBER...: for each, why it is no thread, why it is no process, and its name. */
#include "inputs/task.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char name[TASK_NAME_SIZE];
		uint64_t number;

		if (!parse_u64(argv[i], &number))
			return 2;
		for (int process = 0; process < 2; process++) {
			const char *missing = task_missing(number, process);

			printf("%s|", missing ? missing : "");
		}
		puts(task_name(number, name) ? name : "");
	}
	return 0;
}
