import {
  repositoryDescription,
  repositoryEntrypoint,
  repositoryName,
  repositorySource
} from "#domain/Repository/description.ts"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import { completeness } from "#domain/search/completeness.ts"
import type { RepositoryAnalysis, RepositoryGiven } from "#ports/SourceAnalysis.ts"
import { languageOfPath, languageOfShebang } from "./languages.ts"

/** Languages of no programs: one is a repository's language only when there is nothing else. */
const accompanying = new Set(["markdown", "json", "yaml", "toml", "xml", "html", "css", "scss", "text"])

/** Characters of a file in which a `#!` line is looked for. */
const looked = 256

/** The language of most of a repository's code, by bytes, as file names and first lines tell it. */
const languageOf = (files: ReadonlyArray<RepositoryFile>): string => {
  const sizes = new Map<string, number>()
  for (const { path, content } of files) {
    const language = languageOfPath(path) ?? languageOfShebang(content.slice(0, looked)) ?? "text"
    const weight = accompanying.has(language) ? content.length / 1e6 : content.length
    sizes.set(language, (sizes.get(language) ?? 0) + weight)
  }
  return [...sizes].sort(([one, size], [other, more]) => more - size || (one < other ? -1 : 1))[0]?.[0] ?? "text"
}

/** What several files say of themselves together. */
export const analyseRepository = (files: ReadonlyArray<RepositoryFile>, given: RepositoryGiven): RepositoryAnalysis => {
  const name = given.name ?? repositoryName(files, given.task)
  const description = given.description ?? repositoryDescription(files, given.task)
  return {
    name,
    description,
    source: repositorySource(files, name, description),
    language: languageOf(files),
    entrypoint: repositoryEntrypoint(files),
    completeness: Math.max(0, ...files.map(({ content }) => completeness(content)))
  }
}
