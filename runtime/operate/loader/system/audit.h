/* SPDX-License-Identifier: MIT */
/*
 * Notes changes of policies in the journal, with their user. An entry has the message as text, and as fields CPOL_ACTION, CPOL_RESULT,
 * CPOL_REASON, CPOL_POLICY, CPOL_CGROUP, CPOL_CGROUP_ID, CPOL_OBJECT, CPOL_OBJECT_SHA256, CPOL_TAG, CPOL_UID, CPOL_LOGINUID and CPOL_PPID; journald
 * adds fields that it vouches for, such as _PID, _UID and _AUDIT_LOGINUID. Without journald, syslog gets the message. Without either, or
 * if the socket is full, the entry is lost: a command never waits for its entry.
 */
#ifndef LOADER_AUDIT_H
#define LOADER_AUDIT_H

#include "system/util.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define SYSLOG_SOCKET "/dev/log"

struct audit {
	const char *action; /* attach, replace, detach, rollback, attach-unpinned or detach-unpinned */
	const char *policy, *cgroup;
	const char *object, *sha256, *tag; /* NULL: none */
	uint64_t id; /* the cgroup's; 0: unknown */
};

/* Notes what came of an action, at these sockets. `status` is 0, or another number after it reported. */
void audit_to(const char *journal, const char *syslog, const struct audit *entry, int status);

/* The same, where the system listens. */
static inline void audit(const struct audit *entry, int status)
{
	audit_to(JOURNAL_SOCKET, SYSLOG_SOCKET, entry, status);
}

#endif
