"""What is told of runs, and what is said of them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from methods.registry import shows

if TYPE_CHECKING:
    from here import Here


@shows("store_execution")
def store_execution(here: Here) -> None:
    snippet = here.stored()
    library = here.library
    done = here.client.store_execution(
        snippet,
        here.task,
        {"path": "a.csv"},
        [1, "b", None],
        library.ExecutionState.COMPLETED,
        12,
        None,
        None,
        library.AgentVerdict.THUMBS_UP,
    )
    assert (done.success, done.pattern_updated) == (True, True)
    assert (done.execution_id != "", done.message != "") == (True, True)
    # by name, and of code that is no snippet: as decorated functions do
    for code in (here.word, f"function_registry:{here.word}"):
        assert here.client.store_execution(code_block_id=code, triggering_task="t", input_data={}, output_data=None)
    failed = here.client.store_execution(
        snippet,
        here.task,
        {"args": []},
        {"error": "boom"},
        execution_state=library.ExecutionState.TIMED_OUT,
        error_message="boom",
        error_type="ValueError",
        verdict=library.AgentVerdict.PENDING,
    )
    assert (failed.success, failed.pattern_updated) == (True, False)
    review = library.AgentReview(
        verdict=library.AgentVerdict.THUMBS_UP,
        reasoning="It works.",
        what_worked=["reading"],
        output_was_useful=True,
        output_was_correct=True,
        output_was_complete=False,
        would_use_again=True,
    )
    if library.__name__ == "raysurfer":
        # the published client can't send its own reviews: it leaves a datetime in its body
        with pytest.raises(TypeError, match="not JSON serializable"):
            here.client.store_execution(snippet, here.task, {}, None, review=review)
        return
    here.client.store_execution(snippet, f"review {here.task}", {}, None, review=review)
    reviewed = here.client.get_executions(code_block_id=snippet, task=f"review {here.task}").executions
    assert "reading" in [one for run in reviewed if run.review for one in run.review.what_worked]


@shows("get_executions")
def get_executions(here: Here) -> None:
    snippet = here.stored()
    library = here.library
    stored = here.client.store_execution(
        snippet, here.task, {"path": "a.csv"}, [["a"]], duration_ms=12, verdict=library.AgentVerdict.THUMBS_UP
    )
    here.client.store_execution(
        snippet,
        here.task,
        {"path": "b.csv"},
        None,
        library.ExecutionState.ERRORED,
        error_message="no such file",
        error_type="OSError",
    )
    answer = here.client.get_executions(snippet)
    assert (answer.total_found, len(answer.executions)) == (2, 2)
    failed, done = answer.executions
    assert (done.id, done.code_block_id, done.duration_ms) == (stored.execution_id, snippet, 12)
    assert (done.execution_state, done.verdict) == (library.ExecutionState.COMPLETED, library.AgentVerdict.THUMBS_UP)
    assert (done.io.input_data, done.io.output_data, done.io.output_type) == ({"path": "a.csv"}, [["a"]], "list")
    assert (done.triggering_task, done.error_message, done.review) == (here.task, None, None)
    assert isinstance(done.timestamp, datetime)
    assert isinstance(done.retrieval_score, float)
    assert (failed.execution_state, failed.verdict) == (library.ExecutionState.ERRORED, library.AgentVerdict.PENDING)
    assert (failed.error_message, failed.error_type) == ("no such file", "OSError")
    by_verdict = here.client.get_executions(task=here.task, verdict=library.AgentVerdict.THUMBS_UP, limit=1)
    assert [run.id for run in by_verdict.executions] == [stored.execution_id]


@shows("auto_review")
def auto_review(here: Here) -> None:
    run = here.client.store_execution(here.stored(), here.task, {"path": "a.csv"}, [["a"]])
    answer = here.client.auto_review(
        run.execution_id,
        here.task,
        here.library.ExecutionState.COMPLETED,
        {"path": "a.csv"},
        [["a"]],
        here.word,
        "Reads rows.",
        None,
    )
    # without a model there is none, and the answer says so; with one: test_model.py
    assert (answer.success, answer.execution_id) == (False, run.execution_id)
    assert answer.review.verdict == here.library.AgentVerdict.PENDING
    assert "ANTHROPIC_API_KEY" in answer.review.reasoning
    assert isinstance(answer.review.timestamp, datetime)
    assert (answer.review.what_worked, answer.review.suggested_improvements) == ([], [])
    with pytest.raises(here.library.APIError) as missing:
        here.client.auto_review(
            "00000000-0000-4000-8000-000000000000",
            "t",
            here.library.ExecutionState.COMPLETED,
            {},
            None,
            "n",
            "d",
        )
    assert missing.value.status_code == 404
