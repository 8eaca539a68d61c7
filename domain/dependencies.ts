/** Packages by their versions; `""` where none is known. */
export type Dependencies = { readonly [name: string]: string }

/** Packages of a snippet, and characters of their names and versions together. */
export const mostDependencies = 1_000
export const longestDependencies = 65_536

const lengthOf = ([name, version]: readonly [string, string]): number => name.length + version.length

/** Whether they are few enough, and short enough together. */
export const isWithin = (given: Dependencies): boolean => {
  const all = Object.entries(given)
  return all.length <= mostDependencies && all.reduce((sum, one) => sum + lengthOf(one), 0) <= longestDependencies
}

/**
 * Those of a snippet when a further upload of it says what it needs: a version that is known by now is replaced. What
 * does not fit any more is left out, so that a snippet that is stored again and again does not grow without end.
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
