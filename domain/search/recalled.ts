import type { VoteSource } from "../Snippet/events.ts"

/** A search, with what it showed to somebody. */
export interface Shown {
  /** The subject of its task's text. */
  readonly subject: string
  /** Where its note is. */
  readonly stream: string
  readonly revision: number
  /** When, in milliseconds since the epoch. */
  readonly at: number
  readonly snippets: ReadonlyArray<string>
}

/** A vote on what a search had shown to the voter shortly before. */
export interface Recalled {
  readonly snippet: string
  readonly home: string
  readonly value: 1 | -1
  readonly source: VoteSource
  /** The vote's position in the log. */
  readonly position: number
  readonly search: Pick<Shown, "subject" | "stream" | "revision">
}

/** Milliseconds after a search within which a vote on what it showed counts for its task. */
const recallWithin = 30 * 60_000
/** How many are kept of one person: searches, snippets of each that count as shown, and votes. */
const searchesKept = 10
const shownKept = 10
const votesKept = 20

/** A person's latest searches with one more, without those too long ago. */
export const withShown = (before: ReadonlyArray<Shown>, search: Shown): ReadonlyArray<Shown> =>
  [
    ...before.filter(({ at }) => search.at - at <= recallWithin),
    { ...search, snippets: search.snippets.slice(0, shownKept) }
  ].slice(-searchesKept)

/** The last search that showed a snippet to its voter within `recallWithin` before the vote, if any did. */
export const shownBefore = (
  recent: ReadonlyArray<Shown>,
  snippet: string,
  at: number
): Recalled["search"] | undefined => {
  const found = recent.findLast((search) => search.snippets.includes(snippet) && at - search.at <= recallWithin)
  return found && { subject: found.subject, stream: found.stream, revision: found.revision }
}

/** A person's latest such votes with one more. For one snippet and search, the last vote counts. */
export const withRecalled = (before: ReadonlyArray<Recalled>, vote: Recalled): ReadonlyArray<Recalled> => {
  const isOther = ({ snippet, home, search }: Recalled) =>
    snippet !== vote.snippet || home !== vote.home || search.subject !== vote.search.subject
  return [...before.filter(isOther), vote].slice(-votesKept)
}
