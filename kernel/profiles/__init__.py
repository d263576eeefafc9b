"""What kernels can do: a profile is a file here, or one of a user; that of the running kernel is found by its BTF."""

from __future__ import annotations

from pathlib import Path

from cpol.compiler.analysis.profile import Profile, ProfileError, profile_of, read_entries
from cpol.errors import RequestError, UserError
from cpol.kernel.profiles.found import Entries, having, reduced

FOLDER = Path(__file__).resolve().parent
BTF = Path("/sys/kernel/btf")
DEFAULT = "patched-6.12"
USER = "user"
"""What the glue without a kernel part can do (`cpolc attach --glue user`)."""
RUNNING = "running"
"""What names the profile of the running kernel."""
USUAL = (DEFAULT, "module-6.12")
"""Kernels that run policies as they are: those that `cpolc lint` asks about."""


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def accepted() -> str:
    """What names a profile, in words."""
    return f"{', '.join(names())}, {RUNNING}, or the path of a file in TOML"


def load(name: str) -> Profile:
    """Load a profile by its name, or from a path.

    Raises:
        RequestError: there is no such profile.
        UserError: the file is not a profile, or none fits the running kernel.
    """
    return _profile(*entries(name))


def entries(name: str) -> tuple[Entries, Path]:
    """The entries of a profile, and its file. It raises as `load`."""
    if name == RUNNING:
        found = _running()
        if found is None:
            raise UserError(
                f"the running kernel has no cache_ext: no profile fits what {BTF} tells; load the module, boot the "
                f"patched kernel, or name a profile: {', '.join(names())}"
            )
        return found
    if name in names():
        path = FOLDER / f"{name}.toml"
    elif "/" in name or name.endswith(".toml") or Path(name).is_file():
        path = Path(name)
    else:
        raise RequestError(f"there is no kernel profile `{name}`; --profile takes {accepted()}")
    try:
        return read_entries(path), path
    except ProfileError as error:
        raise UserError(str(error)) from None


def running() -> Profile | None:
    """The profile of the running kernel, without what its BTF lacks. None if no profile fits or BTF is unreadable."""
    found = _running()
    return None if found is None else _profile(*found)


def _profile(data: Entries, path: Path) -> Profile:
    try:
        return profile_of(data, path)
    except ProfileError as error:
        raise UserError(str(error)) from None


def _running() -> tuple[Entries, Path] | None:
    known = b""
    try:
        for path in sorted(BTF.iterdir()):
            if path.name in ("vmlinux", "cache_ext"):
                known += path.read_bytes()
    except OSError:
        return None
    fitting = having(map(entries, names()), known)
    return None if fitting is None else (reduced(fitting[0], known), fitting[1])
