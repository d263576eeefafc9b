"""Finds the kernel to boot: the named one, or the patched one. If the cache lacks the patched kernel, it is built.

CPOL_KERNEL names a kernel for a whole session, for work on the kernel. `stock` names Debian's own, as installed.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from cpol.kernel.vm.errors import VmError

BUILD = Path(__file__).resolve().parent.parent / "build-kernel"
STOCK_RELEASE = Path(__file__).resolve().parent.parent / "module" / "stock-release"


def named(text: str) -> Path:
    """The kernel that `text` names: `stock`, or a path.

    Raises:
        VmError: no stock kernel is installed.
    """
    return stock() if text == "stock" else Path(text)


def stock() -> Path:
    """The newest stock kernel that is installed with its headers.

    Raises:
        VmError: there is none.
    """
    done = subprocess.run([STOCK_RELEASE], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise VmError(done.stderr.strip())
    return Path("/boot") / f"vmlinuz-{done.stdout.strip()}"


def speaks_9p(image: Path) -> bool:
    """Whether a kernel can mount the host's folders by 9p without a module. Debian's cloud kernel cannot; it has
    virtiofs. Its config file, from a package or from build-kernel, decides. Without that file, 9p is assumed."""
    for config in (image.parent / image.name.replace("vmlinuz-", "config-", 1), image.parent / "config"):
        if config != image and config.is_file():
            return "CONFIG_NET_9P_VIRTIO=y" in config.read_text(errors="replace").splitlines()
    return True


def modules_beside(image: Path) -> Path | None:
    """The modules of a kernel of another root (scripts/kernel-root): ROOT/lib/modules for ROOT/boot/vmlinuz-RELEASE."""
    folder = image.parent.parent / "lib" / "modules"
    release = image.name.removeprefix("vmlinuz-")
    own = image.parent == Path("/boot") or image.parent.name != "boot" or not (folder / release).is_dir()
    return None if own else folder


def find_image(kernel: Path | None) -> Path:
    """The bzImage of `kernel`, which is a folder or the file itself. None: that of CPOL_KERNEL, or the patched one.

    Raises:
        VmError: there is none, or it cannot be built.
    """
    if kernel is None and os.environ.get("CPOL_KERNEL"):
        kernel = named(os.environ["CPOL_KERNEL"])
    folder = built() if kernel is None else kernel
    image = folder / "bzImage" if folder.is_dir() else folder
    if not image.is_file():
        raise VmError(f"no kernel at {image}: --kernel takes a bzImage or a folder that has one")
    return image.resolve()


def built() -> Path:
    """The folder with the patched kernel. kernel/build-kernel shows its progress on standard error.

    Raises:
        VmError: it cannot be built.
    """
    try:
        done = subprocess.run([BUILD], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    except subprocess.CalledProcessError as error:
        raise VmError(f"cannot build the patched kernel: {BUILD} ended with {error.returncode}") from error
    return Path(done.stdout.strip().splitlines()[-1])
