"""The existing clients' names and the order of their parameters."""

from __future__ import annotations

import importlib
import inspect

import pytest

from cairn_client import compat

PARAMETERS = {
    "__init__": "api_key base_url timeout organization_id workspace_id snips_desired public_snips agent_id",
    "search": "task top_k min_verdict_score min_human_upvotes prefer_complete input_schema per_function_reputation "
    "workspace_id result_type",
    "upload": "task file_written succeeded use_raysurfer_ai_voting user_vote execution_logs run_url workspace_id "
    "dependencies tags public vote_source vote_count files_written auto_vote per_function_reputation repo_path "
    "github_url",
    "upload_bulk_code_snips": "prompts files_written log_files use_raysurfer_ai_voting user_votes workspace_id "
    "vote_source vote_count",
    "delete": "snippet_id workspace_id",
    "vote_code_snip": "task code_block_id code_block_name code_block_description succeeded",
    "comment_on_code_snip": "code_block_id text",
    "chat": "query user org model max_turns",
    "get_code_snips": "task top_k min_verdict_score",
    "retrieve_best": "task top_k min_verdict_score",
    "get_code_files": "task top_k min_verdict_score prefer_complete cache_dir per_function_reputation",
    "store_code_block": "name source entrypoint language description input_schema output_schema language_version "
    "dependencies tags capabilities example_queries",
    "store_execution": "code_block_id triggering_task input_data output_data execution_state duration_ms error_message "
    "error_type verdict review",
    "get_few_shot_examples": "task k",
    "get_task_patterns": "task code_block_id min_thumbs_up top_k",
    "get_executions": "code_block_id task verdict limit",
    "search_logs": "query limit offset code_block_id language days_back",
    "auto_review": "execution_id triggering_task execution_state input_data output_data code_block_name "
    "code_block_description error_message",
    "browse_public": "limit offset sort_by language",
    "search_public": "query limit language",
    "heartbeat": "agent_id agent_name status current_task cpu_percent memory_percent metadata",
}


@pytest.mark.parametrize("method", PARAMETERS)
def test_parameters_are_in_the_existing_order(method: str) -> None:
    expected = PARAMETERS[method].split()
    for client in (compat.RaySurfer, compat.AsyncRaySurfer):
        assert list(inspect.signature(getattr(client, method)).parameters)[1 : len(expected) + 1] == expected


def test_aliases() -> None:
    for client in (compat.RaySurfer, compat.AsyncRaySurfer):
        assert client.upload_new_code_snip is client.upload_new_code_snips is client.upload
        assert client.submit_execution_result is client.upload


def test_the_types_module_has_the_types() -> None:
    types = importlib.import_module("cairn_client.compat.types")
    for name in ("FileWritten", "LogFile", "SnipsDesired", "SearchMatch", "AlternativeCandidate", "ExecutionState"):
        assert getattr(types, name) is getattr(compat, name)
