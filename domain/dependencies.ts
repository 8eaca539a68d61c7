/** Names of packages with their versions; a version is `""` if it is not known. */
export type Dependencies = { readonly [name: string]: string }

/** The most packages of a snippet, and the most characters of all their names and versions together. */
export const mostDependencies = 1_000
export const longestDependencies = 65_536

const lengthOf = ([name, version]: readonly [string, string]): number => name.length + version.length

/** Whether dependencies keep to both limits. */
export const isWithin = (given: Dependencies): boolean => {
  const all = Object.entries(given)
  return all.length <= mostDependencies && all.reduce((sum, one) => sum + lengthOf(one), 0) <= longestDependencies
}

/**
 * A snippet's dependencies after a further upload named some: a given version replaces a known one. What no longer fits
 * is left out, so that a snippet that is uploaded again and again does not grow without end.
 */
export const withDependencies = (known: Dependencies, given: Dependencies): Dependencies => {
  const all = new Map<string, string>()
  let length = 0
  for (const one of [...Object.entries(known), ...Object.entries(given)]) {
    const [name, version] = one
    const before = all.get(name)
    const more = before === undefined ? lengthOf(one) : version.length - before.length
    if ((before === undefined && all.size >= mostDependencies) || length + more > longestDependencies) continue
    all.set(name, version)
    length += more
  }
  return Object.fromEntries(all)
}
