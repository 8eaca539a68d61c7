"""What a cached function says of the values that it handles.

`log(value)` counts, by calling function, how often and how large. When the process ends, the counts go to stdout
between two marker lines: an execution log that is uploaded with them in it gives each function its reputation. A
program that never calls `log` prints nothing.
"""

from __future__ import annotations

import atexit
import json
import sys
import threading
from collections import Counter
from collections.abc import Sized
from dataclasses import dataclass, field
from typing import Any

MOST_MEASURED = 1000
"""Calls of a function whose values are measured; later ones are only counted."""


@dataclass
class _Counts:
    calls: int = 0
    size: int = 0
    empty: int = 0
    types: Counter[str] = field(default_factory=Counter)


_lock = threading.Lock()
_counts: dict[str, _Counts] = {}


def log(value: object) -> None:
    """Notes a value of the function that calls this: its type, its size, and whether it is empty."""
    name = sys._getframe(1).f_code.co_name  # noqa: SLF001 # who calls
    try:
        size = len(value) if isinstance(value, Sized) else len(str(value))
    except Exception:  # noqa: BLE001 # a value's own __len__ or __str__
        size = 0
    empty = value is None or (isinstance(value, Sized) and size == 0)
    with _lock:
        if not _counts:
            atexit.register(_print)
        counts = _counts.setdefault("__module__" if name == "<module>" else name, _Counts())
        counts.calls += 1
        if counts.calls <= MOST_MEASURED:
            counts.size += size
            counts.empty += empty
            counts.types[type(value).__name__] += 1


raysurfer_logging = log


def payload() -> dict[str, Any]:
    """The counts so far, as they are printed."""
    with _lock:
        functions = {
            name: {
                "call_count": counts.calls,
                "avg_value_size": round(counts.size / min(counts.calls, MOST_MEASURED), 2),
                "empty_rate": round(counts.empty / min(counts.calls, MOST_MEASURED), 4),
                "value_types": dict(counts.types),
            }
            for name, counts in _counts.items()
        }
    return {"raysurfer_telemetry": {"version": 1, "functions": functions}}


def _print() -> None:
    try:
        sys.stdout.write(
            f"\n--- RAYSURFER_TELEMETRY_START ---\n{json.dumps(payload())}\n--- RAYSURFER_TELEMETRY_END ---\n"
        )
        sys.stdout.flush()
    except (OSError, ValueError):
        return  # nobody reads any more
