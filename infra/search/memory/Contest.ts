import { matches } from "#domain/search/rank.ts"
import { wordShare } from "#domain/search/score.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { lookEvery, unlessGivenUp } from "../givenUp.ts"
import { Best } from "./Best.ts"
import { clearBit, countBoth, eachBit, isSet, wordsOf } from "./Bits.ts"
import { type Finalist, Finals, type Spot, type Weights } from "./Finals.ts"
import { Greatest } from "./Greatest.ts"
import { type Group, groupsOf } from "./groups.ts"
import type { Nearness } from "./Nearness.ts"
import type { Locate } from "./passing.ts"
import type { Reach } from "./Reach.ts"
import type { Rows } from "./Rows.ts"
import { type Scope, segmentAt } from "./Scope.ts"
import { Scoring } from "./Scoring.ts"
import type { TermPlaces } from "./TermPlaces.ts"
import { addReach, type Occurrences, sumGroup, type Within } from "./words.ts"

/** What every search works with. */
export interface Means {
  readonly nearness: Nearness
  readonly rows: Rows
  readonly reach: Reach
  readonly occurrences: Occurrences
  readonly termPlaces: TermPlaces
  readonly locate: Locate
}

/**
 * By how much a score that is summed up in another order may differ from what the ranking makes of it, and more than
 * that by far.
 */
const slack = 2e-4
/** What words usually come to of what they reach at the most: who is likely is guessed by it. */
const usual = 0.6
/** Of those that are as likely so many times what is wanted are enough to begin with. */
const enough = 2

/**
 * One search. What each can reach by its words is known at the cost of seeing that it shares one. Those that are
 * likely by that are read first: what the best of them have all others have to reach, and only those that can get a row
 * and have their words summed up. Of what was not compared that are those whose words would make up for the cosine that
 * it hardly surpasses.
 */
export class Contest {
  readonly #scope: Scope
  readonly #weights: Weights
  readonly #query: IndexQuery
  readonly #most: number
  readonly #means: Means
  readonly #best: Best<Spot>
  readonly #scoring: Scoring
  readonly #finals: Finals
  readonly #groups: ReadonlyArray<Group>
  /** Places of those of `also` that pass. */
  readonly #wanted: ReadonlySet<number>

  constructor(scope: Scope, weights: Weights, query: IndexQuery, most: number, means: Means) {
    this.#scope = scope
    this.#weights = weights
    this.#query = query
    this.#most = most
    this.#means = means
    this.#best = new Best(most)
    this.#scoring = new Scoring(query)
    this.#finals = new Finals(scope, weights, query.asked.terms, means.termPlaces)
    this.#groups = groupsOf(weights)
    const firsts = new Map(scope.segments.map((segment, at) => [segment, scope.firsts[at]!]))
    const places = Array.from(query.also ?? []).flatMap((id) => {
      const found = means.locate(id)
      const first = found && firsts.get(found.segment)
      return first === undefined ? [] : [first + found!.slot]
    })
    this.#wanted = new Set(places.filter((place) => isSet(means.rows.passing, place)))
  }

  /** The best, and what is wanted besides; how many share a word, and how many others match. */
  held(): { readonly found: ReadonlyArray<Spot>; readonly sharing: number; readonly near: number } {
    const { rows, nearness } = this.#means
    const { places } = this.#scope
    this.#reach()
    rows.open.set(rows.passing.subarray(0, wordsOf(places)))
    for (const place of this.#wanted) clearBit(rows.open, place)
    const near = this.#assess()
    this.#offer(this.#finals.read(this.#query.asked.read === 0 ? this.#foremost() : this.#likely()))
    this.#enterCompared()
    if (!nearness.isAll) this.#enterOthers()
    if (rows.count > 0) this.#settle()
    const sharing = countBoth(rows.sharing, rows.passing, places)
    const wanted = Array.from(this.#wanted, (place) => ({ place, cosine: this.#cosineAt(place) }))
    const also = this.#finals.read(wanted).map(({ spot }) => spot)
    return { found: [...this.#best.values, ...also], sharing, near }
  }

  /** Calls for each term in each segment. */
  #eachGroup(visit: (within: Within, group: Group) => void): void {
    const { segments, firsts } = this.#scope
    const { terms } = this.#query.asked
    for (const [at, segment] of segments.entries()) {
      const within = { segment, first: firsts[at]!, terms }
      for (const group of this.#groups) visit(within, group)
    }
  }

  #reach(): void {
    const { reach, rows } = this.#means
    reach.begin(this.#groups, rows.texts, this.#scope.places)
    this.#eachGroup((within, group) => addReach(within, group, reach))
    reach.any(rows.sharing, this.#scope.places)
  }

  /** The share of the words that a place can have. */
  #mostWords(place: number): number {
    return wordShare(this.#means.reach.sum(place), this.#weights.self)
  }

  #cosineAt(place: number): number {
    if (this.#query.asked.read === 0) return 0
    const segment = segmentAt(this.#scope, place)
    return this.#means.nearness.of(this.#scope, segment, place - this.#scope.firsts[segment]!)
  }

  /**
   * Of each that was compared and is open, what it likely comes to and what at the most; gives how many of all match
   * without a word.
   */
  #assess(): number {
    const { rows, nearness, reach } = this.#means
    const { places, cosines, ends, compared } = nearness
    const { guesses, tops } = rows.columns(compared)
    const scoring = this.#scoring
    const { least } = scoring
    let near = 0
    for (const place of this.#wanted) if (reach.units[place] === 0) near++
    let at = 0
    for (const [number, segment] of this.#scope.segments.entries()) {
      const first = this.#scope.firsts[number]!
      for (const end = ends[number]!; at < end; at++) {
        const place = places[at]!
        if (at % lookEvery === 0) unlessGivenUp()
        guesses[at] = tops[at] = -1
        if (!isSet(rows.open, place)) continue
        const cosine = cosines[at]!
        const prior = scoring.priorOf(segment, place - first)
        const words = reach.units[place] === 0 ? 0 : this.#mostWords(place)
        guesses[at] = scoring.about(usual * words, cosine, prior)
        tops[at] = scoring.about(words, cosine, prior)
        if (words === 0 && cosine >= least && scoring.isNear(cosine, prior)) near++
      }
    }
    return near
  }

  /** Some of those that were compared, about as many as are wanted, that are likely the best. */
  #likely(): ReadonlyArray<Finalist> {
    const { places, cosines, compared } = this.#means.nearness
    const { guesses } = this.#means.rows.columns(compared)
    const greatest = new Greatest(this.#most)
    for (let at = 0; at < compared; at++) greatest.offer(guesses[at]!)
    const some: Array<Finalist> = []
    const bar = Math.max(0, greatest.bar)
    for (let at = 0; at < compared && some.length < enough * this.#most; at++)
      if (guesses[at]! >= bar) some.push({ place: places[at]!, cosine: cosines[at]!, final: guesses[at]! })
    return some
  }

  /** The same where only words count. */
  #foremost(): ReadonlyArray<Finalist> {
    const { rows, reach } = this.#means
    const { places } = this.#scope
    const least = reach.ofFirst(this.#most, rows.open, places)
    const some: Array<Finalist> = []
    for (let place = 0; place < places && some.length < enough * this.#most; place++)
      if (reach.units[place]! >= least && isSet(rows.open, place)) some.push({ place, cosine: 0, final: 0 })
    return some
  }

  /** Gives a row to each of the compared that can be among the best. */
  #enterCompared(): void {
    const { rows, nearness } = this.#means
    const { segments, firsts } = this.#scope
    const { places, cosines, compared } = nearness
    const { tops } = rows.columns(compared)
    for (let at = 0; at < compared; at++) {
      if (at % lookEvery === 0) unlessGivenUp()
      if (tops[at]! < 0 || this.#isTooLow(tops[at]!)) continue
      const place = places[at]!
      if (!isSet(rows.open, place)) continue
      const segment = segmentAt(this.#scope, place)
      rows.add(place, cosines[at]!, this.#scoring.priorOf(segments[segment]!, place - firsts[segment]!))
    }
  }

  /** Gives a row to each of the others that can. What no votes lift is most of it, and needs more words. */
  #enterOthers(): void {
    const { rows, nearness, reach } = this.#means
    const { self } = this.#weights
    const leastOf = (isLifted: boolean) => {
      const needed = this.#scoring.needed(nearness.ceiling, isLifted, (score) => this.#isTooLow(score))
      return needed === undefined ? Number.POSITIVE_INFINITY : reach.ofSum(needed * self)
    }
    const [least, ofLifted] = [leastOf(false), leastOf(true)]
    for (const [at, segment] of this.#scope.segments.entries()) {
      const first = this.#scope.firsts[at]!
      for (let word = 0; word < wordsOf(segment.slots); word++) {
        const place = first + word * 32
        const its = rows.open[place >>> 5]! & rows.sharing[place >>> 5]! & ~nearness.chosen[place >>> 5]!
        if (its === 0) continue
        eachBit(its, place, (one) => {
          const units = reach.units[one]!
          if (units < ofLifted || (units < least && !segment.lifted.has(one - first))) return
          rows.add(one, Number.NaN, this.#scoring.priorOf(segment, one - first))
        })
      }
    }
  }

  /** Offers the best of the rows. */
  #settle(): void {
    const { rows, nearness } = this.#means
    const { table } = this.#weights
    this.#eachGroup((within, group) => sumGroup(within, group, table, rows))
    const { finals, places, cosines, priors } = rows
    const greatest = new Greatest(this.#most)
    for (let row = 0; row < rows.count; row++) {
      if (row % lookEvery === 0) unlessGivenUp()
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
    const bar = Math.max(0, greatest.bar - slack)
    const finalists: Array<Finalist> = []
    for (let row = 0; row < rows.count; row++)
      if (finals[row]! >= bar) finalists.push({ place: places[row]!, cosine: cosines[row]!, final: finals[row]! })
    this.#offer(this.#finals.read(this.#finals.foremost(finalists, this.#most)))
  }

  /** Offers what was read, by what the ranking makes of it. */
  #offer(some: ReturnType<Finals["read"]>): void {
    for (const { spot, sum } of some) {
      const segment = this.#scope.segments[spot.segment]!
      clearBit(this.#means.rows.open, this.#scope.firsts[spot.segment]! + spot.slot)
      const words = wordShare(sum, this.#weights.self)
      const final = this.#scoring.of(words, spot.cosine, this.#scoring.priorOf(segment, spot.slot))
      if (matches(sum > 0, final) && !this.#best.refuses(final)) this.#best.offer(final, segment.ids[spot.slot]!, spot)
    }
  }

  /** Whether a score by sums is too low to be offered, whatever the ranking makes of it. */
  #isTooLow(score: number): boolean {
    return this.#best.refuses(score + slack)
  }
}
