import { hasDirection, type Vector } from "#domain/search/embeddings/vector.ts"
import { fields } from "#domain/search/IndexedText.ts"
import { merged } from "#domain/search/query.ts"
import { synonymWeight } from "#domain/search/synonyms.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { vectorToText } from "./document.ts"
import { asTold, onShelf, shelvesSeen } from "./shelves.ts"

/** Whose snippets are looked at. */
export type Scope = Pick<IndexQuery, "homes" | "includePublic">
type Clause = { readonly [kind: string]: unknown }

/**
 * How many snippets are looked at for those that are wanted, by words and by each meaning. Ranking then covers all of
 * them.
 */
const looked = { least: 100, most: 1_000, forEach: 2 } as const
/** Vectors that are compared for each snippet that is looked at. */
const compared = 2
const mostCompared = 10_000

/** Whatever is near is looked at, however few words it shares: this weighs more than words can add up to. */
const nearWeight = 1_000_000

const any = (clauses: ReadonlyArray<Clause>): Clause => ({ bool: { should: clauses, minimum_should_match: 1 } })
const all = (clauses: ReadonlyArray<Clause>): Clause => ({ bool: { filter: clauses } })

/** Matches what the caller may see. */
const scopeOf = (shelves: ReadonlyArray<string>): Clause => ({ terms: { shelves } })

/** Match what the caller may see and passes the filters. */
const filtersOf = (query: IndexQuery, shelves: ReadonlyArray<string>): ReadonlyArray<Clause> => {
  const { agent, minVerdict, minHumanUp = 0, kinds, language, only } = query
  const when = (given: boolean, clause: () => Clause): ReadonlyArray<Clause> => (given ? [clause()] : [])
  return [
    scopeOf(shelves),
    ...when(agent !== null, () => any([{ term: { agent } }, { bool: { must_not: [{ exists: { field: "agent" } }] } }])),
    ...when(minVerdict > 0, () => ({ range: { verdict: { gte: minVerdict } } })),
    ...when(minHumanUp > 0, () => ({ range: { humanUp: { gte: minHumanUp } } })),
    ...when(kinds !== undefined, () => ({ terms: { kind: kinds } })),
    ...when(language !== undefined, () => ({ term: { language } })),
    ...when(only !== undefined, () => ({ ids: { values: [...only!] } }))
  ]
}

/** Matches a text's words and, with less weight, words that mean about the same. No term has a space. */
const wordsOf = (terms: ReadonlyArray<string>, text: ReadonlyArray<ReadonlyArray<number>>, boost: number): Clause => {
  const own = new Set(text.map(([term]) => terms[term!]!))
  const others = new Set(
    text.flatMap((alternatives) => alternatives.map((term) => terms[term]!)).filter((term) => !own.has(term))
  )
  const clause = (some: ReadonlySet<string>, weight: number): ReadonlyArray<Clause> =>
    some.size === 0 ? [] : [{ match: { words: { query: [...some].join(" "), boost: weight } } }]
  return any([...clause(own, boost), ...clause(others, boost * synonymWeight)])
}

/** The words of a long task count as a whole and by its best part, as in the ranking. */
const allWordsOf = ({ terms, texts }: IndexQuery["asked"]): Clause => {
  const [whole, ...parts] = texts.filter((text) => text.length > 0)
  if (parts.length === 0) return wordsOf(terms, whole!, 1)
  const best = { dis_max: { queries: parts.map((part) => wordsOf(terms, part, merged(0, 1))) } }
  return any([wordsOf(terms, whole!, merged(1, 0)), best])
}

const near = (vector: Vector, count: number, filter: ReadonlyArray<Clause>): Clause => ({
  knn: {
    field: "vector",
    query_vector: vectorToText(vector),
    k: count,
    num_candidates: Math.min(mostCompared, compared * count),
    filter,
    boost: nearWeight
  }
})

/** Matches these snippets, whatever they share. */
const named = (ids: ReadonlySet<string>): Clause => ({
  constant_score: { filter: { ids: { values: [...ids] } }, boost: 2 * nearWeight }
})

/** How many snippets on each shelf have each of these terms or pieces: one count for each of them and each shelf. */
const having = (field: string, shelves: ReadonlyArray<string>, some: Iterable<string | number>): Clause => ({
  filters: {
    filters: Array.from(some).flatMap((one) => shelves.map((shelf) => ({ term: { [field]: onShelf(shelf, one) } })))
  }
})

/** One of the searches that are asked together. */
interface Search {
  readonly header: { readonly request_cache?: boolean }
  readonly body: object
}

/** A question: several searches, each answered by itself. */
export interface Question {
  /** How many snippets the caller may see, and their lengths. The answer is cached until snippets change. */
  readonly totals: Search
  /** How many of them have each term and each piece, and how many share a word and pass the filters. */
  readonly frequencies?: Search
  /** The likeliest snippets, each as `pack` wrote it. */
  readonly candidates?: Search
}

/**
 * The question that finds what is likeliest to be among the best `most`. How rare a word is is asked only about what
 * the caller may see: how rare it is elsewhere must not leak.
 */
export const questionOf = (query: IndexQuery, most: number): Question => {
  const { terms, meanings, read, reading } = query.asked
  const { also } = query
  const shelves = shelvesSeen(query.homes, query.includePublic)
  const filters = filtersOf(query, shelves)
  const count = most === 0 ? 0 : Math.min(looked.most, Math.max(looked.least, looked.forEach * most))
  const asked = count === 0 || read === 0 ? [] : meanings.filter(hasDirection)
  const clauses = [
    ...(count === 0 || terms.length === 0 ? [] : [allWordsOf(query.asked)]),
    ...asked.map((vector) => near(vector, count, filters)),
    // ahead of all others, so that they are among those that are looked at
    ...(count === 0 || also === undefined || also.size === 0 ? [] : [named(also)])
  ]
  const aggs = {
    ...(reading.pieces.length === 0 ? {} : { pieces: having("pieces", shelves, reading.pieces) }),
    ...(terms.length === 0
      ? {}
      : {
          terms: having("terms", shelves, terms),
          sharing: { filters: { filters: [all([{ match: { words: terms.join(" ") } }, ...filters])] } }
        })
  }
  return {
    totals: {
      header: { request_cache: true },
      body: {
        size: 0,
        track_total_hits: true,
        query: scopeOf(shelves),
        aggs: Object.fromEntries(fields.map((field) => [field, { sum: { field: `lengths.${field}` } }]))
      }
    },
    ...(Object.keys(aggs).length > 0 && {
      frequencies: {
        // seldom asked again before the answer changes: the cache is worth more for others
        header: { request_cache: false },
        body: { size: 0, track_total_hits: false, aggs }
      }
    }),
    ...(clauses.length > 0 && {
      candidates: {
        header: {},
        body: {
          size: clauses.length * count,
          track_total_hits: false,
          // not even the id is read, since that would unpack the whole source
          stored_fields: "_none_",
          docvalue_fields: ["packed"],
          query: { bool: { filter: filters, should: clauses, minimum_should_match: 1 } }
        }
      }
    })
  }
}

/** Asks how many snippets of a scope have each term. The tasks of others' snippets do not count. */
export const frequenciesOf = ({ homes, includePublic }: Scope, terms: ReadonlyArray<string>): object => {
  const shelves = shelvesSeen(homes, false)
  const countOf = (clauseOf: (term: string) => Clause) => ({ filters: { filters: terms.map(clauseOf) } })
  return {
    size: 0,
    track_total_hits: false,
    aggs: {
      own: countOf((term) => ({ terms: { terms: shelves.map((shelf) => onShelf(shelf, term)) } })),
      ...(includePublic && {
        others: countOf((term) => ({
          bool: { filter: [{ term: { terms: asTold(term) } }], must_not: [{ terms: { shelves } }] }
        }))
      })
    }
  }
}
