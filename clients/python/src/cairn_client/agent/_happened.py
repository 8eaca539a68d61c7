"""What happened in a session since its last success."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from cairn_client.agent._commands import only_git
from cairn_client.agent._events import command_of, goes_on

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cairn_client.agent._events import HookEvent
    from cairn_client.agent._timeline import Moment

_NAMES_ITS_FILE = frozenset(
    (
        "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "TodoWrite", "WebFetch",
        "WebSearch", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ToolSearch", "Skill", "Agent", "Task",
        "TaskOutput", "TaskStop", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "BashOutput", "KillShell",
        "SendMessage",
    )
)  # fmt: skip
"""Tools that change no file, or name the one that they change; those that start agents, whose own tools are seen, too.

What else runs may change anything.
"""

_FOREVER = float("inf")


class Span(NamedTuple):
    """Seconds since 1970; without an end it goes on."""

    begin: float
    end: float


def spans_of(event: HookEvent, moment: Moment) -> list[Span]:
    """The time that a tool took which may have changed any file.

    What changed at another time was somebody else's doing.
    """
    if event.get("tool_name") in _NAMES_ITS_FILE or only_git(command_of(event) or ""):
        return []
    return [Span(moment.begun, _FOREVER if goes_on(event) else moment.now)]


def is_during(spans: Iterable[Span], at: float) -> bool:
    """Whether a file's time lies in one of them.

    File systems are somewhat behind the clock, and some know whole seconds only.
    """
    behind = 2.0 if at % 1 == 0 else 0.02
    return any(begin - behind <= at <= end for begin, end in spans)


def open_of(spans: Iterable[Span], event: HookEvent) -> list[Span]:
    """Those that go on after a turn, if it says that something does."""
    running = event.get("background_tasks")
    return [span for span in spans if span.end == _FOREVER] if isinstance(running, list) and running else []


@dataclass
class Happened:
    """What happened since the last success: a turn that fails may be taken up by the next."""

    prompts: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    """Files that tools named, as absolute paths."""
    spans: list[Span] = field(default_factory=list)
    runs: dict[str, bool] = field(default_factory=dict)
    """How files ended that commands ran: by a snippet's id, or by the path of what may be a copy of one."""
    log: list[str] = field(default_factory=list)

    @property
    def nothing(self) -> bool:
        """Whether nothing did."""
        return not (self.prompts or self.named or self.spans or self.runs or self.log)

    def after(self, first: Happened) -> Happened:
        """All of both, in order."""
        return Happened(
            [*first.prompts, *self.prompts],
            [*first.named, *self.named],
            [*first.spans, *self.spans],
            {**first.runs, **self.runs},
            [*first.log, *self.log],
        )
