"""A metric of the service, `NAME=URL` or `NAME=FILE`: a number, or a sample in Prometheus' text format."""

from __future__ import annotations

import http.client
import math
import os
import re
import socket
import ssl
import threading
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from prometheus_client.parser import text_string_to_metric_families

from cpol.runtime.trial.expression import NAME, WORDS

SECONDS: Final = 5.0
"""Time for a whole answer."""
MAX_BYTES: Final = 4 << 20
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
        try:
            found = [
                float(sample.value)
                for family in text_string_to_metric_families(text)
                for sample in family.samples
                if sample.name == self.sample and set(self.labels) <= set(sample.labels.items())
            ]
        except Exception as error:  # the parser raises what its parts raise
            raise MetricError(f"{self.source} has no metrics in Prometheus' text format: {error}") from None
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


def fetch(source: str) -> bytes:
    """The body of a URL: no redirect, no proxy, within SECONDS, at most MAX_BYTES.

    Raises:
        MetricError: it cannot be had.
    """
    url = check_url(source)
    host, port = str(url.hostname), url.port
    connection: http.client.HTTPConnection
    if url.scheme == "https":
        connection = http.client.HTTPSConnection(host, port, timeout=SECONDS, context=ssl.create_default_context())
    else:
        connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
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
        connection.request("GET", f"{path}?{url.query}" if url.query else path, headers={"User-Agent": "cpolc"})
        answer = connection.getresponse()
        body = answer.read(MAX_BYTES + 1)
    except (OSError, http.client.HTTPException) as error:
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
    """The content of a file, which is not waited for.

    Raises:
        MetricError: it cannot be read, or it is too large.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            content = file.read(MAX_BYTES + 1) or b""
    except OSError as error:
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
        shown = text[:40] + ("…" if len(text) > 40 else "")
        raise MetricError(f"{source} has {shown!r}, which is no number; name a sample in it, as in {source}#NAME")
    return value
