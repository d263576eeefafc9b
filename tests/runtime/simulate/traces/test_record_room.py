"""The room of file pages while a cgroup is recorded, from events and from looks at the cgroup (record_room.c)."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE
from cpol.runtime.operate import loader

DRIVER = r"""
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "command/record_room.h"

static struct memory_use use;

struct memory_use memory_use(const struct cgroup *cgroup)
{
	(void)cgroup;
	return use;
}

/* begin NS LIMIT USED FILES; look LIMIT USED FILES; take EVENT NS PAGES USED TIMES; short: a record that is cut */
int main(void)
{
	struct record_room room = {};
	uint64_t ns, pages, used, times;
	unsigned int event;
	char word[8];

	while (scanf("%7s", word) == 1) {
		bool told = false;

		if (!strcmp(word, "take")) {
			scanf("%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &event, &ns, &pages, &used, &times);
			struct record record = { .ns = ns, .event = event, .pages = (uint32_t)pages, .used = (uint32_t)used };

			while (times--)
				told |= record_room_take(&room, &record, sizeof(record));
		} else if (!strcmp(word, "short")) {
			struct record record = { .ns = ~0ULL, .event = RECORD_ADDED, .pages = 1000 };

			told = record_room_take(&room, &record, sizeof(record) - 1);
		} else {
			if (!strcmp(word, "begin"))
				scanf("%" SCNu64, &ns);
			scanf("%" SCNu64 " %" SCNu64 " %" SCNu64, &use.limit, &use.used, &use.files);
			if (!strcmp(word, "begin"))
				record_room_begin(&room, NULL, ns);
			else
				told = record_room_look(&room, NULL);
		}
		printf("%d %" PRIu64 " %" PRIu64 " %" PRId64 "\n", told, room.limit, room.room, room.files);
	}
	return 0;
}
"""
ADDED, REMOVED, ACCESSED = range(3)


def told(tmp_path: Path, *lines: str) -> list[list[int]]:
    """For each line: whether the room is another one, the limit, the room, the pages of files."""
    source, program = tmp_path / "driver.c", tmp_path / "driver"
    source.write_text(DRIVER)
    here = Path(loader.__file__).parent
    words = [clang(), "-std=gnu11", "-D_GNU_SOURCE", "-Wall", f"-I{INCLUDE}", f"-I{here}"]
    subprocess.run([*words, source, here / "command" / "record_room.c", "-o", program], check=True)
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    return [[*map(int, line.split())] for line in done.stdout.splitlines()]


def test_room_is_the_limit_less_what_is_no_file(tmp_path: Path) -> None:
    first, early, others, mean, small, removed, cut = told(
        tmp_path,
        "begin 100 1000 600 200",
        f"take {ADDED} 100 1 1000 200",  # is in the 200
        f"take {ACCESSED} 101 1 0 200",
        f"take {ADDED} 101 1 700 64",  # 500 are no files at the first, 436 at the last
        f"take {ADDED} 102 1 760 64",
        f"take {REMOVED} 103 28 0 1",
        "short",
    )
    assert first == [0, 1000, 600, 200] == early == others
    # 201 to 264 pages of files, of 700 that are used: 501 to 564 of 1,000, and in the mean 532.
    assert mean == [1, 1000, 532, 264]
    assert small == [0, 1000, 532, 328] and removed == [0, 1000, 532, 300] == cut


def test_a_look_tells_of_the_limit_and_of_what_came_without_folios(tmp_path: Path) -> None:
    _, same, grown, _, busy, limit, drifted, negative = told(
        tmp_path,
        "begin 0 1000 600 200",
        "look 1000 605 200",
        "look 1000 700 200",
        f"take {ADDED} 1 1 700 1",
        "look 1000 900 201",  # a folio came since: events tell
        "look 800 400 201",
        "look 800 700 600",
        "look 100 700 600",
    )
    assert same == [0, 1000, 600, 200] and grown == [1, 1000, 500, 200]
    assert busy == [0, 1000, 500, 201] and limit == [1, 800, 601, 201]
    assert drifted == [1, 800, 700, 600] and negative == [1, 100, 0, 600]
