/* SPDX-License-Identifier: MIT */
/*
 * attach_unpinned CGROUP RESULT: holds a policy until standard input ends, on the folder CGROUP, in a kernel that is made up: RESULT `refused`
 * is its refusal. Prints each entry that the journal gets, and then what the caller would note.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "command/attach_explain.h"
#include "command/unpinned.h"
#include "system/begun.h"
#include "system/stat_text.h"

static bool refused;

struct bpf_link *bpf_map__attach_struct_ops(const struct bpf_map *map)
{
	errno = EBUSY;
	return refused ? NULL : (struct bpf_link *)(uintptr_t)map;
}

int bpf_link__destroy(struct bpf_link *link)
{
	puts(link ? "the link is closed" : "no link");
	return 0;
}

uint64_t boot_ms(void)
{
	return 0;
}

bool has_begun(const struct cgroup *cgroup, enum policy_kind kind, uint64_t since_ms)
{
	(void)cgroup;
	(void)kind;
	(void)since_ms;
	return true;
}

int explain_attach(int error, const char *policy, const struct cgroup *cgroup, enum policy_kind kind, uint64_t since_ms, const char *old)
{
	(void)kind;
	(void)since_ms;
	(void)old;
	return fail("%s on %s: %s", policy, cgroup->path, strerror(error));
}

void audit_to(const char *journal, const char *syslog, const struct audit *entry, int status)
{
	(void)journal;
	(void)syslog;
	printf("entry: %s %s on %s: %d\n", entry->action, entry->policy, entry->cgroup, status);
}

int main(int argc, char **argv)
{
	struct cgroup cgroup = {};
	struct audit entry = { .action = "attach-unpinned", .policy = "uncached" };
	int status;

	if (argc != 3)
		return 2;
	refused = !strcmp(argv[2], "refused");
	cgroup.path = argv[1];
	cgroup.fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	entry.cgroup = argv[1];
	status = attach_unpinned((const struct bpf_map *)&cgroup, &cgroup, &entry);
	audit(&entry, status);
	close(cgroup.fd);
	return status ? 1 : 0;
}
