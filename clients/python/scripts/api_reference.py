"""Writes the API reference: pages of all public modules, from their docstrings.

python scripts/api_reference.py [FOLDER]   # else docs/api, which git ignores; then open FOLDER/index.html
"""

from __future__ import annotations

import sys
import warnings
from functools import cache
from inspect import Parameter, Signature
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

import pdoc.doc_ast
import pdoc.render
import pdoc.render_helpers
from pdoc.doc import Class, Doc, Function, Module, Variable

if TYPE_CHECKING:
    from collections.abc import Iterable

DOCS = Path(__file__).resolve().parent.parent / "docs"
PACKAGE = "cairn_client"
MODULES = (
    "cairn_client",
    "cairn_client.resources",
    "cairn_client.types",
    "cairn_client.errors",
    "cairn_client.agent",
    "cairn_client.compat",
    "cairn_client.compat.types",
)
FIRST = (
    *("Cairn", "AsyncCairn", "CairnAgent", "query", "cairn_hooks", "RaySurfer", "AsyncRaySurfer", "ServiceError"),
    *("agent_function", "publish_functions", "function_tool", "agent_accessible"),
)
"""What a reader looks for first; the rest follows by what it is for and by name."""
TEXTS = {"__version__": "This library's version."}
INTERNAL = {"received"}
"""Methods that are for this library alone."""

Key: TypeAlias = tuple[str, str]


def documented() -> dict[str, Module]:
    """The public modules as pdoc knows them, arranged for readers."""
    modules = {name: Module.from_name(name) for name in MODULES}
    for name, module in modules.items():
        module.submodules = [one for one in modules.values() if one.modulename.rpartition(".")[0] == name]
        members = sorted(module.members.values(), key=lambda member: _rank(module, member))
        module.members = {member.name: member for member in members}
        for member in members:
            if isinstance(member, Class):
                _arrange(member)
            elif isinstance(member, Variable) and not member.docstring:
                member.docstring = TEXTS.get(member.name) or _text_at_home(member)
    return modules


def _rank(module: Module, member: Doc[object]) -> tuple[int | bool | str, ...]:
    origin = member.taken_from[0]
    groups = (
        origin.startswith(f"{module.modulename}._") and not member.name.startswith("__"),
        ".types" in origin,
        origin.endswith((".errors", ".exceptions")),
        True,
    )
    first = FIRST.index(member.name) if member.name in FIRST else len(FIRST)
    later = ("WithRawResponse" in member.name, member.name.startswith("Async"))
    return groups.index(True), first, *later, member.name.casefold()


def _arrange(shown: Class) -> None:
    """Shows what comes from private bases as the class's own: a reader can't look it up elsewhere."""
    members = {
        name: member
        for name, member in shown.members.items()
        if name not in INTERNAL and member.taken_from[0].split(".")[0] == PACKAGE
    }
    if "Args:" not in shown.docstring:
        members.pop("__init__", None)  # made by the library, not by its users
    for member in members.values():
        if isinstance(member, Function):
            member.signature = _readable(member.signature)
    shown.members = members
    shown.own_members = sorted(
        (member for member in members.values() if _is_own(member.taken_from, shown)),
        # the constructor, the parts, what the bases can do, what is added to it
        key=lambda one: (
            one.name != "__init__",
            not isinstance(one, Variable),
            one.taken_from[0] == shown.taken_from[0],
        ),
    )
    shown.bases = _public_bases(shown.obj, shown.modulename)


class _Text:
    """An annotation as it is written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _readable(signature: Signature) -> Signature:
    """With `**options: Unpack[CallOptions]` as it is written, which Python itself shows as `*<class …>`."""
    parameters = []
    for parameter in signature.parameters.values():
        packed = getattr(parameter.annotation, "__args__", ()) if parameter.kind is Parameter.VAR_KEYWORD else ()
        names = [f"{one.__module__}.{one.__qualname__}" for one in packed]
        annotation = _Text(f"Unpack[{names[0]}]") if names else parameter.annotation
        parameters.append(parameter.replace(annotation=annotation))
    return type(signature)(parameters, return_annotation=signature.return_annotation)


def _is_own(origin: Key, shown: Class) -> bool:
    declaring = (origin[0], origin[1].rpartition(".")[0])
    return declaring == shown.taken_from or origin[0] not in MODULES


@cache
def _exports() -> dict[int, Key]:
    """Where each public class can be imported from."""
    found: dict[int, Key] = {}
    for name in MODULES:
        module = sys.modules[name]
        for exported in getattr(module, "__all__", vars(module)):
            value = getattr(module, exported)
            if isinstance(value, type) and value.__name__ == exported:
                found.setdefault(id(value), (name, exported))
    return found


def _public_bases(kind: type, modulename: str) -> list[tuple[str, str, str]]:
    bases: dict[Key, tuple[str, str, str]] = {}
    for base in kind.__bases__:
        home = _exports().get(id(base), (base.__module__, base.__qualname__))
        if base is object:
            continue
        if home[0] not in MODULES and home[0].split(".")[0] == PACKAGE:
            bases |= {(one[0], one[1]): one for one in _public_bases(base, modulename)}
        else:
            text = home[1] if home[0] in (modulename, "builtins") else ".".join(home)
            bases[home] = (*home, text)
    return list(bases.values())


def _exposed(identifier: str, current: str) -> Iterable[str]:
    """The modules that may show what an annotation names; pdoc alone does not find what a sibling exports."""
    home, _, name = identifier.rpartition(".")
    for module in (current, *MODULES):
        if getattr(vars(sys.modules[module]).get(name), "__module__", None) == home:
            yield module
    yield from _candidates(identifier, current)


_candidates = pdoc.render_helpers.module_candidates
pdoc.render_helpers.module_candidates = _exposed  # type: ignore[assignment]  # by position, as pdoc calls it


def _text_at_home(variable: Variable) -> str:
    """The docstring of a variable that is imported from where it is written down."""
    for name, module in sorted(sys.modules.items()):
        if name.split(".")[0] == PACKAGE and isinstance(module, ModuleType) and variable.name in vars(module):
            text = pdoc.doc_ast.walk_tree(module).var_docstrings.get(variable.name)
            if text:
                return text
    return ""


def write(folder: Path) -> list[str]:
    """Writes the pages, and returns what was wrong with them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        modules = documented()
        version = modules[PACKAGE].obj.__version__
        pdoc.render.configure(
            docformat="google",
            show_source=False,
            footer_text=f"cairn-client {version}",
            template_directory=DOCS / "templates",
        )
        for name, module in modules.items():
            target = folder / f"{name.replace('.', '/')}.html"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(pdoc.render.html_module(module, modules), "utf-8")
        (folder / "index.html").write_text(pdoc.render.html_index(modules), "utf-8")
        (folder / "search.js").write_text(pdoc.render.search_index(modules), "utf-8")
    return [f"{warning.category.__name__}: {warning.message}" for warning in caught]


def main() -> int:
    """Writes the pages; 1 if something was wrong with them."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "api"
    wrong = write(folder)
    print("\n".join([*wrong, f"written: {folder / 'index.html'}"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
