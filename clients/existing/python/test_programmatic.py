"""The published package's helpers for programs that call tools: search first, upload what changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from here import Blocking, source, unique

if TYPE_CHECKING:
    from here import Here


def client_of(theirs: Here) -> Any:
    return theirs.client.inner if isinstance(theirs.client, Blocking) else theirs.client


def names(theirs: Here) -> set[str]:
    return {match.code_block.name for match in theirs.client.search(theirs.task, 20, 0.0).matches}


def test_a_framework_run(theirs: Here) -> None:
    theirs.stored()
    made = unique()
    result = theirs.library.ProgrammaticFrameworkResult

    def run(context: Any) -> Any:
        assert f"{theirs.word}.py" in context.context_prompt
        folder = Path(context.tempdir)
        assert source(theirs.word).splitlines()[-1] in (folder / f"{theirs.word}.py").read_text()
        (folder / f"{made}.py").write_text(source(made))
        return result(succeeded=True, execution_logs="fine")

    if theirs.kind == "sync":
        outcome, uploaded = theirs.library.run_framework_programmatic_tool_calling(client_of(theirs), theirs.task, run)
    else:

        async def later(context: Any) -> Any:
            return run(context)

        outcome, uploaded = theirs.loop.run_until_complete(
            theirs.library.run_async_framework_programmatic_tool_calling(client_of(theirs), theirs.task, later)
        )
    assert (outcome.succeeded, uploaded.code_blocks_stored, uploaded.snippet_name) == (True, 1, made)
    assert names(theirs) >= {theirs.word, made}


def test_a_wrapped_call_of_the_messages_api(theirs: Here, tmp_path: Path) -> None:
    theirs.stored()
    made = unique()
    asked: list[dict[str, Any]] = []

    def create(**request: Any) -> dict[str, Any]:
        asked.append(request)
        (tmp_path / f"{made}.py").write_text(source(made))
        return {"stop_reason": "end_turn", "container": {"id": "c1"}, "content": [{"type": "text", "text": "Done."}]}

    request: dict[str, Any] = {"tools": [{"name": "code_execution"}], "system": "Be brief."}
    library = theirs.library
    if theirs.kind == "sync":
        wrapper = library.wrap_anthropic_programmatic_tool_calling(
            create, client_of(theirs), theirs.task, tempdir=str(tmp_path)
        )
        wrapper.create(**request)
        wrapper.create(**request)
        assert wrapper.finalize() is None
    else:

        async def later(**request: Any) -> dict[str, Any]:
            return create(**request)

        wrapper = library.wrap_async_anthropic_programmatic_tool_calling(
            later, client_of(theirs), theirs.task, tempdir=str(tmp_path)
        )
        for _ in range(2):
            theirs.loop.run_until_complete(wrapper.create(**request))
        assert theirs.loop.run_until_complete(wrapper.finalize()) is None
    wrapper.cleanup()
    assert asked[0]["system"].startswith("Be brief.")
    assert f"{theirs.word}.py" in asked[0]["system"]
    assert asked[1]["container"] == "c1"
    assert names(theirs) >= {theirs.word, made}
