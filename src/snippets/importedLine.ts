import { Effect, Schema, SchemaIssue } from "effect"
import { isWithin, longestDependencies, mostDependencies } from "#domain/dependencies.ts"
import { filename } from "#domain/filename.ts"
import type { NewVote } from "#domain/Snippet/commands.ts"
import { SnippetKind } from "#domain/Snippet/events.ts"
import { completeness } from "#domain/search/completeness.ts"
import { thousands } from "#domain/text/thousands.ts"
import { pathProblem } from "#domain/workspacePath.ts"
import { parseJson } from "#engine/parseJson.ts"
import type { Screened } from "./screen.ts"
import type { Upload } from "./store.ts"

const mebibyte = 1_048_576
/** Most files and bytes of a repository, the same as for a request. */
const mostFiles = 200
const mostBytes = 16 * mebibyte
/** Most votes of one kind: more than any snippet has, and few enough to be counted. */
const mostVotes = 100_000_000

const isStorable = (text: string) => text.isWellFormed() && !text.includes("\u0000")
const unstorable = "has a NUL or half a surrogate pair"
const storable = Schema.makeFilter((text: string) => (isStorable(text) ? undefined : unstorable))
const upTo = (maximum: number) =>
  Schema.String.check(
    storable,
    Schema.isMaxLength(maximum, { message: `is longer than ${thousands(maximum)} characters` })
  )
const optional = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))
const list = (maximum: number, length: number) =>
  Schema.Array(upTo(length)).check(Schema.isMaxLength(maximum, { message: `has more than ${maximum} entries` }))

const FileText = Schema.String.check(
  storable,
  Schema.makeFilter((text: string) => (Buffer.byteLength(text) > mebibyte ? "is larger than 1 MiB" : undefined))
)

const jsonProblem = (value: unknown): string | undefined => {
  let ok = true
  try {
    const json = JSON.stringify(value, (name, part: unknown) => {
      ok = ok && isStorable(name) && (typeof part !== "string" || isStorable(part))
      return part
    })
    if (!ok) return unstorable
    return json.length > mebibyte ? "is larger than 1 MiB" : undefined
  } catch {
    return "is nested too deeply"
  }
}
const JsonSchema = Schema.Record(Schema.String, Schema.Unknown).check(Schema.makeFilter(jsonProblem))

const Count = Schema.Number.check(
  Schema.isInt({ message: "is no whole number" }),
  Schema.isBetween({ minimum: 0, maximum: mostVotes }, { message: `is not from 0 to ${thousands(mostVotes)}` })
)
const Votes = Schema.Struct({ up: optional(Count), down: optional(Count) })

const Files = Schema.Array(
  Schema.Struct({ path: upTo(4_096).check(Schema.makeFilter((path) => pathProblem(path))), content: FileText })
).check(
  Schema.isMinLength(1, { message: "is empty" }),
  Schema.isMaxLength(mostFiles, { message: `has more than ${mostFiles} entries` }),
  Schema.makeFilter((files: ReadonlyArray<{ readonly path: string; readonly content: string }>) => {
    if (new Set(files.map(({ path }) => path)).size < files.length) return "has a path twice"
    const bytes = files.reduce((total, { content }) => total + Buffer.byteLength(content), 0)
    return bytes > mostBytes ? "is larger than 16 MiB" : undefined
  })
)

const Packages = Schema.Record(upTo(100_000), upTo(100_000)).check(
  Schema.makeFilter((given) =>
    isWithin(given)
      ? undefined
      : `has more than ${thousands(mostDependencies)} names, or ${thousands(longestDependencies)} characters`
  )
)

/** What a line of an imported file may say of its snippet. Any other field is ignored. */
export const ImportedEntry = Schema.Struct({
  id: optional(Schema.Union([upTo(1_000), Schema.Finite])),
  name: optional(upTo(5_000)),
  path: optional(upTo(4_096)),
  kind: optional(SnippetKind),
  description: optional(upTo(200_000)),
  source: FileText,
  language: optional(upTo(100)),
  language_version: optional(upTo(200)),
  entrypoint: optional(upTo(10_000)),
  tags: optional(list(2_000, 1_000)),
  capabilities: optional(list(1_000, 1_000)),
  input_schema: optional(JsonSchema),
  output_schema: optional(JsonSchema),
  example_queries: optional(list(100, 10_000)),
  dependencies: optional(Packages),
  files: optional(Files),
  workspace: optional(upTo(1_000)),
  agent_id: optional(upTo(1_000)),
  votes: optional(Schema.Struct({ human: optional(Votes), ai: optional(Votes) }))
}).check(
  // an empty file is a file, as it is for an upload
  Schema.makeFilter(({ kind, files }) =>
    kind === "repo" && files == null ? { path: ["files"], issue: "is missing: a repository has some" } : undefined
  )
)
export type ImportedEntry = typeof ImportedEntry.Type

const decode = Schema.decodeUnknownEffect(ImportedEntry)
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const reasonOf = (error: Schema.SchemaError): string => {
  const [first] = issuesOf(error.issue).issues
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  const said = (first?.message ?? "is no snippet").replace(/^Missing key$/, "is missing")
  return path === "" ? `is no snippet: ${said}` : `${path} ${said.replace(/^Expected/, "is wrong: expected")}`
}

/** What a line says of a snippet. Fails with the reason if it is none. */
export const parse = (text: string): Effect.Effect<ImportedEntry, string> =>
  Effect.try({ try: () => parseJson(text), catch: () => "is not valid JSON" }).pipe(
    Effect.flatMap((value) => Effect.mapError(decode(value), reasonOf))
  )

/** The votes, by people and by `ai`: a file does not say which voters gave them, or for which tasks. */
const votesIn = ({ votes }: ImportedEntry): ReadonlyArray<NewVote> =>
  (["human", "ai"] as const).flatMap((source) =>
    ([1, -1] as const).flatMap((value) => {
      const count = votes?.[source]?.[value === 1 ? "up" : "down"] ?? 0
      return count === 0 ? [] : [{ value, count, source, origin: "import" }]
    })
  )

const pathOf = ({ path, name }: ImportedEntry, language: string | undefined): string => {
  if (path) return path
  const given = name || "snippet"
  return language === undefined ? given : filename({ path: given, name: "", language, id: "" }, new Set())
}

/** How to store a line's snippet in a home; if there is a workspace, the home is the workspace's. */
export const toUpload = (
  entry: ImportedEntry,
  { home, workspace, publish }: { readonly home: string; readonly workspace: string | null; readonly publish: boolean }
): Upload => {
  const language = entry.language?.toLowerCase() || undefined
  const files = entry.files ?? undefined
  const said = {
    name: entry.name || undefined,
    language,
    description: entry.description,
    entrypoint: entry.entrypoint,
    languageVersion: entry.language_version,
    capabilities: entry.capabilities,
    inputSchema: entry.input_schema,
    outputSchema: entry.output_schema,
    exampleQueries: entry.example_queries,
    externalId: entry.id == null ? undefined : String(entry.id),
    kind: entry.kind ?? (files && "repo"),
    files,
    completeness: files && Math.max(...files.map(({ content }) => completeness(content)))
  }
  return {
    home,
    workspace,
    agent: entry.agent_id || null,
    origin: "import",
    source: entry.source,
    succeeded: true,
    publish,
    path: pathOf(entry, language),
    dependencies: entry.dependencies ?? {},
    tags: entry.tags ?? [],
    broughtVotes: votesIn(entry),
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value != null))
  }
}

/** What everyone would see of the snippet. */
export const publicTexts = ({ source, files, ...rest }: ImportedEntry): ReadonlyArray<Screened> => [
  { field: "source", path: rest.name ?? "", text: source },
  ...(files ?? []).map(({ path, content }, index) => ({ field: `files.${index}.content`, path, text: content })),
  { field: "files", path: "", text: (files ?? []).map(({ path }) => path).join("\n") },
  { field: "the rest of it", path: "", text: JSON.stringify(rest, null, 1) }
]
