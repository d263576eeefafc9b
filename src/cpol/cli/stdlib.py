"""`cpolc stdlib`: browse the policies that come with cpol."""

from __future__ import annotations

import json

import click

from cpol.cli.once import Commands
from cpol.cli.policy import compile_file
from cpol.compiler import ir, literals
from cpol.compiler.doc.summary import summary
from cpol.compiler.policies import STDLIB, resolve, stdlib_names

LIBRARIES = STDLIB / "lib"


@click.group(name="stdlib", cls=Commands)
def command() -> None:
    """Browse the policies that come with cpol."""


@command.command(name="list")
@click.option("--libraries", is_flag=True, help="List the libraries that policies import from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def list_(libraries: bool, as_json: bool) -> None:
    """List the policies, with a line on each."""
    paths = sorted(LIBRARIES.glob("*.cpol")) if libraries else [resolve(name) for name in stdlib_names()]
    width = max(len(path.stem) for path in paths)
    for path in paths:
        what = summary(path).removesuffix(".")
        if not as_json:
            click.echo(f"{path.stem:{width}}  {what}")
            continue
        kinds = {} if libraries else {"kinds": kinds_of(compile_file(path).policy)}
        click.echo(json.dumps({"name": path.stem, "summary": what, **kinds}))


KINDS = {
    "prefetches": ("fault", "prefetch", "readahead"),
    "ranges": ir.RANGE_EVENTS,
    "swap": ("swap",),
}
"""What a policy does beside evicting, and the events of each kind."""


def kinds_of(policy: ir.Policy) -> list[str]:
    """What a policy does: it evicts pages, prefetches some, follows ranges of files, keeps pages from swap."""
    others = [kind for kind, events in KINDS.items() if any(event in policy.handlers for event in events)]
    return [*(["evicts"] if policy.evicts else []), *others]


GHOSTS = {"folio": "Ghost {0}", "file": "Each file", "task": "Each thread", "area": "Each area of memory"}
"""What `show` calls a ghost, by what its entries stand for."""


@command.command()
@click.argument("policy", metavar="NAME")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def show(policy: str, as_json: bool) -> None:
    """Show what a policy is for, its parameters and what it keeps."""
    path = resolve(policy)
    found = compile_file(path).policy
    params = [describe_param(param) for param in found.params]
    facts = {
        "name": found.name,
        "doc": found.doc,
        "path": str(path),
        "params": params,
        "lists": list(found.lists),
        "ghosts": [ghost.name for ghost in found.ghosts if ghost.key == "folio"],
        "records": [ghost.name for ghost in found.ghosts if ghost.key != "folio"],
        "inputs": [{"name": one.name, "doc": one.doc} for one in found.inputs],
        "folio_fields": {field.name: type_of(field) for field in found.fields},
    }
    if as_json:
        click.echo(json.dumps(facts))
        return
    click.echo(f"{found.name}\n\n{found.doc}\n")
    if params:
        click.echo("Parameters (cpolc attach --set NAME=VALUE, cpolc sim --set NAME=VALUE):")
        for param in params:
            doc = f"  {param['doc']}" if param["doc"] else ""
            click.echo(
                f"  {param['name']}: {param['type']} = {param['default']} in {param['low']}..{param['high']}{doc}"
            )
        click.echo()
    if found.inputs:
        click.echo("Inputs (cpolc input CGROUP NAME add VALUE, cpolc attach --input NAME=VALUE):")
        for one in found.inputs:
            click.echo(f"  {one.name}  {one.doc}".rstrip())
        click.echo()
    if found.lists:
        click.echo(f"Lists: {', '.join(found.lists)}")
    for ghost in found.ghosts:
        kept = ", ".join(f"{field.name}: {type_of(field)}" for field in ghost.fields)
        click.echo(f"{GHOSTS[ghost.key].format(ghost.name)}{f': {kept}' if kept else ''}")
    if found.fields:
        click.echo(f"Each folio: {', '.join(f'{field.name}: {type_of(field)}' for field in found.fields)}")
    click.echo(f"Source: {facts['path']}  (cpolc stdlib cat {policy})")


def type_of(field: ir.VarDecl) -> str:
    """The type of a field as a policy writes it."""
    return f"{field.type}[{field.length}]" if field.length else str(field.type)


@command.command()
@click.argument("policy", metavar="NAME")
def cat(policy: str) -> None:
    """Print the source of a policy, or of a library: lib/NAME."""
    library = LIBRARIES / f"{policy.removeprefix('lib/')}.cpol"
    path = library if policy.startswith("lib/") and library in LIBRARIES.glob("*.cpol") else resolve(policy)
    click.echo(path.read_text(encoding="utf-8"), nl=False)


def describe_param(param: ir.ParamDecl) -> dict[str, str]:
    """A parameter in the units that a user writes."""
    return {
        "name": param.name,
        "type": str(param.type),
        "default": literals.show_value(param.default, param.type),
        "low": literals.show_value(param.low, param.type),
        "high": literals.show_value(param.high, param.type),
        "doc": param.doc,
    }
