#!/usr/bin/python3 -I
"""The only process of the kernel that um.py starts: it runs one command and ends the kernel.

The root is the host's tree, read-only. The folder $EXCHANGE, which is writable, has `command.json`; `output` and
`exit-code` come there.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import traceback
from pathlib import Path

NOTHING_ELSE = 0
POWER_OFF = 0x4321FEDC  # RB_POWER_OFF of <sys/reboot.h>
LIBC = ctypes.CDLL(None, use_errno=True)


def mount(kind: str, where: str, options: str = "") -> None:
    if LIBC.mount(kind.encode(), where.encode(), kind.encode(), NOTHING_ELSE, options.encode()):
        raise OSError(ctypes.get_errno(), f"{kind} at {where}")


def main() -> None:
    mount("proc", "/proc")
    mount("sysfs", "/sys")
    mount("bpf", "/sys/fs/bpf")
    mount("cgroup2", "/sys/fs/cgroup")
    Path("/sys/fs/cgroup/cgroup.subtree_control").write_text("+memory")
    mount("tmpfs", "/run")
    exchange = Path("/run/exchange")
    exchange.mkdir()
    mount("hostfs", str(exchange), os.environ["EXCHANGE"])
    with (exchange / "output").open("ab") as output:
        try:
            command = json.loads((exchange / "command.json").read_text())
            environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": str(exchange)}
            environment["GLIBC_TUNABLES"] = os.environ["GLIBC_TUNABLES"]
            code = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, check=False
            ).returncode
        except Exception:
            output.write(traceback.format_exc().encode())
            code = 125
    (exchange / "exit-code").write_text(str(code))


try:
    main()
except Exception:
    traceback.print_exc()  # to the console
os.sync()
LIBC.reboot(POWER_OFF)
