import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, PubSub } from "effect"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import { derivedId } from "#engine/derivedId.ts"
import { EventStore, WrongRevision } from "#engine/ports/EventStore.ts"
import { command, fresh, noted, revisions, texts, to, typed, upTo } from "./appends.ts"
import { erasure } from "./EventStore.erasure.ts"
import { pages, small } from "./EventStore.pages.ts"
import { reading, rest, strictlyIncrease } from "./EventStore.reading.ts"
import { whole } from "./whole.ts"

const together = { concurrency: "unbounded" } as const

/** A refusal's fields: two errors are equal to `deepStrictEqual` that say the same, whatever they hold. */
const refusal = (stream: string, expected: number | "none", actual: number) => ({
  ...new WrongRevision({ stream, expected, actual })
})

/** What every event store must do; each adapter's test is this and a layer. */
export const contract = <E>(name: string, store: Layer.Layer<EventStore, E>) => {
  // the clock is the real one: an adapter waits for its database
  layer(store, { excludeTestServices: true })(`EventStore (${name})`, (it) => {
    it.effect("gives back what was appended, whole", () =>
      Effect.gen(function* () {
        const { add, readStream, readAll, head, outcome } = yield* whole
        const stream = fresh()
        const before = yield* head
        const actor = { key: "key", user: "user", organization: null }
        const data = '{"nul":"\\u0000","lone":"\\ud800","text":"é😀","quotes":"\\"\\\\{},NULL"}'
        const events = [noted({ data }), noted({ type: "Other", schemaVersion: 3, data: "{}" })]
        const request = { digest: fresh("digest"), n: 2, fingerprint: "of the body" }
        const given = command({ actor, causationId: derivedId("cause"), request, events })
        const [answered] = yield* add(to(stream, "none", [given], "somebody"))
        for (const [index, event] of answered!.entries()) {
          const { position, recordedAt, ...facts } = event
          assert.isAbove(position, before)
          assert.closeTo(recordedAt, Date.now(), 60_000)
          assert.deepStrictEqual(facts, {
            tenant: "somebody",
            stream,
            revision: index,
            eventId: derivedId(given.commandId, index),
            type: events[index]!.type,
            schemaVersion: events[index]!.schemaVersion,
            data: events[index]!.data,
            actor,
            commandId: given.commandId,
            correlationId: given.correlationId,
            causationId: given.causationId,
            request: index === 0 ? request : null,
            payload: null
          })
        }
        assert.deepStrictEqual(yield* readStream(stream, -1), answered)
        assert.deepStrictEqual(yield* outcome(stream, given.commandId), answered)
        assert.deepStrictEqual(yield* readAll(before), answered)
        assert.strictEqual(yield* head, answered!.at(-1)!.position)
      })
    )

    it.effect("has nothing of a stream or a command that it doesn't know", () =>
      Effect.gen(function* () {
        const { append, readStream, readAll, outcome, head } = yield* whole
        assert.deepStrictEqual(yield* readStream(fresh(), -1), [])
        const [stream, other, given] = [fresh(), fresh(), command()]
        assert.deepStrictEqual(yield* outcome(stream, derivedId(fresh())), [])
        yield* append(to(stream, "none", [given]))
        assert.lengthOf(yield* outcome(stream, given.commandId), 1)
        assert.deepStrictEqual(yield* outcome(other, given.commandId), [])
        assert.deepStrictEqual(yield* readAll(yield* head), [])
      })
    )

    it.effect("counts a stream's revisions without a gap, positions upward", () =>
      Effect.gen(function* () {
        const { append, readStream, head } = yield* whole
        const [stream, other] = [fresh(), fresh()]
        const before = yield* head
        yield* append(to(stream, "none", [command({ events: [noted(), noted()] })]))
        yield* append(to(other))
        yield* append(to(stream, 1, [command(), command({ events: [noted(), noted()] })]))
        yield* append(to(stream, "any"))
        assert.deepStrictEqual(revisions(yield* readStream(stream, -1)), upTo(6))
        assert.deepStrictEqual(revisions(yield* readStream(stream, 3)), [4, 5])
        assert.deepStrictEqual(yield* readStream(stream, 5), [])
        const all = yield* rest(before)
        assert.deepStrictEqual(revisions(all), [0, 1, 0, 2, 3, 4, 5])
        strictlyIncrease(all)
      })
    )

    it.effect("refuses a wrong revision with the right one, and appends nothing", () =>
      Effect.gen(function* () {
        const { append, readStream } = yield* whole
        const stream = fresh()
        const refused = Effect.fnUntraced(function* (expected: number | "none", actual: number) {
          const error = yield* Effect.flip(append(to(stream, expected)))
          assert.deepStrictEqual({ ...error }, refusal(stream, expected, actual))
        })
        yield* refused(0, -1)
        yield* append(to(stream, "none", [command({ events: [noted(), noted()] })]))
        yield* Effect.forEach([0, 2, -1] as const, (expected) => refused(expected, 1))
        yield* refused("none", 1)
        yield* append(to(stream, 1))
        assert.lengthOf(yield* readStream(stream, -1), 3)
      })
    )

    it.effect("lets one of several writers at the same revision win", () =>
      Effect.gen(function* () {
        const { append, readStream } = yield* whole
        const stream = fresh()
        for (const expected of ["none", 0, 1] as const) {
          const racing = upTo(10).map(() => to(stream, expected))
          const exits = yield* Effect.forEach(racing, (one) => Effect.exit(append(one)), together)
          const actual = expected === "none" ? 0 : expected + 1
          const lost = refusal(stream, expected, actual)
          const errors = exits.filter(Exit.isFailure).map(({ cause }) => ({ ...(Cause.squash(cause) as object) }))
          assert.deepStrictEqual(errors, Array(9).fill(lost))
          const winner = racing[exits.findIndex(Exit.isSuccess)]!.commands[0]!.commandId
          assert.strictEqual((yield* readStream(stream, -1)).at(-1)!.commandId, winner)
        }
        assert.deepStrictEqual(revisions(yield* readStream(stream, -1)), [0, 1, 2])
      })
    )

    it.effect("keeps a wrong one from harming those that arrive with it", () =>
      Effect.gen(function* () {
        const { append, readStream } = yield* whole
        const hot = fresh("hot")
        yield* append(to(hot))
        const batch = upTo(210).map((n) => ({ wrong: n % 7 === 3, stream: n % 10 === 0 ? hot : fresh() }))
        const exits = yield* Effect.forEach(
          batch,
          ({ wrong, stream }) => Effect.exit(append(to(stream, wrong ? 99 : "any"))),
          together
        )
        for (const [index, { wrong, stream }] of batch.entries()) {
          const exit = exits[index]!
          if (!wrong) assert.isTrue(Exit.isSuccess(exit))
          else if (stream === hot) assert.isTrue(Exit.isFailure(exit))
          else {
            const error = Exit.isFailure(exit) ? { ...(Cause.squash(exit.cause) as object) } : "none"
            assert.deepStrictEqual(error, refusal(stream, 99, -1))
            assert.deepStrictEqual(yield* readStream(stream, -1), [])
          }
        }
        const good = batch.filter(({ stream, wrong }) => stream === hot && !wrong).length
        assert.deepStrictEqual(revisions(yield* readStream(hot, -1)), upTo(good + 1))
      })
    )

    it.effect("answers a repeated command as the first time", () =>
      Effect.gen(function* () {
        const { add, readStream } = yield* whole
        const stream = fresh()
        const given = command({ events: [noted({ data: '{"first":1}' }), noted()] })
        const first = yield* add(to(stream, "none", [given]))
        yield* add(to(stream, 1))
        const later = { ...given, events: [noted({ data: '{"second":2}' })] }
        for (const again of [to(stream, "none", [given]), to(stream, "any", [later]), to(stream, 2, [later])]) {
          assert.deepStrictEqual(yield* add(again), first)
        }
        assert.lengthOf(yield* readStream(stream, -1), 3)
      })
    )

    it.effect("appends a command once, however many give it at once", () =>
      Effect.gen(function* () {
        const { add, append, readStream } = yield* whole
        for (const expected of ["none", "any"] as const) {
          const stream = fresh()
          const given = command({ events: [noted(), noted()] })
          const neighbours = upTo(20).map(() => append(to(fresh())))
          const same = upTo(20).map(() => add(to(stream, expected, [given])))
          const [answers] = yield* Effect.all([Effect.all(same, together), Effect.all(neighbours, together)], together)
          const stored = yield* readStream(stream, -1)
          assert.deepStrictEqual(revisions(stored), [0, 1])
          for (const answer of answers) assert.deepStrictEqual(answer, [stored])
        }
      })
    )

    it.effect("takes several commands together or not at all", () =>
      Effect.gen(function* () {
        const { add, append, readStream, outcome } = yield* whole
        const stream = fresh()
        const [one, two, three] = [command(), command({ events: [noted(), noted()] }), command()]
        const answer = yield* add(to(stream, "none", [one, two]))
        assert.deepStrictEqual(answer.map(revisions), [[0], [1, 2]])
        assert.deepStrictEqual(yield* add(to(stream, "none", [one, two])), answer)
        assert.deepStrictEqual(yield* add(to(stream, "none", [two])), [answer[1]!])
        // a part of them is in the log: the others were decided too early
        const error = yield* Effect.flip(append(to(stream, 2, [three, one])))
        assert.deepStrictEqual({ ...error }, refusal(stream, 2, 2))
        assert.deepStrictEqual(yield* outcome(stream, three.commandId), [])
        yield* Effect.flip(append(to(stream, 0, [three, command()])))
        assert.lengthOf(yield* readStream(stream, -1), 3)
      })
    )

    it.effect("left at any of its steps, an append is whole or not there, and given again it is whole, once", () =>
      Effect.gen(function* () {
        const { append, add, readStream } = yield* whole
        let ended = false
        // further on each time, until it comes to its end before it is left
        for (let steps = 0; !ended; steps += 1 + Math.floor(steps / 16)) {
          const stream = fresh()
          const events = [noted({ payload: typed(`subject/${stream}`, "text") }), noted()]
          const given = to(stream, "none", [command({ events })])
          const appending = yield* Effect.forkChild(Effect.provideService(append(given), MaxOpsBeforeYield, 3))
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          ended = appending.pollUnsafe() !== undefined
          yield* Fiber.interrupt(appending)
          const left = yield* readStream(stream, -1)
          assert.include([0, 2], left.length, `left after ${steps} steps`)
          const [again] = yield* add(given)
          assert.deepStrictEqual(
            [revisions(again!), texts(again!)],
            [
              [0, 1],
              ["text", null]
            ]
          )
          if (left.length > 0) assert.deepStrictEqual(again, left)
          assert.deepStrictEqual(yield* readStream(stream, -1), again)
        }
      })
    )

    it.effect("hints at what is new", () =>
      Effect.gen(function* () {
        const { append, hints } = yield* EventStore
        const hinted = yield* hints
        yield* append(to(fresh()))
        yield* Effect.timeout(PubSub.take(hinted), "10 seconds")
      }).pipe(Effect.scoped)
    )

    reading(it)
    erasure(it)
  })

  layer(Layer.fresh(store).pipe(Layer.provide(small)), { excludeTestServices: true })(
    `EventStore (${name}, small pages)`,
    (it) => {
      reading(it)
      erasure(it)
      pages(it)
    }
  )
}
