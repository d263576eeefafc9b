/* SPDX-License-Identifier: MIT */
/* Made from compiler/contract.toml by scripts/contract.py. Limits, flags of folios, the log. */
#ifndef CPOL_CONTRACT_H
#define CPOL_CONTRACT_H

/* Pages that one call of the evict handler can be asked for. */
#define CPOL_MAX_BATCH 32
/* Calls of the evict handler in one request, before the machine falls back. */
#define CPOL_EVICT_ROUNDS 8
/* Pages that one call of a handler can prefetch. */
#define CPOL_PREFETCH_TARGETS 64
/* Lists in all arrays of lists. */
#define CPOL_MAX_LIST_ARRAY 16384
/* Rounds of a for, and steps of one scan in the kernel. */
#define CPOL_MAX_ROUNDS 65536
/* Elements of a table. */
#define CPOL_MAX_TABLE 16777216ULL
/* Bytes of record that the kernel keeps beside a folio. */
#define CPOL_MAX_RECORD 64
/* Keys of an input in the kernel; prefixes of a page input. */
#define CPOL_INPUT_ENTRIES 65536
/* Pages that one call of a prefetching handler can ask for. */
#define CPOL_MAX_TARGETS 64

/* What a folio may be, as bits; X(NAME, name). */
enum cpol_flag {
	CPOL_DIRTY = 1,
	CPOL_WRITEBACK = 2,
	CPOL_MAPPED = 4,
	CPOL_EXECUTABLE = 8,
	CPOL_FLAGS_END = 16,
};
#define CPOL_FLAGS(X) \
	X(DIRTY, dirty) \
	X(WRITEBACK, writeback) \
	X(MAPPED, mapped) \
	X(EXECUTABLE, executable)

/* The log of events and decisions. */
enum cpol_op {
	CPOL_OP_MISSED = 1,
	CPOL_OP_ADDED = 2,
	CPOL_OP_FIRST_ACCESSED = 3,
	CPOL_OP_ACCESSED = 4,
	CPOL_OP_REMOVED = 5,
	CPOL_OP_EVICT = 6,
	CPOL_OP_REFUSED = 7,
	CPOL_OP_FALLBACK = 8,
	CPOL_OP_ADMIT = 9,
	CPOL_OP_TICK = 10,
	CPOL_OP_TASK = 11,
	CPOL_OP_FLAGS = 12,
	CPOL_OP_ORIGIN = 13,
	CPOL_OP_RW = 14,
	CPOL_OP_ROOM = 15,
	CPOL_OP_PLACE = 16,
	CPOL_OP_MOVE = 17,
	CPOL_OP_PROPOSE = 18,
	CPOL_OP_GHOST_ADD = 19,
	CPOL_OP_GHOST_TAKE = 20,
	CPOL_OP_REFUSE = 21,
	CPOL_OP_LEAVE = 22,
	CPOL_OP_GHOST_FORGET = 23,
	CPOL_OP_SLOT = 24,
	CPOL_OP_PAGE = 25,
	CPOL_OP_INDEX = 26,
	CPOL_OP_DEFAULT = 27,
	CPOL_OP_DROP = 28,
	CPOL_OP_FLUSH = 29,
	CPOL_OP_AHEAD = 30,
	CPOL_OP_HOLD = 31,
	CPOL_OP_AREA = 32,
	CPOL_OP_SWAP = 33,
	CPOL_OP_FAULT = 34,
	CPOL_OP_PREFETCH = 35,
	CPOL_OP_WINDOW = 36,
	CPOL_OP_READAHEAD = 37,
	CPOL_OP_OPENED = 38,
	CPOL_OP_READ = 39,
	CPOL_OP_WRITTEN = 40,
	CPOL_OP_OUT = 41,
	CPOL_OP_LEAVE_FILE = 42,
	CPOL_OP_RECLAIM = 43,
	CPOL_OP_READERS = 44,
	CPOL_OPS,
};

#endif
