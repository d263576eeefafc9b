"""The VM runner: the guest's environment, results, errors and clean-up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from vm_types import CHECKOUT, RunInVm

from cpol.kernel.vm import Disk, Machine, VmBootError, VmError, VmTimeout, run
from cpol.kernel.vm.image import stock

pytestmark = pytest.mark.vm


def test_exit_code_output_and_folder(vm: RunInVm) -> None:
    done = vm("sh", "-c", "echo out; echo err >&2; pwd; id -u; exit 37")
    assert (done.code, done.stdout, done.stderr) == (37, f"out\n{CHECKOUT}\n0\n", "err\n")


@pytest.mark.long
def test_arguments_are_passed_unchanged(vm: RunInVm) -> None:
    words = ["a b", "$(id)", "it's", '"q"', "*", "", "\\n", "ünï"]
    assert vm("printf", "[%s]", *words).stdout == "".join(f"[{word}]" for word in words)


def test_exit_code_of_killed_and_missing_commands(vm: RunInVm) -> None:
    assert vm("sh", "-c", "kill -9 $$").code == 128 + signal.SIGKILL
    assert vm("no-such-command").code == 127


@pytest.mark.long
def test_large_output_is_complete(vm: RunInVm) -> None:
    assert vm("seq", "100000").stdout == "".join(f"{number}\n" for number in range(1, 100001))


@pytest.mark.long
def test_dev_stdout_can_be_reopened(vm: RunInVm) -> None:
    done = vm("sh", "-c", "echo one >/dev/stdout; echo two >/dev/stderr")
    assert (done.stdout, done.stderr) == ("one\n", "two\n")


def test_only_the_exchange_folder_is_writable(vm: RunInVm, tmp_path: Path) -> None:
    script = f"echo x >{tmp_path}/in-the-layer && cat {tmp_path}/in-the-layer && echo kept >$CPOL_EXCHANGE/result"
    done = vm("sh", "-c", script)
    assert (done.code, done.stdout) == (0, "x\n")
    assert not (tmp_path / "in-the-layer").exists()
    assert (done.exchange / "result").read_text() == "kept\n"


@pytest.mark.long
def test_file_systems_for_policies_are_mounted(vm: RunInVm) -> None:
    script = """
    grep -qw memory /sys/fs/cgroup/cgroup.controllers && mkdir /sys/fs/cgroup/a && echo 64M >/sys/fs/cgroup/a/memory.max
    cat /sys/fs/cgroup/a/memory.max && mkdir /sys/fs/bpf/b && ls -d /proc/cache_ext
    """
    done = vm("sh", "-c", script)
    assert (done.code, done.stdout) == (0, f"{64 << 20}\n/proc/cache_ext\n"), done.stderr


@pytest.mark.long
def test_stock_kernel_sees_the_host_through_virtiofs(tmp_path: Path) -> None:
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    script = f"""
    uname -r && pwd && echo x >{tmp_path}/in-the-layer && cat {tmp_path}/in-the-layer
    echo kept >$CPOL_EXCHANGE/result
    mkdir /again && mount -t virtiofs -o rw root /again && mount -o remount,rw /again
    echo evil >/again/{tmp_path}/on-the-host
    head -c 4096 /dev/vda | wc -c; exit 37
    """
    image = tmp_path / "disk"
    image.write_bytes(bytes(1 << 20))
    stdout, stderr = bytearray(), bytearray()
    machine = Machine(kernel=stock(), memory="1G", disks=(Disk(image),), exchange=exchange)
    code = run(["sh", "-c", script], machine, stdout=stdout.extend, stderr=stderr.extend, directory=CHECKOUT)
    release = stock().name.removeprefix("vmlinuz-")
    assert (code, stdout.decode()) == (37, f"{release}\n{CHECKOUT}\nx\n4096\n"), stderr.decode()
    assert (exchange / "result").read_text() == "kept\n"
    assert not (tmp_path / "in-the-layer").exists() and not (tmp_path / "on-the-host").exists()


@pytest.mark.long
def test_virtiofs_guest_with_a_second_numa_node() -> None:
    nodes = ["-object", "memory-backend-memfd,id=other,size=192M,share=on", "-numa", "node,nodeid=1,memdev=other"]
    cpus = ["-smp", "2,sockets=2", "-numa", "cpu,node-id=0,socket-id=0", "-numa", "cpu,node-id=1,socket-id=1"]
    words = [f"--qemu-arg={word}" for word in ("-m", "704M", *nodes, *cpus)]
    done = cpolc_vm_run("--kernel", "stock", "--memory", "512M", *words, "cat", NODES, env=dict(os.environ))
    assert (done.returncode, done.stdout) == (0, "0-1\n"), done.stderr


NODES = "/sys/devices/system/node/has_memory"


@pytest.mark.long
def test_disk_is_throttled(vm: RunInVm, tmp_path: Path) -> None:
    image = tmp_path / "disk"
    image.write_bytes(os.urandom(24 << 20))
    read = "dd if=/dev/vda of=/dev/null bs=1M iflag=direct 2>/dev/null && cut -d' ' -f1 /proc/uptime"
    done = vm("sh", "-c", f"cut -d' ' -f1 /proc/uptime; {read}", disks=[Disk(image, bps=8 << 20)])
    before, after = map(float, done.stdout.split())
    assert 2.5 < after - before < 6, "24 MiB at 8 MiB/s must take about 3 s"


@pytest.mark.long
def test_panic_shows_the_console(vm: RunInVm) -> None:
    with pytest.raises(VmError, match=r"(?s)died while the command ran.*sysrq triggered crash"):
        vm("sh", "-c", "echo c >/proc/sysrq-trigger")


@pytest.mark.long
def test_failed_boot_is_retried_a_few_times(kernel: Path) -> None:
    told = bytearray()
    with pytest.raises(VmBootError, match="died during its boot"):
        run(["true"], Machine(kernel=kernel, memory="20M"), stdout=told.extend, stderr=told.extend, timeout=60)
    assert told.decode().count("booting again") == 2


def test_timeout_ends_the_command(vm: RunInVm) -> None:
    begun = time.monotonic()
    with pytest.raises(VmTimeout, match="had not ended after 12 s"):
        vm("sleep", "1000", timeout=12)
    assert time.monotonic() - begun < 20


def test_unbootable_kernel_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bzImage").write_bytes(b"no kernel")
    done = cpolc_vm_run("--kernel", str(tmp_path), "true", env={**os.environ, "CPOL_VM_ACCEL": "tcg"})
    assert done.returncode == 125
    assert done.stderr.startswith("cpolc: error: QEMU failed: ")


def test_sigterm_ends_the_machine_and_cleans_up(kernel: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [*CPOLC_VM_RUN, "--kernel", str(kernel), "--", "sh", "-c", "echo up; sleep 1000"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "up\n"
        assert machines_of(tmp_path)
        process.terminate()
        assert process.wait(10) == 128 + signal.SIGTERM
    assert not machines_of(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_killed_runner_ends_its_machine(kernel: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*CPOLC_VM_RUN, "--kernel", str(kernel), "--", "sh", "-c", "echo up; sleep 1000"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        text=True,
    )
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "up\n"
        process.kill()
    deadline = time.monotonic() + 10
    while machines_of(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not machines_of(tmp_path)


CPOLC_VM_RUN = (sys.executable, "-m", "cpol.cli.main", "vm", "run")


def cpolc_vm_run(*words: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run `cpolc vm run` with an empty standard input."""
    return subprocess.run(
        [*CPOLC_VM_RUN, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=env,
        text=True,
        timeout=120,
        check=False,
    )


def machines_of(folder: Path) -> list[str]:
    """Return the QEMU processes whose command lines name the folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if line.startswith("qemu-system") or "/qemu-system" in line.partition("\0")[0]:
            found += [line] if str(folder) in line else []
    return found
