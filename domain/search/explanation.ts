import { fieldCount, occurrence, saturated } from "./bm25f.ts"
import type { Candidate, Candidates, Judged } from "./Candidate.ts"
import { fields } from "./IndexedText.ts"
import type { Learned } from "./learned.ts"
import { type Asked, plan } from "./query.ts"
import { byMeaning } from "./ranker.ts"
import { termOf } from "./Terms.ts"

/** Parts of a snippet in which something stands; the API calls such a part its place. */
export const parts = ["name", "description", "tasks", "source"] as const
export type Part = (typeof parts)[number]

/** Why a match has its score. An effect of 0 changes nothing. */
export interface Explanation {
  /** How likely the match is by words and meaning alone, 0…1. */
  readonly probability: number
  /** The share of the task's words that it has, 0…1, and what each word adds to it in each place; best first. */
  readonly wordShare: number
  readonly words: ReadonlyArray<{
    readonly word: string
    readonly place: Part
    readonly share: number
    /** The task's own word, which no snippet has, if it was taken for `word`. */
    readonly asked?: string
  }>
  /** Whose vectors say how near the meanings are: `table`, or the model's name. */
  readonly meaningBy: string
  /** How near the meanings are, 0…1, and which piece is nearest to each piece of the task; nearest first. */
  readonly cosine: number
  readonly nearest: ReadonlyArray<{
    readonly asked: string
    readonly found: string
    readonly place: Part
    readonly cosine: number
  }>
  /** What its votes, and its completeness if that is preferred, add to the logarithm of its odds. */
  readonly verdict: { readonly value: number; readonly effect: number }
  readonly completeness: { readonly value: number; readonly effect: number }
  /** What votes for tasks near this one add, and these tasks, nearest first. */
  readonly learned: { readonly effect: number; readonly tasks: ReadonlyArray<LearnedTask> }
  /**
   * How near it is to everything, and its length, and what each adds to its strength, compared with the mean of all
   * that were judged.
   */
  readonly hub: { readonly value: number; readonly effect: number }
  readonly length: { readonly characters: number; readonly effect: number }
}

/** A task that the snippet was said to help with, or not to. */
export interface LearnedTask {
  /** `null`: the caller may not see it. */
  readonly task: string | null
  readonly up: number
  readonly down: number
  /** How near it is to the task that is asked, 0…1. */
  readonly nearness: number
}

/** The most words and pieces that are shown. */
const most = 8
/** The most tasks that are shown. */
const tasksTold = 5
/** Cosines below this say nothing. */
const leastCosine = 0.2

/** How a term is shown: as it stands in the task or, if a word of the task was taken for it, with that word. */
const telling = ({ terms, texts, mended }: Asked) => {
  const own = new Set(texts[0]!.map(([term]) => terms[term!]!))
  const taken = new Map(
    Array.from(mended).flatMap(([asked, words]) => words.map((word) => [termOf(word), { word, asked }] as const))
  )
  return (term: number): { readonly word: string; readonly asked?: string } => {
    const word = terms[term]!
    return own.has(word) ? { word } : (taken.get(word) ?? { word })
  }
}

const wordsOf = (asked: Asked, { documents, frequencies, tokens }: Candidates, { counts, lengths }: Candidate) => {
  const { texts, self } = plan(asked, documents, frequencies)
  const worths = fields.map((field, at) => occurrence(field, lengths[at]!, tokens[at]! / documents))
  const told = telling(asked)
  const hits = texts[0]!.flatMap((alternatives) => {
    const found = alternatives.map(({ term, weight }) => {
      const byField = worths.map((worth, at) => worth * counts[term * fieldCount + at]!)
      const all = byField.reduce((sum, worth) => sum + worth, 0)
      return { term, byField, all, value: saturated(weight, all) }
    })
    const { term, byField, all, value } = found.reduce((best, one) => (one.value > best.value ? one : best))
    return byField.flatMap((worth, at) => {
      const place = fields[at] === "exampleQueries" ? "tasks" : (fields[at] as Part)
      return worth === 0 ? [] : [{ ...told(term), place, share: (value * worth) / all / self }]
    })
  })
  return hits.sort((one, other) => other.share - one.share).slice(0, most)
}

const nearestOf = ({ reading }: Asked, { profile }: Candidate, textOf: (piece: number) => string) => {
  const { pieces, named, told: described, own } = profile
  const placeOf = (at: number): Part =>
    at < named ? "name" : at < described ? "description" : at < own ? "source" : "tasks"
  const near = reading.pieces.flatMap((asked, column) => {
    let [best, at] = [leastCosine, -1]
    for (const [place, piece] of pieces.entries()) {
      const from = reading.of(piece)
      const cosine = reading.cosines[from + column]!
      if (cosine > best) [best, at] = [cosine, place]
    }
    if (at === -1) return []
    return [{ asked: textOf(asked), found: textOf(pieces[at]!), place: placeOf(at), cosine: Math.min(1, best) }]
  })
  return near.sort((one, other) => other.cosine - one.cosine).slice(0, most)
}

/** Groups votes by task, and by nearness alone if the task may not be shown. */
const learnedOf = (learned: Learned | undefined): Explanation["learned"] => {
  const groups = Map.groupBy(learned?.near ?? [], ({ vote, nearness }) => vote.task ?? nearness)
  const tasks = Array.from(groups.values(), (votes): LearnedTask => {
    const up = votes.filter(({ vote }) => vote.value === 1).length
    return { task: votes[0]!.vote.task, up, down: votes.length - up, nearness: votes[0]!.nearness }
  })
  return { effect: learned?.effect ?? 0, tasks: tasks.slice(0, tasksTold) }
}

/** Explains one of the candidates that were judged together. `textOf` gives a piece's letters. */
export const explaining = (
  asked: Asked,
  found: Candidates,
  judged: ReadonlyArray<Judged>,
  textOf: (piece: number) => string
): ((one: Judged, probability: number) => Explanation) => {
  const mean = (of: "hub" | "length") =>
    judged.reduce((sum, { features }) => sum + features[of], 0) / Math.max(1, judged.length)
  const means = { hub: mean("hub"), length: mean("length") }
  return ({ likely, features, votes, learned, completeness }, probability) => {
    const { candidate } = likely
    const judge = asked.model?.weights.judge ?? byMeaning
    const effect = (of: "hub" | "length") => (judge.features[of] ?? 0) * (features[of] - means[of])
    return {
      probability,
      wordShare: likely.words,
      words: wordsOf(asked, found, candidate),
      meaningBy: asked.model?.called ?? "table",
      cosine: likely.cosine,
      nearest: nearestOf(asked, candidate, textOf),
      verdict: { value: candidate.verdict, effect: votes },
      completeness: { value: candidate.completeness, effect: completeness },
      learned: learnedOf(learned),
      hub: { value: features.hub, effect: effect("hub") },
      length: { characters: candidate.profile.characters, effect: effect("length") }
    }
  }
}
