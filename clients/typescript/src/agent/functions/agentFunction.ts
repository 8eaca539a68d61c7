import type { Cairn } from "../../Cairn.ts"
import { ExecutionState } from "../../enumerations.ts"
import type { JsonObject } from "../../resources/codeBlocks.ts"
import { storeExecution } from "../../resources/executions.ts"
import type { StoreCodeBlockParams } from "../../resources/storeCodeBlock.ts"
import { environmentSecrets, redacted, storable } from "../screen.ts"
import { parametersOf } from "./parameters.ts"
import { recordable, sizeOf } from "./recordable.ts"
import { hurried, mayRecord, sendRecord } from "./recording.ts"
import { toolSchema } from "./toolSchema.ts"
import { type AnyFunction, errorOf, type Run, watched } from "./watched.ts"

/** What is known of a function that agents may call. */
export interface FunctionSchema {
  /** What it is called, by agents too. */
  readonly name: string
  /** What it does, in plain words. */
  readonly description: string
  /** A JSON schema, or parameter names to type names. */
  readonly inputSchema: JsonObject
  /** Its code: given, or as JavaScript has it, which is without types. */
  readonly source: string
}

/** What `agentFunction` takes. Every option may be left out. */
export interface AgentFunctionOptions {
  /** Default: the function's own. */
  readonly name?: string | undefined
  /** What it does, in plain words: it is found by them. */
  readonly description?: string | undefined
  /** Default: the parameters' names, each a `string`. */
  readonly inputSchema?: JsonObject | undefined
  /** Its code with types, such as the text of its module. Default: as JavaScript has it. */
  readonly source?: string | undefined
  /** Records what calls take and give, too, at most 100,000 characters of JSON each. Default: only how much that is. */
  readonly recordValues?: boolean | undefined
}

/** A function that agents may call: takes and gives what it took and gave before. */
export type AgentFunction<T extends AnyFunction = AnyFunction> = T & {
  /** What agents are told of it. */
  readonly schema: FunctionSchema
  /** The snippet's name, once `publishFunctions` stored it: from then on calls are recorded. */
  readonly snippetName: string | null
}

interface Recording {
  readonly client: Cairn
  readonly codeBlockId: string
}
const recordings = new WeakMap<AnyFunction, Recording>()

/**
 * What is known of a function's code; an input schema that would only be guessed is left for the service to read off
 * it.
 */
type Code = Pick<StoreCodeBlockParams, "entrypoint" | "language" | "inputSchema">
const codes = new WeakMap<AnyFunction, Code>()

const longestError = 10_000

const stateOf = (type: string): ExecutionState => {
  if (type === "TimeoutError") return ExecutionState.TIMED_OUT
  return type === "AbortError" ? ExecutionState.CANCELLED : ExecutionState.ERRORED
}

const record = (fn: AgentFunction, values: boolean, run: Run): void => {
  const recording = recordings.get(fn)
  if (recording === undefined || !mayRecord()) return
  const noted = values ? recordable : sizeOf
  const { args, durationMs, failed, outcome } = run
  const error = failed ? errorOf(run) : undefined
  const call = {
    codeBlockId: recording.codeBlockId,
    triggeringTask: `call ${fn.schema.name}`,
    inputData: { args: noted(args) },
    outputData: error ? null : noted(outcome),
    executionState: error ? stateOf(error.type) : ExecutionState.COMPLETED,
    durationMs,
    ...(error && {
      // it may name what the call took
      errorMessage: storable(redacted(error.message, environmentSecrets()).slice(0, longestError)),
      errorType: storable(error.type.slice(0, 1_000))
    })
  }
  void sendRecord(() => recording.client._send(() => storeExecution(call), hurried()))
}

/**
 * Makes a function one that agents may find and call. `publishFunctions` stores it as a snippet; from then on each call
 * is recorded: whether it failed and how, how long it ran, how much it took and gave. No call waits for its record; a
 * program that ends by itself does, for seconds, and `process.exit` does not.
 *
 * ```ts
 * const countWords = agentFunction((text: string) => text.split(/\s+/).length, {
 *   name: "count_words",
 *   description: "Counts the words of a text."
 * })
 * await publishFunctions(cairn, [countWords])
 * ```
 */
export const agentFunction = <T extends AnyFunction>(fn: T, options: AgentFunctionOptions = {}): AgentFunction<T> => {
  const schema: FunctionSchema = {
    name: options.name ?? (fn.name || "anonymous"),
    description: options.description ?? "",
    inputSchema: options.inputSchema ?? parametersOf(String(fn)),
    source: options.source ?? String(fn)
  }
  const marked: AgentFunction<T> = Object.assign(
    watched(fn, (run) => record(marked, options.recordValues ?? false, run)),
    { schema, snippetName: null }
  )
  codes.set(marked, {
    entrypoint: fn.name,
    language: options.source === undefined ? "javascript" : "typescript",
    inputSchema: options.inputSchema && toolSchema(options.inputSchema)
  })
  return marked
}

/** A tool of the Messages API. */
export interface FunctionTool {
  /** What the model calls it by. */
  readonly name: string
  /** What it does, for the model. */
  readonly description: string
  /** A JSON schema of an object with its parameters. */
  readonly input_schema: JsonObject
}

/** The function as a tool of the Messages API. */
export const functionTool = ({ schema }: AgentFunction): FunctionTool => ({
  name: schema.name,
  description: schema.description,
  input_schema: toolSchema(schema.inputSchema)
})

/**
 * Stores functions as snippets, and records their calls from then on. Gives their names. The same code again is the
 * same snippet. Fails as `snippets.create` does; the functions before the one that failed are stored.
 */
export const publishFunctions = async (
  client: Cairn,
  functions: ReadonlyArray<AgentFunction>
): Promise<ReadonlyArray<string>> => {
  const names: Array<string> = []
  for (const fn of functions) {
    const { name, description, source } = fn.schema
    const code = codes.get(fn) ?? { entrypoint: "", language: "javascript" }
    const { codeBlockId } = await client.snippets.create({
      name,
      description,
      source,
      ...code,
      tags: ["function"],
      exampleQueries: [`Call ${name}: ${description}`]
    })
    // names need not be unique
    recordings.set(fn, { client, codeBlockId })
    Object.assign(fn, { snippetName: name })
    names.push(name)
  }
  return names
}
