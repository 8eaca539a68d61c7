import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { erasures } from "#domain/erasures.ts"
import type { DomainEvent } from "#domain/events.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { LeftOut } from "#engine/leftOut.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import * as MemoryReadModels from "#engine/memory/ReadModels.ts"
import * as MemoryTexts from "#engine/memory/Texts.ts"
import { Given } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Texts } from "#engine/ports/Texts.ts"
import { react } from "#engine/react.ts"
import { Tail } from "#engine/tail.ts"
import { bySteps, Facts, finishErasures } from "#engine/texts.ts"
import * as Codec from "#src/codec.ts"
import { passesByItself } from "#src/reaction.ts"
import { command, fresh, texts, to, upTo } from "./appends.ts"

/**
 * A crash at one of the calls to a log and to texts beside it, before that call has done its work or after; what they
 * hold stays.
 */
const world = (crash: { readonly at: number; readonly when: "before" | "after" }) => {
  let calls = 0
  let down = false
  const step = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      if (down) return Effect.die("there is nobody")
      calls += 1
      if (calls !== crash.at) return call
      down = true
      return crash.when === "before" ? Effect.die("stopped") : Effect.andThen(call, Effect.die("stopped"))
    })
  const facts = Layer.effect(
    Facts,
    Effect.map(Facts, (store) => Facts.of({ ...store, append: (append) => step(store.append(append)) }))
  ).pipe(Layer.provide(MemoryEventStore.facts))
  const kept = Layer.effect(
    Texts,
    Effect.map(Texts, (texts) =>
      Texts.of({
        put: (some) => step(texts.put(some)),
        get: (ids) => (down ? Effect.die("there is nobody") : texts.get(ids)),
        erase: (tenant, subjects) => step(texts.erase(tenant, subjects))
      })
    )
  ).pipe(Layer.provide(MemoryTexts.layer))
  const models = MemoryReadModels.layer.pipe(Layer.provide(Layer.succeed(Given, undefined)))
  return {
    start: () => void (down = false),
    calls: () => calls,
    layer: Layer.mergeAll(
      Tail.layer.pipe(Layer.provideMerge(bySteps), Layer.provideMerge(Layer.merge(facts, kept))),
      ...[models, Codec.layer, LeftOut.layer]
    )
  }
}

const { CommentAdded, SnippetDeleted } = SnippetEvent.cases
const subject = "snippet/s"
const says = CommentAdded.make({
  snippet: "s",
  comment: "c",
  author: null,
  home: null,
  subject: `${subject}/comment/c`,
  text: { words: "what a caller typed", agent: null }
})
const deletes = SnippetDeleted.make({ snippet: "s", subject, comments: ["c"], executions: [], logs: [] })

/** An event, encoded anew each time that it is given. */
const given = (commandId: string, stream: string, event: DomainEvent) =>
  Effect.suspend(() =>
    Effect.flatMap(EventStore, ({ append }) =>
      append(to(stream, "any", [command({ commandId, events: [Codec.encode(event)] })]))
    )
  )

describe("texts beside a log that has none", () => {
  const id = "00000000-0000-4000-8000-00000000000"

  /** Says something, deletes it, and is stopped at a call; then everything is given again, or left to the reaction. */
  const run = (at: number, when: "before" | "after", again: boolean) => {
    const { start, calls, layer } = world({ at, when })
    return Effect.gen(function* () {
      const { readStream } = yield* EventStore
      const stream = fresh()
      const steps = [given(`${id}1`, stream, says), given(`${id}2`, stream, deletes), given(`${id}3`, stream, says)]
      const stopped = Exit.isFailure(yield* Effect.exit(Effect.all(steps)))
      start()
      if (again) for (const step of steps) yield* step
      yield* react([finishErasures<DomainEvent>(erasures)], passesByItself)
      for (const _ of upTo(200)) yield* Effect.yieldNow
      yield* TestClock.adjust("2 seconds")
      for (const _ of upTo(200)) yield* Effect.yieldNow
      const { events } = yield* readStream(stream, -1)
      const types = events.map(({ type }) => type)
      const whole = ["CommentAdded", "SnippetDeleted", "CommentAdded"]
      assert.deepStrictEqual(types, again ? whole : whole.slice(0, types.length), `${when} call ${at}`)
      const erased = types.includes("SnippetDeleted")
      assert.deepStrictEqual(
        texts(events).filter((text) => text !== null),
        erased ? [] : types.map(() => JSON.stringify(says.text)),
        `${when} call ${at}`
      )
      return { stopped, calls: calls() }
    }).pipe(Effect.scoped, Effect.provide(layer))
  }

  it.effect("stopped between any two steps, an append given again is whole, and what it erases is gone", () =>
    Effect.gen(function* () {
      // never stopped: three puts and appends, an erasure, and the reaction's
      const { calls } = yield* run(-1, "before", false)
      assert.strictEqual(calls, 7)
      for (const again of [true, false])
        for (const when of ["before", "after"] as const)
          for (const at of upTo(6)) assert.isTrue((yield* run(at + 1, when, again)).stopped)
    })
  )
})
