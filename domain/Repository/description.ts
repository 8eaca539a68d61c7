import { beginningOf } from "../text/beginningOf.ts"
import { fenced } from "../text/fenced.ts"
import { withoutEnd } from "../text/withoutEnd.ts"
import { depthOf, fileTreeOf, nameOf, type RepositoryFile, readmeOf } from "./files.ts"

/** How many characters of a manifest or a readme are looked at. */
const looked = 100_000

const line = (text: string, longest: number): string =>
  beginningOf(beginningOf(text.trim(), looked).replace(/\s+/g, " ").trim(), longest)

const manifest = (files: ReadonlyArray<RepositoryFile>, name: RegExp): string | undefined => {
  const [first] = files
    .filter(({ path }) => name.test(nameOf(path)))
    .sort((one, other) => depthOf(one.path) - depthOf(other.path))
  return first && beginningOf(first.content, looked)
}

/** A text field at the top of a JSON object; `undefined` if there is none. */
const jsonField = (json: string | undefined, field: string): string | undefined => {
  try {
    const value = (JSON.parse(json ?? "null") as { readonly [field: string]: unknown } | null)?.[field]
    return typeof value === "string" && value.trim() !== "" ? value : undefined
  } catch {
    return undefined
  }
}

/** The fields that are read from a manifest, as TOML writes them. */
const quoted = {
  name: /^name[ \t]*=[ \t]*(["'])(.+?)\1/m,
  description: /^description[ \t]*=[ \t]*(["'])(.+?)\1/m
} as const
type Field = keyof typeof quoted

/** A quoted field in a section of a TOML file. */
const tomlField = (toml: string | undefined, section: string, field: Field): string | undefined => {
  const body = toml?.split(/^\[/m).find((part) => part.startsWith(`${section}]`))
  return body?.match(quoted[field])?.[2]
}

const field = (files: ReadonlyArray<RepositoryFile>, name: Field): string | undefined =>
  jsonField(manifest(files, /^package\.json$/), name) ??
  tomlField(manifest(files, /^pyproject\.toml$/), "project", name) ??
  tomlField(manifest(files, /^Cargo\.toml$/), "package", name) ??
  jsonField(manifest(files, /^composer\.json$/), name) ??
  jsonField(manifest(files, /^deno\.jsonc?$/), name)

/** The text of a readme's first heading: `# Name`, `## Name ##`, or a line that is underlined. */
const headingOf = (readme: string): string | undefined => {
  const lines = beginningOf(readme, looked).split(/\r?\n/)
  for (const [at, line] of lines.entries()) {
    const marked = /^#{1,2}\s+(?=\S)/.exec(line)
    if (marked !== null) return withoutEnd(line.slice(marked[0].length), "#").trimEnd()
    if (line !== "" && /^[=-]{3,}\s*$/.test(lines[at + 1] ?? "")) return line
  }
  return undefined
}

/** A repository's name: from a manifest, from its readme's heading, or else the task that it was made for. */
export const repositoryName = (files: ReadonlyArray<RepositoryFile>, task: string): string => {
  const module = manifest(files, /^go\.mod$/)?.match(/^module\s+(\S+)/m)?.[1]
  const readme = readmeOf(files)
  const heading = readme === undefined ? undefined : headingOf(readme.content)
  const found = field(files, "name") ?? module?.replace(/^.*\//, "") ?? heading ?? task
  return line(found, 100) || "repository"
}

/** A repository's description: from a manifest, its readme's first paragraph, or else the task that it was made for. */
export const repositoryDescription = (files: ReadonlyArray<RepositoryFile>, task: string): string => {
  const paragraph = beginningOf(readmeOf(files)?.content ?? "", looked)
    .split(/\r?\n\s*\r?\n/)
    .find((part) => /^[\p{L}\p{N}"'`*_(]/u.test(part.trim()) && !/\r?\n[=-]{3,}\s*$/.test(part))
  return line(field(files, "description") ?? paragraph ?? task, 1_000)
}

/** Files that a repository is usually started by. */
const starts =
  /^(?:src\/|app\/|cmd\/[^/]+\/)?(?:main|index|app|server|cli|__main__|manage)\.(?:py|ts|tsx|js|mjs|cjs|go|rs|rb|java|php)$/

/** The path of the file that a repository starts by; `""` if that is not clear. */
export const repositoryEntrypoint = (files: ReadonlyArray<RepositoryFile>): string => {
  const named = jsonField(manifest(files, /^package\.json$/), "main")?.replace(/^\.\//, "")
  if (named !== undefined && files.some(({ path }) => path === named)) return named
  const found = files.map(({ path }) => path).filter((path) => starts.test(path))
  return found.sort((one, other) => depthOf(one) - depthOf(other) || (one < other ? -1 : 1))[0] ?? ""
}

/** What serves as a repository's source: its readme, or a summary if it has none, and the list of its files. */
export const repositorySource = (files: ReadonlyArray<RepositoryFile>, name: string, description: string): string => {
  const readme = readmeOf(files)?.content.trim()
  const about = readme === undefined || readme === "" ? `# ${name}\n\n${description}` : readme
  return `${about}\n\n## Files\n\n${fenced(fileTreeOf(files))}\n`
}
