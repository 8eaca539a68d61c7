import { Context, type Effect } from "effect"
import type { MatchingPaths } from "#domain/glob.ts"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import type { NumberedLines, Replaced } from "#domain/textFile.ts"
import type { TookTooLong, TooMuchWaits } from "./JobFaults.ts"
import type { FoundSecret } from "./SecretScan.ts"
import type { Analysis, RepositoryAnalysis, RepositoryGiven } from "./SourceAnalysis.ts"

/**
 * The jobs of workers: pure work on plain data (JSON and `Uint8Array`s), which crafted input can make slow. Long texts
 * and bytes go there and back as they are, so that neither side parses them; all else of an answer has at most 2 MiB as
 * JSON. infra/workers/jobs.ts names each job's code.
 */
export interface Jobs {
  /** `SourceAnalysis.analyse`, by the grammar of the file's language. */
  readonly analyse: (path: string, source: string) => Analysis
  /** The same without looking at the syntax. */
  readonly analyseAsText: (path: string, source: string) => Analysis
  /** As `SourceAnalysis.analyseRepository` gives it. */
  readonly analyseRepository: (files: ReadonlyArray<RepositoryFile>, given: RepositoryGiven) => RepositoryAnalysis
  /** How many lines were compared, and the hunks of a unified diff; `null` if there are more lines than `mostLines`. */
  readonly hunksOfBytes: (
    before: Uint8Array,
    after: Uint8Array,
    mostLines: number
  ) => { readonly lines: number; readonly text: Uint8Array | null }
  /** The `paths`, one a line, that match a pattern, at most `most` of them. */
  readonly matchingPaths: (pattern: string, paths: string, most: number) => MatchingPaths
  /** `limit` lines of a text file from line `offset` (1 is the first), each with its number before it. */
  readonly numberedLines: (bytes: Uint8Array, offset: number, limit: number) => NumberedLines
  /**
   * A text file with `after` in place of `before`: at its only place or, if `all`, everywhere. At most `most` bytes.
   */
  readonly replaced: (bytes: Uint8Array, before: string, after: string, all: boolean, most: number) => Replaced
  /** As `SecretScan.scan` gives it. */
  readonly scanForSecrets: (path: string, text: string) => ReadonlyArray<FoundSecret>
}

/**
 * For whom jobs are done: a tenant, or `""` for the service itself. Jobs wait for those of the same one, and for nobody
 * else's.
 */
export const WorkingFor = Context.Reference<string>("cairn/WorkingFor", { defaultValue: () => "" })

/** Milliseconds after which an idle process ends. The next job then waits until another one has started. */
export const WorkersIdle = Context.Reference<number>("cairn/WorkersIdle", { defaultValue: () => 600_000 })

/**
 * Processes for work that would hold up everyone else; they can be ended in the middle of it. Work that is certainly
 * small is done without them.
 */
export class Workers extends Context.Service<
  Workers,
  {
    /**
     * `within`: milliseconds that the work itself may take, not counting the time that it waits. A caller whose jobs
     * were just given up gets less.
     */
    readonly run: <Name extends keyof Jobs>(
      job: Name,
      args: Parameters<Jobs[Name]>,
      options: { readonly within: number }
    ) => Effect.Effect<Awaited<ReturnType<Jobs[Name]>>, TookTooLong | TooMuchWaits>
  }
>()("cairn/Workers") {}
