import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import MiniSearch from "minisearch"
import { indexText } from "#domain/search/IndexedText.ts"
import { tokenize } from "#domain/search/tokenize.ts"
import type { IndexedSnippet } from "#ports/SnippetIndex.ts"
import type { Sought } from "#src/snippets/find.ts"
import { profiled, vectorOf } from "./embeddings.ts"

/** A snippet of the development sets. */
export interface EvaluationDocument {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly source: string
  readonly language: string
  readonly tags?: ReadonlyArray<string>
}

export interface EvaluationQuery {
  readonly id: string
  readonly text: string
  readonly relevant: ReadonlyArray<string>
}

/**
 * Means over all queries, 0…1: of 1 / rank of the first relevant among ten, of the relevant ones' share among ten, and
 * nDCG@10.
 */
export interface Quality {
  readonly mrr: number
  readonly recall: number
  readonly ndcg: number
}

const folder = new URL("data/", import.meta.url)

const textOf = (file: string): string => {
  // 11,760 documents that nothing is asked about
  if (file.startsWith("distractors")) return gunzipSync(readFileSync(new URL(`${file}.gz`, folder))).toString()
  return readFileSync(new URL(file, folder), "utf8")
}

const lines = <A>(file: string): ReadonlyArray<A> =>
  textOf(file)
    .trim()
    .split("\n")
    .map((line): A => JSON.parse(line))

/** Languages that some of agent30 is described in. */
export const languages = ["german", "spanish", "chinese"] as const
export type Language = (typeof languages)[number]

export const corpus = (set: "mbpp" | "agent30" | "distractors") => lines<EvaluationDocument>(`${set}.corpus.jsonl`)
export const queries = (set: "mbpp" | "agent30" | Language) => lines<EvaluationQuery>(`${set}.queries.jsonl`)

/** agent30, of which 45 are described in a language. */
export const describedIn = (language: Language): ReadonlyArray<EvaluationDocument> => {
  const told = lines<Pick<EvaluationDocument, "id" | "description">>(`${language}.corpus.jsonl`)
  const descriptions = new Map(told.map(({ id, description }) => [id, description]))
  return corpus("agent30").map((document) => ({
    ...document,
    description: descriptions.get(document.id) ?? document.description
  }))
}

/** Tasks with words that are misspelt by one letter, and what was meant. */
export const misspelt = () => lines<EvaluationQuery & { readonly meant: string }>("misspelt.queries.jsonl")

/** A document as an unvoted snippet of the home `home`. */
export const snippetOf = (document: EvaluationDocument, id = document.id): IndexedSnippet => ({
  id,
  home: "home",
  isPublic: false,
  agent: null,
  text: indexText(document),
  vector: vectorOf(document),
  profile: profiled(document),
  completeness: 0.5,
  kind: "file",
  language: document.language,
  up: 0,
  down: 0,
  humanUp: 0
})

export const queryOf = (task: string): Sought => ({
  task,
  homes: ["home"],
  includePublic: false,
  agent: null,
  preferComplete: false,
  minVerdict: 0.3,
  limit: 10
})

/**
 * MiniSearch as its users would set it up for code: our terms (or words as it cuts them), the same boosts, any of the
 * words.
 */
export const miniSearch = (documents: ReadonlyArray<EvaluationDocument>, byOurTerms = true) => {
  const index = new MiniSearch<EvaluationDocument>({
    fields: ["name", "description", "source"],
    ...(byOurTerms ? { tokenize, processTerm: (term: string) => term } : {}),
    searchOptions: { boost: { name: 3, description: 2 }, combineWith: "OR" }
  })
  index.addAll(documents)
  return (text: string): ReadonlyArray<string> =>
    index
      .search(text)
      .slice(0, 10)
      .map(({ id }): string => id)
}

/** What ranks are worth in a sum of gains. */
const discount = (rank: number): number => 1 / Math.log2(rank + 1)

const gained = (ranks: ReadonlyArray<number>): number => ranks.reduce((sum, rank) => sum + discount(rank), 0)

export const qualityOf = (
  queries: ReadonlyArray<EvaluationQuery>,
  answer: (text: string) => ReadonlyArray<string>
): Quality => {
  let [mrr, recall, ndcg] = [0, 0, 0]
  for (const { text, relevant } of queries) {
    const ranks = answer(text).flatMap((id, at) => (relevant.includes(id) ? [at + 1] : []))
    mrr += ranks.length === 0 ? 0 : 1 / ranks[0]!
    recall += ranks.length / relevant.length
    ndcg += gained(ranks) / gained(relevant.slice(0, 10).map((_, at) => at + 1))
  }
  return { mrr: mrr / queries.length, recall: recall / queries.length, ndcg: ndcg / queries.length }
}
