"""Messages of both protocols, as they come and go: JSON behind a header with its length."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, Final

MOST_BYTES: Final = 64 << 20
"""Of a message. No editor sends as much."""

MOST_HEADER: Final = 1 << 12
"""Bytes of a line of a header."""

Message = dict[str, Any]


class WireError(Exception):
    """What comes is no message, and nobody can say where the next one begins: the session ends."""


class NoMessage(Exception):
    """The bytes of one message are none. The next one can be read."""


def read(stream: BinaryIO) -> bytes | None:
    """The bytes of the next message, without its header; None at the end.

    Raises:
        WireError: what comes is no message.
        OSError: the stream cannot be read.
    """
    length: int | None = None
    begun = False
    while line := stream.readline(MOST_HEADER):
        begun = True
        if line in (b"\r\n", b"\n"):
            if length is None:
                raise WireError("a message has no Content-Length; an editor writes `Content-Length: BYTES` before each")
            data = stream.read(length)
            if len(data) < length:
                raise WireError(f"the input ends within a message: {len(data):,} of its {length:,} bytes came")
            return data
        name, colon, value = line.partition(b":")
        if not colon or not line.endswith(b"\n"):
            raise _cut(line)
        if name.strip().lower() == b"content-length":
            length = _length(value.strip())
    if begun:
        raise WireError("the input ends within the header of a message")
    return None


def _cut(line: bytes) -> WireError:
    """The error for a line of a header that is none."""
    if b"\n" not in line and len(line) < MOST_HEADER:
        return WireError("the input ends within the header of a message")
    return WireError(f"{_short(line)} is no header of a message; an editor writes `Content-Length: BYTES` before each")


def _length(text: bytes) -> int:
    digits = text.isdigit()
    if digits and len(text) < 20 and int(text) <= MOST_BYTES:
        return int(text)
    limit = f"{MOST_BYTES:,} ({MOST_BYTES >> 20} MiB) is the most" if digits else "it is a number of bytes"
    raise WireError(f"Content-Length is {_short(text)}; {limit}")


def _short(text: bytes) -> str:
    """The beginning of what came, for a message."""
    return repr(text[:40].strip())[1:] + ("..." if len(text) > 40 else "")


def decode(data: bytes) -> Any:
    """What JSON says.

    Raises:
        NoMessage: the bytes are not JSON.
    """
    try:
        return json.loads(data)
    except json.JSONDecodeError as error:
        raise NoMessage(f"a message is not JSON: {error.msg}, at its byte {error.pos + 1:,}") from None
    except UnicodeDecodeError as error:
        raise NoMessage(f"a message is not UTF-8 at its byte {error.start + 1:,}") from None
    except RecursionError:
        raise NoMessage("a message is JSON that nests too deep") from None
    except ValueError as error:  # a number of thousands of digits
        raise NoMessage(f"a message is JSON that cannot be read: {error}") from None


def write(stream: BinaryIO, message: Message) -> None:
    data = json.dumps(message).encode()
    stream.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
    stream.flush()
