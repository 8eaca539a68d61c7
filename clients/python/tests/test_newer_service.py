"""Answers of a service that is newer than this library, or that leaves things out."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import AgentVerdict, APIError
from tests.answering import Answers

if TYPE_CHECKING:
    from cairn_client import Cairn
    from tests.kinds import Kind

BLOCK = {"id": "i", "name": "n", "description": "d", "source": "s", "entrypoint": "e", "language": "python"}
MATCH = {"code_block": BLOCK, "score": 0.5, "thumbs_up": 1, "thumbs_down": 0}
MATCH |= {"filename": "n.py", "language": "python", "entrypoint": "e"}
FOUND = {"matches": [MATCH], "total_found": 1, "cache_hit": False}


def answered(kind: Kind, body: dict[str, Any]) -> Cairn:
    return kind.mocked(Answers(httpx2.Response(200, json=body))).client


def with_block(**fields: Any) -> dict[str, Any]:
    return FOUND | {"matches": [MATCH | {"code_block": BLOCK | fields}]}


def test_fields_that_nobody_knows_yet_are_kept(kind: Kind) -> None:
    block = with_block(new={"a": [1, None]}, newer=None)
    found = answered(kind, block).search("a")
    assert found.matches[0].code_block.model_extra == {"new": {"a": [1, None]}, "newer": None}
    again = pickle.loads(pickle.dumps(found))
    assert (again, again.request_id) == (found, found.request_id)


def test_null_is_the_same_as_nothing(kind: Kind) -> None:
    nothing = dict.fromkeys(("dependencies", "tags", "capabilities", "input_schema", "output_schema", "created_at"))
    match = answered(kind, with_block(**nothing)).search("a").matches[0]
    assert match == answered(kind, FOUND).search("a").matches[0]
    assert (match.code_block.tags, match.code_block.dependencies, match.code_block.created_at) == ([], {}, None)


@pytest.mark.parametrize("field", ["matches", "total_found"])
def test_what_must_be_there_is_missed(kind: Kind, field: str) -> None:
    for body in ({**FOUND, field: None}, {name: value for name, value in FOUND.items() if name != field}):
        with pytest.raises(APIError, match=f"{field}: Field required") as raised:
            answered(kind, body).search("a")
        assert raised.value.status_code == 200
        assert raised.value.__cause__ is None


def test_words_that_nobody_knows_yet(kind: Kind) -> None:
    votes = [{"snippet_id": "s", "filename": "f", "verdict": verdict} for verdict in ("thumbs_up", "shrug")]
    status = answered(kind, {"id": "i", "status": "paused", "votes": votes}).uploads.status("i")
    assert status.status == "paused"
    verdicts = [vote.verdict for vote in status.votes]
    assert verdicts == [AgentVerdict.THUMBS_UP, "shrug"]
    assert verdicts[0] is AgentVerdict.THUMBS_UP
    assert [verdict and verdict.value for verdict in verdicts] == ["thumbs_up", "shrug"]
    assert AgentVerdict("shrug") not in list(AgentVerdict)
    assert pickle.loads(pickle.dumps(status)) == status
    assert type(status).model_validate_json(status.model_dump_json()) == status
    repo = FOUND | {"matches": [MATCH | {"type": "notebook"}]}
    assert answered(kind, repo).search("a").matches[0].type == "notebook"


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-02-03T04:05:06.789Z", datetime(2026, 2, 3, 4, 5, 6, 789000, UTC)),
        ("2026-02-03T04:05:06+05:30", datetime(2026, 2, 3, 4, 5, 6, 0, timezone(timedelta(hours=5.5)))),
    ],
)
def test_times_have_a_zone(kind: Kind, text: str, time: datetime) -> None:
    found = answered(kind, with_block(created_at=text)).search("a").matches[0].code_block.created_at
    assert found == time
    assert found is not None
    assert found.utcoffset() == time.utcoffset()


def test_a_time_that_is_none_is_named(kind: Kind) -> None:
    with pytest.raises(APIError, match=r"matches\.0\.code_block\.created_at"):
        answered(kind, with_block(created_at="yesterday")).search("a")
