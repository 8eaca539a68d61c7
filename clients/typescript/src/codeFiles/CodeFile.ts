import type { Dependencies, JsonObject } from "../resources/codeBlocks.ts"

/** A match as a file. */
export interface CodeFile {
  /** For `voteCodeSnip`. */
  readonly codeBlockId: string
  /** Flat and safe, unique among the files. */
  readonly filename: string
  /** Where it was written: `cacheDir/filename`; `null` when it was not. */
  readonly path: string | null
  /** All of its code; what each function's record is stands above it, as comments, unless that was not wanted. */
  readonly source: string
  /** The function to call; `""` when there is none. */
  readonly entrypoint: string
  /** What it does. */
  readonly description: string
  /** A JSON schema of what the entrypoint takes; `{}` when nothing is known. */
  readonly inputSchema: JsonObject
  /** A JSON schema of what the entrypoint gives; `{}` when nothing is known. */
  readonly outputSchema: JsonObject
  /** The programming language in lower case, such as `python`. */
  readonly language: string
  /** Package name to version; a version that nobody told is `""`. */
  readonly dependencies: Dependencies
  /** 0 to 1. */
  readonly score: number
  /** Votes for it. */
  readonly thumbsUp: number
  /** Votes against it. */
  readonly thumbsDown: number
}
