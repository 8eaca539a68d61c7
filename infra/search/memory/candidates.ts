import { fieldCount } from "#domain/search/bm25f.ts"
import type { Candidate, Candidates } from "#domain/search/Candidate.ts"
import { plan } from "#domain/search/query.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { Contest, type Means } from "./Contest.ts"
import type { Spot } from "./Finals.ts"
import { pass } from "./passing.ts"
import { type Scope, scopeOf } from "./Scope.ts"
import type { Segment } from "./Segment.ts"

/**
 * Searches segments as if they were one collection: rareness and average lengths are those of just these, so nothing
 * outside of what the caller may see has any influence on a score. What is likely is told by the ranking's own
 * functions, in 32-bit floats: the best by its own account are the best.
 */
export const candidates = (all: ReadonlyArray<Segment>, query: IndexQuery, most: number, means: Means): Candidates => {
  const { asked } = query
  const segments = all.filter(({ documents }) => documents > 0)
  const documents = segments.reduce((sum, segment) => sum + segment.documents, 0)
  const frequencies = asked.terms.map((term) => segments.reduce((sum, { postings }) => sum + postings.df(term), 0))
  const tokens = Array.from({ length: fieldCount }, (_, field) =>
    segments.reduce((sum, segment) => sum + segment.tokens[field]!, 0)
  )
  const pieceFrequencies = asked.reading.pieces.map((piece) =>
    segments.reduce((sum, { profiles }) => sum + profiles.frequency(piece), 0)
  )
  const numbers = { documents, frequencies, pieceFrequencies, tokens }
  if (documents === 0) return { ...numbers, candidates: [], sharing: 0, near: 0 }
  const { nearness, rows, occurrences, locate } = means
  const table = occurrences.of(tokens.map((count) => count / documents))
  const scope = scopeOf(segments)
  const weighted = plan(asked, documents, frequencies)
  rows.begin(scope.places, weighted.texts.length)
  pass(scope, query, locate, rows.passing)
  if (asked.read === 0) nearness.skip(scope)
  else nearness.ask(scope, documents, asked.meanings, rows.passing)
  const { found, sharing, near } = new Contest(scope, { ...weighted, table }, query, most, means).held()
  return { ...numbers, candidates: whole(scope, found), sharing, near }
}

/** What ranking needs of them. */
const whole = ({ segments }: Scope, found: ReadonlyArray<Spot>): ReadonlyArray<Candidate> =>
  [...Map.groupBy(found, ({ segment }) => segment)].flatMap(([number, spots]) => {
    const segment = segments[number]!
    const profiles = segment.profiles.all(spots.map(({ slot }) => slot))
    return spots.map(({ slot, cosine, counts, lengths }, at) => ({
      id: segment.ids[slot]!,
      counts,
      lengths,
      cosine,
      completeness: segment.completeness[slot]!,
      verdict: segment.verdicts[slot]!,
      profile: profiles[at]!
    }))
  })
