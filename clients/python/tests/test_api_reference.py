"""The API reference: built without a warning, with everything that is public and nothing that is not."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.long import at_night

pytest.importorskip("claude_agent_sdk", reason="without the agent SDK the types of cairn_client.agent can't be read")

SCRIPT = Path(__file__).parent.parent / "scripts" / "api_reference.py"


def loaded() -> Any:
    spec = importlib.util.spec_from_file_location("api_reference", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["api_reference"] = module
    spec.loader.exec_module(module)
    return module


reference = loaded()


# the pages are written at night; that all that they say is there to be said is looked at each time
@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("api")
    assert reference.write(folder) == []
    assert (folder / "index.html").exists()
    found = {str(path.relative_to(folder).with_suffix("")): path.read_text("utf-8") for path in folder.rglob("*.html")}
    return {name.replace("/", "."): text for name, text in found.items() if name != "index"}


@cache
def documented() -> dict[str, Any]:
    modules: dict[str, Any] = reference.documented()
    return modules


def entries() -> list[Any]:
    """Everything that has an entry: classes, their members, functions, variables."""
    members = [member for module in documented().values() for member in module.members.values()]
    own = [part for member in members if member.kind == "class" for part in member.own_members]
    return [one for one in (*members, *own) if one.name == "__version__" or not one.name.startswith("_")]


@at_night
def test_there_is_a_page_for_each_public_module(pages: dict[str, str]) -> None:
    assert set(pages) == set(reference.MODULES)


@at_night
@pytest.mark.parametrize("name", reference.MODULES)
def test_every_public_name_has_an_entry(pages: dict[str, str], name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    public = [one for one in getattr(module, "__all__", vars(module)) if one == "__version__" or one[0] != "_"]
    own = [one for one in public if hasattr(module, "__all__") or getattr(vars(module)[one], "__module__", "") == name]
    assert own
    assert [one for one in own if f'<section id="{one}">' not in pages[name]] == []


@at_night
def test_a_client_has_what_its_private_bases_give_it(pages: dict[str, str]) -> None:
    for client in ("Cairn", "AsyncCairn"):
        kind = getattr(importlib.import_module("cairn_client"), client)
        # `chat` is called, and has more within
        methods = [name for name in [*dir(kind), "chat"] if not name.startswith("_")]
        assert {"search", "upload", "chat", "close"} <= set(methods)
        assert [name for name in methods if f'id="{client}.{name}"' not in pages["cairn_client"]] == []
    order = [pages["cairn_client"].index(f'<section id="{name}">') for name in ("Cairn", "AsyncCairn", "Events")]
    assert order == sorted(order)


@at_night
def test_nothing_private_is_shown(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        assert re.findall(r"cairn_client(?:\.\w+)*\._\w+", page) == [], name
        assert set(re.findall(r'id="(?:\w+\.)?(_\w+)"', page)) <= {"__init__", "__version__"}, name


def test_everything_is_described() -> None:
    assert [one.fullname for one in entries() if one.kind != "variable" and not one.docstring] == []
    assert [member.fullname for one in documented().values() for member in one.variables if not member.docstring] == []


def described(docstring: str) -> set[str]:
    """The names that a docstring says something of: in its list of arguments, or as code in a sentence."""
    section = re.search(r"^Args:\n((?:\n|[ \t]+.*\n?)+)", docstring, re.M)
    listed = re.findall(r"^    \*{0,2}(\w+):", section[1], re.M) if section else []
    return {*listed, *re.findall(r"`(\w+)`", docstring)}


def test_every_parameter_is_described() -> None:
    wrong = {}
    for one in entries():
        # what `CallOptions` has is described there; those of the existing clients are as their users know them
        if one.kind == "function" and not one.modulename.startswith("cairn_client.compat"):
            parameters = {*one.signature.parameters} - {"self", "cls", "options"}
            around = documented()[one.modulename].get(one.qualname.rpartition(".")[0])
            missing = parameters - described(one.docstring) - described(around.docstring if around else "")
            # one that is alone is what the sentence is about
            if len(parameters) > 1 and missing:
                wrong[one.fullname] = missing
    assert wrong == {}


def test_every_option_is_described() -> None:
    for client in ("cairn_client.Cairn", "cairn_client.agent.CairnAgent"):
        module, _, name = client.rpartition(".")
        shown = documented()[module].get(name)
        constructor = shown.get("__init__")
        assert set(constructor.signature.parameters) - {"self"} <= described(shown.docstring)
        assert len(constructor.signature.parameters) > 7
    fields = [one for one in documented()["cairn_client"].get("CallOptions").own_members if one.name[0] != "_"]
    assert [field.name for field in fields if not field.docstring] == []
    assert len(fields) >= 4


def test_what_a_call_raises_is_said() -> None:
    modules = documented()
    for name in ("Cairn", "AsyncCairn"):
        assert "Raises:" in modules["cairn_client"].get(name).docstring
    text = modules["cairn_client.errors"].docstring
    assert [
        name for name in vars(modules["cairn_client.errors"].obj) if name.endswith("Error") and name not in text
    ] == ["FieldError"]
