"""Messages of the Debug Adapter Protocol: JSON behind a header with its length."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

MOST_BYTES = 1 << 24
"""Of a message. One that says it is longer ends the session, as does a header that is none."""

MOST_HEADER = 1 << 12

Message = dict[str, Any]


class WireError(Exception):
    """What came is no message of the protocol."""


def read(stream: BinaryIO) -> Message | None:
    """The next message; None at the end.

    Raises:
        WireError: what comes is none.
    """
    length: int | None = None
    while True:
        line = stream.readline(MOST_HEADER)
        if not line:
            return None
        if line in (b"\r\n", b"\n"):
            if length is None:
                raise WireError("a message has no Content-Length")
            break
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            text = value.strip()
            if not text.isdigit() or len(text) > 9 or int(text) > MOST_BYTES:
                raise WireError(f"Content-Length is no number up to {MOST_BYTES}")
            length = int(text)
        elif len(line) == MOST_HEADER or b":" not in line:
            raise WireError("what comes is no header of a message")
    data = stream.read(length)
    if len(data) < length:
        return None
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        raise WireError("a message is not JSON") from None
    if not isinstance(message, dict):
        raise WireError("a message is no object")
    return message


def write(stream: BinaryIO, message: Message) -> None:
    data = json.dumps(message).encode()
    stream.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
    stream.flush()
