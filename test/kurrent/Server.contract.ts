import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import type { RecordedEvent } from "@kurrent/kurrentdb-client"
import { Deferred, Effect, type Layer } from "effect"
import { positionOf } from "#engine/Position.ts"
import { Kurrent } from "#infra/kurrent/client.ts"
import { type Proposed, proposedOf } from "#infra/kurrent/envelope.ts"
import { follow } from "#infra/kurrent/follow.ts"
import { Log, logOf } from "#infra/kurrent/Log.ts"
import { nobodysSystem } from "#infra/kurrent/read.ts"
import { MaxAges, setMaxAge } from "#infra/kurrent/retention.ts"
import { check } from "#infra/kurrent/version.ts"
import { command, fresh, noted, upTo } from "../engine/appends.ts"

const log = randomUUID()

/** Events as the adapter appends them. */
const proposed = (count: number, event: Parameters<typeof noted>[0] = {}): ReadonlyArray<Proposed> =>
  proposedOf(log, "tenant", command({ events: upTo(count).map(() => noted(event)) }), {
    id: randomUUID(),
    recordedAt: Date.now()
  })

const wrong = <A, E extends { readonly kind: string; readonly actual?: number }>(append: Effect.Effect<A, E, never>) =>
  Effect.map(Effect.flip(append), ({ kind, actual }) => [kind, actual])

const place = (event: RecordedEvent) => event.position!.commit

/**
 * What the adapter takes for granted of a server: the double and a real node are held to the same. It leaves its
 * streams behind, which have names of their own.
 */
export const server = <E>(name: string, kurrent: Layer.Layer<Kurrent, E>) => {
  layer(kurrent, { excludeTestServices: true })(`What is taken for granted of ${name}`, (it) => {
    it.effect("it can be used, and says its version", () => check)

    it.effect(
      "an append at a revision, given again, appends nothing and is answered alike, also when others went on",
      () =>
        Effect.gen(function* () {
          const { append, readStream } = yield* Kurrent
          const [stream, first, second, third] = [fresh(), proposed(3), proposed(2), proposed(1)]
          assert.strictEqual(yield* append(stream, -1, first), 2)
          assert.strictEqual(yield* append(stream, -1, first), 2)
          assert.strictEqual(yield* append(stream, 2, second), 4)
          assert.strictEqual(yield* append(stream, 4, third), 5)
          for (const [revision, events, last] of [
            [-1, first, 2],
            [2, second, 4],
            [4, third, 5]
          ] as const)
            assert.strictEqual(yield* append(stream, revision, events), last)
          // the beginning of one is one, too
          assert.strictEqual(yield* append(stream, -1, first.slice(0, 2)), 1)
          const events = yield* readStream(stream, { from: 0, count: 10 })
          assert.deepStrictEqual(
            events.map(({ id, revision }) => [id, revision]),
            [...first, ...second, ...third].map(({ id }, revision) => [id, BigInt(revision)])
          )
        })
    )

    it.effect("an append elsewhere than at the end is refused with the revision that there is", () =>
      Effect.gen(function* () {
        const { append } = yield* Kurrent
        const [stream, events] = [fresh(), proposed(2)]
        assert.deepStrictEqual(yield* wrong(append(stream, 0, proposed(1))), ["wrong-revision", -1])
        yield* append(stream, -1, events)
        for (const revision of [-1, 0, 2, 7])
          assert.deepStrictEqual(yield* wrong(append(stream, revision, proposed(1))), ["wrong-revision", 1])
        // what is there at another place, in another order, or only in part
        assert.deepStrictEqual(yield* wrong(append(stream, 0, events)), ["wrong-revision", 1])
        assert.deepStrictEqual(yield* wrong(append(stream, -1, events.toReversed())), ["wrong-revision", 1])
        assert.deepStrictEqual(yield* wrong(append(stream, -1, [...events, ...proposed(1)])), ["wrong-revision", 1])
      })
    )

    it.effect("events have one position, in streams and in all of it, which goes up as they were appended", () =>
      Effect.gen(function* () {
        const { append, readStream, readAll } = yield* Kurrent
        const [one, other] = [fresh(), fresh()]
        yield* append(one, -1, proposed(2))
        yield* append(other, -1, proposed(3))
        yield* append(one, 1, proposed(1))
        const [ofOne, ofOther] = [
          yield* readStream(one, { from: 0, count: 9 }),
          yield* readStream(other, { from: 0, count: 9 })
        ]
        const places = [ofOne[0]!, ofOne[1]!, ...ofOther, ofOne[2]!].map(place)
        assert.deepStrictEqual(
          places,
          places.toSorted((a, b) => Number(a - b))
        )
        assert.lengthOf(new Set(places), 6)
        for (const { position } of [...ofOne, ...ofOther]) assert.strictEqual(position!.commit, position!.prepare)
        const ours = (events: ReadonlyArray<RecordedEvent>) =>
          events.filter(({ streamId }) => streamId === one || streamId === other).map(place)
        const from = Number(places[0])
        const all = { count: 1_000, types: nobodysSystem }
        assert.deepStrictEqual(ours(yield* readAll({ ...all, from })), places)
        const last = Number(places.at(-1))
        // forwards with what is there, backwards without
        assert.deepStrictEqual(ours(yield* readAll({ ...all, from: last })), places.slice(-1))
        assert.deepStrictEqual(
          ours(yield* readAll({ ...all, from: last, backwards: true, count: 5 })).at(0),
          places.at(-2)
        )
        // acknowledged is seen from the end
        const ends = yield* readAll({ ...all, from: "end", backwards: true, count: 50 })
        assert.include(ours(ends), places.at(-1))
        const behind = yield* readAll({ ...all, from: Number(place(ends[0]!)) + 1_000_000_000_000 })
        assert.deepStrictEqual(behind, [])
      })
    )

    it.effect("reads have as many as are asked for while there are, of the types asked for, none of the system's", () =>
      Effect.gen(function* () {
        const { append, readStream, readAll } = yield* Kurrent
        const [stream, type] = [fresh(), `T.${randomUUID().replaceAll("-", "")}`]
        yield* append(`$$${stream}`, -1, [
          {
            id: randomUUID(),
            type: "$metadata",
            contentType: "application/json",
            data: { $maxCount: 500 },
            metadata: undefined
          }
        ])
        yield* append(stream, -1, [...proposed(40, { type }), ...proposed(40), ...proposed(40, { type: `${type}A` })])
        const [first] = yield* readStream(stream, { from: 0, count: 1 })
        const from = Number(place(first!))
        const pattern = `^(?:${type.replace(".", "\\.")})$`
        assert.lengthOf(yield* readAll({ from, count: 39, types: pattern }), 39)
        const found = yield* readAll({ from, count: 41, types: pattern })
        assert.deepStrictEqual([found.length, new Set(found.map((event) => event.type))], [40, new Set([type])])
        const before = yield* readAll({ from, backwards: true, count: 20, types: nobodysSystem })
        assert.isFalse(before.some((event) => event.type.startsWith("$")))
        assert.lengthOf(yield* readStream(stream, { from: 0, count: 500 }), 120)
        assert.lengthOf(yield* readStream(stream, { from: "end", backwards: true, count: 100 }), 100)
        assert.deepStrictEqual(yield* readStream(stream, { from: 120, count: 1 }), [])
        assert.deepStrictEqual(yield* readStream(fresh(), { from: 0, count: 1 }), [])
        assert.deepStrictEqual(yield* readStream(fresh(), { from: "end", backwards: true, count: 1 }), [])
      })
    )

    it.effect("what goes in comes out byte by byte, with what stands beside it, up to half a MiB", () =>
      Effect.gen(function* () {
        const { append, readStream } = yield* Kurrent
        const { stored } = logOf(log)
        const [stream, data] = [fresh(), `{ "n": 1.0, "é": "😀\\u0000", "x": "${"x".repeat(500_000)}" }`]
        yield* append(stream, -1, proposed(1, { data }))
        const [event] = yield* readStream(stream, { from: 0, count: 1 })
        assert.strictEqual(stored(event!)?.data, data)
        assert.deepInclude(stored(event!), { tenant: "tenant", stream, revision: 0, type: "Noted" })
      })
    )

    it.effect("what is older than its stream's age is read no more, and the stream goes on where it was", () =>
      Effect.gen(function* () {
        const { append, readStream } = yield* Kurrent
        const stream = fresh("short")
        const setting = Effect.provideService(setMaxAge(stream), MaxAges, [{ streams: "short-", seconds: 1 }])
        yield* setting
        yield* setting
        const events = proposed(2)
        yield* append(stream, -1, events)
        while ((yield* readStream(stream, { from: 0, count: 9 })).length > 0) yield* Effect.sleep("50 millis")
        assert.deepStrictEqual(yield* readStream(stream, { from: "end", backwards: true, count: 1 }), [])
        // it was there, and so it is still the same append
        assert.strictEqual(yield* append(stream, -1, events), 1)
        assert.deepStrictEqual(yield* wrong(append(stream, -1, proposed(1))), ["wrong-revision", 1])
        assert.strictEqual(yield* append(stream, 1, proposed(1)), 2)
        yield* setting
      })
    )

    it.effect("a subscription gives what is behind a place, in order and once, and what comes", () =>
      Effect.gen(function* () {
        const { append, readStream } = yield* Kurrent
        const stream = fresh()
        yield* append(stream, -1, proposed(70))
        const events = yield* readStream(stream, { from: 0, count: 100 })
        const taken: Array<number> = []
        const all = yield* Deferred.make<void>()
        const take = ({ stream: ofStream, revision }: { readonly stream: string; readonly revision: number }) =>
          Effect.suspend(() => {
            if (ofStream === stream) taken.push(revision)
            return taken.at(-1) === 79 ? Deferred.succeed(all, undefined) : Effect.void
          })
        yield* Effect.forkScoped(
          follow(
            positionOf(place(events[19]!)),
            (event) => Effect.asVoid(take(event)),
            () => Effect.void
          ).pipe(Effect.provideService(Log, logOf(log)))
        )
        for (const n of upTo(10)) yield* append(stream, 69 + n, proposed(1))
        yield* Deferred.await(all)
        assert.deepStrictEqual(
          taken,
          upTo(60).map((n) => n + 20)
        )
      }).pipe(Effect.scoped)
    )
  })
}
