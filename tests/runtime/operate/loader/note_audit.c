/* SPDX-License-Identifier: MIT */
/* note_audit JOURNAL SYSLOG POLICY CGROUP OBJECT [FAILURE]: writes an entry to these sockets, with the digest of the file OBJECT. */
#include <fcntl.h>
#include <sha2.h>
#include <stdlib.h>

#include "system/audit.h"

int main(int argc, char **argv)
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	size_t size = 0;
	char *content = argc >= 6 ? read_file_at(AT_FDCWD, argv[5], 1 << 24, &size) : NULL;

	if (!content)
		return 2;
	SHA256Data((const byte *)content, size, digest);
	free(content);
	if (argc > 6)
		fail("%s", argv[6]);
	audit_to(argv[1], argv[2],
		 &(struct audit){ .action = "attach", .policy = argv[3], .cgroup = argv[4], .object = argv[5], .sha256 = digest, .id = 7 },
		 argc > 6 ? -1 : 0);
	return 0;
}
