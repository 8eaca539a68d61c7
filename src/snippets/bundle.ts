import { Effect, Option, PubSub } from "effect"
import { type BundleEvent, bundleStream, type LogFile } from "#domain/Bundle.ts"
import type { DomainEvent } from "#domain/events.ts"
import { Busy } from "#engine/decide.ts"
import { derivedId } from "#engine/derivedId.ts"
import type { Recorded } from "#engine/Event.ts"
import { eachOfStream } from "#engine/pages.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as Codec from "#src/codec.ts"

/** The id of the command that ends a bundle. */
export const storedId = (bundle: string): string => derivedId("store_upload", bundle)

/** The events after the first, which has the files. */
const sent = new Set<string>(["EvidenceReceived", "LogFilesReceived"] satisfies Array<BundleEvent["_tag"]>)

/** How long a caller waits for its files to be stored; they are stored in any case. */
const patience = "60 seconds"

/**
 * The prompts and log files that a bundle was sent with, as far as they are kept. `received`: whether such a bundle is
 * known.
 */
export const sentWith = Effect.fnUntraced(function* (bundle: string) {
  let received = false
  let prompts: ReadonlyArray<string> = []
  let logs: ReadonlyArray<LogFile> = []
  const take = ({ event }: Recorded<DomainEvent>) => {
    if (event._tag === "EvidenceReceived") {
      received = true
      prompts = event.text?.prompts ?? []
      // as an older release recorded them
      logs = event.text?.logs ?? []
    }
    if (event._tag === "LogFilesReceived") logs = event.text?.logs ?? []
  }
  yield* eachOfStream(bundleStream(bundle), 0, take, sent)
  return { received, prompts, logs }
})

type Stored = Extract<BundleEvent, { readonly _tag: "UploadStored" }>

/**
 * Waits until a bundle's files are stored, by any process. Gives its `UploadStored` and the position of that event.
 * Fails with `Busy` after 60 s, or if the log can't be read; the files are stored in any case.
 */
export const whenStored = Effect.fnUntraced(function* (bundle: string) {
  const store = yield* EventStore
  const wait = Effect.gen(function* () {
    const hints = yield* store.hints
    for (;;) {
      const [stored] = yield* store.outcome(bundleStream(bundle), storedId(bundle))
      if (stored !== undefined) {
        return { stored: Codec.decode(stored).event as Stored, position: stored.position }
      }
      yield* PubSub.takeAll(hints)
    }
  }).pipe(
    Effect.scoped,
    Effect.mapError(() => new Busy())
  )
  const ended = yield* Effect.timeoutOption(wait, patience)
  return Option.isSome(ended) ? ended.value : yield* new Busy()
})
