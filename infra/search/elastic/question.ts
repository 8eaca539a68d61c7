import { boosts } from "#domain/search/bm25f.ts"
import { hasDirection, type Vector } from "#domain/search/embeddings/vector.ts"
import { fields } from "#domain/search/IndexedText.ts"
import { merged } from "#domain/search/query.ts"
import { synonymWeight } from "#domain/search/synonyms.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"

type Scope = Pick<IndexQuery, "homes" | "includePublic">
type Clause = { readonly [kind: string]: unknown }

/** Snippets that are looked at for what is wanted, by their words and by each meaning: the ranking is then done over all of them. */
const looked = { least: 100, most: 1_000, forEach: 2 } as const
/** Of vectors that are compared for each that is wanted. */
const compared = 2
const mostCompared = 10_000

/** Whatever is near is looked at, however few words it shares: its weight is more than words can add up to. */
const nearWeight = 1_000_000

const any = (clauses: ReadonlyArray<Clause>): Clause => ({ bool: { should: clauses, minimum_should_match: 1 } })
const all = (clauses: ReadonlyArray<Clause>): Clause => ({ bool: { filter: clauses } })

/** What the caller may see. */
const scopeOf = ({ homes, includePublic }: Scope): Clause =>
  any([{ terms: { home: homes } }, ...(includePublic ? [{ term: { isPublic: true } }] : [])])

/** What counts of it. */
const filtersOf = (query: IndexQuery): ReadonlyArray<Clause> => {
  const { agent, minVerdict, minHumanUp = 0, kinds, language, only } = query
  const when = (given: boolean, clause: () => Clause): ReadonlyArray<Clause> => (given ? [clause()] : [])
  return [
    scopeOf(query),
    ...when(agent !== null, () => any([{ term: { agent } }, { bool: { must_not: [{ exists: { field: "agent" } }] } }])),
    ...when(minVerdict > 0, () => ({ range: { verdict: { gte: minVerdict } } })),
    ...when(minHumanUp > 0, () => ({ range: { humanUp: { gte: minHumanUp } } })),
    ...when(kinds !== undefined, () => ({ terms: { kind: kinds } })),
    ...when(language !== undefined, () => ({ term: { language } })),
    ...when(only !== undefined, () => ({ ids: { values: [...only!] } }))
  ]
}

const boosted = fields.map((field) => `${field}^${boosts[field]}`)

/** A text's words, and words that mean about the same by less. No term has a space. */
const wordsOf = (terms: ReadonlyArray<string>, text: ReadonlyArray<ReadonlyArray<number>>, boost: number): Clause => {
  const own = new Set(text.map(([term]) => terms[term!]!))
  const others = new Set(
    text.flatMap((alternatives) => alternatives.map((term) => terms[term]!)).filter((term) => !own.has(term))
  )
  const clause = (some: ReadonlySet<string>, weight: number): ReadonlyArray<Clause> =>
    some.size === 0 ? [] : [{ combined_fields: { query: [...some].join(" "), fields: boosted, boost: weight } }]
  return any([...clause(own, boost), ...clause(others, boost * synonymWeight)])
}

/** Of a long task the whole and its best part, as the ranking has it. */
const allWordsOf = ({ terms, texts }: IndexQuery["asked"]): Clause => {
  const [whole, ...parts] = texts.filter((text) => text.length > 0)
  if (parts.length === 0) return wordsOf(terms, whole!, 1)
  const best = { dis_max: { queries: parts.map((part) => wordsOf(terms, part, merged(0, 1))) } }
  return any([wordsOf(terms, whole!, merged(1, 0)), best])
}

const near = (vector: Vector, count: number, filter: ReadonlyArray<Clause>): Clause => ({
  knn: {
    field: "vector",
    query_vector: Array.from(vector),
    k: count,
    num_candidates: Math.min(mostCompared, compared * count),
    filter,
    boost: nearWeight
  }
})

/** A search for what is likeliest to be among the best `most`: one request, with what ranking needs of the scope. */
export const questionOf = (query: IndexQuery, most: number): object => {
  const { terms, meanings, read, reading } = query.asked
  const count = most === 0 ? 0 : Math.min(looked.most, Math.max(looked.least, looked.forEach * most))
  const filters = filtersOf(query)
  const asked = count === 0 || read === 0 ? [] : meanings.filter(hasDirection)
  const clauses = [
    ...(count === 0 || terms.length === 0 ? [] : [allWordsOf(query.asked)]),
    ...asked.map((vector) => near(vector, count, filters))
  ]
  const sharing = { filter: all([{ terms: { terms } }, ...filters]) }
  const having = (field: string, some: ReadonlyArray<string | number>) => ({
    filters: { filters: some.map((one) => ({ term: { [field]: one } })) }
  })
  const statistics = {
    ...(reading.pieces.length === 0 ? {} : { pieceFrequencies: having("pieces", reading.pieces) }),
    ...Object.fromEntries(fields.map((field) => [field, { sum: { field: `lengths.${field}` } }])),
    ...(terms.length === 0 ? {} : { sharing, frequencies: having("terms", terms) })
  }
  return {
    size: clauses.length * count,
    track_total_hits: false,
    _source: [
      ...["lengths", "kept.up", "kept.down", "kept.completeness", "kept.meaning", "kept.profile"],
      ...terms.map((term) => `kept.counts.${term}`)
    ],
    query:
      clauses.length === 0
        ? { match_none: {} }
        : { bool: { filter: filters, should: clauses, minimum_should_match: 1 } },
    // of all that the scope has, not of what was found: how rare a word is elsewhere must not leak
    aggs: { everywhere: { global: {}, aggs: { scope: { filter: scopeOf(query), aggs: statistics } } } }
  }
}

const told = fields.filter((field) => field !== "exampleQueries")

/** A question how many snippets of a scope have each term; of others' snippets their tasks don't count. */
export const frequenciesOf = ({ homes, includePublic }: Scope, terms: ReadonlyArray<string>): object => {
  const own = { terms: { home: homes } }
  const having = (filter: Clause, clauseOf: (term: string) => Clause) => ({
    filter,
    aggs: { frequencies: { filters: { filters: terms.map(clauseOf) } } }
  })
  const others = { bool: { filter: [{ term: { isPublic: true } }], must_not: [own] } }
  return {
    size: 0,
    track_total_hits: false,
    aggs: {
      own: having(own, (term) => ({ term: { terms: term } })),
      ...(includePublic
        ? { others: having(others, (term) => any(told.map((field) => ({ term: { [field]: term } })))) }
        : {})
    }
  }
}
