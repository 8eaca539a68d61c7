import { Context, type Effect } from "effect"

/** A JSON object, as of a JSON schema. */
export type JsonObject = { readonly [key: string]: unknown }

export interface FunctionFound {
  readonly name: string
  /** The signature's text on one line, e.g. `def add(a: int, b: int) -> int`. */
  readonly signature: string
  /** 1-based first and last line of the definition. */
  readonly startLine: number
  readonly endLine: number
}

/** What can be read off a source file at upload; recorded in the event, so that a replay needs no grammar. */
export interface Analysis {
  /** Lower-case: `python`, `typescript`, `javascript`, `go`, `ruby`, `java`, `rust`, `bash`, … or `text`. */
  readonly language: string
  /** Human-readable: the entrypoint's name, else the file's base name without its extension. */
  readonly name: string
  /** The main function, method or class to call; `""` when there is none. */
  readonly entrypoint: string
  /** First paragraph of the module's or the entrypoint's docstring or leading comment; `""` when there is none. */
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  readonly functions: ReadonlyArray<FunctionFound>
  /** 0…1: how complete the code looks (design: 0 for a body that is only a stub, else code lines / 20). */
  readonly completeness: number
}

/** Reads a source file. Never fails: what a grammar can't parse is analysed as text. Reads no file, runs no code. */
export class SourceAnalysis extends Context.Service<
  SourceAnalysis,
  {
    readonly analyse: (path: string, source: string) => Effect.Effect<Analysis>
  }
>()("cairn/SourceAnalysis") {}
