"""A backup, piece by piece, on the real service; what breaks off, on answers of the test's."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import APIError, CacheUnavailableError, ConflictError, PermissionDeniedError, ValidationError
from tests.answering import Answers, status
from tests.cutting import cutting

if TYPE_CHECKING:
    from cairn_client import Cairn
    from tests.kinds import Kind
    from tests.service import Service

# httpx2 leaves a generator of its own behind when a stream is not taken to its end, which trio reports
pytestmark = pytest.mark.filterwarnings("ignore:.*PoolByteStream:pytest.PytestUnraisableExceptionWarning")


def taken(client: Any, **given: Any) -> bytes:
    with client.system.backup(**given) as pieces:
        return b"".join(pieces)


def test_a_tar_whose_last_file_is_the_manifest(client: Cairn) -> None:
    with tarfile.open(fileobj=io.BytesIO(taken(client))) as archive:
        names = archive.getnames()
    assert (names[0], names[-1]) == ("cairn-backup.json", "backups/000001.json")


def test_refused(kind: Kind, service: Service, client: Cairn) -> None:
    key = client.keys.create("reader@example.org", "reads", role="reader").key
    with pytest.raises(PermissionDeniedError):
        taken(kind.cairn(key, service.base_url))
    with pytest.raises(ValidationError):
        taken(client, recipient="nobody")


def test_one_that_is_cut(kind: Kind, service: Service) -> None:
    with cutting(service.port, 1, "before") as address:
        assert taken(kind.cairn(service.key, address, max_retries=1))[:17] == b"cairn-backup.json"
    with cutting(service.port, 9, "within") as address, pytest.raises(CacheUnavailableError):
        taken(kind.cairn(service.key, address, max_retries=0))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (httpx2.Response(409, json={"code": "conflict/backup_running", "message": "Another one."}), ConflictError),
        (httpx2.Response(200, json={}), APIError),
    ],
)
def test_no_archive(kind: Kind, answer: httpx2.Response, error: type[Exception]) -> None:
    answers = Answers(answer)
    with pytest.raises(error):
        taken(kind.mocked(answers).client)
    assert len(answers.requests) == 1


def test_a_long_wait_is_told_by_default(kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    tar = httpx2.Response(200, content=b"one", headers={"content-type": "application/x-tar"})
    answers = Answers(status(503, retry_after="10"), status(503, retry_after="11"), tar)
    assert taken(kind.mocked(answers).client) == b"one"
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert told == ["GET /api/admin/backup: 503; attempt 3 of 3 follows in 11.00 s"]


def test_how_long_it_may_be_silent(kind: Kind) -> None:
    for options, seconds in (({}, 600), ({"timeout": 60}, 60), ({"timeout": 60.0}, 60), ({"timeout": 900}, 900)):
        answers = Answers(httpx2.Response(200, json={}))
        with pytest.raises(APIError):
            taken(kind.mocked(answers, **options).client)
        assert answers.requests[0].extensions["timeout"]["read"] == seconds
