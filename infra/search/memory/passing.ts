import type { Steps } from "#engine/steps.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { firstOf, setBit, withoutFirst, wordsOf } from "./Bits.ts"
import type { Pace } from "./Pace.ts"
import type { Scope } from "./Scope.ts"
import { neutral, type Segment } from "./Segment.ts"

type Filters = Omit<IndexQuery, "asked" | "homes" | "includePublic" | "preferComplete" | "also">

/** Finds a snippet by its id, whoever may see it. */
export type Locate = (id: string) => { readonly segment: Segment; readonly slot: number } | undefined

/** Words of bits that are looked at in one go. */
const stretch = 256
/** Nanoseconds, about: of a word of bits, of a row that is tested, and of a snippet that is found by its id. */
const costs = { word: 5, row: 20, named: 200 }

/** A test of whether a slot in use passes all filters but `only`. */
const passes = (
  segment: Segment,
  { agent, minVerdict, minHumanUp = 0, kinds, language }: Filters
): ((slot: number) => boolean) => {
  const { agents, verdicts, humanUps, names } = segment
  const wanted = kinds?.map((kind) => names.number(kind))
  const spoken = language === undefined ? undefined : (names.number(language) ?? -1)
  return (slot) => {
    if (verdicts[slot]! < minVerdict) return false
    if (agent !== null && agents[slot] !== null && agents[slot] !== agent) return false
    if (humanUps[slot]! < minHumanUp) return false
    if (wanted !== undefined && !wanted.includes(segment.kinds[slot]!)) return false
    return spoken === undefined || segment.languages[slot] === spoken
  }
}

/** Tests only the snippets that `only` names. */
function* passNamed(
  { segments, firsts }: Scope,
  filters: Filters,
  locate: Locate,
  into: Uint32Array,
  pace: Pace
): Steps<void> {
  const its = new Map(segments.map((segment, at) => [segment, { first: firsts[at]!, may: passes(segment, filters) }]))
  for (const id of filters.only!) {
    const found = locate(id)
    const seen = found && its.get(found.segment)
    if (seen?.may(found!.slot) === true) setBit(into, seen.first + found!.slot)
    if (pace.isDue(costs.named)) yield
  }
}

/**
 * Sets the bits of the places that pass the filters. Hardly any row fails those of most searches: then only rows that
 * may fail are tested.
 */
export function* pass(scope: Scope, filters: Filters, locate: Locate, into: Uint32Array, pace: Pace): Steps<void> {
  into.fill(0, 0, wordsOf(scope.places))
  if (filters.only !== undefined) {
    yield* passNamed(scope, filters, locate, into, pace)
    return
  }
  const { minVerdict, minHumanUp = 0, kinds, language } = filters
  const isEach = minVerdict > neutral || minHumanUp > 0 || kinds !== undefined || language !== undefined
  for (const [at, segment] of scope.segments.entries()) {
    const first = scope.firsts[at]! >>> 5
    const words = wordsOf(segment.slots)
    for (let from = 0; from < words; from += stretch) {
      const to = Math.min(from + stretch, words)
      const asked = passSome(segment, filters, isEach, first, from, to, into)
      if (pace.isDue((to - from) * costs.word + asked * costs.row)) yield
    }
  }
}

/** The same for some words of a segment: tests each row, or only those that may fail. Gives how many it tested. */
const passSome = (
  segment: Segment,
  filters: Filters,
  isEach: boolean,
  first: number,
  from: number,
  to: number,
  into: Uint32Array
): number => {
  const may = passes(segment, filters)
  const { live, doubted, owned } = segment
  let count = 0
  for (let word = from; word < to; word++) {
    const its = live.word(word)
    const asked = isEach ? its : its & (doubted.word(word) | (filters.agent === null ? 0 : owned.word(word)))
    let failing = 0
    for (let rest = asked; rest !== 0; rest = withoutFirst(rest)) {
      const bit = firstOf(rest)
      count++
      if (!may(word * 32 + bit)) failing |= 1 << bit
    }
    into[first + word] = its & ~failing
  }
  return count
}
