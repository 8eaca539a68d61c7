import { lstatSync, mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

const make = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // another process may have made it meanwhile
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/**
 * Makes a folder that only its owner may use, with those above it, unless it is there. Throws the system's error.
 * (Node's own tries for ever behind a link to nowhere, and in `/proc`.)
 */
export const makeFolder = (path: string): void => {
  const missing: Array<string> = []
  let there = resolve(path)
  for (; lstatSync(there, { throwIfNoEntry: false }) === undefined; there = dirname(there)) missing.unshift(there)
  statSync(there)
  for (const folder of missing.length === 0 ? [there] : missing) make(folder)
}
