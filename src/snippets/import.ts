import { Effect, Schedule, Schema, Semaphore, Stream } from "effect"
import { keyedDigest } from "#domain/Id.ts"
import { fresh, longPatience } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { beginning, isAfter, latest, type Position } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { operator } from "#src/actor.ts"
import { told } from "#src/usage/bounds.ts"
import { firstId, snippetIds } from "./ids.ts"
import { type ImportedEntry, parse, publicTexts, toUpload } from "./importedLine.ts"
import type { Line } from "./lines.ts"
import { type ScreenRefusal, screen, screenStored } from "./screen.ts"
import { type Upload, upload, uploadId } from "./store.ts"

/** Where imported snippets go, and who owns them. */
export interface ImportTo {
  readonly tenant: string
  /** The tenant's secret, from which the ids of snippets and commands come. */
  readonly secret: string
  readonly home: string
  /** The workspace's name, if the home is a workspace's. */
  readonly workspace: string | null
  /**
   * The home for a line that names a workspace of its own; fails with the reason if the line can't go there. If absent,
   * all lines go to `home`.
   */
  readonly homeOf?: (workspace: string) => Effect.Effect<Pick<ImportTo, "home" | "workspace">, string>
  readonly publish: boolean
}

/** A line that can't be stored as a snippet. */
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
  /** Lines whose code was stored already, under another name or description. */
  readonly merged: number
  /** Lines that were imported before, or that stand in the file twice. */
  readonly unchanged: number
  readonly bad: ReadonlyArray<BadLine>
  /** Position of the last event; 0 if nothing was appended. */
  readonly position: Position
}

/** The import stopped before its end; what was counted is stored. */
export class ImportStopped extends Schema.TaggedError<ImportStopped>()("ImportStopped", {
  message: Schema.String
}) {}

/** How many lines are analysed or appended at a time: enough to fill the log's batches. */
const atOnce = 256
/** Kibibytes of these lines together: a repository's line is as long as all its files. */
const roomAtOnce = 64 * 1024

/** Why a line is not published. Leaves out the secret, which a terminal or a log would keep. */
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

/** Why a line is not published whose code was stored before, in private, with what everyone would see then. */
const refusalOfStored = (refusal: ScreenRefusal): string =>
  `its code is stored already, and what was said of it then ${refusalOf(refusal)}`

/**
 * Stores one snippet per line, a JSON object with `source` and any other field of `ImportedEntry`. A line's commands
 * come from its text and its home, so the same line again changes nothing: votes that it brings are counted once. A bad
 * line is told to `on.bad` and keeps no other from being stored.
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
  const counts = { lines: 0, stored: 0, merged: 0, unchanged: 0, position: beginning }
  // while lines turn out to be known, asking the log first is quicker than deciding them again
  let repeating = true

  // once for all lines: their own texts are looked through before they are stored, and a service that takes others'
  // meanwhile moves the catalogue on
  const caughtUp = yield* Effect.cached(
    Effect.mapError(
      fresh(Snippets, longPatience),
      () => new ImportStopped({ message: "what is stored can't be looked through at the moment" })
    )
  )

  /** Fails with the reason if everyone would see what must not be public. */
  const screened = Effect.fnUntraced(function* (entry: ImportedEntry, given: Upload) {
    yield* Effect.mapError(screen(publicTexts(entry)), refusalOf)
    yield* caughtUp
    const ids = yield* Effect.orDie(snippetIds(to.secret, given))
    yield* Effect.mapError(screenStored(ids), refusalOfStored)
  })

  const isKnown = Effect.fnUntraced(function* (commandId: string, given: Upload) {
    if (!repeating) return false
    const snippet = yield* firstId(to.secret, given)
    return (yield* log.outcome(`snippet-${snippet}`, uploadId(commandId, 0))).length > 0
  })

  const store = Effect.fnUntraced(function* (text: string) {
    const digest = keyedDigest(to.secret, text)
    const commandId = derivedId("import", to.home, digest)
    const entry = yield* parse(text)
    const placed = entry.workspace && to.homeOf ? { ...to, ...(yield* to.homeOf(entry.workspace)) } : to
    const given = toUpload(entry, placed)
    repeating = yield* isKnown(commandId, given)
    if (repeating) {
      counts.unchanged += 1
      return
    }
    if (to.publish) yield* screened(entry, given)
    const metadata = { commandId, correlationId: commandId, actor: operator }
    const { name, position } = yield* upload({ ...to, user: null }, given, metadata).pipe(
      Effect.retry({ while: ({ _tag }) => _tag === "Busy", times: 5, schedule: Schedule.exponential("200 millis") }),
      Effect.mapError(
        (error) =>
          new ImportStopped({
            message: error._tag === "StorageBoundReached" ? told(error) : "the log does not take anything at the moment"
          })
      ),
      Effect.catchDefect((defect) => Effect.fail(`could not be stored: ${String(defect).split("\n")[0]}`))
    )
    const isNew = isAfter(position, before)
    repeating = !isNew
    if (seen.has(digest) || repeating) counts.unchanged += 1
    else if (name === null) counts.merged += 1
    else counts.stored += 1
    seen.add(digest)
    if (isNew) counts.position = latest(counts.position, position)
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

  const room = yield* Semaphore.make(roomAtOnce)
  const sizeOf = ({ text = "" }: Line) => Math.min(roomAtOnce, 1 + Math.ceil(text.length / 1024))

  const stopped = yield* Stream.fromAsyncIterable(lines, (cause) => new ImportStopped({ message: String(cause) })).pipe(
    // a line is read once there is room for it, even if nothing is free to store it
    Stream.tap((line) => room.take(sizeOf(line))),
    Stream.mapEffect((line) => Effect.ensuring(one(line), room.release(sizeOf(line))), {
      concurrency: atOnce,
      unordered: true
    }),
    Stream.runDrain,
    Effect.match({ onSuccess: () => undefined, onFailure: ({ message }) => message })
  )
  const imported: Imported = { ...counts, bad: bad.sort((a, b) => a.line - b.line) }
  return { ...imported, stopped }
})
