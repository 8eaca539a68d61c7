import { matches } from "#domain/search/rank.ts"
import { wordShare } from "#domain/search/score.ts"
import type { Steps } from "#engine/steps.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import type { Assessed } from "./Assessed.ts"
import { Best } from "./Best.ts"
import { clearBit, countBoth, firstOf, isSet, withoutFirst, wordsOf } from "./Bits.ts"
import { type Finalist, Finals, type Spot, type Weights } from "./Finals.ts"
import { Greatest } from "./Greatest.ts"
import { type Group, groupsOf } from "./groups.ts"
import type { Nearness } from "./Nearness.ts"
import type { Pace } from "./Pace.ts"
import type { Locate } from "./passing.ts"
import type { Reach } from "./Reach.ts"
import type { Rows } from "./Rows.ts"
import { isBefore, type Scope, segmentAt } from "./Scope.ts"
import { Scoring } from "./Scoring.ts"
import type { Segment } from "./Segment.ts"
import type { TermPlaces } from "./TermPlaces.ts"
import { addReach, addSums, type Occurrences, type Within } from "./words.ts"

/** What all searches work with. */
export interface Means {
  readonly nearness: Nearness
  readonly rows: Rows
  readonly reach: Reach
  readonly assessed: Assessed
  readonly occurrences: Occurrences
  readonly termPlaces: TermPlaces
  readonly locate: Locate
}

/** Far more than a score that is summed up in another order can differ from the ranking's own. */
const slack = 2e-4
/** Of equally likely snippets, this many for each that is wanted are enough to begin with. */
const enough = 2
/** Finalists that are read for each that is wanted: copies of one thing are equally likely. */
const read = 20

/**
 * Nanoseconds, about: of looking up a term; of each snippet that has it, when its reach is added and when its sums are;
 * of a row that is offered; and of a row that is taken, whose id is compared with others'.
 */
const costs = { term: 100, reached: 2, summed: 4, looked: 20, taken: 1_500 }
/** Rows that are offered in one go: each of them may be taken. */
const offeredAtOnce = 128
/** Rows, or words of bits, that are looked at in one go. */
const length = 1_024
/**
 * How many are looked at in one go, and the nanoseconds of each, about: compared snippets that are assessed
 * (`complete`: by completeness too), those that may get a row, rows by their sums, words of 32 bits, and bits.
 */
const stretches = {
  assessed: { length, cost: 60 },
  complete: { length, cost: 220 },
  open: { length, cost: 10 },
  settled: { length, cost: 1_500 },
  words: { length, cost: 32 * 10 },
  bits: { length: 32 * length, cost: 30 / 32 }
}

/**
 * One search. At the cost of seeing whether a snippet shares a word, it learns the most that its words can reach. It
 * reads the likeliest first, and their scores set a bar. Only snippets that can reach the bar get a row, and have their
 * words summed up. One that was not compared needs words that make up for its low cosine.
 */
export class Contest {
  readonly #scope: Scope
  readonly #weights: Weights
  readonly #query: IndexQuery
  readonly #most: number
  readonly #means: Means
  readonly #pace: Pace
  readonly #best: Best<Spot>
  readonly #scoring: Scoring
  readonly #finals: Finals
  readonly #groups: ReadonlyArray<Group>
  /** The places of the snippets of `also` that pass. */
  readonly #wanted: ReadonlySet<number>
  readonly #isBefore = (place: number, other: number): boolean => isBefore(this.#scope, place, other)

  constructor(scope: Scope, weights: Weights, query: IndexQuery, most: number, means: Means, pace: Pace) {
    this.#scope = scope
    this.#weights = weights
    this.#query = query
    this.#most = most
    this.#means = means
    this.#pace = pace
    this.#best = new Best(most, this.#isBefore)
    this.#scoring = new Scoring(query)
    this.#finals = new Finals(scope, weights, query.asked.terms, means.termPlaces, pace)
    this.#groups = groupsOf(weights)
    const firsts = new Map(scope.segments.map((segment, at) => [segment, scope.firsts[at]!]))
    const places = Array.from(query.also ?? []).flatMap((id) => {
      const found = means.locate(id)
      const first = found && firsts.get(found.segment)
      return first === undefined ? [] : [first + found!.slot]
    })
    this.#wanted = new Set(places.filter((place) => isSet(means.rows.passing, place)))
  }

  /** The best, and those of `also` besides; how many share a word, and how many match without one. */
  *holding(): Steps<{ readonly found: ReadonlyArray<Spot>; readonly sharing: number; readonly near: number }> {
    const { rows, nearness } = this.#means
    const { places } = this.#scope
    yield* this.#reach()
    rows.open.set(rows.passing.subarray(0, wordsOf(places)))
    for (const place of this.#wanted) clearBit(rows.open, place)
    const near = yield* this.#assess()
    const likely =
      this.#query.asked.read === 0
        ? yield* this.#foremost()
        : this.#means.assessed.foremost(nearness, enough * this.#most)
    yield* this.#finals.reading(likely, this.#offer)
    yield* this.#enterCompared()
    if (!nearness.isAll) yield* this.#enterOthers()
    if (rows.count > 0) yield* this.#settle()
    const sharing = countBoth(rows.sharing, rows.passing, places)
    const wanted = Array.from(this.#wanted, (place) => ({ place, cosine: this.#cosineAt(place) }))
    const also: Array<Spot> = []
    yield* this.#finals.reading(wanted, (finalist) => also.push(this.#finals.spot(finalist)))
    return { found: [...this.#best.values, ...also], sharing, near }
  }

  *#segments(): Generator<Within> {
    const { segments, firsts } = this.#scope
    const { terms } = this.#query.asked
    for (const [at, segment] of segments.entries()) yield { segment, first: firsts[at]!, terms }
  }

  *#reach(): Steps<void> {
    const { reach, rows } = this.#means
    const { places } = this.#scope
    reach.begin(this.#groups, rows.texts, places)
    for (const within of this.#segments()) {
      for (const { alternatives } of this.#groups) {
        for (const term of alternatives) {
          const reached = addReach(within, term, reach)
          if (this.#pace.isDue(costs.term + reached * costs.reached)) yield
        }
      }
    }
    yield* this.#pace.through(0, places, stretches.bits, (from, to) => reach.any(rows.sharing, from, to))
  }

  #cosineAt(place: number): number {
    if (this.#query.asked.read === 0) return 0
    const segment = segmentAt(this.#scope, place)
    return this.#means.nearness.of(this.#scope, segment, place - this.#scope.firsts[segment]!)
  }

  /** Finds what each open, compared snippet likely scores, and at most. Gives how many match without a word. */
  *#assess(): Steps<number> {
    const { nearness, reach, rows, assessed } = this.#means
    const [scope, scoring, self] = [this.#scope, this.#scoring, this.#weights.self]
    const measures = { scope, nearness, reach, rows, scoring, self }
    assessed.begin(nearness.compared, this.#most)
    const stretch = this.#query.preferComplete ? stretches.complete : stretches.assessed
    let near = 0
    for (const place of this.#wanted) if (reach.units[place] === 0) near++
    let first = 0
    for (const segment of this.#scope.segments.keys()) {
      const end = nearness.ends[segment]!
      yield* this.#pace.through(first, end, stretch, (from, to) => {
        near += assessed.assess(segment, from, to, measures)
      })
      first = end
    }
    return near
  }

  /** Some of the likeliest, if only words count. */
  *#foremost(): Steps<ReadonlyArray<Finalist>> {
    const { rows, reach } = this.#means
    const { places } = this.#scope
    yield* this.#pace.through(0, places, stretches.bits, (from, to) => reach.count(rows.open, from, to))
    const least = reach.ofFirst(this.#most)
    const some: Array<Finalist> = []
    yield* this.#pace.through(0, places, stretches.bits, (from, to) => {
      for (let place = from; place < to && some.length < enough * this.#most; place++)
        if (reach.units[place]! >= least && isSet(rows.open, place)) some.push({ place, cosine: 0 })
    })
    return some
  }

  /** Gives a row to each compared snippet that can be among the best. */
  #enterCompared(): Steps<void> {
    const { compared } = this.#means.nearness
    return this.#pace.through(0, compared, stretches.open, (from, to) => this.#enterSome(from, to))
  }

  #enterSome(from: number, to: number): void {
    const { rows, nearness, assessed } = this.#means
    const { segments, firsts } = this.#scope
    const { places, cosines } = nearness
    const { most } = assessed
    const bar = Math.max(0, this.#best.bar - slack)
    for (let at = from; at < to; at++) {
      if (most[at]! < bar) continue
      const place = places[at]!
      if (!isSet(rows.open, place)) continue
      const segment = segmentAt(this.#scope, place)
      rows.add(place, cosines[at]!, this.#scoring.priorOf(segments[segment]!, place - firsts[segment]!))
    }
  }

  /** Gives a row to each other snippet that can. Most have no votes that lift them, and need more words. */
  *#enterOthers(): Steps<void> {
    const { nearness, reach } = this.#means
    const { self } = this.#weights
    const leastOf = (isLifted: boolean) => {
      const needed = this.#scoring.needed(nearness.ceiling, isLifted, (score) => this.#isTooLow(score))
      return needed === undefined ? Number.POSITIVE_INFINITY : reach.ofSum(needed * self)
    }
    const [least, ofLifted] = [leastOf(false), leastOf(true)]
    for (const [at, segment] of this.#scope.segments.entries()) {
      const first = this.#scope.firsts[at]!
      yield* this.#pace.through(0, wordsOf(segment.slots), stretches.words, (from, to) =>
        this.#enterWords(segment, first, from, to, least, ofLifted)
      )
    }
  }

  /** The same for some words of a segment's bits: those with `least` units, or with `ofLifted` if votes lift them. */
  #enterWords(segment: Segment, first: number, from: number, to: number, least: number, ofLifted: number): void {
    const { rows, nearness, reach } = this.#means
    for (let word = from; word < to; word++) {
      const place = first + word * 32
      const its = rows.open[place >>> 5]! & rows.sharing[place >>> 5]! & ~nearness.chosen[place >>> 5]!
      for (let rest = its; rest !== 0; rest = withoutFirst(rest)) {
        const one = place + firstOf(rest)
        const units = reach.units[one]!
        if (units < ofLifted || (units < least && !segment.lifted.has(one - first))) continue
        rows.add(one, Number.NaN, this.#scoring.priorOf(segment, one - first))
      }
    }
  }

  *#sumWords(): Steps<void> {
    const { rows } = this.#means
    const { table } = this.#weights
    for (const within of this.#segments()) {
      for (const { alternatives, texts } of this.#groups) {
        const number = rows.nextTerm()
        for (const term of alternatives) {
          const summed = addSums(within, term, texts, number, table, rows)
          if (this.#pace.isDue(costs.term + summed * costs.summed)) yield
        }
      }
    }
  }

  /** Offers the best of the rows. */
  *#settle(): Steps<void> {
    const { rows } = this.#means
    yield* this.#sumWords()
    const greatest = new Greatest(this.#most)
    yield* this.#pace.through(0, rows.count, stretches.settled, (from, to) => this.#settleSome(from, to, greatest))
    const finalists = yield* this.#finalists(Math.max(0, greatest.bar - slack))
    yield* this.#finals.reading(finalists, this.#offer)
  }

  /** The rows that score at least `bar`. If very many tie, those whose ids come first. */
  *#finalists(bar: number): Steps<ReadonlyArray<Finalist>> {
    const { count } = this.#means.rows
    const best = new Best<Finalist>(read * Math.max(1, this.#most), this.#isBefore)
    for (let from = 0; from < count; from += offeredAtOnce) {
      const to = Math.min(from + offeredAtOnce, count)
      const taken = this.#offerRows(from, to, bar, best)
      if (this.#pace.isDue((to - from) * costs.looked + taken * costs.taken)) yield
    }
    return best.values
  }

  /** Gives how many rows were taken. */
  #offerRows(from: number, to: number, bar: number, best: Best<Finalist>): number {
    let taken = 0
    const { finals, places, cosines } = this.#means.rows
    for (let row = from; row < to; row++) {
      const [final, place] = [finals[row]!, places[row]!]
      if (final < bar || !best.takes(final, place)) continue
      best.put(final, place, { place, cosine: cosines[row]! })
      taken++
    }
    return taken
  }

  /** Scores some rows by their sums; -1 for those that are not among the best, or do not match. */
  #settleSome(from: number, to: number, greatest: Greatest): void {
    const { rows, nearness } = this.#means
    const { finals, places, cosines, priors } = rows
    for (let row = from; row < to; row++) {
      const [place, prior] = [places[row]!, priors[row]!]
      const words = wordShare(rows.sum(row), this.#weights.self)
      finals[row] = -1
      if (Number.isNaN(cosines[row]!)) {
        if (this.#isTooLow(this.#scoring.about(words, nearness.ceiling, prior))) continue
        cosines[row] = this.#cosineAt(place)
      }
      const final = this.#scoring.about(words, cosines[row]!, prior)
      const sharesWord = isSet(rows.sharing, place)
      if (this.#isTooLow(final) || !matches(sharesWord, final + slack)) continue
      finals[row] = final
      if (matches(sharesWord, final - slack)) greatest.offer(final)
    }
  }

  /** Offers the finalist that was read last, with the ranking's own score. */
  readonly #offer = (finalist: Finalist, sum: number): void => {
    const { place, cosine } = finalist
    clearBit(this.#means.rows.open, place)
    const words = wordShare(sum, this.#weights.self)
    const segment = segmentAt(this.#scope, place)
    const prior = this.#scoring.priorOf(this.#scope.segments[segment]!, place - this.#scope.firsts[segment]!)
    const final = this.#scoring.of(words, cosine, prior)
    if (matches(sum > 0, final) && this.#best.takes(final, place))
      this.#best.put(final, place, this.#finals.spot(finalist))
  }

  /** Whether a score by sums is too low to be offered, whatever the ranking's own score is. */
  #isTooLow(score: number): boolean {
    return this.#best.refuses(score + slack)
  }
}
