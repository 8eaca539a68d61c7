/** Expansions of `{a,b}` that a pattern may have. */
const mostAlternatives = 100

/**
 * Whether a path matches a glob pattern, in time that is bounded by the product of their lengths and the number of
 * alternatives, whatever the pattern; `undefined` when it has too many of these.
 */
const matcher = (pattern: string): ((path: string) => boolean) | undefined => {
  const alternatives = expanded(pattern)
  if (alternatives === undefined) return undefined
  const patterns = alternatives.map((alternative) => alternative.split("/").map(namePattern))
  return (path) => {
    const names = path.split("/").map((name) => [...name])
    return patterns.some((parts) => matchAll(parts, names, (part, name) => matchName(part, name)))
  }
}

export interface MatchingPaths {
  /** The first of them, one a line. */
  readonly shown: string
  readonly count: number
}

/** Those of the paths (one a line) that match a glob pattern, the first `most` by name; `null`: too many alternatives. */
export const matchingPaths = (pattern: string, paths: string, most: number): MatchingPaths | null => {
  const matches = matcher(pattern)
  if (matches === undefined) return null
  const found = paths === "" ? [] : paths.split("\n").filter(matches)
  return { shown: found.slice(0, most).join("\n"), count: found.length }
}

/** What `matchingPaths` takes at most, in steps. */
export const matchingWork = (pattern: string, paths: string): number =>
  pattern.length * paths.length * (pattern.includes("{") ? mostAlternatives : 1)

/** Every way to choose from the pattern's `{…}`. */
const expanded = (pattern: string): ReadonlyArray<string> | undefined => {
  let open = [pattern]
  for (;;) {
    const next = open.flatMap((one) => {
      const found = /\{([^{},]*,[^{}]*)\}/.exec(one)
      if (found === null) return [one]
      const [whole, inner] = found
      return inner!.split(",").map((choice) => one.replace(whole, () => choice))
    })
    if (next.length > mostAlternatives) return undefined
    if (next.length === open.length) return next
    open = next
  }
}

const any = Symbol("**")
const some = Symbol("*")
type One = (character: string) => boolean
type NamePattern = typeof any | ReadonlyArray<One | typeof some>

const namePattern = (part: string): NamePattern => {
  if (part === "**") return any
  return [...part.matchAll(/\[([!^]?)(\]?[^\]]*)\]|\\(.)|([\s\S])/gu)].map(([, negated, set, escaped, character]) => {
    if (set !== undefined) return (one: string) => inSet(set, one) === (negated === "")
    if (escaped === undefined && character === "*") return some
    if (escaped === undefined && character === "?") return () => true
    return (one: string) => one === (escaped ?? character)
  })
}

const inSet = (set: string, one: string) => {
  for (const [, from, to] of set.matchAll(/(.)(?:-(.))?/gu)) {
    if (one >= from! && one <= (to ?? from!)) return true
  }
  return false
}

const matchName = (part: Exclude<NamePattern, typeof any>, name: ReadonlyArray<string>) =>
  matchAll(part, name, (test, character) => (test as One)(character))

/** Matches items one to one, but for `**` and `*`, which take any number: each place of both is looked at once. */
const matchAll = <Part, Item>(
  parts: ReadonlyArray<Part>,
  items: ReadonlyArray<Item>,
  matches: (part: Exclude<Part, symbol>, item: Item) => boolean
): boolean => {
  // reached[i]: the parts so far match the first i items.
  let reached = [true, ...items.map(() => false)]
  for (const part of parts) {
    const next = items.map(() => false).concat(false)
    let before = false
    for (let i = 0; i <= items.length; i++) {
      if (typeof part === "symbol") next[i] = before ||= reached[i]!
      else if (i > 0) next[i] = reached[i - 1]! && matches(part as Exclude<Part, symbol>, items[i - 1]!)
    }
    reached = next
  }
  return reached[items.length]!
}
