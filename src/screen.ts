import { Data, Effect } from "effect"
import { isPlainText } from "#domain/plainText.ts"
import { type FoundSecret, SecretScan } from "#ports/SecretScan.ts"
import { snippetsByIds } from "#projections/Snippets/queries.ts"

/** A text that is about to be seen by everyone. */
export interface Screened {
  /** The request's field that it came in, as a path like `file_written.content`. */
  readonly field: string
  /** Of the file, or `""`. */
  readonly path: string
  readonly text: string
}

/** Something in a text looks like a secret. */
export class SecretsFound extends Data.TaggedError("SecretsFound")<{
  readonly found: ReadonlyArray<FoundSecret & { readonly field: string }>
}> {}
/** These are no texts that anybody could read. */
export class NotText extends Data.TaggedError("NotText")<{ readonly fields: ReadonlyArray<string> }> {}
/** What is in this field could not be looked through in time. */
export class Unscreened extends Data.TaggedError("Unscreened")<{ readonly field: string }> {}
export type ScreenRefusal = SecretsFound | NotText | Unscreened

const ownKey = /\bcairn_live_[0-9A-Za-z]{43}(?![0-9A-Za-z])/

/** Keys of this service, which no rule set knows. */
const ownKeys = (text: string): ReadonlyArray<FoundSecret> => {
  if (!text.includes("cairn_live_")) return []
  return text
    .split("\n")
    .flatMap((line, index) => (ownKey.test(line) ? [{ line: index + 1, kind: "cairn: API key" }] : []))
    .slice(0, 20)
}

/**
 * Looks through texts before they are published: what everyone has seen can't be taken back. Nothing is changed in them, and
 * no secret is repeated.
 */
export const screen = Effect.fnUntraced(function* (texts: ReadonlyArray<Screened>) {
  const unreadable = texts.filter(({ text }) => !isPlainText(text))
  if (unreadable.length > 0) return yield* new NotText({ fields: unreadable.map(({ field }) => field) })
  const secrets = yield* SecretScan
  const found: Array<FoundSecret & { readonly field: string }> = []
  for (const { field, path, text } of texts) {
    const scanned = yield* Effect.mapError(secrets.scan(path, text), () => new Unscreened({ field }))
    for (const secret of [...ownKeys(text), ...scanned]) found.push({ ...secret, field })
  }
  if (found.length > 0) return yield* new SecretsFound({ found })
})

/** What was said of code when it was stored privately: it would be seen too, now that the same code is to be public. */
export const screenStored = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const before = (yield* Effect.orDie(snippetsByIds(ids))).filter(({ published }) => !published)
  yield* screen(
    before.flatMap(({ name, path, description, entrypoint, tags, capabilities, dependencies, ...rest }) => {
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
    })
  )
})
