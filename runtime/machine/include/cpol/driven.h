/* SPDX-License-Identifier: MIT */
/* What the driver of the native machine shares with programs in C that drive it: rows, errors, refusals, counts. */
#ifndef CPOL_DRIVEN_H
#define CPOL_DRIVEN_H

/* A row of the event log; runtime/machine/events/ defines the columns. */
struct cpol_row {
	unsigned long long op, file, index, a, b;
};

/* Why an event cannot happen; events.py has the messages. */
enum cpol_error {
	CPOL_OK, CPOL_NO_MEMORY, CPOL_NOT_AN_EVENT, CPOL_NOT_CACHED, CPOL_IS_CACHED, CPOL_WAS_READ, CPOL_NOT_READ,
	CPOL_BAD_PAGES, CPOL_BAD_WANTED, CPOL_BAD_REASON, CPOL_NOT_PROPOSED, CPOL_IS_PROPOSED, CPOL_NOT_PLACED,
	CPOL_IS_LEFT, CPOL_NO_ADMIT, CPOL_TIME_GOES_BACK, CPOL_BAD_FLAGS, CPOL_NO_FOLIOS, CPOL_BAD_ASK, CPOL_BAD_ROOM,
};

/* Why there is no simulator; library.py has the messages. */
enum cpol_refusal_kind { CPOL_LACKS_MEMORY, CPOL_BAD_LENGTH, CPOL_BAD_TABLE, CPOL_BAD_ARRAY };

struct cpol_refusal {
	unsigned long long kind, number;  /* number of the table, of the array */
	unsigned long long rows, columns; /* the sizes it asked for; for an array, `rows` is its lists */
};

/* The counts of a run; `Counts` in library.py mirrors it. */
struct cpol_counts {
	unsigned long long requests, hits, evicted, fallback, refused, refused_admission, size, missed_bytes, read_bytes, reclaimed,
		unreclaimed;
};

#endif
