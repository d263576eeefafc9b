"""Hashes that name what the cache keeps.

`hashlib` brings OpenSSL along, which takes longer to load than a short trace to run. BLAKE2 comes with Python itself.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # a Python that keeps it elsewhere
    from hashlib import blake2b

SIZE = 32
"""Bytes of a digest."""


def digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=SIZE).digest()
