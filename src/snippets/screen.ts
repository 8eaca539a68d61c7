import { Clock, Data, Effect } from "effect"
import { isPlainText } from "#domain/text/plainText.ts"
import type { TooMuchWaits } from "#ports/JobFaults.ts"
import { type FoundSecret, SecretScan } from "#ports/SecretScan.ts"
import { type CommentedEntry, snippetsByIds } from "#projections/Snippets/queries.ts"
import { repositoryFiles } from "./repositoryFiles.ts"

/** A text that is about to be seen by everyone. */
export interface Screened {
  /** The request's field that it came in, as a path like `file_written.content`. */
  readonly field: string
  /** The file's path, or `""`. */
  readonly path: string
  readonly text: string
}

/** Something in a text looks like a secret. */
export class SecretsFound extends Data.TaggedError("SecretsFound")<{
  readonly found: ReadonlyArray<FoundSecret & { readonly field: string }>
}> {}
/** These fields hold no readable text. */
export class NotText extends Data.TaggedError("NotText")<{ readonly fields: ReadonlyArray<string> }> {}
/** This field could not be looked through in time. */
export class Unscreened extends Data.TaggedError("Unscreened")<{ readonly field: string }> {}
export type ScreenRefusal = SecretsFound | NotText | Unscreened | TooMuchWaits

/** Milliseconds for all texts of one request together: each scan may take long, and a repository has many texts. */
const patience = 30_000
/** Findings, in all texts together, after which no further text is scanned. */
const most = 100

/**
 * Looks through texts for secrets before they are published: what everyone has seen can't be taken back. Changes
 * nothing in them, and repeats no secret. Fails with `NotText`, with `SecretsFound` (at most about a hundred), with
 * `Unscreened` after 30 s for all texts together, and with `TooMuchWaits`.
 */
export const screen = Effect.fnUntraced(function* (texts: ReadonlyArray<Screened>) {
  const unreadable = texts.filter(({ text }) => !isPlainText(text))
  if (unreadable.length > 0) return yield* new NotText({ fields: unreadable.map(({ field }) => field) })
  const secrets = yield* SecretScan
  const found: Array<FoundSecret & { readonly field: string }> = []
  const until = (yield* Clock.currentTimeMillis) + patience
  for (const { field, path, text } of texts) {
    const left = until - (yield* Clock.currentTimeMillis)
    const late = new Unscreened({ field })
    if (left <= 0) return yield* late
    const scanned = yield* Effect.catchTag(secrets.scan(path, text), "ScanFailed", () => late)
    for (const secret of scanned) found.push({ ...secret, field })
    // a request that is refused already need not be looked through to its end
    if (found.length >= most) break
  }
  if (found.length > 0) return yield* new SecretsFound({ found })
})

/** All that others see of a stored snippet besides its code. */
const saidOf = (snippet: CommentedEntry): ReadonlyArray<Screened> => {
  const { name, path, description, entrypoint, tags, capabilities, dependencies, ...rest } = snippet
  const schemas = [rest.input_schema, rest.output_schema].map((schema) => JSON.stringify(schema))
  const lists = {
    tags,
    capabilities,
    schemas,
    names: [name, path, entrypoint],
    dependencies: Object.entries(dependencies)
  }
  return [
    { field: "stored.description", path: "", text: description },
    ...Object.entries(lists).map(([field, list]) => ({ field: `stored.${field}`, path: "", text: list.join("\n") }))
  ]
}

/**
 * `screen` for what was said of code when it was stored privately: once the same code is public, everyone sees that
 * too.
 */
export const screenStored = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const before = (yield* Effect.orDie(snippetsByIds(ids))).filter(({ published }) => !published)
  yield* screen(before.flatMap(saidOf))
})

/** `screen` for all that everyone sees of a public snippet; does nothing if the snippet is not public. */
export const screenPublic = Effect.fnUntraced(function* (id: string) {
  const [snippet] = yield* Effect.orDie(snippetsByIds([id]))
  if (snippet?.published !== true) return
  const { path, source } = snippet
  const files = (yield* Effect.orDie(repositoryFiles(id))) ?? []
  yield* screen([
    { field: "source", path, text: source },
    ...files.map(({ path, content }, index) => ({ field: `files.${index}.content`, path, text: content })),
    ...saidOf(snippet)
  ])
})
