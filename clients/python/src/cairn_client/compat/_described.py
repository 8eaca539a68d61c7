"""What a function says of itself: its source, its parameters."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
import typing
from typing import TYPE_CHECKING, Any

import pydantic

if TYPE_CHECKING:
    from collections.abc import Callable

_PARAMETER = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)")


def own_source(function: Callable[..., Any]) -> str:
    """A function's source without its decorators, whose imports a snippet would lack; `""` when it is not to be had."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
        node = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return ""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    return "".join(source.splitlines(keepends=True)[node.lineno - 1 :])


def described_parameters(function: Callable[..., Any]) -> dict[str, str]:
    """What a docstring in Google's style says of each parameter."""
    lines = (inspect.getdoc(function) or "").splitlines()
    starts = [index for index, line in enumerate(lines) if line.strip() in ("Args:", "Arguments:", "Parameters:")]
    if not starts:
        return {}
    found: dict[str, list[str]] = {}
    texts: list[str] = []
    margin = 0
    for line in lines[starts[0] + 1 :]:
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        if indent == 0:
            break
        margin = margin or indent
        match = _PARAMETER.fullmatch(line.strip()) if indent <= margin else None
        if match is not None:
            texts = found.setdefault(match[1], [])
        texts.append(match[2] if match else line.strip())
    return {name: " ".join(text for text in texts if text) for name, texts in found.items()}


def input_schema_of(function: Callable[..., Any], described: dict[str, str]) -> dict[str, Any]:
    """A JSON schema of a function's parameters, from its type hints. What has none, or no schema, is a string."""
    try:
        hints = typing.get_type_hints(function)
    except Exception:  # noqa: BLE001 # a hint may be any expression
        hints = {}
    properties: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    required = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in ("self", "cls") or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        schema = _schema(hints.get(name))
        definitions |= schema.pop("$defs", {})
        properties[name] = {**schema, "description": described[name]} if described.get(name) else schema
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        **({"$defs": definitions} if definitions else {}),
    }


def _schema(hint: Any) -> dict[str, Any]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        kinds = [kind for kind in typing.get_args(hint) if kind is not type(None)]
        hint = kinds[0] if len(kinds) == 1 else hint
    if hint is None or hint is Any:
        return {"type": "string"}
    try:
        return pydantic.TypeAdapter(hint).json_schema()
    except Exception:  # noqa: BLE001 # a type that JSON has nothing for
        return {"type": "string"}
