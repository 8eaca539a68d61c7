import type { Segment } from "./Segment.ts"

/**
 * Segments that are searched as one. Each slot has a place, so that what a search knows of it lies in columns by place.
 * Each segment begins at a whole word of bits.
 */
export interface Scope {
  readonly segments: ReadonlyArray<Segment>
  /** The place of each segment's first slot. */
  readonly firsts: ReadonlyArray<number>
  /** Places are below this. */
  readonly places: number
}

/** The scope of these segments, one after another, each from a whole word of bits on. */
export const scopeOf = (segments: ReadonlyArray<Segment>): Scope => {
  let places = 0
  const firsts = segments.map(({ slots }) => {
    const first = places
    places += Math.ceil(slots / 32) * 32
    return first
  })
  return { segments, firsts, places }
}

/** Whether the id at a place comes before the one at another. */
export const isBefore = (scope: Scope, place: number, other: number): boolean => {
  const { segments, firsts } = scope
  const [its, theirs] = [segmentAt(scope, place), segmentAt(scope, other)]
  return segments[its]!.ids.isBefore(place - firsts[its]!, segments[theirs]!.ids, other - firsts[theirs]!)
}

/** The number of the segment that a place belongs to. */
export const segmentAt = ({ firsts }: Scope, place: number): number => {
  let [low, high] = [0, firsts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (firsts[middle]! <= place) low = middle
    else high = middle - 1
  }
  return low
}
