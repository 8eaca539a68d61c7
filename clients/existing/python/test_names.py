"""By reflection: what the published package has, `cairn_client.compat` has, or `left_out` says why not."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import pkgutil
from typing import TYPE_CHECKING, Any

import pydantic
import pytest
import raysurfer
import raysurfer.exceptions
import raysurfer.types
from pydantic_core import PydanticUndefined

from cairn_client import compat
from cairn_client.compat import exceptions as our_exceptions
from cairn_client.compat import types as our_types
from left_out import DEFAULTS, METHODS, MODULES, NAMES, OTHER_DEFAULTS, REQUIRED

if TYPE_CHECKING:
    import types

CLIENTS = {"RaySurfer", "AsyncRaySurfer"}
SESSIONS = {"RaysurferClient", "RaysurferOpencodeClient", "Agent"}


def own(module: types.ModuleType) -> set[str]:
    """What a module defines itself."""
    return {name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__} - {
        "annotations"
    }


PLACES: list[tuple[types.ModuleType, types.ModuleType, str]] = [
    *((raysurfer, compat, name) for name in sorted(raysurfer.__all__)),
    *((raysurfer.types, our_types, name) for name in sorted(own(raysurfer.types))),
    *((raysurfer.exceptions, our_exceptions, name) for name in sorted(own(raysurfer.exceptions))),
]


def test_names() -> None:
    missing = {name for _, ours, name in PLACES if not hasattr(ours, name)}
    assert missing == set(NAMES)


def test_modules() -> None:
    folder = raysurfer.__path__
    theirs = {name for _, name, _ in pkgutil.iter_modules(folder) if not name.startswith("_")}
    there = {name for name in theirs if importlib.util.find_spec(f"cairn_client.compat.{name}")}
    assert theirs - there == set(MODULES)


PAIRS = [
    pytest.param(getattr(theirs, name), getattr(ours, name), id=f"{theirs.__name__}.{name}")
    for theirs, ours, name in PLACES
    if hasattr(ours, name)
]


def parameters(function: Any) -> dict[str, tuple[Any, Any]]:
    return {
        name: (parameter.kind, parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "self"
    }


def same_call(theirs: Any, ours: Any, where: str) -> None:
    """What fits there fits here, by position, by name and by what is left out."""
    expected, found = parameters(theirs), parameters(ours)
    known = DEFAULTS.get(where, {})
    assert {name: known.get(name, given[1]) for name, given in expected.items()} == {
        name: found[name][1] for name in expected
    }, where
    positional = [name for name, (kind, _) in expected.items() if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert list(found)[: len(positional)] == positional, where
    for name, (kind, default) in found.items():
        assert name in expected or default is not inspect.Parameter.empty or kind in (4, 2), f"{where}: {name}"


def members(value: type) -> list[str]:
    return [name for name, _ in inspect.getmembers(value, callable) if not name.startswith("_")]


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_the_same_use(theirs: Any, ours: Any) -> None:
    name = getattr(theirs, "__name__", "")
    if theirs is ours:
        return
    if name in CLIENTS | SESSIONS:
        same_call(theirs.__init__, ours.__init__, name)
        for method in members(theirs):
            if method not in METHODS:
                same_call(getattr(theirs, method), getattr(ours, method), f"{name}.{method}")
        for method in ("__enter__", "__aenter__"):
            assert hasattr(ours, method) or not hasattr(theirs, method)
    elif inspect.isclass(theirs) and issubclass(theirs, enum.Enum):
        assert {one.name: one.value for one in theirs} == {one.name: one.value for one in ours}
    elif inspect.isclass(theirs) and issubclass(theirs, pydantic.BaseModel):
        same_model(theirs, ours)
    elif inspect.isclass(theirs) and issubclass(theirs, Exception):
        assert issubclass(ours, Exception)
        assert [base.__name__ for base in theirs.__mro__ if base.__name__ == "RaySurferError"] == [
            "RaySurferError" for base in ours.__mro__ if base is compat.RaySurferError
        ]
    elif dataclasses.is_dataclass(theirs):
        assert [field.name for field in dataclasses.fields(theirs)] == [
            field.name for field in dataclasses.fields(ours)
        ]
    elif inspect.isfunction(theirs):
        same_call(theirs, ours, name)
    elif hasattr(theirs, "__annotations__") and isinstance(theirs, type):
        assert set(theirs.__annotations__) == set(ours.__annotations__)
    else:
        # texts and unions of types
        assert isinstance(ours, str) == isinstance(theirs, str)


def same_model(theirs: type[pydantic.BaseModel], ours: type[pydantic.BaseModel]) -> None:
    """Each field is there; what may be left out there may be here, and is the same then."""
    assert not set(theirs.model_fields) - set(ours.model_fields)
    optional = {name: field for name, field in theirs.model_fields.items() if not field.is_required()}
    required = {name for name in optional if ours.model_fields[name].is_required()}
    assert required == REQUIRED.get(theirs.__name__, set())
    fixed = {name: field for name, field in optional.items() if field.default is not PydanticUndefined}
    others = {name for name in set(fixed) - required if ours.model_fields[name].default != fixed[name].default}
    assert others == OTHER_DEFAULTS.get(theirs.__name__, set())
    properties = {name for name, value in vars(theirs).items() if isinstance(value, property)}
    assert not {name for name in properties if not hasattr(ours, name) and name not in ours.model_fields}


def test_scores_that_are_left_out_are_the_score() -> None:
    for library in (raysurfer, compat):
        block = library.CodeBlock(id="1", name="n", description="", source="", entrypoint="n", language="python")
        match = library.SearchMatch(
            code_block=block, score=0.7, thumbs_up=0, thumbs_down=0, filename="n.py", language="python", entrypoint="n"
        )
        assert (match.combined_score, match.vector_score, match.verdict_score) == (0.7, 0.7, 0.7)


def test_errors_are_made_and_read_as_before() -> None:
    for library in (raysurfer, compat):
        assert library.APIError("m", status_code=500).status_code == 500
        assert library.APIError("m", 404).status_code == 404
        assert library.RateLimitError(retry_after=2.0).retry_after == 2.0
        assert library.ValidationError("m", field="f").field == "f"
        for error in (
            library.AuthenticationError("m"),
            library.CacheUnavailableError("m"),
            library.RaySurferError("m"),
        ):
            assert str(error) == "m"
