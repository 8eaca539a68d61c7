import { Effect, Schedule, Schema, SchemaIssue, Stream } from "effect"
import { filename } from "#domain/filename.ts"
import { derivedId, keyedDigest } from "#domain/Id.ts"
import { EventStore } from "#ports/EventStore.ts"
import type { Line } from "./lines.ts"
import { type Screened, type ScreenRefusal, screen } from "./screen.ts"
import { type Upload, upload, uploadId } from "./upload.ts"

/** Where imported snippets go, and whose they are. */
export interface ImportTo {
  readonly tenant: string
  /** The tenant's; ids of snippets and commands come from it. */
  readonly secret: string
  readonly home: string
  /** The workspace's name, when the home is one. */
  readonly workspace: string | null
  readonly publish: boolean
}

/** A line that is no snippet that can be stored. */
export interface BadLine {
  /** From 1. */
  readonly line: number
  readonly reason: string
}

export interface Imported {
  /** Lines that were read, without empty ones. */
  readonly lines: number
  /** New snippets. */
  readonly stored: number
  /** Lines whose code was here already, under another name or description. */
  readonly merged: number
  /** Lines that were imported before. */
  readonly unchanged: number
  readonly bad: ReadonlyArray<BadLine>
  /** Of the last event; 0 when nothing was appended. */
  readonly position: number
}

/** The log could not take the snippets in time; what was counted is stored. */
export class ImportStopped extends Schema.TaggedError<ImportStopped>()("ImportStopped", {
  message: Schema.String
}) {}

/** Lines that are analysed or on their way into the log at one time: enough to fill the log's batches. */
const atOnce = 256

const storable = Schema.makeFilter((text: string) =>
  text.isWellFormed() && !text.includes("\u0000") ? undefined : "has a NUL or half a surrogate pair"
)
const upTo = (maximum: number) =>
  Schema.String.check(
    storable,
    Schema.isMaxLength(maximum, { message: `is longer than ${maximum.toLocaleString("en")} characters` })
  )
const optional = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))
const list = (maximum: number, length: number) =>
  Schema.Array(upTo(length)).check(Schema.isMaxLength(maximum, { message: `has more than ${maximum} entries` }))

const Entry = Schema.Struct({
  id: optional(Schema.Union([upTo(1_000), Schema.Finite])),
  name: optional(upTo(1_000)),
  description: optional(upTo(100_000)),
  source: Schema.String.check(
    storable,
    Schema.isMinLength(1, { message: "is empty" }),
    Schema.makeFilter((text: string) => (Buffer.byteLength(text) > 1_048_576 ? "is larger than 1 MiB" : undefined))
  ),
  language: optional(upTo(100)),
  entrypoint: optional(upTo(1_000)),
  tags: optional(list(100, 200)),
  example_queries: optional(list(50, 10_000)),
  dependencies: optional(Schema.Record(upTo(500), upTo(500)))
})

const decode = Schema.decodeUnknownEffect(Entry)
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const reasonOf = (error: Schema.SchemaError): string => {
  const [first] = issuesOf(error.issue).issues
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  const said = (first?.message ?? "is no snippet").replace(/^Missing key$/, "is missing")
  return path === "" ? `is no snippet: ${said}` : `${path} ${said.replace(/^Expected/, "is wrong: expected")}`
}

const parse = (text: string) =>
  Effect.try({ try: (): unknown => JSON.parse(text), catch: () => "is not valid JSON" }).pipe(
    Effect.flatMap((value) => Effect.mapError(decode(value), reasonOf))
  )

const toUpload = ({ home, workspace, publish }: ImportTo, entry: typeof Entry.Type): Upload => {
  const name = entry.name || undefined
  const language = entry.language?.toLowerCase() || undefined
  const said = {
    ...{ name, language, description: entry.description, entrypoint: entry.entrypoint },
    ...{ exampleQueries: entry.example_queries, externalId: entry.id == null ? undefined : String(entry.id) }
  }
  return {
    ...{ home, workspace, agent: null, origin: "import", source: entry.source, task: null, logs: null },
    ...{ succeeded: true, publish, dependencies: entry.dependencies ?? {}, tags: entry.tags ?? [] },
    ...{ vote: null, gradingCount: null },
    path:
      language === undefined
        ? (name ?? "snippet")
        : filename({ path: name ?? "snippet", name: "", language, id: "" }, new Set()),
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value != null))
  }
}

const publicTexts = ({ source, ...rest }: typeof Entry.Type): ReadonlyArray<Screened> => [
  { field: "source", path: rest.name ?? "", text: source },
  { field: "the rest of it", path: "", text: JSON.stringify(rest, null, 1) }
]

/** Why a line is not published: without the secret, which a terminal or a log would keep. */
const refusalOf = (refusal: ScreenRefusal): string => {
  switch (refusal._tag) {
    case "SecretsFound":
      return `looks like it holds a secret: ${refusal.found.map(({ field, line, kind }) => `${field}, line ${line} (${kind})`).join("; ")}`
    case "NotText":
      return "is mostly control characters, and only text can be public"
    case "TooMuchWaits":
    case "Unscreened":
      return "could not be looked through for secrets in time"
  }
}

const operator = { key: null, user: null, organization: null }

/**
 * Stores one snippet a line: JSON objects with `source` and, if they like, `id`, `name`, `description`, `language`,
 * `entrypoint`, `tags`, `example_queries`, `dependencies`. A line's commands come from its text and its home, so that the
 * same line again changes nothing. A bad line is told to `onBad` and keeps no other from being stored.
 */
export const importLines = Effect.fnUntraced(function* (
  lines: AsyncIterable<Line>,
  to: ImportTo,
  on: { readonly bad: (bad: BadLine) => void; readonly done: (line: Line) => void }
) {
  const log = yield* EventStore
  const before = yield* log.head
  const seen = new Set<string>()
  const bad: Array<BadLine> = []
  const counts = { lines: 0, stored: 0, merged: 0, unchanged: 0, position: 0 }
  // as long as lines turn out to be known it is worth asking first: that is quicker than deciding them again
  let repeating = true

  const isKnown = (commandId: string) =>
    repeating ? Effect.map(log.outcome(uploadId(commandId, 0)), (events) => events.length > 0) : Effect.succeed(false)

  const store = Effect.fnUntraced(function* (text: string) {
    const digest = keyedDigest(to.secret, text)
    const commandId = derivedId("import", to.home, digest)
    repeating = yield* isKnown(commandId)
    if (repeating) {
      counts.unchanged += 1
      return
    }
    const entry = yield* parse(text)
    if (to.publish) yield* Effect.mapError(screen(publicTexts(entry)), refusalOf)
    const attempt = { commandId, correlationId: commandId, actor: operator }
    const { name, position } = yield* upload({ ...to, user: null }, toUpload(to, entry), attempt).pipe(
      Effect.retry({ while: ({ _tag }) => _tag === "Busy", times: 5, schedule: Schedule.exponential("200 millis") }),
      Effect.mapError(() => new ImportStopped({ message: "the log does not take anything at the moment" })),
      Effect.catchDefect((defect) => Effect.fail(`could not be stored: ${String(defect).split("\n")[0]}`))
    )
    repeating = position <= before
    if (seen.has(digest) || repeating) counts.unchanged += 1
    else if (name === null) counts.merged += 1
    else counts.stored += 1
    seen.add(digest)
    if (position > before) counts.position = Math.max(counts.position, position)
  })

  const one = (line: Line) =>
    Effect.suspend(() => {
      counts.lines += 1
      return line.text === undefined ? Effect.fail(line.trouble) : store(line.text)
    }).pipe(
      Effect.catch((reason) => {
        if (typeof reason !== "string") return Effect.fail(reason)
        bad.push({ line: line.number, reason })
        on.bad(bad.at(-1)!)
        return Effect.void
      }),
      Effect.tap(() => Effect.sync(() => on.done(line)))
    )

  const stopped = yield* Stream.fromAsyncIterable(lines, (cause) => new ImportStopped({ message: String(cause) })).pipe(
    Stream.mapEffect(one, { concurrency: atOnce, unordered: true }),
    Stream.runDrain,
    Effect.match({ onSuccess: () => undefined, onFailure: ({ message }) => message })
  )
  const imported: Imported = { ...counts, bad: bad.sort((a, b) => a.line - b.line) }
  return { ...imported, stopped }
})
