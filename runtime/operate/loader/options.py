"""What the loader's commands are told, as words of its command line."""

from __future__ import annotations

from dataclasses import dataclass


def policy_words(prefetch: bool) -> list[str]:
    """Which policy of a cgroup is meant: the one that only prefetches, or the other."""
    return ["--prefetch"] if prefetch else []


@dataclass(frozen=True)
class AttachOptions:
    """Options of an attach."""

    settings: tuple[str, ...] = ()
    """`name=value` for each param."""
    inputs: tuple[str, ...] = ()
    """`name=value,value,…` for each input: its initial keys."""
    input_group: str | None = None
    """The group that may change the inputs, besides root."""
    replace: bool = False
    """Replace the policy of the cgroup, if it has one."""
    dry_run: bool = False
    """Load the object into the kernel, as the attach would, and attach nothing."""
    tag: str | None = None
    """Who or what attaches it, for `cpolc list --json`: letters, digits and `:._-`."""
    profile: str | None = None
    """The kernel profile to check against; None: that of the running kernel, if one fits."""

    def words(self) -> list[str]:
        """The options as arguments of the loader."""
        result = [word for setting in self.settings for word in ("--set", setting)]
        result += [word for setting in self.inputs for word in ("--input", setting)]
        if self.input_group is not None:
            result += ["--input-group", self.input_group]
        if self.tag is not None:
            result += ["--tag", self.tag]
        return [*result, *(["--replace"] if self.replace else []), *(["--dry-run"] if self.dry_run else [])]
