"""The event log format: logs are read back, and errors name file and line."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from cpol.compiler import comm
from cpol.runtime.machine.events import (
    MAX_LINE,
    Header,
    LogError,
    Op,
    Row,
    format_header,
    format_row,
    parse,
    read,
    save,
    write,
)

HEADER = Header("s3fifo", ("small", "main"), ("recent",), 100, 32, {"share": "0.1", "on": "true"})
ROWS = [
    Row(Op.MISSED, 2**64 - 1, 7),
    Row(Op.EVICT, 0, 0, 32),
    Row(Op.MOVE, 0, 1, 2, 1),
    Row(Op.PROPOSE, 0, 1),
    Row(Op.REMOVED, 0, 1, 0),
    Row(Op.GHOST_ADD, 0, 1, 0),
    Row(Op.REFUSED, 0, 3),
    Row(Op.MOVE, 0, 3, 1, 0),
    Row(Op.FALLBACK, 0, 4),
    Row(Op.ADDED, 2**64 - 1, 7, 4),
    Row(Op.GHOST_TAKE, 2**64 - 1, 7, 0),
    Row(Op.PLACE, 2**64 - 1, 7, 1, 1),
    Row(Op.FIRST_ACCESSED, 2**64 - 1, 7),
    Row(Op.ACCESSED, 2**64 - 1, 7),
    Row(Op.REMOVED, 2**64 - 1, 7, 1),
]
TEXT = """\
cpol-events	1
policy	s3fifo
lists	small	main
ghosts	recent
capacity	100
batch	32
decisions	yes
seed	1
param	share	0.1
param	on	true
missed	18446744073709551615	7
evict	32
	move	0	1	main	tail
	propose	0	1
removed	0	1	evicted
	ghost_add	0	1	recent
refused	0	3
	move	0	3	small	head
fallback	0	4
added	18446744073709551615	7	4
	ghost_take	18446744073709551615	7	recent
	place	18446744073709551615	7	small	tail
first_accessed	18446744073709551615	7
accessed	18446744073709551615	7
removed	18446744073709551615	7	deleted
"""


def lines(text: str) -> list[bytes]:
    return text.encode().splitlines(keepends=True)


def test_format_matches_the_documentation():
    out = io.StringIO()
    write(out, HEADER, ROWS)
    assert out.getvalue() == TEXT


def test_log_is_read_back(tmp_path):
    save(tmp_path / "log", HEADER, ROWS)
    log = read(tmp_path / "log")
    assert (log.header, log.rows) == (HEADER, ROWS)
    assert log.lines == list(range(11, 11 + len(ROWS)))


def test_without_decisions(tmp_path):
    header = Header("fifo", ("queue",), (), 1, decisions=False)
    save(tmp_path / "log", header, ROWS)
    log = read(tmp_path / "log")
    assert log.header == header
    assert log.rows == [row for row in ROWS if row.op < Op.PLACE]


def test_policy_without_lists(tmp_path):
    header = Header("noop", (), (), 1)
    rows = [Row(Op.ADDED, 0, 3, 1), Row(Op.LEAVE, 0, 3)]
    save(tmp_path / "log", header, rows)
    log = read(tmp_path / "log")
    assert (log.header, log.rows) == (header, rows)


def test_header_alone_is_an_empty_log():
    assert parse(lines(TEXT)[:10]).rows == []


def edited(old: str, new: str) -> list[bytes]:
    assert TEXT.count(old) == 1
    return lines(TEXT.replace(old, new))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "log:1: the file is empty; an event log begins with 'cpol-events 1'"),
        ([b"\x7fELF\x02\x01\xff"], "log:1: not UTF-8 text"),
        ([b"#!/bin/sh\n"], "log:1: not an event log: it begins with '#!/bin/sh', not with 'cpol-events'"),
        ([b"cpol-events\t2\n"], "log:1: version '2' of the format is not known; version 1 is"),
        (
            lines(TEXT)[:1] + lines(TEXT)[10:],
            "log:2: the header lacks 'policy', 'lists', 'ghosts', 'capacity', 'batch', ",
        ),
        ([*lines(TEXT)[:9], b"param\tshare\t1\n"], "log:10: param share is given twice"),
        ([*lines(TEXT)[:9], b"batch\t1\n"], "log:10: 'batch' is given twice"),
        (edited("policy\ts3fifo", "policy\ta b"), "log:2: 'a b' is not a name"),
        (
            edited("lists\tsmall\tmain", "lists\ta\tb\tc\td\te\tf\tg\th\ti"),
            "log:3: a policy has at most 8 lists, not 9",
        ),
        (edited("lists\tsmall\tmain", "lists"), "log:13: 'main' is not a list; the policy has no list"),
        (edited("lists\tsmall\tmain", "lists\ta\ta"), "log:3: a name is given twice in 'lists'"),
        (edited("capacity\t100", "capacity\t0"), "log:5: capacity is 1 to 18446744073709551615, not 0"),
        (edited("capacity\t100", "capacity\t1\t2"), "log:5: 'capacity' takes one value, not 2"),
        (edited("batch\t32", "batch\t33"), "log:6: batch is 1 to 32, not 33"),
        (edited("decisions\tyes", "decisions\tmaybe"), "log:7: 'decisions' is yes or no, not 'maybe'"),
        (edited("param\tshare\t0.1", "param\tshare"), "log:9: 'param' takes a name and a value, not 1 columns"),
        (edited("param\tshare\t0.1", "param\tshare\t$(id)"), "log:9: '$(id)' is not a value of a param"),
        (edited("missed\t", "mised\t"), "log:11: 'mised' is neither an event nor a decision"),
        (edited("missed\t", "\tmissed\t"), "log:11: 'missed' is an event: write no tab before it"),
        (edited("missed\t18446744073709551615\t7\n", "\tpropose\t1\t1\n"), "log:11: 'propose' comes before any event"),
        (
            edited("missed\t18446744073709551615", "missed\t18446744073709551616"),
            "log:11: file is 0 to 184467440737095",
        ),
        (edited("missed\t18446744073709551615", "missed\t-1"), "log:11: file is a decimal number, not '-1'"),
        (edited("missed\t18446744073709551615", "missed\t" + "9" * 99), "log:11: file is a decimal number, not '9999"),
        (edited("evict\t32", "evict\t0"), "log:12: wanted is 1 to 32, not 0"),
        (edited("evict\t32", "evict"), "log:12: 'evict' takes WANTED, not 0 columns"),
        (edited("\tpropose\t", "propose\t"), "log:14: 'propose' is a decision: write a tab before it"),
        (edited("main\ttail", "other\ttail"), "log:13: 'other' is not a list; the lists are small, main"),
        (edited("main\ttail", "main\tmiddle"), "log:13: 'middle' is not a known end; known: head, tail"),
        (edited("7\tdeleted", "7\tlost"), "log:25: 'lost' is not a known reason; known: evicted, deleted"),
        (edited("1\trecent", "1\told"), "log:16: 'old' is not a known ghost; known: recent"),
        (edited("7\t4\n", "7\n"), "log:20: 'added' takes FILE INDEX PAGES, not 2 columns"),
        (edited("7\t4\n", "7\t0\n"), "log:20: pages is 1 to"),
        (edited("7\tdeleted\n", "7\tdeleted\nbatch\t3\n"), "log:26: 'batch' belongs in the header"),
        (edited("7\tdeleted\n", "7\tdeleted\n\n"), "log:26: '' is neither an event nor a decision"),
        (edited("decisions\tyes", "decisions\tno"), "log:13: 'move' is a decision, but the header says 'decisions no'"),
        ([*lines(TEXT), b"x" * (MAX_LINE + 1)], f"log:26: the line is longer than {MAX_LINE} bytes"),
    ],
)
def test_errors_name_file_and_line(tmp_path, content, message):
    path = tmp_path / "log"
    path.write_bytes(b"".join(content))
    with pytest.raises(LogError) as error:
        read(path)
    assert str(error.value).startswith(f"{tmp_path}/{message}")


def test_huge_line_is_not_read_completely(tmp_path):
    path = tmp_path / "log"
    with path.open("wb") as file:
        file.truncate(2**33)  # 8 GiB of zeros, none of them on disk
    with pytest.raises(LogError, match="longer than"):
        read(path)


def test_truncated_log_is_an_error_or_a_shorter_log():
    for size in range(len(TEXT.encode())):
        try:
            log = parse(lines(TEXT[:size]))
        except LogError:
            continue
        assert log.rows[:-1] == ROWS[: len(log.rows[:-1])]


LARGE = Header(
    "lanes", ("queue", "generation"), ("gone",), 100, 1, {"mode": "fast"}, array_lengths=(64,), seed=2**64 - 1,
    inputs=(("scanners", "7", "true"), ("weight", "5:0..18446744073709551615", "-0.5")),
)  # fmt: skip
LARGE_ROWS = [
    Row(Op.TICK, 0, 0, 2**64 - 1),
    Row(Op.TASK, 0, 0, 7, 5),
    Row(Op.ADMIT, 1, 2),
    Row(Op.REFUSE, 1, 2),
    Row(Op.ADDED, 1, 3, 1),
    Row(Op.LEAVE, 1, 3),
    Row(Op.GHOST_FORGET, 1, 9, 0),
    Row(Op.ADDED, 1, 4, 1),
    Row(Op.PLACE, 1, 4, 2, 0),
    Row(Op.ACCESSED, 1, 4),
    Row(Op.MOVE, 1, 4, 65, 1),
    Row(Op.MOVE, 1, 4, 1, 1),
]
LARGE_TEXT = """\
cpol-events	1
policy	lanes
lists	queue	generation[64]
ghosts	gone
capacity	100
batch	1
decisions	yes
seed	18446744073709551615
param	mode	fast
input	scanners	7	true
input	weight	5:0..18446744073709551615	-0.5
tick	18446744073709551615
task	7	5
admit	1	2
	refuse	1	2
added	1	3	1
	leave	1	3
	ghost_forget	1	9	gone
added	1	4	1
	place	1	4	generation.0	head
accessed	1	4
	move	1	4	generation.63	tail
	move	1	4	queue	tail
"""


def test_format_of_the_whole_language(tmp_path):
    save(tmp_path / "log", LARGE, LARGE_ROWS)
    assert (tmp_path / "log").read_text() == LARGE_TEXT
    log = read(tmp_path / "log")
    assert (log.header, log.rows) == (LARGE, LARGE_ROWS)


def test_log_without_a_seed_has_seed_1():
    assert parse(lines(TEXT.replace("seed\t1\n", ""))) == replace(parse(lines(TEXT)), lines=list(range(10, 25)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("generation[64]", "generation[0]", "log:3: the length of generation is 1 to 16384, not 0"),
        ("generation[64]", "generation[x]", "log:3: 'generation[x]' is not a name"),
        ("queue\tgeneration[64]", "generation[64]\tqueue", "log:3: 'generation[64]' is not a name"),
        ("generation[64]", "queue[64]", "log:3: a name is given twice in 'lists'"),
        ("seed\t18446744073709551615", "seed\t18446744073709551616", "log:8: seed is 0 to 18446744073709551615"),
        ("seed\t18446744073709551615", "seed\t1\t2", "log:8: 'seed' takes one value, not 2"),
        ("scanners\t7\ttrue", "scanners\t7", "log:10: 'input' takes a name, a key and a value, not 2 columns"),
        (
            "scanners\t7\ttrue",
            "scanners\tr r\ttrue",
            "log:10: 'r r' is not a key: a number, FILE:FIRST..LAST, or the name",
        ),
        ("scanners\t7\ttrue", "scanners\t7\ta b", "log:10: 'a b' is not a value of an input"),
        ("tick\t18446744073709551615", "tick\t-1", "log:12: time is a decimal number, not '-1'"),
        ("tick\t18446744073709551615", "tick", "log:12: 'tick' takes MS, not 0 columns"),
        ("task\t7\t5", "task\t7", "log:13: 'task' takes THREAD PROCESS and perhaps COMM, not 1 columns"),
        (
            "task\t7\t5",
            "task\t7\t5\ta-name-too-long!",
            "log:13: no command is called 'a-name-too-long!': it has 16 bytes",
        ),
        ("task\t7\t5", "task\t7\t5\ta\\b", "log:13: no command is called 'a\\\\b': write a backslash as"),
        ("\trefuse\t", "refuse\t", "log:15: 'refuse' is a decision: write a tab before it"),
        ("generation.63", "generation.64", "log:22: the number of a list is 0 to 63, not 64"),
        (
            "generation.63",
            "generation",
            "log:22: 'generation' is not a list; the lists are queue, generation.0 … generation.63",
        ),
        ("generation.63", "queue.0", "log:22: 'queue.0' is not a list; the lists are"),
        ("task\t7\t5", "input\tscanners\t8\ttrue", "log:13: 'input' belongs in the header, before the first event"),
    ],
)
def test_errors_of_the_whole_language(tmp_path, old, new, message):
    assert LARGE_TEXT.count(old) == 1
    path = tmp_path / "log"
    path.write_text(LARGE_TEXT.replace(old, new))
    with pytest.raises(LogError) as error:
        read(path)
    assert str(error.value).startswith(f"{tmp_path}/{message}")


def test_commands_of_tasks():
    """Names have any bytes. A log without them, from before, is read too."""
    names = [b"rsync", b"tmux: server", b"\xff\x01\t\\=", "\u00e9t\u00e9".encode(), b"fifteen-bytes-15"[:15]]
    rows = [Row(Op.TASK, *comm.pack(name), 7, 5) for name in names] + [Row(Op.TASK, 0, 0, 7, 5)]
    text = format_header(LARGE) + "".join(format_row(row, LARGE) + "\n" for row in rows)
    assert text.isascii() and text.endswith("task\t7\t5\n") and "task\t7\t5\ttmux:\\x20server\n" in text
    log = parse(lines(text))
    assert log.rows == rows
    assert [comm.unpack((row.file, row.page)) for row in log.rows[:-1]] == names
