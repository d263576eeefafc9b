"""The commands of tests/kernel/run-hostile."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from cpol.kernel.vm.image import stock

from .activity import TOGETHER, Round, make_program, make_round, plan
from .build import BuildError, compile_all, write_sources
from .emit import emit
from .interface import CHECKOUT, members
from .machine import Outcome, Settings, carry_out, replay
from .reduce import Reducer

KEPT = CHECKOUT / "build" / "hostile"
IN_ONE = 100
"""Rounds in one machine."""
COUNTED = (
    *("rounds", "accepted", "refused", "declined", "overruled", "oom", "races", "slept"),
    *("accessed", "evicted", "fallback", "migrated", "split"),
    *("asked", "prefetched", "used", "wasted", "foreign", "ra_asked", "ra_prefetched", "ranges"),
    *("out_asked", "out_kept"),
)
WITHOUT_PREFETCH = b"cache_ext_without_prefetch"
"""The name of a struct in the BTF of a module that is built without prefetching."""
MOST_REFUSED = 10
"""Percent of programs that the verifier may refuse."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.command == "show":
        sys.stdout.write(emit(make_program(options.seed, options.index)))
        return 0
    module = options.module or (_module() if options.glue == "module" else None)
    settings = Settings(
        seed=options.seed,
        kernel=options.kernel or (stock() if module else None),
        module=module,
        # The module cannot refuse folios.
        without=(*options.without, *(["admit_folio"] if module else [])),
        memory=options.memory or ("512M" if module else "320M"),
        faults=options.faults,
        evicts_only=module is not None and WITHOUT_PREFETCH in module.read_bytes(),
        verbose=options.command == "replay",
        patience=options.patience,
        timeout=options.timeout,
    )
    return {"run": _run, "replay": _replay, "reduce": _reduce}[options.command](options, settings)


def _module() -> Path:
    command = CHECKOUT / "kernel" / "build-module"
    done = subprocess.run([command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    return Path(done.stdout.strip()) / "cache_ext.ko"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tests/kernel/run-hostile", description="Random hostile policies on the kernel."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    known = sorted({*members(), *members("prefetch")})
    machine = argparse.ArgumentParser(add_help=False)
    machine.add_argument("--seed", type=int, default=1)
    machine.add_argument("--kernel", type=Path, help="a bzImage (default: the patched kernel)")
    machine.add_argument("--glue", choices=("patched", "module"), default="patched", help="module: on the stock kernel")
    machine.add_argument("--module", type=Path, help="a cache_ext.ko built before, for the kernel of --kernel")
    machine.add_argument(
        "--without",
        action="append",
        default=[],
        choices=known,
        help="leave out a member",
    )
    machine.add_argument("--memory", help="of a machine")
    machine.add_argument("--faults", type=int, default=0, help="percent of allocations that fail in every other round")
    machine.add_argument("--patience", type=int, default=60, help="seconds of the guest that a process may take to end")
    machine.add_argument("--timeout", type=float, default=3600, help="seconds for one machine")
    show = commands.add_parser("show", help="print a program")
    show.add_argument("--seed", type=int, default=1)
    show.add_argument("--index", type=int, required=True)
    run = commands.add_parser("run", parents=[machine], help="run programs; exit 1 if the kernel failed")
    run.add_argument("--programs", type=int, default=300)
    run.add_argument("--first", type=int, default=0, help="index of the first program")
    run.add_argument("--keep-going", action="store_true", help="after a failure, go on in a new machine")
    run.add_argument("--seconds", type=float, help="begin no machine after so long")
    for name, help_ in (("replay", "run programs again"), ("reduce", "drop all that a failure does not need")):
        again = commands.add_parser(name, parents=[machine], help=help_)
        again.add_argument("--index", type=int, help="the program, with those of its round")
        again.add_argument("--since", type=int, help="with all rounds since that of this program")
        if name == "replay":
            again.add_argument("--folder", type=Path, help="what was kept of a failure, instead of an index")
        else:
            again.add_argument("--tries", type=int, default=150, help="how many machines")
    return parser


def _rounds(options: argparse.Namespace) -> tuple[Round, ...]:
    if options.index is None:
        sys.exit("run-hostile: --index is missing")
    since = options.index if options.since is None else options.since
    return tuple(make_round(options.seed, number) for number in range(since // TOGETHER, options.index // TOGETHER + 1))


def _replay(options: argparse.Namespace, settings: Settings) -> int:
    with tempfile.TemporaryDirectory(prefix="hostile-", dir="/var/tmp") as name:
        folder = Path(name)
        if options.folder:
            shutil.copytree(options.folder, folder, dirs_exist_ok=True)
            compile_all(sorted(folder.glob("*.bpf.c")))
            outcome = replay(settings, folder, print)
        else:
            outcome = carry_out(_rounds(options), settings, folder, print)
    print(outcome.problem or "no failure")
    return int(bool(outcome.problem))


def _run(options: argparse.Namespace, settings: Settings) -> int:
    begun = time.monotonic()
    number, last = options.first // TOGETHER, (options.first + options.programs - 1) // TOGETHER
    totals: dict[str, int] = {}
    failures = 0
    print(f"seed {options.seed}, programs {number * TOGETHER} to {last * TOGETHER + TOGETHER - 1}", flush=True)
    while number <= last and not (options.seconds and time.monotonic() - begun > options.seconds):
        first, count = number, min(IN_ONE, last + 1 - number)
        with tempfile.TemporaryDirectory(prefix="hostile-", dir="/var/tmp") as name:
            folder = Path(name)
            rounds = [make_round(options.seed, first + at) for at in range(count)]
            outcome = carry_out(rounds, settings, folder, _progress)
            for text in outcome.refused:
                print(text)
            for key, value in outcome.counts.items():
                totals[key] = totals.get(key, 0) + value
            number = first + count
            if outcome.failed is not None:
                failures += 1
                number = max(outcome.failed, first) + 1
                _report(outcome, options, first, folder)
                if not options.keep_going:
                    break
    return _sum_up(totals, failures, time.monotonic() - begun)


def _progress(line: str) -> None:
    if line.startswith(("round", "failed")):
        print(line, flush=True)


def _report(outcome: Outcome, options: argparse.Namespace, first: int, folder: Path) -> None:
    """Say how to see the failure again, and keep its programs."""
    assert outcome.failed is not None
    index = max(outcome.failed, first) * TOGETHER
    kept = KEPT / f"seed-{options.seed}-program-{index}"
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    one = make_round(options.seed, index // TOGETHER)
    write_sources(one.programs, options.seed, kept)
    (kept / "plan").write_text(plan([one]))
    (kept / "problem").write_text(outcome.problem + "\n")
    extra = "".join(
        f" --{name} {getattr(options, name)}" for name in ("kernel", "memory", "faults") if getattr(options, name)
    )
    extra += "".join(f" --without {member}" for member in options.without)
    extra += " --glue module" if options.glue == "module" else ""
    extra += f" --module {options.module}" if options.module else ""
    command = f"tests/kernel/run-hostile replay --seed {options.seed} --index {index}{extra}"
    print(outcome.problem)
    print(f"FAILED: seed {options.seed}, programs {index} to {index + TOGETHER - 1}; kept in {kept}")
    print(f"replay: {command}")
    if index > first * TOGETHER:
        print(f"with what ran before: {command} --since {first * TOGETHER}")
    print(f"reduce: {command.replace('replay', 'reduce')}", flush=True)


def _sum_up(totals: dict[str, int], failures: int, seconds: float) -> int:
    accepted, refused = totals.get("accepted", 0), totals.get("refused", 0)
    share = 100 * refused / max(1, accepted + refused)
    words = ", ".join(f"{key} {totals.get(key, 0)}" for key in COUNTED)
    print(f"hostile: {words}; failures {failures}; {seconds:.0f} s")
    if share > MOST_REFUSED:
        print(f"the verifier refused {share:.0f} % of the programs: at most {MOST_REFUSED} % are expected")
    return int(failures > 0 or share > MOST_REFUSED)


def _reduce(options: argparse.Namespace, settings: Settings) -> int:
    found = Outcome()

    def fails(rounds: tuple[Round, ...]) -> bool:
        nonlocal found
        with tempfile.TemporaryDirectory(prefix="hostile-", dir="/var/tmp") as name:
            try:
                outcome = carry_out(rounds, settings, Path(name))
            except BuildError:  # it lacks a declaration
                return False
        if outcome.problem:
            found = outcome
        return bool(outcome.problem)

    rounds = _rounds(options)
    if not fails(rounds):
        print("these programs do not fail by themselves: try --since, for what ran before them")
        return 2
    rounds = Reducer(fails, options.tries, lambda text: print(text, flush=True)).reduce(rounds)
    kept = KEPT / f"reduced-{options.seed}-{options.index}"
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    for path in write_sources((entry for one in rounds for entry in one.programs), options.seed, kept):
        print(path.read_text())
    (kept / "plan").write_text(plan(rounds))
    (kept / "problem").write_text(found.problem + "\n")
    print((kept / "plan").read_text())
    print(found.problem)
    print(f"kept in {kept}; replay: tests/kernel/run-hostile replay --folder {kept}")
    return 1
