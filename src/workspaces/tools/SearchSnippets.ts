import { Effect } from "effect"
import { z } from "zod"
import type { IndexUnavailable } from "#ports/SnippetIndex.ts"
import { define, ToolFailed } from "./tool.ts"

/** A snippet as an agent gets it; `score` is 0…1, `near` whether that is enough to be offered. */
export interface SnippetFound {
  readonly id: string
  readonly name: string
  readonly score: number
  readonly near: boolean
  readonly language: string
  readonly entrypoint: string
  readonly description: string
  /** `null`: it is longer than any answer shows. */
  readonly source: string | null
  /** Flat, safe, and unique among the matches. */
  readonly filename: string
}

/**
 * Finds snippets of the caller's own scope, best first, none with more votes against than for. Those that are not near
 * may be left out. `stale`: what was stored last may be missing.
 */
export type SearchForSnippets = (
  task: string,
  topK: number
) => Effect.Effect<{ readonly found: ReadonlyArray<SnippetFound>; readonly stale: boolean }, IndexUnavailable>

/** Characters of sources in one answer; the best match is given whole if it has at most `longestShown`. */
const mostSource = 60_000
export const longestShown = 200_000

const away = () => new ToolFailed({ message: "The store of snippets can't be searched at the moment: try again." })

const behind = "What was stored last may be missing: search again for it."

/** Answers with JSON: `{matches: SnippetFound[], note?: string}`; a source that is left out is `null`. */
export const searchSnippets = (search: SearchForSnippets) =>
  define({
    name: "SearchSnippets",
    description:
      "Searches the store of proven code snippets for a task described in plain words. Answers with the best matches that are near enough to it, their source and a score from 0 to 1; with none when nothing is that close. Look here before writing code from scratch.",
    schema: z.object({
      task: z.string().min(1).max(100_000).describe("What the code should do"),
      top_k: z.int().min(1).max(20).optional().describe("How many matches, 3 unless given")
    }),
    run: ({ task, top_k: topK = 3 }) =>
      Effect.map(Effect.mapError(search(task, topK), away), ({ found, stale }) => {
        let left = mostSource
        const close = found.filter(({ near }) => near)
        const matches = close.map(({ id, name, score, language, entrypoint, description, filename, source }, index) => {
          const fits = source !== null && source.length <= (index === 0 ? longestShown : left)
          if (fits) left -= source.length
          return { id, name, score, language, entrypoint, description, filename, source: fits ? source : null }
        })
        return JSON.stringify({ matches, ...(stale && { note: behind }) })
      })
  })
