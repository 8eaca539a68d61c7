import { Effect } from "effect"
import { z } from "zod"
import { beginningOf } from "#domain/text/beginningOf.ts"
import type { IndexUnavailable } from "#ports/SnippetIndex.ts"
import { define, longestAnswer, ToolFailed } from "./tool.ts"

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

/** Characters of the sources of one answer, as JSON; the best match's may have more, if the answer has room for it. */
const mostSource = 60_000
/** Characters of a source that is ever shown. */
export const longestShown = 200_000
/** Characters of a description that are shown. */
const longestDescription = 2_000
/** Characters of the answer that are left for what stands around its matches. */
const around = 500

const away = () => new ToolFailed({ message: "The store of snippets can't be searched at the moment: try again." })

const behind = "What was stored last may be missing: search again for it."

/** The matches that one answer has room for, measured as JSON: escapes make a text up to six times longer. */
const shownOf = (found: ReadonlyArray<SnippetFound>) => {
  let room = longestAnswer - around
  let sources = mostSource
  return found.flatMap(({ id, name, score, language, entrypoint, description: whole, filename, source }, index) => {
    const isLong = whole.length > longestDescription
    const description = isLong ? `${beginningOf(whole, longestDescription)}…` : whole
    const match = { id, name, score, language, entrypoint, description, filename, source: null }
    const size = JSON.stringify(match).length + 1
    if (size > room) return []
    room -= size
    const length = source === null || source.length > longestShown ? Number.POSITIVE_INFINITY : lengthOf(source)
    if (length > room || (index > 0 && length > sources)) return [match]
    room -= length
    sources -= length
    return [{ ...match, source }]
  })
}

/** Characters of a text as JSON. */
const lengthOf = (text: string) => JSON.stringify(text).length

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
        const matches = shownOf(found.filter(({ near }) => near))
        return JSON.stringify({ matches, ...(stale && { note: behind }) })
      })
  })
