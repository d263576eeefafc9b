"""The folder of a study: what it is about, and a file for each trial that was done."""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cpol.compiler.policies import resolve
from cpol.compiler.toolchain.files import write_atomically
from cpol.errors import UserError
from cpol.runtime.operate.study.job import SCRATCH, VERSION, Medium
from cpol.runtime.operate.study.order import Trial, ordered
from cpol.runtime.operate.study.outcome import MAX_LINE, Outcome, line_of, read_outcome
from cpol.runtime.operate.study.spec import NAME, Program, Study, Variant

ABOUT: Final = "study.json"
TRIALS: Final = "trials"
MAX_HASHED: Final = 64 << 20
"""Bytes of a file up to which its contents count, and not only its size."""


@dataclass(frozen=True)
class Kept:
    """A study, and what is known of its trials."""

    folder: Path
    study: Study
    outcomes: Mapping[Trial, Outcome]


def definition(study: Study) -> dict[str, Any]:
    """What trials must have in common to be compared. Title, seed and the number of trials are no part of it."""
    return {
        "ratios": list(study.ratios),
        "media": {name: dataclasses.asdict(each) for name, each in study.media.items()},
        "variants": {name: dataclasses.asdict(each) for name, each in study.variants.items()},
        "programs": {name: dataclasses.asdict(each) for name, each in study.programs.items()},
        "machine": [*study.machine],
        "cpolc": study.cpolc,
    }


def files_of(study: Study) -> dict[str, str]:
    """Hashes of the files that a definition names, so that a program that changed is another one."""
    words = [word for each in study.programs.values() for word in (*each.prepare, *each.command)]
    files = {word: _hashed(study.folder / word) for word in words}
    files |= {each.policy: _hashed(resolve(each.policy)) for each in study.variants.values() if each.policy}
    return {word: hash for word, hash in files.items() if hash}


def digest_of(study: Study, files: Mapping[str, str]) -> str:
    """A hash of the definition and of its files."""
    facts = {**definition(study), "files": files}
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _hashed(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        if path.stat().st_size > MAX_HASHED:
            return f"{path.stat().st_size} bytes"
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):  # not to be read, or the word is no name of a file
        return ""


@contextmanager
def opened(study: Study, folder: Path, fresh: bool) -> Iterator[Kept]:
    """The folder to keep a study in, made if it is not there. No other process adds to it in this block.

    Args:
        fresh: a study that has changed begins anew; the folder of its trials gets another name.

    Raises:
        UserError: it holds another study, another process adds to it, or it cannot be written.
    """
    try:
        if folder.is_dir() and not (folder / ABOUT).exists() and any(map(_is_strange, folder.iterdir())):
            raise UserError(f"{folder} holds other files, and no study; name a folder that is empty, or not there")
        (folder / TRIALS).mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UserError(f"cannot make the folder {folder}: {error.strerror}; name another one: -o FOLDER") from None
    try:
        yield _begun(study, folder, fresh, handle)
    finally:
        os.close(handle)


def _begun(study: Study, folder: Path, fresh: bool, handle: int) -> Kept:
    files = files_of(study)
    digest = digest_of(study, files)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        before = _about(folder) if (folder / ABOUT).exists() else None
        if before is not None and (before["digest"] != digest or fresh):
            if not fresh:
                raise UserError(
                    f"the trials in {folder} are of a study that was another one: {_differs(before, study, files)}; "
                    "name another folder (-o FOLDER), or begin anew with --fresh"
                )
            _set_aside(folder, before["digest"])
        facts = {"cpol_study": VERSION, "digest": digest, "files": files, "study": _facts(study)}
        write_atomically(folder / ABOUT, f"{json.dumps(facts, indent=1)}\n".encode())
        return Kept(folder, study, _outcomes(folder, study))
    except BlockingIOError:
        raise UserError(f"another `cpolc study run` adds to {folder}; wait for it, or name another folder") from None
    except OSError as error:
        raise UserError(f"cannot use {folder}: {error.strerror}; name another folder: -o FOLDER") from None


def _is_strange(path: Path) -> bool:
    """Whether it is neither set aside, nor what a run that was killed at its begin leaves."""
    return path.name != TRIALS and not path.name.startswith((f".{ABOUT}.", f"{TRIALS}-"))


def _differs(before: Mapping[str, Any], study: Study, files: Mapping[str, str]) -> str:
    """What the definition of a study changed, or which of its files."""
    now = json.loads(json.dumps(definition(study)))
    old, hashes = before["study"], before["files"]
    if changed := [name for name, value in now.items() if old.get(name) != value]:
        return f"{', '.join(changed)} changed"
    names = sorted(name for name in {*hashes, *files} if hashes.get(name) != files.get(name))
    what = (
        f"{', '.join(names[:3])}{' and other files' if len(names) > 3 else ''} changed" if names else "a file changed"
    )
    return f"{what} (what programs write belongs in {SCRATCH}, or in a file that no command names)"


def _set_aside(folder: Path, digest: str) -> None:
    """In a folder that can be reported, too."""
    number = 1
    while (aside := folder / f"{TRIALS}-{digest[:8]}-{number}").exists():
        number += 1
    aside.mkdir()
    write_atomically(aside / ABOUT, (folder / ABOUT).read_bytes())
    (folder / TRIALS).rename(aside / TRIALS)
    (folder / TRIALS).mkdir()


def _facts(study: Study) -> dict[str, Any]:
    facts = {"title": study.title, "seed": study.seed, "trials": study.trials, "baseline": study.baseline}
    return {**facts, "folder": str(study.folder), "boot_timeout": study.boot_timeout, **definition(study)}


def keep(folder: Path, trial: Trial, outcome: Outcome) -> None:
    """Add the file of a trial.

    Raises:
        UserError: it cannot be written.
    """
    path = folder / TRIALS / f"{trial.id}.json"
    try:
        write_atomically(path, f"{line_of(outcome)}\n".encode())
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; make room, and run the same command again") from None


def read_kept(folder: Path) -> Kept:
    """A study from its folder, also while trials are added.

    Raises:
        UserError: it is no such folder, or a file is damaged.
    """
    if not (folder / ABOUT).is_file():
        raise UserError(f"{folder} is no folder of a study; name one that `cpolc study run` made, such as NAME.study")
    about = _about(folder)
    try:
        study = _study(about["study"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(folder / ABOUT, error) from None
    return Kept(folder, study, _outcomes(folder, study))


def _about(folder: Path) -> Mapping[str, Any]:
    path = folder / ABOUT
    try:
        facts: Any = json.loads(path.read_bytes())
        if facts["cpol_study"] != VERSION or not isinstance(facts["study"], dict):
            raise ValueError("another version of cpolc wrote it")
        return {"digest": str(facts["digest"]), "study": facts["study"], "files": dict(facts.get("files", {}))}
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> UserError:
    return UserError(f"{path} is damaged: {error}; remove it, and run `cpolc study run` again")


def _study(told: Mapping[str, Any]) -> Study:
    variants = {
        name: Variant(name, tuple((str(path), str(value)) for path, value in each["settings"]), str(each["policy"]))
        for name, each in told["variants"].items()
    }
    programs = {
        name: Program(name, tuple(each["command"]), tuple(each["prepare"]), each["footprint"], each["timeout"])
        for name, each in told["programs"].items()
    }
    media = {name: Medium(each["device"], each["size"], each["algorithm"]) for name, each in told["media"].items()}
    names = [*variants, *programs, *media]
    if told["baseline"] not in variants or not programs or not media or not all(map(NAME.fullmatch, names)):
        raise ValueError("its parts do not fit")
    return Study(
        Path(told["folder"]),
        str(told["title"]),
        int(told["seed"]),
        int(told["trials"]),
        tuple(float(ratio) for ratio in told["ratios"]),
        told["baseline"],
        media,
        variants,
        programs,
        tuple(told["machine"]),
        str(told["cpolc"]),
        int(told["boot_timeout"]),
    )


def _outcomes(folder: Path, study: Study) -> dict[Trial, Outcome]:
    """What is kept of each trial of the study.

    Raises:
        UserError: a file is damaged.
    """
    found = {}
    for trial in ordered(study):
        path = folder / TRIALS / f"{trial.id}.json"
        try:
            with path.open("rb") as file:
                found[trial] = read_outcome(file.read(MAX_LINE), trial.id)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from None
        except ValueError as error:
            raise _damaged(path, error) from None
    return found
