import type { Observed } from "../Snippet/commands.ts"

/** A function as a log's names are held against it. */
export interface Named {
  readonly fingerprint: string
  /** With its type: `Stack.push`. */
  readonly name: string
  /** The whole file is this one function: it has none, or its language isn't told apart. */
  readonly isFile: boolean
}

/** `Stack.push` of what a log says: without its module's path marks, its brackets and what is defined inside of it. */
const plain = (given: string): string =>
  given
    .trim()
    .replace(/^(?:async|new|get|set|static) +/, "")
    .replace(/\.<locals>.*$/s, "")
    .replace(/\(.*$/s, "")
    .replace(/::|#/g, ".")

/**
 * The functions that a log means by a name. `push` may be any type's, and `stack.Stack.push` names its module: a log that
 * can't tell two functions apart speaks of both. What runs outside of all functions (`__module__`, `<module>`) is nobody's,
 * unless the file is one function.
 */
export const meant = <F extends Named>(given: string, functions: ReadonlyArray<F>): ReadonlyArray<F> => {
  if (functions.length === 1 && functions[0]!.isFile) return functions
  const name = plain(given)
  if (name === "") return []
  for (const fits of [
    (known: string) => known === name,
    (known: string) => known.endsWith(`.${name}`),
    (known: string) => name.endsWith(`.${known}`)
  ]) {
    const found = functions.filter((one) => fits(one.name))
    if (found.length > 0) return found
  }
  return []
}

/**
 * What a log that tells of several files says of one of them: only what names its functions, as the rest may be of another
 * file.
 */
export const concerning = (
  { telemetry, errors }: Observed,
  functions: ReadonlyArray<Pick<Named, "fingerprint" | "name">>
): Observed => {
  const known = functions.map((one) => ({ ...one, isFile: false }))
  const isNamed = (name: string) => meant(name, known).length > 0
  return {
    telemetry: telemetry.filter(({ name }) => isNamed(name)),
    errors: errors.filter(({ functions }) => functions.some(isNamed))
  }
}
