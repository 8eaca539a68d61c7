import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Dispatcher } from "#engine/dispatch.ts"
import { LeftOut } from "#engine/leftOut.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Projector } from "#engine/project.ts"
import { react } from "#engine/react.ts"
import * as Codec from "#src/codec.ts"
import { passesByItself, reaction } from "#src/reaction.ts"
import { castVote, uploadSnippet } from "#test/commands.ts"
import { revisions, upTo } from "./appends.ts"
import * as Projecting from "./projecting.ts"
import * as Reacting from "./reacting.ts"
import { whole } from "./whole.ts"

const { spaced } = MemoryEventStore

describe("on a log with room between its positions", () => {
  it.effect(
    "commands that were appended together are told of a place that has them all, and repeated ones of their own",
    () =>
      Effect.gen(function* () {
        const snippet = randomUUID()
        yield* uploadSnippet(snippet)
        const ids = upTo(5).map(() => randomUUID())
        const cast = Effect.forEach(ids, (id) => castVote(snippet, id), { concurrency: "unbounded" })
        const first = (yield* cast).flat()
        const { readStream, head } = yield* whole
        const stored = (yield* readStream(`snippet-${snippet}`, -1)).slice(1)
        assert.deepStrictEqual(revisions(stored), [1, 2, 3, 4, 5])
        assert.deepStrictEqual(
          first.map(({ revision }) => revision),
          revisions(stored)
        )
        const end = yield* head
        assert.deepStrictEqual(
          first.map(({ position }) => position),
          ids.map(() => end)
        )
        const again = (yield* cast).flat()
        assert.deepStrictEqual(
          again.map(({ position }) => position),
          stored.map(({ position }) => position)
        )
      }).pipe(Effect.provide(Dispatcher.layer.pipe(Layer.provideMerge(Layer.merge(spaced, Codec.layer)))))
  )

  it.effect("a reaction takes up what it left out, and nothing else, and its checkpoint goes on behind it", () => {
    const { checkpoints, layer } = Reacting.world(undefined, spaced)
    const seen: Array<string> = []
    let broken = true
    const poisoned = reaction({
      name: "poisoned",
      on: ["KeyUsed"],
      handle: ({ event }) =>
        Effect.suspend(() =>
          event.key.startsWith("bad") && broken
            ? Effect.die(new Error("corrupt"))
            : Effect.sync(() => void seen.push(event.key))
        )
    })
    return Effect.gen(function* () {
      const first = yield* Reacting.used("a")
      for (const key of ["bad one", "bad two", "b"]) yield* Reacting.used(key)
      const { head } = yield* EventStore
      yield* react([poisoned], passesByItself)
      const leftOut = yield* LeftOut
      for (const _ of [1, 2, 3, 4]) {
        yield* Reacting.idle
        yield* TestClock.adjust("1 second")
      }
      yield* Reacting.until(() => seen.includes("b"))
      assert.deepStrictEqual(
        leftOut.get("poisoned")?.map(({ stream }) => stream),
        ["usage-bad one", "usage-bad two"]
      )
      assert.strictEqual(checkpoints.get("poisoned"), first)
      broken = false
      yield* TestClock.adjust("10 seconds")
      yield* Reacting.until(() => !leftOut.has("poisoned"))
      yield* Reacting.idle
      assert.deepStrictEqual(seen, ["a", "b", "bad one", "bad two"])
      assert.strictEqual(checkpoints.get("poisoned"), yield* head)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("read models come to the log's head, each event once", () => {
    const { applied, positions, layer } = Projecting.world({ at: { keys: 1_000, more: 3_000 } }, spaced)
    return Effect.gen(function* () {
      const { Keys, More, Snippets } = Projecting
      yield* Projecting.used("a", "b", "c")
      yield* Layer.build(Projector.layer([Keys, More, Snippets]))
      yield* Projecting.until(() => positions.get("snips") === 3_000)
      yield* Projecting.idle
      const head = yield* Projecting.used("d")
      yield* Projecting.until(() => ["keys", "more", "snips"].every((name) => positions.get(name) === head))
      const seen = (model: string) =>
        applied.flatMap(({ models, keys }) => (models.split(",").includes(model) ? keys : []))
      assert.deepStrictEqual([seen("keys"), seen("more")], [["b", "c", "d"], ["d"]])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
