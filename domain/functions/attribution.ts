import type { Observed } from "../Snippet/commands.ts"

/** A function that the names in a log are matched with. */
export interface NamedFunction {
  readonly fingerprint: string
  /** With its type: `Stack.push`. */
  readonly name: string
  /** Whether the whole file is this one function: it has none, or functions of its language aren't told apart. */
  readonly isFile: boolean
}

/** A name from a log as `Stack.push`: no keywords, arguments or `<locals>`, and dots for `::` and `#`. */
const plain = (given: string): string =>
  given
    .trim()
    .replace(/^(?:async|new|get|set|static) +/, "")
    .replace(/\.<locals>.*$/s, "")
    .replace(/\(.*$/s, "")
    .replace(/::|#/g, ".")

/** The endings of a name behind its dots, the longest first: of `a.b.c` they are `b.c` and `c`. */
const endings = (name: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) found.push(name.slice(dot + 1))
  return found
}

/**
 * Gives a lookup of the functions that a log means by a name. `push` may belong to any type, and `stack.Stack.push`
 * names its module too. A name that fits several means all of them. What runs outside of all functions (`__module__`,
 * `<module>`) belongs to none, unless the file is one function. A log may have thousands of names.
 */
export const meanings = <F extends NamedFunction>(
  functions: ReadonlyArray<F>
): ((given: string) => ReadonlyArray<F>) => {
  if (functions.length === 1 && functions[0]!.isFile) return () => functions
  const places = new Map(functions.map((one, place) => [one, place]))
  const byName = new Map<string, Array<F>>()
  const byEnding = new Map<string, Array<F>>()
  const put = (into: Map<string, Array<F>>, name: string, one: F) => {
    const known = into.get(name)
    if (known === undefined) into.set(name, [one])
    else known.push(one)
  }
  for (const one of functions) {
    put(byName, one.name, one)
    for (const ending of endings(one.name)) put(byEnding, ending, one)
  }
  return (given) => {
    const name = plain(given)
    if (name === "") return []
    const known = byName.get(name) ?? byEnding.get(name)
    if (known !== undefined) return known
    const inside = endings(name).flatMap((ending) => byName.get(ending) ?? [])
    return inside.sort((one, other) => places.get(one)! - places.get(other)!)
  }
}

/**
 * What a log of several files says of one of them: only what names its functions, since the rest may be of another
 * file.
 */
export const concerning = (
  { telemetry, errors }: Observed,
  functions: ReadonlyArray<Pick<NamedFunction, "fingerprint" | "name">>
): Observed => {
  const known = functions.map((one) => ({ ...one, isFile: false }))
  const meant = meanings(known)
  const isNamed = (name: string) => meant(name).length > 0
  return {
    telemetry: telemetry.filter(({ name }) => isNamed(name)),
    errors: errors.filter(({ functions }) => functions.some(isNamed))
  }
}
