from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from here import Here

    Program: TypeAlias = Callable[[Here], None]

PROGRAMS: dict[str, Program] = {}


def shows(*methods: str) -> Callable[[Program], Program]:
    """Says which methods a program shows."""

    def note(program: Program) -> Program:
        for method in methods:
            assert method not in PROGRAMS, f"two programs show {method}"
            PROGRAMS[method] = program
        return program

    return note
