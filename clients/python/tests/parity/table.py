"""The table of what both libraries have alike, and how its rows are used."""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import cairn_client.types

_PATH = Path(__file__).parents[3] / "parity.json"

needed = pytest.mark.skipif(not _PATH.exists(), reason="only in the repository of the service")

table: dict[str, Any] = json.loads(_PATH.read_text("utf-8")) if _PATH.exists() else {}


def rows(*path: str) -> list[Any]:
    """A list of the table; none where there is no table."""
    found: Any = table
    for name in path:
        found = found.get(name, {})
    return list(found)


def names(*path: str) -> set[str]:
    """The names of rows."""
    return {row["name"] for row in rows(*path)}


_specified: list[dict[str, Any]] = rows("methods")

methods: list[dict[str, Any]] = [
    *_specified,
    *(
        {**method, "name": row["name"]}
        for row in rows("namespaced")
        for method in _specified
        if method["name"] == row["as"]
    ),
]
"""Those of the table, and those that a namespace has beside the client, with the same parameters."""


def title(row: dict[str, Any]) -> str:
    return str(row["name"])


def found(target: object, name: str) -> Any:
    """What has a name of several parts."""
    return reduce(getattr, name.split("."), target)


def given(parameter: dict[str, Any]) -> Any:
    """A parameter's value as Python has it."""
    model = parameter.get("model")
    return getattr(cairn_client.types, model)(**parameter["value"]) if model else parameter["value"]
