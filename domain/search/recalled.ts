import type { VoteSource } from "../Snippet/events.ts"

/** A search, as it was shown to somebody. */
export interface Shown {
  /** Whose text its task is. */
  readonly subject: string
  /** Where it was noted. */
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
  /** Of the vote. */
  readonly position: number
  readonly search: Pick<Shown, "subject" | "stream" | "revision">
}

/** Milliseconds for which a search counts as what somebody had in mind who then votes. */
export const recallWithin = 30 * 60_000
/** Searches of one person that are remembered for that, what of each counts as shown, and votes that are. */
const searchesKept = 10
const shownKept = 10
const votesKept = 20

/** The latest searches of a person, and one more; what is too long ago goes. */
export const withShown = (before: ReadonlyArray<Shown>, search: Shown): ReadonlyArray<Shown> =>
  [
    ...before.filter(({ at }) => search.at - at <= recallWithin),
    { ...search, snippets: search.snippets.slice(0, shownKept) }
  ].slice(-searchesKept)

/** The last search that showed a snippet to who votes on it, within the time before that. */
export const shownBefore = (
  recent: ReadonlyArray<Shown>,
  snippet: string,
  at: number
): Recalled["search"] | undefined => {
  const found = recent.findLast((search) => search.snippets.includes(snippet) && at - search.at <= recallWithin)
  return found && { subject: found.subject, stream: found.stream, revision: found.revision }
}

/** The latest such votes of a person, and one more: of one snippet and search the last counts. */
export const withRecalled = (before: ReadonlyArray<Recalled>, vote: Recalled): ReadonlyArray<Recalled> => {
  const isOther = ({ snippet, home, search }: Recalled) =>
    snippet !== vote.snippet || home !== vote.home || search.subject !== vote.search.subject
  return [...before.filter(isOther), vote].slice(-votesKept)
}
