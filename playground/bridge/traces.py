"""Small traces: the numbers of pages that are read, one after the other."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate
from random import Random
from typing import Any

from cpol.errors import RequestError

MOST = 20_000
"""Requests of a trace for the interpreter, which makes some thousands a second."""

MAX_PAGE = (1 << 52) - 1


def trace_of(asked: dict[str, Any], most: int = MOST) -> list[int]:
    """The pages of a trace of at most so many requests.

    Raises:
        RequestError: it has none or too many, or a word is no number.
    """
    kind = asked["kind"]
    if kind == "numbers":
        return _numbers(str(asked["numbers"]), most)
    requests, pages = _count(asked, "requests", most), _count(asked, "pages", most)
    source = Random(_count(asked, "seed", 1 << 32))
    match kind:
        case "loop":
            return [number % pages for number in range(requests)]
        case "zipf":
            return _zipf(source, requests, pages)
        case "scan":
            return _with_scans(source, requests, pages)
        case "uniform":
            return [source.randrange(pages) for _ in range(requests)]
    raise RequestError(f"there is no trace of the kind {kind!r}")


def _count(asked: dict[str, Any], name: str, most: int) -> int:
    value = asked[name]
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise RequestError(f"{name}: write a whole number from 1 to {most:,}{_more(most)}")
    return value


def _more(most: int) -> str:
    return "; curves of unchanged policies of the standard library take more" if most == MOST else ""


def _numbers(text: str, most: int) -> list[int]:
    """Numbers, and ranges such as `1-5`, with spaces or commas between them."""
    pages: list[int] = []
    for word in re.split(r"[\s,]+", text.strip()):
        found = re.fullmatch(r"([0-9]{1,15})(?:-([0-9]{1,15}))?", word, re.ASCII)
        if found is None:
            raise RequestError(f"{word[:40]!r} is no page: write numbers such as `1 2 3`, and ranges such as `1-5`")
        first = int(found[1])
        last = int(found[2] or first)
        if max(first, last) > MAX_PAGE:
            raise RequestError(f"page {max(first, last)} is too large: the last one is {MAX_PAGE}")
        if len(pages) + abs(last - first) >= most:
            raise RequestError(
                f"a trace has at most {most:,} requests here{_more(most)}; `cpolc sim` takes longer ones"
            )
        pages += range(first, last + 1) if first <= last else range(first, last - 1, -1)
    return pages


def _zipf(source: Random, requests: int, pages: int) -> list[int]:
    """Page n is read 1/n as often as page 1, in a random order."""
    sums = list(accumulate(1 / rank for rank in range(1, pages + 1)))
    return [min(pages - 1, bisect_left(sums, source.random() * sums[-1])) for _ in range(requests)]


def _with_scans(source: Random, requests: int, pages: int) -> list[int]:
    """Three quarters as `_zipf`; between them, scans of pages that nobody reads again."""
    out: list[int] = []
    fresh = pages
    for page in _zipf(source, requests, pages):
        if len(out) >= requests:
            break
        out.append(page)
        if source.random() < 1 / 150:
            length = min(50, requests - len(out))
            out += range(fresh, fresh + length)
            fresh += length
    return out
