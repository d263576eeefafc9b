"""Checks in the machine (attach_checks.py): the systemd unit has the capabilities that an attach needs, and no more."""

from __future__ import annotations

from pathlib import Path

from guest import cgroup, check, kernel_lines, nothing_left, obj, remove
from unit import FOR_THE_MODULE, UNIT, capabilities, confined

IS_MODULE = Path("/sys/kernel/btf/cache_ext").exists()


@check
def unit_attaches() -> list[str]:
    """On the patched kernel without CAP_SYS_ADMIN. With the module, its drop-in adds it, and a message names it."""
    path, names = cgroup("one"), capabilities(UNIT)
    assert "sys_admin" not in names
    Path("/sys/fs/bpf").chmod(0o711)
    if IS_MODULE:
        done = confined(names, "attach", obj("lfu"), path)
        assert done.returncode == 1 and not kernel_lines(path), done.stdout
        assert "cache_ext is a module here, and only CAP_SYS_ADMIN finds" in done.stderr, done.stderr
        assert FOR_THE_MODULE.name in done.stderr
        names += capabilities(FOR_THE_MODULE)
    for policy, *words in (("lfu", path), ("fifo", path, "--replace")):
        done = confined(names, "attach", obj(policy), *words)
        assert done.returncode == 0, done.stderr
        (line,) = kernel_lines(path)
        assert line["name"] == policy
    done = confined(capabilities(UNIT), "detach", path)
    assert done.returncode == 0, done.stderr
    nothing_left(path)
    remove(path)
    return names
