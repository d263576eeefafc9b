"""Run cpol-loader, the native program that loads BPF objects (program.py)."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from cpol.runtime.operate.loader.program import LoaderError, find

GRACE = 0.5
"""Seconds that a loader has to end after SIGTERM."""

__all__ = ["LoaderError", "find", "output", "run"]


def run(arguments: Sequence[str]) -> int:
    """Run the loader, which prints its own messages, and return its exit code.

    Raises:
        LoaderError: there is no loader.
    """
    command = [str(find()), *arguments]
    with _deferred_signals(), subprocess.Popen(command) as process:
        return process.wait()


def output(arguments: Sequence[str], seconds: float, keep: Sequence[int] = (), folder: str | None = None) -> str:
    """Run the loader and return its standard output.

    Args:
        keep: descriptors that the loader holds open, too: it keeps a lock if this process is killed.
        folder: the working directory; None: this process' own.

    Raises:
        LoaderError: there is no loader, it failed (with its message), or it took longer than `seconds`.
    """
    command = [str(find()), *arguments]
    try:
        with _deferred_signals():
            status, text, errors = _finish(command, seconds, keep, folder)
    except OSError as error:
        raise LoaderError(f"cpol-loader cannot be run in {folder or '.'}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise LoaderError(f"cpol-loader {' '.join(arguments)} did not end within {seconds:g} s") from None
    if status != 0:
        said = errors.strip().removeprefix("cpol-loader: error: ")
        raise LoaderError(said or f"cpol-loader {' '.join(arguments)} ended with {status}")
    return text


def _finish(command: list[str], seconds: float, keep: Sequence[int], folder: str | None) -> tuple[int, str, str]:
    """Run a command to its end. Returns its exit code, standard output and standard error."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        pass_fds=keep,
        cwd=folder,
    )
    try:
        text, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        # The loader blocks SIGTERM between two policies. SIGKILL would leave the cgroup without one.
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        if process.returncode is None:
            threading.Thread(target=process.wait, daemon=True).start()  # else it stays a zombie
        raise
    finally:
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    return process.returncode, text, errors


@contextmanager
def _deferred_signals() -> Iterator[None]:
    """Have this process' handlers of SIGINT, SIGTERM and SIGHUP wait for the end of the block.

    Ctrl-C reaches the loader too, which ends where it may. This process must not end earlier: the shell would show its
    prompt, and `subprocess.run` would kill the loader in the part that it protects.
    """
    earlier = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    # Only the main thread may set handlers, and only it runs them. A signal that is ignored stays so in the loader.
    mine = threading.current_thread() is threading.main_thread()
    replaced = {number: handler for number, handler in earlier.items() if mine and callable(handler)}
    for one in replaced:
        signal.signal(one, note)
    try:
        yield
    finally:
        for one, handler in replaced.items():
            signal.signal(one, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)
