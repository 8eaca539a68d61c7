"""What is handed over: files, votes, comments, whole snippets."""

from __future__ import annotations

import base64
import inspect
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from here import source, unique
from methods.registry import shows

if TYPE_CHECKING:
    from here import Here


@shows("upload")
def upload(here: Here) -> None:
    answer = here.client.upload(
        here.task, here.file(), True, False, 1, "read 7 rows", "https://ci.example/1", None, {"csv": "1.0"}, ["tables"]
    )
    assert (answer.success, answer.code_blocks_stored, answer.snippet_name) == (True, 1, here.word)
    assert answer.message
    match = here.client.search(here.task).matches[0]
    assert (match.code_block.name, match.thumbs_up, match.thumbs_down) == (here.word, 1, 0)
    assert (match.dependencies, match.code_block.tags[0]) == ({"csv": "1.0"}, "tables")
    # what was sent beside it, once more: the same snippet, with more votes
    here.client.upload(
        task=here.task,
        file_written=here.file(),
        user_vote=-1,
        vote_source="cli",
        vote_count=2,
        per_function_reputation=True,
    )
    match = here.client.search(here.task, min_verdict_score=0.0).matches[0]
    assert (match.thumbs_up, match.thumbs_down) == (1, 2)
    failed = here.client.upload(here.task, here.file(unique()), succeeded=False, use_raysurfer_ai_voting=False)
    assert failed.success
    if "repo_path" in inspect.signature(here.library.AsyncRaySurfer.upload).parameters:
        repository(here)


def repository(here: Here) -> None:
    if here.kind == "sync" and here.library.__name__ == "raysurfer":
        return  # its blocking client can't
    word = unique()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "src").mkdir()
        (folder / "src" / "main.py").write_text(source(word))
        (folder / "README.md").write_text(f"# {word}\n\nReads {word} files.\n")
        (folder / "picture.bin").write_bytes(b"\xff\x00")
        answer = here.client.upload(f"read {word} files", repo_path=name, tags=["scaffold"], dependencies={"csv": "1"})
    assert (answer.success, answer.code_blocks_stored) == (True, 1)
    match = here.client.search(f"read {word} files", result_type="repo").matches[0]
    assert (match.type, match.file_count, match.code_block.id) == ("repo", 2, answer.snippet_name)
    assert match.file_tree.splitlines() == ["README.md", "src/main.py"]
    assert word in match.readme_preview
    with pytest.raises(here.library.APIError) as refused:
        here.client.upload("read", github_url="https://github.com/ada/files")
    assert refused.value.status_code == 400


@shows("upload_new_code_snip", "upload_new_code_snips")
def several_files(here: Here) -> None:
    words = [unique(), unique()]
    files = [here.file(word) for word in words]
    answer = here.client.upload_new_code_snips(task=here.task, files_written=files, auto_vote=False)
    assert (answer.success, answer.code_blocks_stored) == (True, 2)
    names = {match.code_block.name for match in here.client.search(here.task, 10).matches}
    assert names >= set(words)
    assert here.client.upload_new_code_snip(here.task, here.file(), True).snippet_name == here.word


@shows("upload_bulk_code_snips")
def bulk(here: Here) -> None:
    one, other = unique(), unique()
    log = here.library.LogFile
    answer = here.client.upload_bulk_code_snips(
        [here.task, "then add tests"],
        [here.file(one), here.file(other)],
        [
            log(path="run.log", content=f"{here.word} printed its rows"),
            log(path="core.bin", content=base64.b64encode(b"\x00\xff").decode(), encoding="base64"),
        ],
        user_votes={f"{one}.py": 1, f"/home/ada/work/{other}.py": -1},
        vote_source="cli",
        vote_count=2,
    )
    assert (answer.success, answer.code_blocks_stored, answer.votes_queued) == (True, 2, 0)
    assert answer.status_url is None
    votes = {
        match.code_block.name: (match.thumbs_up, match.thumbs_down)
        for match in here.client.search(here.task, 100, 0.0).matches
    }
    assert (votes[one], votes[other]) == ((2, 0), (0, 2))
    graded = here.client.upload_bulk_code_snips(prompts=[here.task], files_written=[here.file()])
    assert (graded.votes_queued, graded.status_url.startswith("/api/store/status/")) == (1, True)


@shows("store_code_block")
def code_block(here: Here) -> None:
    answer = here.client.store_code_block(
        here.word,
        source(here.word),
        here.word,
        "python",
        f"Reads the rows of a {here.word} file.",
        {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        {"type": "array"},
        "3.11",
        {"csv": "1.0"},
        ["tables"],
        ["reading"],
        [here.task],
    )
    assert (answer.success, answer.embedding_id) == (True, answer.code_block_id)
    found = here.client.search(here.task).matches[0].code_block
    assert (found.id, found.name, found.description) == (
        answer.code_block_id,
        here.word,
        f"Reads the rows of a {here.word} file.",
    )
    assert (found.language_version, found.tags[0], found.capabilities[0]) == ("3.11", "tables", "reading")
    assert (found.example_queries, found.output_schema) == ([here.task], {"type": "array"})


@shows("vote_code_snip")
def vote(here: Here) -> None:
    snippet = here.stored()
    # high-level clients name a snippet by its file
    answer = here.client.vote_code_snip(here.task, snippet, f"{here.word}.py", "", False)
    assert (answer["success"], type(answer["vote_pending"])) == (True, bool)
    assert answer["message"]
    match = here.client.search(here.task, min_verdict_score=0.0).matches[0]
    assert (match.thumbs_up, match.thumbs_down) == (1, 1)


@shows("comment_on_code_snip")
def comment(here: Here) -> None:
    answer = here.client.comment_on_code_snip(here.stored(), "Good.")
    assert answer["success"] is True
    assert {name: answer["comment"][name] for name in ("email", "text")} == {
        "email": "owner@cairn.local",
        "text": "Good.",
    }
    assert answer["comment"]["id"]
    assert answer["comment"]["created_at"]


@shows("delete")
def delete(here: Here) -> None:
    snippet = here.stored()
    answer = here.client.delete(snippet)
    assert (answer.success, answer.deleted_count) == (True, 1)
    assert answer.message
    with pytest.raises(here.library.APIError) as gone:
        here.client.delete(snippet)
    assert gone.value.status_code == 404
    here.stored()
    assert here.client.delete(here.word).deleted_count == 1
    # two snippets of one name: the service does not guess
    for body in ("1", "2"):
        here.client.store_code_block(here.word, f"def {here.word}():\n    return {body}\n", here.word, "python")
    with pytest.raises(here.library.APIError) as ambiguous:
        here.client.delete(here.word)
    assert ambiguous.value.status_code == 409
