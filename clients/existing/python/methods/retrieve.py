"""What is asked for: snippets in all their shapes, patterns, examples, logs."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from here import source, unique
from methods.registry import shows

if TYPE_CHECKING:
    from here import Here


@shows("search")
def search(here: Here) -> None:
    snippet = here.stored(per_function_reputation=True)
    answer = here.client.search(
        here.task, 3, 0.3, 0, True, {"type": "object", "properties": {"path": {"type": "string"}}}, True
    )
    assert answer.total_found >= 1
    assert answer.cache_hit in (True, False)
    match = answer.matches[0]
    block = match.code_block
    assert (block.id, block.name, block.entrypoint, block.language) == (snippet, here.word, here.word, "python")
    assert (match.filename, match.entrypoint, match.language) == (f"{here.word}.py", here.word, "python")
    assert 0 < match.score <= 1
    assert match.combined_score == match.score
    assert (type(match.vector_score), type(match.verdict_score)) == (float, float)
    assert (match.thumbs_up, match.thumbs_down, match.dependencies, match.comments) == (1, 0, block.dependencies, [])
    assert (match.type, match.download_url, match.agent_id) == ("file", None, None)
    assert isinstance(block.created_at, datetime)
    assert isinstance(block.updated_at, datetime)
    assert block.created_at.tzinfo is not None
    assert block.example_queries == [here.task]
    assert block.input_schema["properties"]["path"] == {"type": "string"}
    [function] = match.functions
    assert (function.function_name, function.thumbs_up, function.execution_count) == (here.word, 1, 1)
    assert function.fingerprint in block.source
    assert function.signature.startswith(here.word) or here.word in function.signature
    assert (function.common_errors, function.reviewed_by_human, function.derived_from) == ([], True, None)
    # without: the source as it was uploaded
    plain = here.client.search(task=here.task, min_human_upvotes=1).matches[0]
    assert (plain.functions, plain.code_block.source) == (None, source(here.word))
    names = [match.code_block.name for match in here.client.search(here.task, 100, min_human_upvotes=2).matches]
    assert here.word not in names
    needs = {"type": "object", "required": ["nothing_has_this"], "properties": {"nothing_has_this": {}}}
    assert here.client.search(here.task, input_schema=needs).matches == []


@shows("get_code_snips")
def code_snips(here: Here) -> None:
    here.stored()
    answer = here.client.get_code_snips(here.task)
    assert answer.total_found >= len(answer.code_blocks) > 0
    first = answer.code_blocks[0]
    assert (first.code_block.name, first.thumbs_up, first.thumbs_down) == (here.word, 1, 0)
    assert (first.recent_executions, 0 < first.score <= 1) == ([], True)


@shows("retrieve_best")
def best(here: Here) -> None:
    here.stored()
    for word in (unique(), unique()):
        here.client.upload(here.task, here.file(word), use_raysurfer_ai_voting=False)
    answer = here.client.retrieve_best(here.task)
    assert (answer.best_match.code_block.name, answer.best_match.thumbs_up) == (here.word, 1)
    assert 2 <= len(answer.alternative_candidates) <= 3
    assert {one.reason for one in answer.alternative_candidates} >= {"No execution history"}
    assert abs(float(answer.retrieval_confidence) - answer.best_match.score) < 1e-4
    none = here.client.retrieve_best("qqqq zzzz", min_verdict_score=1.0)
    assert (none.best_match, none.alternative_candidates, none.retrieval_confidence) == (None, [], "0")


@shows("get_code_files")
def code_files(here: Here) -> None:
    here.stored(dependencies={"csv": "1.0"})
    answer = here.client.get_code_files(here.task, cache_dir="/home/ada/cache")
    assert (answer.task, answer.files[0].filename) == (here.task, f"{here.word}.py")
    file = answer.files[0]
    assert (file.entrypoint, file.language, file.dependencies) == (here.word, "python", {"csv": "1.0"})
    assert (file.thumbs_up, file.thumbs_down, file.description) == (1, 0, f"Reads the rows of a {here.word} file.")
    assert source(here.word).splitlines()[0] in file.source
    for said in (f"/home/ada/cache/{here.word}.py", f"`{here.word}`", "csv@1.0", f"{file.score:.0%}"):
        assert said in answer.add_to_llm_prompt, said
    assert here.client.get_code_files("qqqq zzzz", min_verdict_score=1.0).add_to_llm_prompt == ""


@shows("get_few_shot_examples")
def few_shot(here: Here) -> None:
    snippet = here.stored()
    example = here.client.get_few_shot_examples(here.task, 1)[0]
    assert (example.task, example.input_sample, example.output_sample) == (here.task, {}, None)
    here.client.store_execution(snippet, here.task, {"path": "a.csv"}, [["a", "1"]])
    example = here.client.get_few_shot_examples(here.task, k=1)[0]
    assert (example.input_sample, example.output_sample) == ({"path": "a.csv"}, [["a", "1"]])
    assert example.code_snippet == source(here.word)


@shows("get_task_patterns")
def patterns(here: Here) -> None:
    snippet = here.stored()
    [pattern] = here.client.get_task_patterns(code_block_id=snippet)
    assert (pattern.task_pattern, pattern.code_block_id, pattern.code_block_name) == (here.task, snippet, here.word)
    assert (pattern.thumbs_up, pattern.thumbs_down, pattern.last_thumbs_down) == (1, 0, None)
    assert isinstance(pattern.last_thumbs_up, datetime)
    assert here.client.get_task_patterns(here.task, top_k=1) == [pattern]
    assert here.client.get_task_patterns(task=here.task, code_block_id=snippet, min_thumbs_up=2) == []
    assert here.client.get_task_patterns()


@shows("search_logs")
def logs(here: Here) -> None:
    snippet = here.stored(execution_logs=f"the {here.word} said seventeen")
    answer = here.client.search_logs(here.word, limit=5, offset=0, language="python", days_back=1)
    assert (answer.total_found, answer.has_more) == (1, False)
    match = answer.matches[0]
    assert (match.snippet_id, match.name, match.language) == (snippet, here.word, "python")
    assert (match.filename, match.triggering_query) == (f"{here.word}.py", here.task)
    assert isinstance(match.created_at, datetime)
    assert "seventeen" in match.preview
    assert match.score > 0
    assert match.raw_markdown_url.endswith(f"/raw/{snippet}.md")
    assert here.client.search_logs("seventeen", code_block_id=snippet).total_found == 1


@shows("browse_public")
def browse(here: Here) -> None:
    here.stored(public=True)
    # needs no key
    stranger = here.client_with(api_key=None)
    answer = stranger.browse_public(1, 0, "recent", "python")
    assert (answer.snippets[0].name, len(answer.snippets), answer.has_more) == (here.word, 1, answer.total > 1)
    assert (answer.snippets[0].source, answer.snippets[0].entrypoint) == (source(here.word), here.word)
    assert isinstance(answer.snippets[0].created_at, str)
    assert isinstance(answer.snippets[0].namespace, str)
    assert answer.total >= 1
    assert here.word in [snippet.name for snippet in stranger.browse_public(limit=100).snippets]


@shows("search_public")
def search_public(here: Here) -> None:
    here.stored(public=True)
    stranger = here.client_with(api_key=None)
    answer = stranger.search_public(here.task, 5, "python")
    assert (answer.query, answer.snippets[0].name) == (here.task, here.word)
    assert answer.total >= 1
    assert (answer.snippets[0].thumbs_up, answer.snippets[0].thumbs_down) == (1, 0)
