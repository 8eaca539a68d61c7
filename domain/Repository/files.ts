import { beginningOf } from "../text/beginningOf.ts"

/** Several files that are stored as one snippet: what can be said of them without a grammar. */

export interface RepositoryFile {
  /** Relative to the root, parts separated by `/`. */
  readonly path: string
  readonly content: string
}

/** The last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
/** How many parts a path has: 1 for a file in the root. */
export const depthOf = (path: string): number => path.split("/").length

/** The paths that are folders of other paths. This costs no more than sorting them, however deep they are. */
export const foldersAmong = (paths: ReadonlyArray<string>): ReadonlySet<string> => {
  // what is in a folder sorts directly behind it
  const ordered = [...new Set(paths)].map((path) => `${path}/`).sort()
  return new Set(ordered.filter((path, at) => ordered[at + 1]?.startsWith(path)).map((path) => path.slice(0, -1)))
}

/** The readme nearest to the root. */
export const readmeOf = (files: ReadonlyArray<RepositoryFile>): RepositoryFile | undefined =>
  files
    .filter(({ path }) => /^readme(?:\.(?:md|markdown|rst|txt|adoc))?$/i.test(nameOf(path)))
    .sort((one, other) => depthOf(one.path) - depthOf(other.path) || (one.path < other.path ? -1 : 1))[0]

/** Paths in order, one a line. */
export const fileTreeOf = (files: ReadonlyArray<RepositoryFile>): string =>
  files
    .map(({ path }) => path)
    .sort()
    .join("\n")

/** Characters of a readme that a search shows. */
const previewed = 500

/** The first 500 characters of a readme, in whole characters; `""` without a readme. */
export const readmePreviewOf = (files: ReadonlyArray<RepositoryFile>): string =>
  beginningOf(readmeOf(files)?.content ?? "", previewed)

/**
 * How many characters a repository is searched by: at most these of its readme and of its paths, and at least these of
 * its other files.
 */
const searched = { readme: 30_000, paths: 20_000, files: 50_000 }
/** The least of one file among very many. */
const shortest = 200

/** The text that a repository is searched by: its readme, its paths, and an equal share of each file's beginning. */
export const searchedTextOf = (files: ReadonlyArray<RepositoryFile>): string => {
  const readme = readmeOf(files)
  const others = files.filter((file) => file !== readme)
  const about = beginningOf(readme?.content ?? "", searched.readme)
  const paths = beginningOf(fileTreeOf(files), searched.paths)
  const room = searched.files + searched.readme - about.length + searched.paths - paths.length
  const share = Math.max(shortest, Math.floor(room / Math.max(1, others.length)))
  const shown = others.slice(0, Math.ceil(room / share))
  return [about, paths, ...shown.map(({ content }) => beginningOf(content, share))].join("\n")
}
