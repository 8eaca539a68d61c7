"""What `cairn_client.compat` leaves out of the published package, and why. Anything else is there, or a test fails."""

from __future__ import annotations

from typing import Any

CALLS_BACK = "the service does not run code that calls back into its client"
NO_GENERATION = "the service does not generate shared code"
NO_HASHES = "the service keeps no logs by hash"
RULES = "in no document of the package; @agent_accessible says the same at the function"
TURNS = "in no document of the package; agent sessions and get_code_files(cache_dir=…) do this"
AT_THE_TOP = "in no document of the package as a module; its names are at the top"

METHODS = {
    "execute": CALLS_BACK,
    "execute_generated_code": CALLS_BACK,
    "execute_with_sandbox_codegen": CALLS_BACK,
    "tool": CALLS_BACK,
    "shared_code": NO_GENERATION,
    "log": NO_HASHES,
    "get_log": NO_HASHES,
}

NAMES = {
    "AsyncCodegenApp": CALLS_BACK,
    "CodegenApp": CALLS_BACK,
    "ExecuteResult": CALLS_BACK,
    "ToolCallRecord": CALLS_BACK,
    "ToolDefinition": CALLS_BACK,
    "SharedCodeResponse": NO_GENERATION,
    "SharedCodeSecurityReport": NO_GENERATION,
    "AgentAccessRules": RULES,
    "RaysurferConfig": RULES,
    "load_config": RULES,
    "AnthropicProgrammaticToolCallWrapper": TURNS,
    "AsyncAnthropicProgrammaticToolCallWrapper": TURNS,
    "AsyncProgrammaticToolCallingSession": TURNS,
    "ProgrammaticFrameworkResult": TURNS,
    "ProgrammaticMaterializeContext": TURNS,
    "ProgrammaticToolCallingSession": TURNS,
    "run_async_framework_programmatic_tool_calling": TURNS,
    "run_framework_programmatic_tool_calling": TURNS,
    "wrap_anthropic_programmatic_tool_calling": TURNS,
    "wrap_async_anthropic_programmatic_tool_calling": TURNS,
}

MODULES = {
    "agent": CALLS_BACK,
    "client": AT_THE_TOP,
    "config": RULES,
    "logging": AT_THE_TOP,
    "programmatic": TURNS,
    "runner": AT_THE_TOP,
    "sdk_client": AT_THE_TOP,
    "sdk_types": AT_THE_TOP,
}

DEFAULTS: dict[str, dict[str, Any]] = {
    # the environment's, else http://127.0.0.1:8080: there is no host of everybody's
    name: {"base_url": None}
    for name in ("RaySurfer", "AsyncRaySurfer", "Agent")
}
"""What is left out of a call, where it means something else here."""

REQUIRED = {
    # an answer of the service always has them
    "ChatResponse": {"output", "changed_files", "workspace_files", "duration_ms", "session_id"},
}
"""Fields of a model that may be left out there."""

OTHER_DEFAULTS = {
    # an answer of the service always has them; what nobody measured is 0
    "FunctionReputation": {"output_completeness", "repeat_call_rate"},
    # the score, once the model is made: as there
    "SearchMatch": {"vector_score", "verdict_score"},
}
"""Fields of a model that are another value when they are left out."""
