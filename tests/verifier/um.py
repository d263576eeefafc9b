"""Runs a command on the patched kernel as a process of the host (User Mode Linux; kernel/build-kernel --arch um).

The kernel verifies BPF programs at the host's speed, and can run none. It has one processor and no network. The root is
the host's tree, read-only; what is kept goes to the exchange folder.
"""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INIT = Path(__file__).resolve().with_name("um_init.py")
GUEST_EXCHANGE = Path("/run/exchange")
MEMORY = "1G"
CONSOLE_LINES = 40
TUNABLES = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-AVX_Fast_Unaligned_Load"
"""Init's environment. On hosts with AMX that kernel keeps no registers that only AVX has (kernel/um/0002-…)."""


class UmError(Exception):
    """The kernel was not built, did not start, or died. The message says why."""


def kernel() -> Path:
    """Return the program `linux`, which is built unless it is cached."""
    build = ROOT / "kernel" / "build-kernel"
    done = subprocess.run(
        [build, "--arch", "um"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise UmError(f"{build} --arch um ended with {done.returncode}")
    return Path(done.stdout.strip().splitlines()[-1]) / "linux"


def run(linux: Path, command: Sequence[str], exchange: Path, timeout: float) -> tuple[int, str]:
    """Run a command there; return its exit code and what it printed.

    Args:
        exchange: a folder for this run. It is GUEST_EXCHANGE there, for temporary files and what else is to be kept.

    Raises:
        UmError: the kernel did not start, died, or took longer than `timeout` seconds.
    """
    (exchange / "command.json").write_text(json.dumps(list(command)))
    with tempfile.TemporaryDirectory(prefix="cpol-um-") as scratch:
        console = _run(linux, exchange.resolve(), Path(scratch), timeout)
    code, output = exchange / "exit-code", exchange / "output"
    said = output.read_text(errors="replace") if output.exists() else ""
    if not code.exists():
        raise UmError(f"the kernel ended before its command did:\n{said[-4000:]}\n{console}")
    return int(code.read_text()), said


def _run(linux: Path, exchange: Path, scratch: Path, timeout: float) -> str:
    """Run the kernel to its end; return the console's last lines."""
    arguments = [
        str(linux), f"mem={MEMORY}", "rootfstype=hostfs", "rootflags=/", "ro", f"init={INIT}", f"EXCHANGE={exchange}",
        "mitigations=off", TUNABLES, "con=null", "con0=null,fd:1", f"uml_dir={scratch}/", "umid=um",
    ]  # fmt: skip
    with (scratch / "console").open("w+b") as console:
        # Its processes are a group, and it ends with us.
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", *arguments],
            stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise UmError(f"the kernel's command took longer than {timeout:.0f} s") from None
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
        console.seek(0)
        lines = console.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-CONSOLE_LINES:])
