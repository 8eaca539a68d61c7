"""What needs a language model: chat, votes of the service's, reviews."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from messages import REVIEW

if TYPE_CHECKING:
    from here import Here
    from tests.service import Service

DEADLINE = 60


@pytest.fixture
def client(here: Here, modelled: Service) -> Any:
    return here.client_with(api_key=modelled.key, base_url=modelled.base_url)


def test_chat(here: Here, client: Any) -> None:
    answer = client.chat("What is six times seven?", user=here.word, org="acme", max_turns=4)
    assert (answer.success, answer.output, answer.error) == (True, "It is in answer.txt.", "")
    assert (answer.changed_files, answer.workspace_files) == (["answer.txt"], ["answer.txt"])
    assert answer.session_id


def test_the_model_votes(here: Here, client: Any, modelled: Service) -> None:
    """As the existing client's users wait for it: by the relative address that a bulk upload answers with."""
    answer = client.upload_bulk_code_snips([here.task], [here.file()])
    assert answer.votes_queued == 1
    end = time.monotonic() + DEADLINE
    url, headers = modelled.base_url + answer.status_url, {"Authorization": f"Bearer {modelled.key}"}
    while (status := httpx.get(url, headers=headers, trust_env=False).json())["status"] == "pending":
        assert time.monotonic() < end, status
        time.sleep(0.1)
    assert [vote["verdict"] for vote in status["votes"]] == ["thumbs_up"]
    match = client.search(here.task, per_function_reputation=True).matches[0]
    assert (match.code_block.name, match.thumbs_up, match.thumbs_down) == (here.word, 1, 0)
    # the service's vote is not a person's
    assert client.search(here.task, min_human_upvotes=1).matches == []


def test_the_model_reviews(here: Here, client: Any) -> None:
    client.upload(here.task, here.file(), user_vote=1)
    library = here.library
    run = client.store_execution(here.word, here.task, {"path": "a.csv"}, [["a"]])
    answer = client.auto_review(
        run.execution_id, here.task, library.ExecutionState.COMPLETED, {"path": "a.csv"}, [["a"]], here.word, "Reads."
    )
    assert (answer.success, answer.execution_id) == (True, run.execution_id)
    review = answer.review
    assert review.verdict == library.AgentVerdict.THUMBS_DOWN
    assert {name: getattr(review, name) for name in REVIEW if name != "verdict"} == {
        name: value for name, value in REVIEW.items() if name != "verdict"
    }
    [found] = client.get_executions(here.word).executions
    assert (found.id, found.verdict) == (run.execution_id, library.AgentVerdict.THUMBS_DOWN)
    assert found.review.what_didnt_work == ["quotes"]
