"""Which kernel to boot: one that is named, or the patched one, built when the cache does not have it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cpol.kernel.vm.errors import VmError

BUILD = Path(__file__).resolve().parent.parent / "build-kernel"


def find_image(kernel: Path | None) -> Path:
    """The bzImage in `kernel` (a folder, or the file itself); the patched kernel's when None.

    Raises:
        VmError: there is none, or it could not be built.
    """
    folder = built() if kernel is None else kernel
    image = folder / "bzImage" if folder.is_dir() else folder
    if not image.is_file():
        raise VmError(f"no kernel at {image}: --kernel takes a bzImage or a folder that has one")
    return image.resolve()


def built() -> Path:
    """The folder with the patched kernel. The build tells its progress on stderr and the folder on stdout."""
    try:
        done = subprocess.run([BUILD], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    except subprocess.CalledProcessError as error:
        raise VmError(f"the patched kernel could not be built: {BUILD} ended with {error.returncode}") from error
    return Path(done.stdout.strip().splitlines()[-1])
