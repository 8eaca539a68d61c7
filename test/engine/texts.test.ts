import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { erasures } from "#domain/erasures.ts"
import type { DomainEvent } from "#domain/events.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { LeftOut } from "#engine/leftOut.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import * as MemoryReadModels from "#engine/memory/ReadModels.ts"
import * as MemoryTexts from "#engine/memory/Texts.ts"
import { beginning } from "#engine/Position.ts"
import { Given, type Projection } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Texts } from "#engine/ports/Texts.ts"
import { bring, Projector } from "#engine/project.ts"
import { react } from "#engine/react.ts"
import { Tail } from "#engine/tail.ts"
import { bySteps, Erasures, erasingBy, Facts, finishErasures } from "#engine/texts.ts"
import { table } from "#projections/table.ts"
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
        erase: (tenant, subjects) => step(texts.erase(tenant, subjects)),
        finished: texts.finished
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

/** Keeps what comments say, until they are erased. */
const Comments: Projection = {
  name: "comments",
  version: 1,
  tables: {
    rows: table<{ readonly id: string; readonly snippet: string; readonly words: string | null }>({
      columns: { id: "text", snippet: "text", words: "text" },
      on: {
        CommentAdded: {
          rows: (_, { eventId }) => [eventId],
          to: (_, { snippet, text }, { eventId }) => ({ id: eventId, snippet, words: text?.words ?? null })
        }
      },
      drops: { SnippetDeleted: { column: "snippet", value: ({ snippet }) => snippet } }
    })
  }
}

describe("a text that comes in behind its erasure, before that is done", () => {
  /** The first erasure stands still, as that of a process which is slow or gone. */
  const gated = (erased: Deferred.Deferred<void>) => {
    let calls = 0
    const texts = Layer.effect(
      Texts,
      Effect.map(Texts, (texts) =>
        Texts.of({
          ...texts,
          erase: (tenant, subjects) =>
            Effect.suspend(() =>
              Effect.andThen(calls++ === 0 ? Deferred.await(erased) : Effect.void, texts.erase(tenant, subjects))
            )
        })
      )
    ).pipe(Layer.provide(MemoryTexts.layer))
    const given = Layer.succeed(Given, undefined)
    return Layer.mergeAll(
      bySteps.pipe(
        Layer.provide(Layer.merge(MemoryEventStore.facts, texts)),
        Layer.provide(Layer.succeed(Erasures, erasingBy(Codec, erasures)))
      ),
      MemoryReadModels.layer.pipe(Layer.provide(given)),
      Codec.layer
    )
  }

  const toHead = Effect.gen(function* () {
    const models = yield* ReadModels
    const { head } = yield* EventStore
    return yield* bring(yield* models.live(Comments), yield* head)
  })

  const projected = Effect.gen(function* () {
    const models = yield* ReadModels
    const { head } = yield* EventStore
    const end = yield* head
    yield* Effect.gen(function* () {
      while ((yield* models.live(Comments)).position !== end) yield* Effect.yieldNow
    }).pipe(Effect.provide(Projector.layer([Comments])))
    return yield* models.live(Comments)
  })

  for (const [how, live] of [
    ["that reads its own types", toHead],
    ["that reads with others", projected]
  ] as const) {
    for (const dies of [true, false]) {
      it.effect(`is in no read model ${how}, if who erases ${dies ? "dies" : "comes to it later"}`, () => {
        const erased = Deferred.makeUnsafe<void>()
        return Effect.gen(function* () {
          const { readAll, readStream, outcome } = yield* EventStore
          const models = yield* ReadModels
          const [stream, last] = [fresh(), crypto.randomUUID()]
          yield* given(crypto.randomUUID(), stream, says)
          const deleting = yield* Effect.forkChild(given(crypto.randomUUID(), fresh(), deletes))
          while ((yield* readAll(beginning, { types: ["SnippetDeleted"] })).events.length === 0) yield* Effect.yieldNow
          // and one of another snippet, which stays
          const stays = CommentAdded.make({ ...says, snippet: "other", subject: "snippet/other/comment/c" })
          yield* given(crypto.randomUUID(), fresh(), stays)
          yield* given(last, stream, says)
          const { position } = yield* live
          if (dies) yield* Fiber.interrupt(deleting)
          yield* Deferred.succeed(erased, undefined)
          yield* Fiber.await(deleting)
          for (const events of [(yield* readStream(stream, 0)).events, yield* outcome(stream, last)])
            assert.deepStrictEqual(texts(events), [null])
          const rebuilt = yield* models.begin(Comments)
          const { differences, ...met } = yield* models.compare(Comments, () => bring(rebuilt, position), 10)
          assert.deepStrictEqual(differences, [])
          assert.strictEqual(met.live.position, met.rebuilt.position)
        }).pipe(Effect.scoped, Effect.provide(gated(erased)))
      })
    }
  }

  it.effect(
    "what was erased before a process began is not erased by it again, and what can't be read is passed over",
    () => {
      const calls: Array<ReadonlyArray<string>> = []
      let finished = beginning
      const noting = Layer.effect(
        Texts,
        Effect.map(Texts, (texts) =>
          Texts.of({
            ...texts,
            erase: (tenant, subjects) => {
              calls.push(subjects)
              return texts.erase(tenant, subjects)
            },
            finished: Effect.sync(() => finished)
          })
        )
      )
      const beside = Layer.merge(MemoryEventStore.facts, Layer.provide(noting, MemoryTexts.layer))
      return Effect.gen(function* () {
        const context = yield* Layer.build(beside)
        const process = Effect.map(
          Layer.build(
            Layer.fresh(bySteps).pipe(
              Layer.provide(Layer.succeedContext(context)),
              Layer.provide(Layer.succeed(Erasures, erasingBy(Codec, erasures)))
            )
          ),
          (built) => Context.get(built, EventStore)
        )
        const [one, other] = [yield* process, yield* process]
        const stream = fresh()
        const unreadable = { ...Codec.encode(deletes), schemaVersion: 99, erases: [] }
        yield* one.append(to(fresh(), "any", [command({ events: [Codec.encode(deletes)] })]))
        finished = yield* one.head
        yield* one.append(to(fresh(), "any", [command({ events: [unreadable] })]))
        yield* one.append(to(stream, "any", [command({ events: [Codec.encode({ ...says, subject: "other" })] })]))
        assert.lengthOf(calls, 1)
        for (const read of [() => other.readStream(stream, -1), () => other.readAll(beginning, { types: [says._tag] })])
          assert.deepStrictEqual(texts((yield* read()).events), [JSON.stringify(says.text)])
        assert.lengthOf(calls, 1)
        // read whole, from the log's beginning, it is done again: that does no harm
        finished = beginning
        const third = yield* process
        assert.lengthOf(
          texts((yield* third.readAll(beginning)).events).filter((text) => text !== null),
          1
        )
        assert.deepStrictEqual(calls[1], calls[0])
      }).pipe(Effect.scoped)
    }
  )
})
