import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { eachBit, setBit, wordsOf } from "./Bits.ts"
import type { Scope } from "./Scope.ts"
import { neutral, type Segment } from "./Segment.ts"

type Filters = Omit<IndexQuery, "asked" | "homes" | "includePublic" | "preferComplete" | "also">

/** Where a snippet is, whoever may see it. */
export type Locate = (id: string) => { readonly segment: Segment; readonly slot: number } | undefined

/** Whether a slot that is in use passes what was asked beside the task, but `only`. */
const passes = (
  segment: Segment,
  { agent, minVerdict, minHumanUp = 0, kinds, language }: Filters
): ((slot: number) => boolean) => {
  const { agents, verdicts, humanUps } = segment
  return (slot) => {
    if (verdicts[slot]! < minVerdict) return false
    if (agent !== null && agents[slot] !== null && agents[slot] !== agent) return false
    if (humanUps[slot]! < minHumanUp) return false
    if (kinds !== undefined && !kinds.includes(segment.kinds[slot]!)) return false
    return language === undefined || segment.languages[slot] === language
  }
}

/** Only those that are named: their rows alone are looked at. */
const passNamed = ({ segments, firsts }: Scope, filters: Filters, locate: Locate, into: Uint32Array): void => {
  const its = new Map(segments.map((segment, at) => [segment, { first: firsts[at]!, may: passes(segment, filters) }]))
  for (const id of filters.only!) {
    const found = locate(id)
    const seen = found && its.get(found.segment)
    if (seen?.may(found!.slot) === true) setBit(into, seen.first + found!.slot)
  }
}

/**
 * Sets the bits of those that pass what was asked beside the task. What most searches ask for hardly any row fails:
 * only those that may fail are looked at.
 */
export const pass = (scope: Scope, filters: Filters, locate: Locate, into: Uint32Array): void => {
  into.fill(0, 0, wordsOf(scope.places))
  if (filters.only !== undefined) {
    passNamed(scope, filters, locate, into)
    return
  }
  const { agent, minVerdict, minHumanUp = 0, kinds, language } = filters
  const isEach = minVerdict > neutral || minHumanUp > 0 || kinds !== undefined || language !== undefined
  for (const [at, segment] of scope.segments.entries()) {
    const first = scope.firsts[at]! >>> 5
    const may = passes(segment, filters)
    const { live, doubted, owned } = segment
    for (let word = 0; word < wordsOf(segment.slots); word++) {
      const its = live.word(word)
      const asked = isEach ? its : its & (doubted.word(word) | (agent === null ? 0 : owned.word(word)))
      let failing = 0
      if (asked !== 0) {
        eachBit(asked, 0, (bit) => {
          if (!may(word * 32 + bit)) failing |= 1 << bit
        })
      }
      into[first + word] = its & ~failing
    }
  }
}
