"""Compares an object with the interface in a profile.

It finds what the kernel would reject at load, as far as types, calls and reads show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cpol.compiler.analysis.abi_check.btf import Btf, InterfaceError, read_btf
from cpol.compiler.analysis.abi_check.described import describe, kfunc_variable
from cpol.compiler.analysis.abi_check.programs import Programs, arguments_read, read_programs
from cpol.compiler.analysis.profile import Profile

POINTER = 8

MAP_HELPERS = {1: "bpf_map_lookup_elem", 2: "bpf_map_update_elem", 3: "bpf_map_delete_elem"}
LOCK_HELPERS = {93: "bpf_spin_lock", 94: "bpf_spin_unlock"}
HELPERS = {
    5: "bpf_ktime_get_ns",
    14: "bpf_get_current_pid_tgid",
    16: "bpf_get_current_comm",
    158: "bpf_get_current_task_btf",
}
"""Helpers that a profile must list. Every kernel gives the other ones to all programs."""


def find_violations(path: Path, profile: Profile) -> list[str]:
    """The violations of the interface in an object, each as a sentence without a full stop.

    Raises:
        InterfaceError: the object or the interface cannot be read.
        ToolError: a tool is missing.
    """
    if profile.interface is None:
        raise InterfaceError(f"the profile {profile.name} describes no interface")
    kfuncs = tuple(sorted({name for names in profile.kfuncs.values() for name in names}))
    described = describe(profile.interface, kfuncs, profile.struct_ops)
    return list(dict.fromkeys(_Comparison(profile, described, read_btf(path), read_programs(path)).all()))


@dataclass
class _Comparison:
    profile: Profile
    theirs: Btf
    ours: Btf
    programs: Programs

    def all(self) -> Iterator[str]:
        ops = self.profile.struct_ops
        if not self.programs.at or ops not in self.ours.structs:
            yield f"it has no policy: no struct_ops of type {ops} in .struct_ops.link"
            return
        yield from self.ops_members()
        for member, program in self.members():
            yield from self.sleeps(member, program)
            yield from self.arguments(member, program)
            yield from self.calls(member, program)
        yield from self.kernel_fields()

    def members(self) -> Iterator[tuple[str, str]]:
        """Each struct_ops member that is set, with its program."""
        for each in self.ours.members(self.profile.struct_ops):
            if each["bits_offset"] // 8 in self.programs.at:
                yield each["name"], self.programs.at[each["bits_offset"] // 8]

    def ops_members(self) -> Iterator[str]:
        """Compare the members that are set. libbpf drops unset members that the kernel lacks."""
        ops, name = self.profile.struct_ops, self.profile.name
        theirs = {each["name"]: each for each in self.theirs.members(ops)}
        for each in self.ours.members(ops):
            start = each["bits_offset"] // 8
            kind = self.ours.unqualified(each["type_id"])
            size = POINTER if kind is None or kind["kind"] == "PTR" else kind.get("size", POINTER)
            is_set = start in self.programs.at or any(self.programs.link[start : start + size])
            if not is_set:
                continue
            if each["name"] not in theirs:
                yield f"it sets the member {each['name']}, which struct {ops} of {name} does not have"
                continue
            has, is_ = self.theirs.words(theirs[each["name"]]["type_id"]), self.ours.words(each["type_id"])
            if has != is_:
                yield f"the member {each['name']} of struct {ops} is `{is_}` in it; in {name} it is `{has}`"

    def sleeps(self, member: str, program: str) -> Iterator[str]:
        section = self.programs.object.functions[program].section
        if section.startswith("struct_ops.s/") and member not in self.profile.sleepable:
            where = " and ".join(self.profile.sleepable) or "none"
            yield f"the program of {member} may sleep ({section}); {self.profile.name} lets {where} sleep"

    def arguments(self, member: str, program: str) -> Iterator[str]:
        theirs = next((m for m in self.theirs.members(self.profile.struct_ops) if m["name"] == member), None)
        prototype = None if theirs is None else self.theirs.prototype(theirs["type_id"])
        if prototype is None:
            return
        count = len(prototype["params"])
        for number in sorted(arguments_read(self.programs.object.functions[program])):
            if not 0 <= number < count:
                passes = f"passes {count}: ({self.theirs.arguments(prototype)})"
                yield f"the program of {member} reads argument {number + 1}; {self.profile.name} {passes}"

    def calls(self, member: str, program: str) -> Iterator[str]:
        for insn in self.programs.calls(program):
            if insn.calls.startswith("helper "):
                yield from self.helper(member, int(insn.calls.removeprefix("helper ")))
            else:
                yield from self.kfunc(member, insn.calls)

    def helper(self, member: str, number: int) -> Iterator[str]:
        name = HELPERS.get(number)
        if number in MAP_HELPERS or number in LOCK_HELPERS or (name and name in (self.profile.helpers or ())):
            return
        yield f"the program of {member} calls the helper {name or number}, which {self.profile.name} does not have"

    def kfunc(self, member: str, name: str) -> Iterator[str]:
        profile = self.profile
        if not profile.knows(name):
            yield f"the program of {member} calls {name}, which {profile.name} does not have"
            return
        if not profile.offers(name, member):
            where = " and ".join(each for each, names in profile.kfuncs.items() if name in names)
            yield f"the program of {member} calls {name}, which {profile.name} allows in {where} only"
        prototype = self.theirs.prototype(self.theirs.variables[kfunc_variable(name)]["type_id"])
        declared = self.ours.functions.get(name)
        if prototype is None or declared is None:
            yield f"it does not say the prototype of {name}"
            return
        is_, has = self.ours.words(declared["type_id"]), self.theirs.words(prototype["id"])
        if is_ != has:
            yield f"{name} is `{is_}` in it; in {profile.name} it is `{has}`"
        for each in prototype["params"]:
            yield from self.iterator(self.theirs.words(each["type_id"]))

    def iterator(self, words: str) -> Iterator[str]:
        """Compare an iterator's size. It is on the program's stack, and CO-RE does not relocate its size."""
        struct = words.removeprefix("struct ").removesuffix(" *")
        if not struct.startswith("bpf_iter_") or struct not in self.ours.structs or struct not in self.theirs.structs:
            return
        is_, has = self.ours.structs[struct]["size"], self.theirs.structs[struct]["size"]
        if is_ != has:
            yield f"struct {struct} has {is_} bytes in it; in {self.profile.name} it has {has}"

    def kernel_fields(self) -> Iterator[str]:
        for each in sorted(self.programs.fields):
            struct, _, path = each.partition("::")
            if not self.theirs.has_path(struct, path.split(".")):
                yield f"it reads {each.replace('::', '.')}, which {self.profile.name} does not have"
