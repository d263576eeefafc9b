"""A metric of the service, `NAME=URL` or `NAME=FILE`: a number, or a sample in Prometheus' text format."""

from __future__ import annotations

import errno
import http.client
import math
import os
import re
import socket
import ssl
import stat
import threading
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from prometheus_client.parser import text_string_to_metric_families

from cpol.runtime.operate.trial.expression import NAME, WORDS

SECONDS: Final = 5.0
"""Time for a whole answer."""
MAX_BYTES: Final = 4 << 20
MAX_LINE: Final = 1 << 16
COUNTERS: Final = ("_total", "_count", "_sum", "_bucket")
SCHEMES: Final = ("http", "https")
Labels = dict[str, str]


class MetricError(Exception):
    """The metric is wrong, or cannot be read now. The message says why."""


@dataclass(frozen=True)
class Metric:
    """Where a metric of the service is."""

    name: str
    source: str
    """A URL or the whole path of a file."""
    sample: str = ""
    """The name of the sample in the text, after `#`; empty: the text is one number."""
    labels: tuple[tuple[str, str], ...] = ()
    """The labels that the sample must have; it may have more."""

    @property
    def is_counter(self) -> bool:
        """Whether what it grew in a second tells something, and not its mean: by the suffix, as Prometheus has it."""
        return self.sample.endswith(COUNTERS)

    def read(self) -> float:
        """The value now.

        Raises:
            MetricError: it cannot be read, or is no finite number.
        """
        text = (fetch(self.source) if is_url(self.source) else read_file(Path(self.source))).decode(errors="replace")
        return self._value(text)

    def _value(self, text: str) -> float:
        if not self.sample:
            return finite(text.strip(), self.source)
        if any(len(line) > MAX_LINE for line in text.split("\n")):  # the parser's time grows with the square of it
            raise MetricError(f"{self.source} has a line of more than {MAX_LINE:,} characters; shorten it")
        try:
            found = [
                float(sample.value)
                for family in text_string_to_metric_families(text)
                for sample in family.samples
                if sample.name == self.sample and set(self.labels) <= set(sample.labels.items())
            ]
        except Exception:
            # The parser raises what its parts raise, with a part of the text, which is not shown, as in finite().
            raise MetricError(f"{self.source} has no metrics in Prometheus' text format") from None
        if len(found) != 1:
            what = f"{len(found)} samples" if found else "no sample"
            raise MetricError(f'{self.source} has {what} {self.sample}; name one, as in #NAME{{label="value"}}')
        if not math.isfinite(found[0]):
            raise MetricError(f"{self.sample} of {self.source} is {found[0]}")
        return found[0]


def parse(text: str, taken: Collection[str]) -> Metric:
    """Read `NAME=SOURCE[#SAMPLE]`.

    Args:
        taken: names that the metric may not have.

    Raises:
        MetricError: the text is wrong.
    """
    name, equals, source = text.partition("=")
    source, _, fragment = source.partition("#")
    if not equals or not NAME.fullmatch(name):
        raise MetricError(f"`{text}` is not NAME=URL or NAME=FILE; a name has small letters, digits and _")
    if name in taken or name in WORDS:
        raise MetricError(f"the name `{name}` is taken; give the metric another one")
    if is_url(source):
        check_url(source)
    elif not source.startswith("/"):
        raise MetricError(f"`{source}` is neither a URL (http://, https://) nor the whole path of a file")
    sample, labels = parse_sample(fragment) if fragment else ("", {})
    return Metric(name, source, sample, tuple(sorted(labels.items())))


def parse_sample(text: str) -> tuple[str, Labels]:
    """Read `NAME{label="value"}` as Prometheus' text format has it."""
    try:
        (sample,) = [one for family in text_string_to_metric_families(f"{text} 1\n") for one in family.samples]
    except Exception:  # the parser raises what its parts raise
        raise MetricError(f'`#{text}` names no sample; write #NAME or #NAME{{label="value"}}') from None
    return sample.name, dict(sample.labels)


def is_url(source: str) -> bool:
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", source) is not None


def check_url(source: str) -> SplitResult:
    """Split a URL that may be fetched.

    Raises:
        MetricError: it may not.
    """
    try:
        url = urlsplit(source)
        port = url.port
    except ValueError as error:
        raise MetricError(f"`{source}` is no URL: {error}") from None
    if url.scheme not in SCHEMES or not url.hostname or port == 0:
        raise MetricError(f"`{source}` cannot be read; a metric's URL begins with http://HOST or https://HOST")
    if "@" in url.netloc:
        raise MetricError("a metric's URL may hold no password: it would stand in the list of processes")
    if not source.isascii() or not source.isprintable() or " " in source:
        raise MetricError(f"{source!r} has characters that a URL may not have")
    return url


class Plain(http.client.HTTPConnection):
    """A connection by HTTP/1.0, whose answers have no chunks.

    http.client believes the sizes of chunks: -1 has it read without a limit.
    """

    _http_vsn = 10
    _http_vsn_str = "HTTP/1.0"


class PlainTLS(http.client.HTTPSConnection):
    """The same by TLS."""

    _http_vsn = 10
    _http_vsn_str = "HTTP/1.0"


def fetch(source: str) -> bytes:
    """The body of a URL: no redirect, no proxy, within SECONDS, at most MAX_BYTES.

    Raises:
        MetricError: it cannot be had.
    """
    url = check_url(source)
    host, port = str(url.hostname), url.port
    connection: http.client.HTTPConnection
    if url.scheme == "https":
        connection = PlainTLS(host, port, timeout=SECONDS, context=ssl.create_default_context())
    else:
        connection = Plain(host, port, timeout=SECONDS)
    late = threading.Event()

    def end() -> None:
        late.set()
        with suppress(OSError):
            link.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(SECONDS, end)
    timer.daemon = True
    try:
        connection.connect()
        link = connection.sock  # http.client forgets it before the body is read
        timer.start()
        path = url.path or "/"
        headers = {"Host": url.netloc, "User-Agent": "cpolc"}  # HTTP/1.0 needs no host, but servers do
        connection.request("GET", f"{path}?{url.query}" if url.query else path, headers=headers)
        answer = connection.getresponse()
        if answer.getheader("Transfer-Encoding"):
            raise MetricError(f"cannot read {source}: the server answers HTTP/1.0 in chunks, which only 1.1 has")
        body = answer.read(MAX_BYTES + 1)
    except (OSError, ValueError, http.client.HTTPException) as error:  # ValueError: a name that no host can have
        why = f"no whole answer within {SECONDS:g} s" if late.is_set() else str(error) or type(error).__name__
        raise MetricError(f"cannot read {source}: {why}") from None
    finally:
        timer.cancel()
        connection.close()
    if late.is_set():
        raise MetricError(f"cannot read {source}: no whole answer within {SECONDS:g} s")
    if answer.status != http.client.OK:
        raise MetricError(f"cannot read {source}: the server answers {answer.status}")
    if len(body) > MAX_BYTES:
        raise MetricError(f"{source} has more than {MAX_BYTES >> 20} MiB")
    return body


def read_file(path: Path) -> bytes:
    """The content of a regular file. A link is not followed: whoever owns the folder could lead root anywhere by it.

    Raises:
        MetricError: it cannot be read, is no regular file, or is too large.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise MetricError(f"{path} is no regular file; name the file that the service writes")
            with os.fdopen(handle, "rb", closefd=False) as file:
                content = file.read(MAX_BYTES + 1)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise MetricError(f"{path} is a symbolic link; name the file that it leads to") from None
        raise MetricError(f"cannot read {path}: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise MetricError(f"{path} has more than {MAX_BYTES >> 20} MiB")
    return content


def finite(text: str, source: str) -> float:
    """A number as text.

    Raises:
        MetricError: it is none, or not finite.
    """
    try:
        value = float(text) if len(text) < 100 else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        # What it has instead is not shown: a message must not give away a file that only root can read.
        raise MetricError(f"{source} has something else than a number; name a sample in it, as in {source}#NAME")
    return value
