"""Recordings: what the loader writes, and what the reader takes for requests or refuses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE
from cpol.runtime.operate import loader
from cpol.runtime.simulate.traces import TraceError, read

HEAD = "cpol-record 3\n# time_ns,event,file,page,pages,thread,process,comm[,first,last]\n"
EVENTS = (
    "1000000,added,254:1:12,7,1,11,10,cat\n"
    "2000000,accessed,254:1:12,7,1,11,10,cat\n"
    "3000000,removed,254:1:12,7,1,5,5,kswapd0\n"
    "4000000,window,254:1:13,0,32,12,10,cat\n"
    '5000000,dirtied,254:1:13,4,4,12,10,"a ""b, c"\n'
)

WRITER = r"""
#include <stdlib.h>
#include <string.h>
#include "command/record_text.h"

int main(int argc, char **argv)
{
	struct recording recording = { .out = stdout, .begun_ns = 1000 };
	struct record record = { .inode = ~0ULL, .page = 1ULL << 40, .pages = 1, .thread = 8, .process = 7 };

	record.device = 254 << 20 | 1;
	char told[sizeof(struct record_name)] = {};
	struct record_name *name = (struct record_name *)told;
	struct record_fault fault = { .record = record, .first = 5, .last = 9 };

	memcpy(name->parts, "a \"b\"\0srv\n", 11);
	name->record = record;
	name->record.event = RECORD_FILE_NAME;
	name->record.pages = 11;
	recording_begin(&recording);
	recording_add(&recording, &name->record, sizeof(*name));
	recording_add(&recording, &name->record, sizeof(record)); /* too short */
	fault.record.device = 3;
	fault.record.event = RECORD_CACHED;
	fault.record.inode = 70;
	recording_add(&recording, &fault.record, sizeof(fault));
	recording_add(&recording, &fault.record, sizeof(record));
	recording_add(&recording, &record, sizeof(record) - 1);
	for (int i = 1; i < argc; i++) {
		record.ns = 900 + (uint64_t)i * 1000000;
		record.event = RECORD_ACCESSED;
		strncpy(record.comm, argv[i], sizeof(record.comm) - 1);
		recording_add(&recording, &record, sizeof(record));
	}
	record.event = N_RECORD_EVENTS + 1; /* of a newer program */
	recording_add(&recording, &record, sizeof(record));
	recording_room(&recording, 5000, 2560, 1350);
	recording_room(&recording, 6000, 2560, 1350); /* no other */
	recording_room(&recording, 7000, 2560, 1300);
	recording_end(&recording, 3);
	recording_summary(&recording, stderr);
	return 0;
}
"""


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "app.rec"


def refusal(path: Path, content: str | bytes) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TraceError) as error:
        read(path)
    return str(error.value)


def test_requests_are_accesses_and_writes(recording: Path) -> None:
    recording.write_text(f"{HEAD}{EVENTS}end,5,0\n")
    trace = read(recording, details=True)
    assert (trace.format, trace.lost, len(trace.ids), trace.distinct) == ("record", 0, 5, 5)
    assert trace.carries == {"file", "page", "thread", "process", "comm", "time", "rw", "unread"}
    assert trace.times is not None and trace.tasks is not None and trace.processes is not None
    assert [*trace.times] == [0, 3, 3, 3, 3]
    assert [*trace.tasks] == [11, 12, 12, 12, 12] and {*trace.processes} == {10}
    assert trace.writes is not None and [*trace.writes] == [0, 1, 1, 1, 1]
    assert trace.names is not None


@pytest.mark.parametrize("version", [1, 2])
def test_earlier_versions_are_read(recording: Path, version: int) -> None:
    head = f"cpol-record {version}\n# time_ns,event,file,page,pages,thread,process,comm\n"
    recording.write_text(f"{head}{EVENTS}end,5,0\n")
    trace = read(recording)
    assert len(trace.ids) == 5 and not trace.rooms


def test_rooms_begin_at_requests(recording: Path) -> None:
    """A folio of four pages is four requests. A room of none is a page."""
    events = EVENTS.replace("4000000", "room,3500000,512,200\n4000000")
    recording.write_text(f"{HEAD}room,0,512,300\n{events}room,5000001,256,0\nend,5,0\n")
    assert read(recording).rooms == ((0, 512, 300), (1, 512, 200), (5, 256, 1))


def test_swap_faults_and_names_are_passed_over(recording: Path) -> None:
    swap = "7,fault,swap:0:9,1000,1,11,10,cat,990,1100\n"
    recording.write_text(f'{HEAD}name,254:1:12,"/srv/a, b"\n{EVENTS}{swap}end,6,0\n')
    assert len(read(recording).ids) == 5


def test_names_of_commands_may_be_left_out(recording: Path) -> None:
    recording.write_text(f"{HEAD}1,accessed,8:0:2,0,1,1,1,\nend,1,9\n")
    trace = read(recording, details=True)
    assert "comm" not in trace.carries and trace.comms is None
    assert trace.lost == 9


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (HEAD + EVENTS, "the recording is cut: its last line"),
        (f"{HEAD}{EVENTS}end,5", "line 8: not an event"),
        (f"{HEAD}{EVENTS}end,3,0\n", "line 8: the recording has 5 events, not 3"),
        (f"{HEAD}{EVENTS}end,5,0\n{EVENTS}", "line 9: a line behind the last one"),
        ("cpol-record 4\nend,0,0\n", "line 1: none of `cpol-record 1` to 3: another version"),
        (f"{HEAD}end,0,0\n", "no requests in the trace"),
        (f"{HEAD}1,accessed,8:0:2,0,1,1\nend,1,0\n", "line 3: not an event"),
        (f"{HEAD}room,0,-1,5\nend,0,0\n", "line 3: not an event"),
        (f"{HEAD}room,0,5\nend,0,0\n", "line 3: not an event"),
        (f"{HEAD}-1,accessed,8:0:2,0,1,1,1,x\nend,1,0\n", "line 3: not an event"),
        (f"{HEAD}1,accessed,8:0:2,0,0,1,1,x\nend,1,0\n", "line 3: a folio has 1 to"),
        (f"{HEAD}1,accessed,8:0:2,0,9999999,1,1,x\nend,1,0\n", "line 3: a folio has 1 to"),
        (f"{HEAD}1,accessed,8:0:2,18446744073709551615,2,1,1,x\nend,1,0\n", "line 3: a folio has 1 to"),
        (f'{HEAD}1,accessed,8:0:2,0,1,1,1,"x\nend,1,0\n', "line 3: "),
        (f"{HEAD}1,accessed,8:0:2,0,1,1,1,x,y\nend,1,0\n", "line 3: "),
    ],
)
def test_wrong_recordings(recording: Path, content: str, said: str) -> None:
    assert said in refusal(recording, content)


def test_name_that_is_no_text(recording: Path) -> None:
    recording.write_bytes(HEAD.encode() + b'1,accessed,8:0:2,0,1,1,1,"\xff\xfe"\nend,1,0\n')
    assert len(read(recording, details=True).ids) == 1


def test_what_the_loader_writes_is_read(tmp_path: Path, recording: Path) -> None:
    """Names of commands are hostile: quotes, commas, line breaks."""
    folder = Path(loader.__file__).parent
    (tmp_path / "writer.c").write_text(WRITER)
    sources = [tmp_path / "writer.c", *(folder / "command" / f"{name}.c" for name in ("record_text", "traced_path"))]
    flags = ["-std=gnu11", "-D_GNU_SOURCE", f"-I{INCLUDE}", f"-I{folder}", "-fsanitize=address,undefined"]
    subprocess.run([clang(), *flags, *sources, "-o", tmp_path / "writer"], check=True)
    names = ["cat", 'a,"b', "x\ny\tz", "", "kworker/0:1", "fifteen letters", "é", "# end,0,0"]
    done = subprocess.run([tmp_path / "writer", *names], capture_output=True, text=True, check=True)
    assert (
        done.stderr
        == "0 added, 0 removed, 8 accessed, 0 dirtied, 0 missed, 0 marked, 0 window, 0 fault, 1 cached, 0 prefetched"
    )
    recording.write_text(done.stdout)
    trace = read(recording, details=True)
    assert (len(trace.ids), trace.distinct, trace.lost) == (len(names), 1, 3)
    assert trace.times is not None and [*trace.times] == [*range(len(names))]
    assert trace.rooms == ((8, 2560, 1350), (8, 2560, 1300))
    lines = done.stdout.splitlines()
    assert lines[2] == f'name,254:1:{2**64 - 1},"/srv?/a ""b"""'
    assert lines[3] == f"0,cached,swap:3:70,{2**40},1,8,7,,5,9"
    assert lines[4] == f"999900,accessed,254:1:{2**64 - 1},{2**40},1,8,7,cat"
    assert [line.split(",", 7)[7] for line in lines[5:7]] == ['"a,""b"', '"x?y?z"']
