import { Glob } from "effect"

/** Ways to choose from a pattern's braces up to which they are looked at; past it braces are letters (effect's `Glob`). */
const mostChoices = 10_000

export interface MatchingPaths {
  /** The first of them, one a line. */
  readonly shown: string
  readonly count: number
}

/** Those of the paths (one a line) that match a glob pattern, names that begin with a dot too: the first `most`, as they come. */
export const matchingPaths = (pattern: string, paths: string, most: number): MatchingPaths => {
  const glob = Glob.make(pattern, { dot: true })
  const found = paths === "" ? [] : paths.split("\n").filter((path) => Glob.match(glob, path))
  return { shown: found.slice(0, most).join("\n"), count: found.length }
}

/** What `matchingPaths` takes at most, in steps. */
export const matchingWork = (pattern: string, paths: string): number =>
  pattern.length * paths.length * Math.min(mostChoices, 2 ** (pattern.split(",").length - 1))
