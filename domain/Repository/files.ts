/** Several files that are stored as one snippet: what can be said of them without any grammar. */

export interface RepositoryFile {
  /** Relative to the root, parts separated by `/`. */
  readonly path: string
  readonly content: string
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
export const depthOf = (path: string): number => path.split("/").length

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
  (readmeOf(files)?.content ?? "").slice(0, previewed).replace(/[\ud800-\udbff]$/, "")

/** Characters of the files' own text that a repository is found by, besides its readme and its paths. */
const searched = 200_000

/** What a repository is found by: its readme, its paths, and the beginning of each file, equally much of each. */
export const searchedTextOf = (files: ReadonlyArray<RepositoryFile>): string => {
  const share = Math.max(500, Math.floor(searched / Math.max(1, files.length)))
  const readme = readmeOf(files)
  const others = files.filter((file) => file !== readme)
  const texts = others.map(({ content }) => content.slice(0, share))
  return [readme?.content.slice(0, searched) ?? "", fileTreeOf(files), ...texts].join("\n")
}
