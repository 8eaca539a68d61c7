import { Context, type Effect } from "effect"
import type { MatchingPaths } from "#domain/glob.ts"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import type { NumberedLines, Replaced } from "#domain/textFile.ts"
import type { TookTooLong, TooMuchWaits } from "./JobFaults.ts"
import type { FoundSecret } from "./SecretScan.ts"
import type { Analysis, RepositoryAnalysis, RepositoryGiven } from "./SourceAnalysis.ts"

/**
 * What workers do: pure work on plain data (what JSON can say, and `Uint8Array`s), which may take long when it was made
 * to. Long texts and bytes go there and back as they are, so that neither side parses them; all else of an answer has
 * at most 2 MiB as JSON. Each job's code is named in infra/workers/jobs.ts.
 */
export interface Jobs {
  /** `SourceAnalysis.analyse`, by the grammar of the file's language. */
  readonly analyse: (path: string, source: string) => Analysis
  /** Without a look at its syntax. */
  readonly analyseAsText: (path: string, source: string) => Analysis
  /** As `SourceAnalysis.analyseRepository` gives it. */
  readonly analyseRepository: (files: ReadonlyArray<RepositoryFile>, given: RepositoryGiven) => RepositoryAnalysis
  /** Of a unified diff: how many lines were compared, and the hunks; `null`: there are more lines than `mostLines`. */
  readonly hunksOfBytes: (
    before: Uint8Array,
    after: Uint8Array,
    mostLines: number
  ) => { readonly lines: number; readonly text: Uint8Array | null }
  /** Those of the `paths`, one a line, that match a pattern, at most `most` of them. */
  readonly matchingPaths: (pattern: string, paths: string, most: number) => MatchingPaths
  /** `limit` lines of a text file from line `offset` (1 is the first), each with its number before it. */
  readonly numberedLines: (bytes: Uint8Array, offset: number, limit: number) => NumberedLines
  /**
   * A text file with `after` in place of `before`, where it is once or, if `all`, wherever it is; at most `most`
   * bytes.
   */
  readonly replaced: (bytes: Uint8Array, before: string, after: string, all: boolean, most: number) => Replaced
  /** As `SecretScan.scan` gives it. */
  readonly scanForSecrets: (path: string, text: string) => ReadonlyArray<FoundSecret>
}

/**
 * For whom jobs are done: those of one wait for each other and for nobody else's. A tenant, or `""`: the service
 * itself.
 */
export const WorkingFor = Context.Reference<string>("cairn/WorkingFor", { defaultValue: () => "" })

/** Milliseconds after which a process that nobody needs ends: the next job waits until another one has started. */
export const WorkersIdle = Context.Reference<number>("cairn/WorkersIdle", { defaultValue: () => 600_000 })

/**
 * Processes for work that would hold up everyone else: they can be ended in the middle of it. What is small for certain
 * is done without them.
 */
export class Workers extends Context.Service<
  Workers,
  {
    /**
     * `within`: milliseconds that the work itself may take, without the time that it waits; less for whom jobs were
     * given up just before.
     */
    readonly run: <Name extends keyof Jobs>(
      job: Name,
      args: Parameters<Jobs[Name]>,
      options: { readonly within: number }
    ) => Effect.Effect<Awaited<ReturnType<Jobs[Name]>>, TookTooLong | TooMuchWaits>
  }
>()("cairn/Workers") {}
