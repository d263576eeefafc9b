"""Finds the traces of a sweep, and brings those of object stores to this machine.

A local path is read where it is. An object is copied into a folder that only this user can read, since the readers of
traces read files; the copy goes once the trace is in memory. Messages and rows name URLs, so a URL holds no
credentials: they come from the environment of each process.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from socket import gethostname
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from cpol.compiler.diagnostics.render import printable
from cpol.compiler.toolchain.digest import digest
from cpol.errors import UserError
from cpol.runtime.simulate.sweep.unit import Found

PREFIX = "cpol-sweep-"
"""What the names of folders of copies begin with."""

URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)(?:::[A-Za-z0-9+.-]+)*://")
LOCAL = ("file://", "local://")
"""What URLs that are paths begin with."""

HTTP = ("http", "https")

SECRET = re.compile(
    r"secret|token|pass|pwd|^pw$|credential|signature|connection_?string|authori|^sig$|^auth$|key$|access_?key|jwt|hmac"
    r"|cookie|^code$"
)
"""Names of options and of parts of a query whose values nobody may see."""

WAYS = ("anon", "google_default", "cloud")
"""What such an option may have all the same: each says where credentials come from."""

INSTEAD = "take them out: each process has its own from the environment, such as AWS_ACCESS_KEY_ID"
"""What to do about credentials in a sweep."""

STAMPS = ("ETag", "etag", "md5Hash", "content_md5", "mtime", "LastModified", "last_modified", "updated", "created")
"""What stores tell of the state of an object; the first that there is counts."""


def is_url(name: str) -> bool:
    return URL.match(name) is not None


def listed(pattern: str, storage: Mapping[str, Any]) -> list[Found]:
    """The traces that a path, a glob or a URL names, by name. What exists under just that name is no glob.

    Raises:
        UserError: there is none, it cannot be looked for, or credentials are in it.
    """
    if not pattern or "\0" in pattern:
        raise UserError(f"{pattern!r} names no trace; give a path, a glob or a URL")
    pattern = _as_path(pattern)
    found = _objects(pattern, storage) if is_url(pattern) else _files(pattern)
    return sorted(found)


def _as_path(name: str) -> str:
    """The path of a URL of a local file; other names are as they are."""
    match = URL.match(name)
    if match is None or match[0].lower() not in LOCAL:
        return name
    path = name[match.end() :]
    if not path.startswith("/"):
        raise UserError(f"{name}: a URL of a file has an absolute path, such as file:///traces/a.zst; or write a path")
    return path


# --- files of this machine


def _files(pattern: str) -> list[Found]:
    path = str(Path(pattern).absolute())  # which another process takes for the same
    if os.path.lexists(path) or not glob.has_magic(pattern):
        return [_file(path)]
    found: dict[object, Found] = {}  # by file, so that a link to one counts once
    for name in sorted({*_matching(path)}):
        try:
            status = Path(name).stat()
        except OSError:  # such as a link that leads nowhere, which fails its own rows
            found[name] = Found(name, 0, "")
            continue
        if not stat.S_ISDIR(status.st_mode):
            regular = stat.S_ISREG(status.st_mode)
            found.setdefault((status.st_dev, status.st_ino), _file(name) if regular else Found(name, 0, ""))
    if not found:
        raise UserError(f"{pattern}: no file matches; correct the glob, or name a file")
    return [*found.values()]


def _matching(pattern: str) -> Iterator[str]:
    """The paths that a glob matches. `**` follows no links to folders, which may lead back."""
    parts = Path(pattern).parts
    if "**" not in parts:
        yield from glob.iglob(pattern)  # noqa: PTH207  # Path.glob takes no absolute pattern
        return
    start = parts.index("**")
    rest = parts[start + 1 :] or ("*",)
    for top in glob.iglob(str(Path(*parts[:start]))):  # noqa: PTH207  # as above
        for folder, inner, _ in os.walk(top):
            inner[:] = [name for name in inner if not name.startswith(".")]
            yield from _matching(str(Path(glob.escape(folder), *rest)))


def _file(path: str) -> Found:
    """Raises UserError: it is no file that can be read again and again."""
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file on {gethostname()}") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read on {gethostname()}: {error.strerror}") from None
    if stat.S_ISDIR(status.st_mode):
        raise UserError(f"{path} is a folder; to name the traces in it, write {path.rstrip('/')}/*")
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path} is no file, and each of its runs may read a trace anew; name a file")
    return Found(path, status.st_size, f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}")


# --- objects of a store


class Store(NamedTuple):
    """Where a URL leads: a file system of fsspec, and the path in it."""

    system: Any
    path: str


def _objects(pattern: str, storage: Mapping[str, Any]) -> list[Found]:
    store = _store(pattern, storage)
    with _explained(pattern):
        store.system.invalidate_cache()  # a process that lives long may have listed them before
        if not glob.has_magic(_place(pattern)) or _is_object(store):
            return [_object(pattern, store)]
        matching = store.system.glob(store.path, detail=True)
        names = [store.system.unstrip_protocol(path) for path, info in matching.items() if info.get("type") == "file"]
    if not names:
        raise UserError(f"{shown(pattern)}: no object matches; correct the glob, or name an object")
    found = []
    for name, info in zip(names, (info for info in matching.values() if info.get("type") == "file"), strict=True):
        told = _told(name, info) if any(info.get(key) for key in STAMPS[:4]) else None
        found.append(told or _perhaps(name, storage))
    return found


def _perhaps(url: str, storage: Mapping[str, Any]) -> Found:
    """An object that a glob found. If the store says no more of it, that fails its own rows, not the sweep."""
    try:
        return _object(url, _store(url, storage))
    except Exception:  # of whatever class each store has
        return Found(url, -1, "")


def _place(url: str) -> str:
    """A URL without its query, whose sign is one of a glob, too."""
    return url.partition("?")[0] if _protocol(url) in HTTP else url


def _protocol(url: str) -> str:
    match = URL.match(url)
    return match[1].lower() if match else "file"


def _is_object(store: Store) -> bool:
    try:
        return bool(store.system.isfile(store.path))
    except ValueError:  # no name that this store could have
        return False


def _object(url: str, store: Store) -> Found:
    """Raises UserError and what the store raises: there is none."""
    store.system.invalidate_cache()  # a worker lives longer than what it was told of an object
    info = store.system.info(store.path)
    if info.get("type") == "directory":
        raise UserError(f"{shown(url)} is a folder; to name the traces in it, write {shown(url).rstrip('/')}/*")
    return _told(url, info)


def _told(url: str, info: Mapping[str, Any]) -> Found:
    size = info.get("size")
    state = next((info[key] for key in STAMPS if info.get(key)), "")
    state = state.isoformat() if isinstance(state, datetime) else str(state).strip('"')
    return Found(url, -1 if size is None else int(size), f"{'?' if size is None else int(size)}-{printable(state)}")


def _store(url: str, storage: Mapping[str, Any]) -> Store:
    """Raises UserError: the URL or an option makes no sense, holds credentials, or a package is missing."""
    protocol = _protocol(url)
    _refuse_secrets(url, storage)
    if protocol in HTTP and "#" in url:
        raise UserError(f"{shown(url)}: what follows # names no object, and no server gets it; leave it out")
    if "::" in url:
        raise UserError(f"{shown(url)}: a URL within a URL cannot be read; name the object itself")
    try:
        import fsspec
        from fsspec.core import url_to_fs
        from fsspec.registry import known_implementations
    except ImportError:
        raise UserError(f"{shown(url)}: URLs need the package fsspec: pip install fsspec") from None
    if protocol not in fsspec.available_protocols():
        raise UserError(
            f"{shown(url)}: fsspec knows no store {protocol!r}; s3, gs, abfs and https are some that it does"
        )
    if protocol != "memory" and not URL.sub("", url, count=1).strip("/"):
        raise UserError(f"{shown(url)} names no object; write {protocol}://BUCKET/NAME")
    try:
        urlsplit(url)  # not every store says which URL is none
        system, path = url_to_fs(url, **storage)
    except ImportError as error:
        said = known_implementations.get(protocol, {}).get("err") or str(error)
        package = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs"}.get(protocol)
        how = f"install {package} there: pip install {package}" if package else brief(said)
        raise UserError(f"{shown(url)}: a package that reads {protocol} is missing on {gethostname()}; {how}") from None
    except Exception as error:  # of whatever class each store has
        raise UserError(f"{shown(url)}: cannot be opened: {brief(error)}; correct the URL or its options") from None
    return Store(system, path)


def _refuse_secrets(url: str, storage: Mapping[str, Any]) -> None:
    """Raises UserError if credentials would travel with the units, and stand in rows."""
    if _has_secret(url):
        raise UserError(f"{shown(url)}: credentials stand in the URL; {INSTEAD}")
    if secret := secret_in(storage):
        raise UserError(
            f"{shown(url)}: the option {printable('.'.join(secret))} of its store holds credentials; {INSTEAD}"
        )


def _has_secret(url: str) -> bool:
    place, _, query = url.partition("://")[2].partition("?")
    return "@" in place.partition("/")[0] or any(_is_secret(name) for name, _ in parse_qsl(query, True))


def _is_secret(name: str) -> bool:
    return SECRET.search(name.lower()) is not None


def secret_in(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The name of an option for fsspec that holds credentials, and those of the options that it is within; none: ()."""
    for name, value in options.items():
        if value and value not in WAYS and _is_secret(str(name)):
            return (str(name),)
        if isinstance(value, str) and is_url(value) and _has_secret(value):
            return (str(name),)
        if isinstance(value, Mapping) and (inner := secret_in(value)):
            return (str(name), *inner)
    return ()


def shown(url: str) -> str:
    """A URL for a message: no credentials, and no sign that does something to a terminal."""
    if _protocol(url) in HTTP:
        url = re.sub("#.*", "#…", url, flags=re.DOTALL)
    match = URL.match(url)
    if match is None:
        return printable(url)
    rest = url[match.end() :]
    place, slash, path = rest.partition("/")
    place = place.rpartition("@")[2]
    path, mark, query = path.partition("?")
    pairs = (pair.partition("=") for pair in query.split("&"))
    told = "&".join(f"{name}{equals}{'…' if _is_secret(name) else value}" for name, equals, value in pairs)
    return printable(f"{match[0]}{place}{slash}{path}{mark}{told}")


def brief(error: object) -> str:
    """The first line of what went wrong, fit for a terminal. A URL in it may be one that the store signed."""
    text = next((line for line in str(error).splitlines() if line.strip()), "") or type(error).__name__
    return printable(re.sub(r"(://)[^/\s@]*@|\?[^\s'\")]*=[^\s'\")]*", r"\1", text))[:200].rstrip(". ")


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """What a store raises, as one clear error. Each store has classes of its own, so this takes all of them."""
    try:
        yield
    except UserError:
        raise
    except FileNotFoundError as error:
        why = f" ({brief(error.__cause__)})" if _protocol(url) in HTTP and error.__cause__ else ""
        raise UserError(f"{shown(url)}: there is no such object{why}; correct the name") from None
    except PermissionError as error:
        raise UserError(
            f"{shown(url)}: permission is denied on {gethostname()} ({brief(error)}); "
            "give this process credentials that may read it"
        ) from None
    except Exception as error:
        if type(error).__name__ in ("NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError"):
            how = "set them in the environment of the process, or anon = true for a public store"
            raise UserError(f"{shown(url)}: there are no credentials on {gethostname()}; {how}") from None
        raise UserError(f"{shown(url)}: cannot be read: {brief(error)}") from None


# --- copies


@contextmanager
def local(trace: Found, storage: Mapping[str, Any], within: Path | None = None) -> Iterator[Path]:
    """The path of a file with the trace, until the block ends. A copy of an object is in memory by then, and goes.

    Args:
        within: the folder to make a copy's folder in; None: the system's, for temporary files.

    Raises:
        UserError: it cannot be had, or is not what it was when it was found.
    """
    if not is_url(trace.name):
        _same_size(trace)
        yield Path(trace.name)
        return
    store = _store(trace.name, storage)
    with private_folder(within) as folder:
        yield _fetched(trace, store, folder)


def _fetched(trace: Found, store: Store, folder: Path) -> Path:
    """A copy of an object. Raises UserError."""
    name, path = shown(trace.name), folder / copy_name(trace)
    free = shutil.disk_usage(folder).free
    if trace.size > free:
        raise UserError(
            f"{name}: {trace.size:,} bytes, but {folder.parent} on {gethostname()} has {free:,} left; "
            "name a folder with more room in TMPDIR"
        )
    with _explained(trace.name):
        _same(trace, _object(trace.name, store))
        try:
            store.system.get_file(store.path, str(path))
            size = path.stat().st_size
        except OSError as error:
            if error.errno != errno.ENOSPC and error.filename != str(path):
                raise  # it is of the store
            raise UserError(
                f"{name}: cannot be copied to {folder.parent} on {gethostname()}: {error.strerror}; "
                "name another folder in TMPDIR"
            ) from None
        if trace.size not in (-1, size):
            raise UserError(f"{name}: {size:,} of {trace.size:,} bytes came; run the sweep again with --retry")
        _same(trace, _object(trace.name, store))  # while it was copied
    return path


def copy_name(trace: Found) -> str:
    """A file name for a copy: it says nothing of the object's but its ending, which readers look at."""
    last = _place(trace.name).rpartition("/")[2]
    endings = re.search(r"(\.[A-Za-z0-9]{1,16}){1,4}$", last)
    return digest(f"{trace.name}\0{trace.stamp}".encode("utf-8", "surrogateescape")).hex()[:32] + (
        endings[0] if endings else ""
    )


def _same(trace: Found, now: Found) -> None:
    """Raises UserError if an object is no longer what the sweep found: its rows would be of two traces."""
    if now.stamp != trace.stamp:
        raise UserError(
            f"{shown(trace.name)}: it is not what the sweep found (now {now.stamp}, then {trace.stamp}); "
            "run the sweep again"
        )


def _same_size(trace: Found) -> None:
    """Raises UserError if a file is another one here than where the sweep found it. Copies differ in their times."""
    if (size := _file(trace.name).size) != trace.size:
        raise UserError(
            f"{trace.name}: it has {size:,} bytes on {gethostname()}, and {trace.size:,} where the sweep began; "
            "have the same file on all machines, and run the sweep again with --retry"
        )


@contextmanager
def private_folder(within: Path | None = None) -> Iterator[Path]:
    """A folder for temporary files, which only this user can read, and which goes at the end."""
    folder, held = _new_folder(within or Path(tempfile.gettempdir()))
    try:
        yield folder
    finally:
        _remove(folder, held)


def _new_folder(within: Path) -> tuple[Path, int]:
    """A folder, and a lock on it. Those of processes that were killed go."""
    remove_abandoned(within)
    while True:  # another process may remove the folder before it is locked
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=within))
        with suppress(FileNotFoundError, BlockingIOError):
            held = _held(folder)
            if os.fstat(held).st_nlink:
                return folder, held
            os.close(held)


def _held(folder: Path) -> int:
    """A lock on a folder, which goes with the process. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle


def _remove(folder: Path, held: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        os.close(held)


def remove_abandoned(within: Path) -> None:
    """Remove this user's folders of copies that no process holds: it was killed."""
    for folder in within.glob(f"{PREFIX}*"):
        with suppress(OSError):  # another user's, in use, or just gone
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                continue
            _remove(folder, _held(folder))
