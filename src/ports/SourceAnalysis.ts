import { Context, type Effect } from "effect"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import type { TooMuchWaits } from "./JobFaults.ts"

/** A JSON object, as of a JSON schema. */
export type JsonObject = { readonly [key: string]: unknown }

/** A function, a method, or the whole of a file without any, where it was found. */
export interface FunctionFound {
  /**
   * `fn_` and 64 hexadecimal digits: the same for the same name and behaviour, whatever the layout, the comments and
   * the names of parameters and locals (docs/decisions/0015).
   */
  readonly fingerprint: string
  /** With its type: `Stack.push`. A file without functions is one function, called after the file. */
  readonly name: string
  /** The signature's text on one line, e.g. `def add(a: int, b: int) -> int`. */
  readonly signature: string
  /** 1-based first and last line of the definition. */
  readonly startLine: number
  readonly endLine: number
  /** 1-based line above which a line of comment may stand: above its decorators, attributes and doc comment. */
  readonly commentLine: number
}

/** What can be read off a source file at upload; recorded in the event, so that a replay needs no grammar. */
export interface Analysis {
  /** Lower-case: `python`, `typescript`, `javascript`, `go`, `ruby`, `java`, `rust`, `bash`, … or `text`. */
  readonly language: string
  /**
   * The least version that the source can run on, e.g. `>=3.10`; `null` if it has nothing that only newer versions
   * have.
   */
  readonly languageVersion: string | null
  /** Human-readable: the entrypoint's name, else the file's base name without its extension. */
  readonly name: string
  /** The main function, method or class to call; `""` if there is none. */
  readonly entrypoint: string
  /** First paragraph of the module's or the entrypoint's docstring or leading comment; `""` if there is none. */
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  /** Top-level packages that it imports, at most ten. */
  readonly tags: ReadonlyArray<string>
  /** What it can do or reaches, in short phrases (`network access`), at most ten. */
  readonly capabilities: ReadonlyArray<string>
  readonly functions: ReadonlyArray<FunctionFound>
  /** How complete the code looks, 0…1: 0 for a body that is only a stub, else code lines / 20. */
  readonly completeness: number
}

/** What the uploader says of a repository; `null`: it is read off the files. */
export interface RepositoryGiven {
  readonly task: string
  readonly name: string | null
  readonly description: string | null
}

/** What the files of a repository say of themselves together; recorded in the event. */
export interface RepositoryAnalysis {
  readonly name: string
  readonly description: string
  /** The readme, or a summary without one, and the list of the files. */
  readonly source: string
  readonly language: string
  /** The path of the file that the repository starts by; `""` if that is not clear. */
  readonly entrypoint: string
  readonly completeness: number
}

/**
 * Analyses sources. What a grammar can't parse, or not in time, is analysed as text. Reads no file, runs no code, and
 * takes none of the service's own time.
 */
export class SourceAnalysis extends Context.Service<
  SourceAnalysis,
  {
    /** Analyses one file; its `path` says what language it is in. */
    readonly analyse: (path: string, source: string) => Effect.Effect<Analysis, TooMuchWaits>
    /** Analyses a repository's files, or their paths alone if the files can't be read in time. */
    readonly analyseRepository: (
      files: ReadonlyArray<RepositoryFile>,
      given: RepositoryGiven
    ) => Effect.Effect<RepositoryAnalysis, TooMuchWaits>
  }
>()("cairn/SourceAnalysis") {}
