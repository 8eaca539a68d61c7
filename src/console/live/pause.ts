const longest = 15_000

/** Milliseconds before the source is tried again. They double each time, and differ from tab to tab. */
export const pauseBefore = (tries: number, random = Math.random()): number =>
  Math.min(longest, 500 * 2 ** Math.min(tries, 10)) * (0.75 + random / 2)
