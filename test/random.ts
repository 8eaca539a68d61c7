/** Numbers in 0…1 that are the same in every run. */
export const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

/** So many of some, in their order. */
export const sample = <A>(all: ReadonlyArray<A>, count: number, next: () => number): ReadonlyArray<A> => {
  const places = all.map((_, at) => at)
  for (let at = places.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    ;[places[at], places[other]] = [places[other]!, places[at]!]
  }
  return places
    .slice(0, count)
    .sort((one, other) => one - other)
    .map((place) => all[place]!)
}
