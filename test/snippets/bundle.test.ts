import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { BundleEvent } from "#domain/Bundle.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as Codec from "#src/codec.ts"
import { storedId, whenStored } from "#src/snippets/bundle.ts"

/** What the reaction appends at last. */
const complete = (bundle: string) =>
  Effect.flatMap(EventStore, (store) =>
    store.append({
      tenant: "tenant",
      stream: `upload-${bundle}`,
      expected: "none",
      commands: [
        {
          commandId: storedId(bundle),
          correlationId: bundle,
          causationId: null,
          request: null,
          actor: { key: null, user: null, organization: null },
          events: [
            Codec.encode(
              BundleEvent.cases.UploadStored.make({ upload: bundle, files: 2, snippets: ["s"], gradings: 1 })
            )
          ]
        }
      ]
    })
  )

describe("waiting for a bundle", () => {
  it.effect("ends when its files are stored, before or meanwhile", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(whenStored("meanwhile"), { startImmediately: true })
      yield* complete("before")
      assert.strictEqual((yield* whenStored("before")).stored.gradings, 1)
      yield* complete("meanwhile")
      const { stored, position } = yield* Fiber.join(waiting)
      assert.deepStrictEqual([stored.upload, position], ["meanwhile", 2])
    }).pipe(Effect.provide(MemoryEventStore.layer))
  )

  it.effect("ends after a minute, for whoever asks to ask again", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(Effect.flip(whenStored("never")), { startImmediately: true })
      yield* complete("another")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "Busy")
    }).pipe(Effect.provide(MemoryEventStore.layer))
  )
})
