"""What kernels can do: a profile is a file here, or one of a user; that of the running kernel is found by its BTF."""

from __future__ import annotations

from pathlib import Path

from cpol.compiler.analysis.profile import Profile, ProfileError, read_profile
from cpol.errors import RequestError, UserError

FOLDER = Path(__file__).resolve().parent
BTF = Path("/sys/kernel/btf")
DEFAULT = "patched-6.12"
USUAL = (DEFAULT, "module-6.12")
"""Kernels that run policies as they are: those that `cpolc lint` asks about."""


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def accepted() -> str:
    """What names a profile, in words."""
    return f"{', '.join(names())}, or the path of a .toml file"


def load(name: str) -> Profile:
    """Load a profile by its name, or from a path.

    Raises:
        RequestError: there is no such profile.
        UserError: the file is not a profile.
    """
    if name in names():
        path = FOLDER / f"{name}.toml"
    elif "/" in name or name.endswith(".toml"):
        path = Path(name)
    else:
        raise RequestError(f"there is no kernel profile `{name}`; --profile takes {accepted()}")
    try:
        return read_profile(path)
    except ProfileError as error:
        raise UserError(str(error)) from None


def running() -> Profile | None:
    """The profile of the running kernel, by names in its BTF. None if no profile fits or BTF is unreadable."""
    known = b""
    try:
        for path in sorted(BTF.iterdir()):
            if path.name in ("vmlinux", "cache_ext"):
                known += path.read_bytes()
    except OSError:
        return None
    fitting = [profile for profile in map(load, names()) if profile.detect]
    fitting = [p for p in fitting if all(b"\0" + name.encode() + b"\0" in known for name in p.detect)]
    return max(fitting, key=lambda profile: len(profile.detect), default=None)
