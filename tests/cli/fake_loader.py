"""A loader without a kernel, for tests: it keeps what is attached in $FAKE_STATE, and refuses what $FAKE_REFUSE names.

The folders of a test's tree are the cgroups. Run as CPOL_LOADER; `install` writes the program.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

Policies = dict[str, dict[str, Any]]


def install(folder: Path) -> Path:
    """Write the program and an empty state. Returns the program's path; the state is `state` beside it."""
    program = folder / "loader"
    program.write_text(f'#!/bin/sh\nFAKE_STATE="{folder}/state" exec {sys.executable} -I {__file__} "$@"\n')
    program.chmod(0o755)
    (folder / "state").write_text("{}")
    return program


def attached(folder: Path) -> dict[str, dict[str, Any]]:
    """What is attached, by the names of the cgroups' folders."""
    policies: Policies = json.loads((folder / "state").read_text())
    return {Path(one["path"]).name: one for one in policies.values()}


def calls(folder: Path) -> list[list[str]]:
    """The command lines so far."""
    path = folder / "state.calls"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Refused(Exception):
    pass


def gone(policy: dict[str, Any]) -> bool:
    path = Path(policy["path"])
    return not path.exists() or path.stat().st_ino != policy["cgroup"]


def attach(policies: Policies, words: list[str]) -> str:
    options, (path, cgroup) = words[: words.index("--")], words[words.index("--") + 1 :]
    name, number = Path(path).read_bytes().decode(errors="replace"), str(Path(cgroup).stat().st_ino)
    name = Path(path).name.removesuffix(".bpf.o") if "\0" in name or len(name) > 40 else name.strip()
    if name in os.environ.get("FAKE_REFUSE", "").split():
        raise Refused(f"the verifier refuses {name}")
    old = policies.get(number)
    if "--dry-run" in options:
        return f"{name} can be attached to {cgroup}"
    if old is not None and "--replace" not in options:
        raise Refused(f"{cgroup} already has the policy {old['policy']}")
    tag = options[options.index("--tag") + 1] if "--tag" in options else ""
    kept = {key: value for key, value in old.items() if key != "kept"} if old and "--keep-old" in options else None
    policies[number] = {
        "cgroup": int(number), "path": cgroup, "policy": name, "state": "attached", "tag": tag, "options": options,
        "folder": str(Path.cwd()), "attached_ms": time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000, "kept": kept,
    }  # fmt: skip
    return f"{name} is attached to {cgroup}"


def detach(policies: Policies, words: list[str]) -> str:
    if "detach" in os.environ.get("FAKE_REFUSE", "").split():
        raise Refused("bpffs is read-only")
    words = [word for word in words if word != "--prefetch"]
    tag = words[1] if words[0] == "--tag" else None
    words = words if tag is None else words[2:]
    numbers = [number for number, one in policies.items() if gone(one)]
    if words[0] == "--id":
        numbers = [words[1]]
    elif words[0] == "--":
        numbers = [str(Path(words[1]).stat().st_ino)]
    if tag is not None:
        numbers = [number for number in numbers if number in policies and policies[number]["tag"] == tag]
        if not numbers:
            raise Refused(f"no policy with the tag {tag}")
    said = [f"{policies.pop(number)['policy']} is detached" for number in numbers]
    return "\n".join(said)


def rollback(policies: Policies, words: list[str]) -> str:
    options, path = words[: words.index("--")], words[words.index("--") + 1]
    number = str(Path(path).stat().st_ino)
    one = policies.get(number)
    if one is None:
        raise Refused(f"{path} has no policy")
    if "--tag" in options and options[options.index("--tag") + 1] != one["tag"]:
        raise Refused("not the one that was tried")
    if "rollback" in os.environ.get("FAKE_REFUSE", "").split():
        raise Refused("the kernel refuses")
    if "--forget" in options:
        one["kept"] = None
        return ""
    if one["kept"]:
        policies[number] = {**one["kept"], "kept": None}
        return f"{one['kept']['policy']} is back on {path}, in place of {one['policy']}"
    return f"{policies.pop(number)['policy']} is detached from {path}, which had no policy before"


def list_(policies: Policies, _: list[str]) -> str:
    if "list" in os.environ.get("FAKE_REFUSE", "").split():
        raise Refused("bpffs cannot be read")
    keys = ("cgroup", "path", "kind", "policy", "state", "tag", "attached_ms", "exit", "message")
    shown = [{key: one[key] for key in keys if one.get(key)} for one in policies.values()]
    for one, full in zip(shown, policies.values(), strict=True):
        if gone(full):
            one.update(path=None, state="cgroup removed")
    return json.dumps(shown)


def stat(policies: Policies, words: list[str]) -> str:
    """What a test wrote into `state.stat`, or else the numbers in `policy.stat` of each cgroup."""
    given = Path(os.environ["FAKE_STATE"]).with_suffix(".stat")
    if given.exists():
        return given.read_text()
    entries = []
    for one in policies.values():
        file = Path(one["path"], "policy.stat")
        numbers = json.loads(file.read_text()) if file.exists() else {}
        entries.append({"path": one["path"], "cgroup": one["cgroup"], "name": one["policy"], "state": one["state"]})
        entries[-1].update(numbers, list_names=[], attached_ms=one["attached_ms"])
    return json.dumps(entries)


def attach_unpinned(words: list[str]) -> int:
    """As the loader does: until standard input ends; then the cgroup's folder goes."""
    folder = Path(words[-1])
    if "attached" in os.environ.get("FAKE_REFUSE", "").split():
        print("cpol-loader: error: the kernel has no policies", file=sys.stderr)
        return 1
    (folder / "cgroup.procs").write_text("")
    print("uncached is attached", flush=True)
    if "early" in os.environ.get("FAKE_REFUSE", "").split():
        time.sleep(3)
        (folder / "cgroup.procs").unlink()
        return 1
    sys.stdin.read()
    shutil.rmtree(folder)
    return 0


def main(command: str, words: list[str]) -> int:
    state = Path(os.environ["FAKE_STATE"])
    if command == "attach-unpinned":
        with state.with_suffix(".calls").open("a") as log:
            log.write(json.dumps([command, *words]) + "\n")
        return attach_unpinned(words)
    if command == "attach" and "--dry-run" not in words and "FAKE_SECONDS" in os.environ:
        read = state.with_name("slow.bpf.o")  # as the loader does, before it is slow
        read.write_bytes(Path(words[-2]).read_bytes())
        words = [*words[:-2], str(read), words[-1]]
        time.sleep(float(os.environ["FAKE_SECONDS"]))
    with state.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        policies: Policies = json.loads(state.read_text())
        with state.with_suffix(".calls").open("a") as log:
            log.write(json.dumps([command, *words]) + "\n")
        run = {"attach": attach, "detach": detach, "list": list_, "stat": stat, "rollback": rollback}
        try:
            said = run[command](policies, words)
        except Refused as error:
            print(f"cpol-loader: error: {error}", file=sys.stderr)
            return 1
        fresh = state.with_suffix(".new")
        fresh.write_text(json.dumps(policies))
        fresh.replace(state)
    if said:
        print(said)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
