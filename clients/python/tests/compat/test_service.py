"""The existing clients' names, against the real service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cairn_client.compat import (
    AgentReview,
    AgentVerdict,
    AuthenticationError,
    ExecutionState,
    FileWritten,
    LogFile,
)
from tests.snippets import recent, source, unique

if TYPE_CHECKING:
    from pathlib import Path

    from cairn_client.compat import RaySurfer
    from tests.kinds import Kind
    from tests.service import Service


def file(word: str) -> FileWritten:
    return FileWritten(path=f"{word}.py", content=source(word))


def test_upload_search_vote_comment_delete(raysurfer: RaySurfer) -> None:
    word = unique()
    task = f"read a {word} file"
    answer = raysurfer.upload(task, file(word), True, False, 1, "logs", "https://ci.test/1", None, {"a": "1"}, ["tag"])
    assert (answer.success, answer.code_blocks_stored, answer.snippet_name) == (True, 1, word)
    match = raysurfer.search(task, 5, 0.3, 0, True, None, True).matches[0]
    assert match.code_block.name == word
    assert (match.thumbs_up, match.code_block.tags, match.dependencies) == (1, ["tag"], {"a": "1"})
    assert isinstance(match.combined_score, float)
    snippet = match.code_block.id
    assert raysurfer.vote_code_snip(task, snippet, word, "", True)["success"] is True
    comment = raysurfer.comment_on_code_snip(snippet, "Good.")["comment"]
    assert comment["text"] == "Good."
    match = raysurfer.search(task).matches[0]
    assert (match.thumbs_up, [one["text"] for one in match.comments]) == (2, ["Good."])
    assert raysurfer.delete(snippet).deleted_count == 1


def test_several_files_are_summed(raysurfer: RaySurfer) -> None:
    words = [unique(), unique()]
    answer = raysurfer.upload_new_code_snips(
        "read files", files_written=[file(word) for word in words], auto_vote=False
    )
    assert (answer.success, answer.code_blocks_stored, answer.snippet_name) == (True, 2, words[1])
    wrong: list[dict[str, Any]] = [{}, {"file_written": file("a"), "files_written": [file("b")]}, {"files_written": []}]
    for files in wrong:
        with pytest.raises(ValueError, match="files_written"):
            raysurfer.upload("read files", **files)


def test_bulk(raysurfer: RaySurfer) -> None:
    word = unique()
    answer = raysurfer.upload_bulk_code_snips(
        ["read"], [file(word)], [LogFile(path="run.log", content="fine")], user_votes={f"{word}.py": 1}
    )
    assert (answer.code_blocks_stored, answer.votes_queued) == (1, 0)


def test_a_folder_as_a_repository(raysurfer: RaySurfer, tmp_path: Path) -> None:
    word = unique()
    (tmp_path / "src").mkdir()
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "src" / "main.py").write_text(source(word))
    (tmp_path / "README.md").write_text(f"# {word}\n\nReads {word} files.\n")
    (tmp_path / "node_modules" / "left.js").write_text("no")
    (tmp_path / "picture.bin").write_bytes(b"\xff\x00")
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    answer = raysurfer.upload(f"read {word} files", repo_path=str(tmp_path))
    assert (answer.success, answer.code_blocks_stored) == (True, 1)
    match = raysurfer.search(f"read {word} files").matches[0]
    assert (match.type, match.file_count) == ("repo", 2)
    assert str(match.file_tree).splitlines() == ["README.md", "src/main.py"]


def test_what_stands_on_search(raysurfer: RaySurfer) -> None:
    words = [unique() for _ in range(2)]
    for word in words:
        raysurfer.upload(f"read a {words[0]} file", file(word), use_raysurfer_ai_voting=False)
    task = f"read a {words[0]} file"
    blocks = raysurfer.get_code_snips(task)
    assert {block.code_block.name for block in blocks.code_blocks} >= set(words)
    assert raysurfer.retrieve(task) == blocks
    best = raysurfer.retrieve_best(task)
    assert best.best_match is not None
    assert best.best_match.code_block.id == blocks.code_blocks[0].code_block.id
    assert [one.code_block_id for one in best.alternative_candidates] == [
        one.code_block.id for one in blocks.code_blocks[1:4]
    ]
    assert float(best.retrieval_confidence) == pytest.approx(best.best_match.score, abs=1e-4)
    files = raysurfer.get_code_files(task)
    assert f"`.raysurfer_code/{files.files[0].filename}`" in files.add_to_llm_prompt
    assert files.files[0].path is None


def test_runs_patterns_logs(raysurfer: RaySurfer) -> None:
    word = unique()
    stored = raysurfer.store_code_block(word, source(word), word, "python", f"Reads a {word} file.", tags=["x"])
    review = AgentReview(
        verdict=AgentVerdict.THUMBS_UP,
        reasoning="It works.",
        what_worked=["reading"],
        output_was_useful=True,
        output_was_correct=True,
        output_was_complete=False,
        would_use_again=True,
    )
    run = raysurfer.store_execution(
        stored.code_block_id,
        f"read a {word} file",
        {"path": "a"},
        ["row"],
        ExecutionState.COMPLETED,
        12,
        verdict=AgentVerdict.THUMBS_UP,
        review=review,
    )
    assert run.success
    found = raysurfer.get_executions(code_block_id=stored.code_block_id)
    record = found.executions[0]
    assert (found.total_found, record.id, record.duration_ms) == (1, run.execution_id, 12)
    assert (record.execution_state, record.verdict) == (ExecutionState.COMPLETED, AgentVerdict.THUMBS_UP)
    assert (record.io.input_data, record.io.output_data, record.io.output_type) == ({"path": "a"}, ["row"], "list")
    assert recent(record.timestamp)
    assert record.review is not None
    assert record.review.what_worked == ["reading"]
    example = raysurfer.get_few_shot_examples(f"read a {word} file", 1)[0]
    assert (example.input_sample, example.output_sample) == ({"path": "a"}, ["row"])
    pattern = raysurfer.get_task_patterns(code_block_id=stored.code_block_id)[0]
    assert (pattern.code_block_name, pattern.thumbs_up) == (word, 1)
    raysurfer.upload(f"read a {word} file", file(word), execution_logs=f"said {word} loudly")
    logs = raysurfer.search_logs(f"{word} loudly", limit=5)
    assert logs.matches[0].snippet_id == stored.code_block_id
    reviewed = raysurfer.auto_review(
        run.execution_id, f"read a {word} file", ExecutionState.COMPLETED, {"path": "a"}, ["row"], word, ""
    )
    assert (reviewed.success, reviewed.review.verdict) == (False, AgentVerdict.PENDING)


def test_public_snippets_need_no_key(kind: Kind, service: Service, raysurfer: RaySurfer) -> None:
    word = unique()
    raysurfer.upload(f"read a {word} file", file(word), public=True, use_raysurfer_ai_voting=False)
    keyless = kind.raysurfer(None, service.base_url)
    found = keyless.search_public(f"read a {word} file", language="python")
    assert found.snippets[0].name == word
    assert word in [snippet.name for snippet in keyless.browse_public(sort_by="recent").snippets]
    with pytest.raises(AuthenticationError):
        keyless.search("anything")


def test_chat(raysurfer: RaySurfer) -> None:
    word = unique()
    raysurfer.upload(f"read a {word} file", file(word), user_vote=1)
    answer = raysurfer.chat(f"read a {word} file", user=word, org="acme", model="local")
    assert (answer.success, answer.workspace_files, answer.error) == (True, [f"{word}.py"], "")
