import { Glob } from "effect"

/** The most ways to choose from a pattern's braces. Each way is matched by itself. */
export const mostChoices = 100

/**
 * How many ways there are to choose from a pattern's braces, even if more than `mostChoices`. A brace that is not
 * closed counts too.
 */
export const choicesOf = (pattern: string): number => {
  let choices = 1
  const outer: Array<{ readonly before: number; earlier: number }> = []
  const close = () => {
    const { before, earlier } = outer.pop()!
    choices = before * (earlier + choices)
  }
  for (const [sign] of pattern.matchAll(/\\.|[{},]/gsu)) {
    const inner = outer.at(-1)
    if (sign === "{") {
      outer.push({ before: choices, earlier: 0 })
      choices = 1
    } else if (sign === "}" && inner !== undefined) close()
    else if (sign === "," && inner !== undefined) {
      inner.earlier += choices
      choices = 1
    }
  }
  while (outer.length > 0) close()
  return choices
}

export interface MatchingPaths {
  /** The first matching paths, one a line. */
  readonly shown: string
  readonly count: number
}

/**
 * The paths (one a line) that match a glob pattern, including names that begin with a dot: the first `most`, in the
 * order given.
 */
export const matchingPaths = (pattern: string, paths: string, most: number): MatchingPaths => {
  const glob = Glob.make(pattern, { dot: true })
  const found = paths === "" ? [] : paths.split("\n").filter((path) => Glob.match(glob, path))
  return { shown: found.slice(0, most).join("\n"), count: found.length }
}

/** An upper bound on the work of `matchingPaths`, in steps. */
export const matchingWork = (pattern: string, paths: string): number =>
  pattern.length * paths.length * choicesOf(pattern)
