import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PageLook, StoredEvent } from "#engine/ports/EventStore.ts"
import { Answers } from "#src/http/answers.ts"
import { roomyInTurn } from "#src/http/Events/portions.ts"

const answers = {
  looking: <A>(read: A) => read,
  take: () => Effect.succeed({ enter: Effect.void, hold: () => {}, leave: () => {} })
}

it.effect.each([1, 10, 1_000_000])("texts of %i bytes that a first look leaves out are read", (length) =>
  Effect.gen(function* () {
    const text = new Uint8Array(length)
    const eventWith = (payload: Uint8Array | null) => ({ data: "{}", payload }) as StoredEvent
    const page = yield* roomyInTurn()((look: PageLook) =>
      Effect.succeed(
        look.withoutLong === true
          ? { events: [eventWith(null)], more: false, left: length }
          : { events: [eventWith(text)], more: false }
      )
    )
    assert.strictEqual(page.events[0]!.payload, text)
  }).pipe(Effect.provideService(Answers as never, answers as never))
)
