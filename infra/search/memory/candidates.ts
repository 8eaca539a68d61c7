import { fieldCount } from "#domain/search/bm25f.ts"
import type { Candidate, Candidates } from "#domain/search/Candidate.ts"
import { plan } from "#domain/search/query.ts"
import type { Steps } from "#engine/steps.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { Contest, type Means } from "./Contest.ts"
import type { Spot } from "./Finals.ts"
import { Pace } from "./Pace.ts"
import { pass } from "./passing.ts"
import { type Scope, scopeOf } from "./Scope.ts"
import type { Segment } from "./Segment.ts"

/** Nanoseconds, about, of looking up a term or a piece in one segment. */
const cost = 100

/**
 * Searches segments as if they were one collection. Rareness and average lengths are taken from just these, so nothing
 * outside of what the caller may see influences a score. The ranking's own functions, in 32-bit floats, say what is
 * likely, so the best here are the best there. A step takes a quarter of a millisecond. Between steps nothing may
 * change, and no other search may run: searches share what they work with.
 */
export function* candidates(
  all: ReadonlyArray<Segment>,
  query: IndexQuery,
  most: number,
  means: Means
): Steps<Candidates> {
  const { asked } = query
  const pace = new Pace()
  const segments = all.filter(({ documents }) => documents > 0)
  const documents = segments.reduce((sum, segment) => sum + segment.documents, 0)
  const each = function* <A>(some: Iterable<A>, of: (segment: Segment, one: A) => number): Steps<Array<number>> {
    const sums: Array<number> = []
    for (const one of some) {
      sums.push(segments.reduce((sum, segment) => sum + of(segment, one), 0))
      if (pace.isDue(segments.length * cost)) yield
    }
    return sums
  }
  const frequencies = yield* each(asked.terms, ({ postings }, term) => postings.df(term))
  const tokens = Array.from({ length: fieldCount }, (_, field) =>
    segments.reduce((sum, segment) => sum + segment.tokens[field]!, 0)
  )
  const pieceFrequencies = yield* each(asked.reading.pieces, ({ profiles }, piece) => profiles.frequency(piece))
  const numbers = { documents, frequencies, pieceFrequencies, tokens }
  if (documents === 0) return { ...numbers, candidates: [], sharing: 0, near: 0 }
  const { nearness, rows, occurrences, locate } = means
  const table = occurrences.of(tokens.map((count) => count / documents))
  const scope = scopeOf(segments)
  const weighted = plan(asked, documents, frequencies)
  rows.begin(scope.places, weighted.texts.length)
  yield* pass(scope, query, locate, rows.passing, pace)
  if (asked.read === 0) nearness.skip(scope)
  else yield* nearness.asking(scope, documents, asked.meanings, rows.passing, pace)
  const contest = new Contest(scope, { ...weighted, table }, query, most, means, pace)
  const { found, sharing, near } = yield* contest.holding()
  return { ...numbers, candidates: whole(scope, found), sharing, near }
}

/** What ranking needs of the snippets that were found. */
const whole = ({ segments }: Scope, found: ReadonlyArray<Spot>): ReadonlyArray<Candidate> =>
  [...Map.groupBy(found, ({ segment }) => segment)].flatMap(([number, spots]) => {
    const segment = segments[number]!
    const profiles = segment.profiles.all(spots.map(({ slot }) => slot))
    return spots.map(({ slot, cosine, counts, lengths }, at) => ({
      id: segment.ids.at(slot),
      counts,
      lengths,
      cosine,
      completeness: segment.completeness[slot]!,
      verdict: segment.verdicts[slot]!,
      profile: profiles[at]!
    }))
  })
