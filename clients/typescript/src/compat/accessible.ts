import type { FunctionTool } from "../agent/functions/agentFunction.ts"
import { parametersOf } from "../agent/functions/parameters.ts"
import { recordable } from "../agent/functions/recordable.ts"
import { hurried, mayRecord, sendRecord } from "../agent/functions/recording.ts"
import { toolSchema } from "../agent/functions/toolSchema.ts"
import { type AnyFunction, errorOf, type Run, watched } from "../agent/functions/watched.ts"
import { ExecutionState } from "../enumerations.ts"
import type { RequestOptions } from "../options.ts"
import type { JsonObject } from "../resources/codeBlocks.ts"
import type { StoreExecutionParams, StoreExecutionResponse } from "../resources/executions.ts"
import type { SubmitExecutionResultResponse } from "../resources/upload.ts"
import type { UploadNewCodeSnipOptions } from "./uploads.ts"

/** What stores marked functions and records their calls: a `RaySurfer`. */
export interface TrackingClient {
  /** Stores what a task produced. */
  upload(options: UploadNewCodeSnipOptions): Promise<SubmitExecutionResultResponse>
  /** Records a run. That of a marked function is in a hurry: `options` say so. */
  storeExecution(params: StoreExecutionParams, options?: RequestOptions): Promise<StoreExecutionResponse>
}

/** A function that can be marked. */
export type AgentCallable = AnyFunction

/** What is known of a marked function. */
export interface AgentAccessibleSchema {
  /** How agents call it. */
  readonly name: string
  /** What it does, for the model. */
  readonly description: string
  /** A JSON schema, or parameter names to type names. */
  readonly inputSchema: JsonObject
  /** @deprecated The same as `inputSchema`. */
  readonly parameters: JsonObject
  /** Its code, as JavaScript has it. */
  readonly source: string
  /** The snippet that its runs are recorded for, once it is published. */
  codeBlockId?: string
}

/** A marked function: takes and gives what it took and gave before. */
export type AgentAccessibleFunction<T extends AgentCallable> = T & {
  /** That it is marked. */
  readonly _raysurferAccessible: true
  /** What agents are told of it. */
  readonly _raysurferSchema: AgentAccessibleSchema
  /** Records its calls. */
  _raysurferClient?: TrackingClient
}

/** What `agentAccessible` takes. */
export interface AgentAccessibleOptions {
  /** Default: the function's own. */
  readonly name?: string | undefined
  /** What it does, for the model. */
  readonly description?: string | undefined
  /** Default: the parameters' names, each a `string`. */
  readonly inputSchema?: JsonObject | undefined
  /** @deprecated Use `inputSchema`. */
  readonly parameters?: JsonObject | undefined
  /** Taken as existing programs give it; the client's own scope counts. */
  readonly orgId?: string | undefined
  /** Taken as existing programs give it; the client's own scope counts. */
  readonly workspaceId?: string | undefined
}

const record = (marked: AgentAccessibleFunction<AgentCallable>, run: Run): void => {
  const client = marked._raysurferClient
  if (client === undefined || !mayRecord()) return
  const { name, codeBlockId } = marked._raysurferSchema
  const error = run.failed ? errorOf(run) : undefined
  const call: StoreExecutionParams = {
    codeBlockId: codeBlockId ?? `function_registry:${name}`,
    triggeringTask: `agent_accessible:${name}`,
    inputData: { args: recordable(run.args) },
    outputData: recordable(error ? { error: error.message } : run.outcome),
    executionState: error ? ExecutionState.ERRORED : ExecutionState.COMPLETED,
    durationMs: run.durationMs,
    ...(error ? { errorMessage: error.message, errorType: error.type } : {})
  }
  void sendRecord(() => client.storeExecution(call, hurried()))
}

/**
 * Marks a function as one that agents may call. With a client (`setTrackingClient`, `publishFunctionRegistry`) each
 * call is recorded: what it took and gave, how long it ran, its error. No call waits for its record; while a hundred
 * are under way, further calls are not recorded.
 */
export const agentAccessible = <T extends AgentCallable>(
  fn: T,
  options: AgentAccessibleOptions = {}
): AgentAccessibleFunction<T> => {
  const inputSchema = options.inputSchema ?? options.parameters ?? parametersOf(String(fn))
  const schema: AgentAccessibleSchema = {
    name: options.name ?? (fn.name || "anonymous"),
    description: options.description ?? "",
    inputSchema,
    parameters: inputSchema,
    source: String(fn)
  }
  const marked: AgentAccessibleFunction<T> = Object.assign(
    watched(fn, (run) => record(marked, run)),
    { _raysurferAccessible: true as const, _raysurferSchema: schema }
  )
  return marked
}

/**
 * A marked function as a tool of the Messages API. Names with type names become a JSON schema of required properties.
 */
export const toAnthropicTool = (fn: AgentAccessibleFunction<AgentCallable>): FunctionTool => {
  const { name, description, inputSchema } = fn._raysurferSchema
  return { name, description, input_schema: toolSchema(inputSchema) }
}

/** Records the function's calls with this client from now on. */
export const setTrackingClient = (fn: AgentAccessibleFunction<AgentCallable>, client: TrackingClient): void => {
  fn._raysurferClient = client
}

/** Stores marked functions as snippets, and records their calls from then on. Gives the snippets' names. */
export const publishFunctionRegistry = async (
  client: TrackingClient,
  functions: ReadonlyArray<AgentAccessibleFunction<AgentCallable>>
): Promise<ReadonlyArray<string>> => {
  const names: Array<string> = []
  for (const fn of functions.filter((fn) => fn._raysurferAccessible)) {
    const { name, description, source } = fn._raysurferSchema
    const { snippetName } = await client.upload({
      task: `Call ${name}: ${description}`,
      fileWritten: { path: `${name}.ts`, content: source },
      succeeded: true,
      useRaysurferAiVoting: false,
      tags: ["function_registry", "agent_accessible"]
    })
    if (snippetName !== null) {
      names.push(snippetName)
      fn._raysurferSchema.codeBlockId = snippetName
    }
    setTrackingClient(fn, client)
  }
  return names
}
