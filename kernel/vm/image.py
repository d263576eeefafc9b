"""Which kernel to boot: one that is named, or the patched one, built when the cache does not have it.

CPOL_KERNEL names one for a whole session, for work on the kernel itself.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from cpol.kernel.vm.errors import VmError

BUILD = Path(__file__).resolve().parent.parent / "build-kernel"


def find_image(kernel: Path | None) -> Path:
    """The bzImage in `kernel` (a folder, or the file itself); when None, CPOL_KERNEL's or the patched one.

    Raises:
        VmError: there is none, or it could not be built.
    """
    if kernel is None and os.environ.get("CPOL_KERNEL"):
        kernel = Path(os.environ["CPOL_KERNEL"])
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
