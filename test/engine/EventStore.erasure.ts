import { randomBytes, randomUUID } from "node:crypto"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import { isAfter, type Position } from "#engine/Position.ts"
import { EventStore, type Expected, type StoredEvent } from "#engine/ports/EventStore.ts"
import type { Erasing } from "#engine/texts.ts"
import { command, fresh, noted, plain, texts, to, typed, upTo } from "./appends.ts"
import { whole } from "./whole.ts"

const says = (subject: string, text?: string | Uint8Array, erases: ReadonlyArray<string> = []) =>
  command({ events: [noted({ payload: typed(subject, text), erases })] })

/** An event that says what it erases. */
const forgets = (subject: string) =>
  command({ events: [noted({ type: "Forgotten", data: JSON.stringify({ subject }), erases: [subject] })] })

/** How a store in steps knows that. */
export const forgetting: Erasing = {
  types: ["Forgotten"],
  of: ({ data }) => [(JSON.parse(data) as { readonly subject: string }).subject]
}

/** What a read model of one subject would keep of a log: the texts that no event behind them has erased. */
const keptOf = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<string> => {
  const last = events.findLastIndex(({ type }) => type === "Forgotten")
  return texts(events.slice(last + 1)).filter((text) => text !== null)
}

/** The part of the contract that is about what callers typed: kept beside the log, and gone when it is erased. */
export const erasure = (it: Vitest.MethodsNonLive<EventStore>) => {
  it.effect("keeps what a caller typed", () =>
    Effect.gen(function* () {
      const { add, readStream, readAll, outcome, head } = yield* whole
      const [stream, subject] = [fresh(), fresh("subject")]
      const before = yield* head
      const events = [noted({ payload: typed(subject, "one\u0000") }), noted(), noted({ payload: typed(subject, "") })]
      const given = command({ events })
      const [answer] = yield* add(to(stream, "none", [given]))
      assert.deepStrictEqual(texts(answer!), ["one\u0000", null, ""])
      for (const read of [readStream(stream, -1), readAll(before), outcome(stream, given.commandId)]) {
        assert.deepStrictEqual(plain(yield* read), plain(answer!))
      }
      assert.deepStrictEqual(plain((yield* add(to(stream, "none", [given])))[0]!), plain(answer!))
    })
  )

  it.effect("keeps a text of 5 MB", () =>
    Effect.gen(function* () {
      const { append, readStream } = yield* whole
      const stream = fresh()
      const bytes = randomBytes(5_000_000)
      yield* append(to(stream, "none", [says(fresh("subject"), bytes)]))
      const [event] = yield* readStream(stream, -1)
      assert.isTrue(bytes.equals(event!.payload!))
    })
  )

  it.effect("erases all of a subject's text, and of no other", () =>
    Effect.gen(function* () {
      const { append, readStream, outcome } = yield* whole
      const [mine, theirs, subject, other] = [fresh(), fresh(), fresh("subject"), fresh("subject")]
      const given = says(subject, "one")
      yield* append(to(mine, "any", [given, says(other, "kept"), says(subject, "two")]))
      yield* append(to(theirs, "any", [says(subject, "another tenant's")], "other tenant"))
      yield* append(to(mine, 2, [says(other, "also kept", [subject])]))
      const stored = yield* readStream(mine, -1)
      assert.deepStrictEqual(texts(stored), [null, "kept", null, "also kept"])
      assert.deepStrictEqual(
        stored.map(({ data }) => data),
        upTo(4).map(() => '{"n":1}')
      )
      assert.deepStrictEqual(texts(yield* readStream(theirs, -1)), ["another tenant's"])
      assert.deepStrictEqual(texts(yield* outcome(mine, given.commandId)), [null])
    })
  )

  it.effect("stores no text of an erased subject again", () =>
    Effect.gen(function* () {
      const { append, readStream } = yield* whole
      const [stream, subject] = [fresh(), fresh("subject")]
      const given = says(subject, "before")
      yield* append(to(stream, "any", [given]))
      yield* append(to(stream, "any", [command({ events: [noted({ erases: [subject, fresh("never seen")] })] })]))
      yield* append(to(stream, "any", [says(subject, "after")]))
      yield* append(to(stream, "any", [given]))
      assert.deepStrictEqual(texts(yield* readStream(stream, -1)), [null, null, null])
      // erasing again is nothing new
      yield* append(to(stream, "any", [command({ events: [noted({ erases: [subject] })] })]))
      yield* append(to(stream, "any", [says(subject, "after that")]))
      assert.deepStrictEqual(texts(yield* readStream(stream, -1)), [null, null, null, null, null])
      yield* append(to(stream, "any", [says(subject, "elsewhere")], "other tenant"))
      assert.deepStrictEqual(texts(yield* readStream(stream, 4)), ["elsewhere"])
    })
  )

  it.effect("erases text that comes with the erasing event", () =>
    Effect.gen(function* () {
      const { append, readStream } = yield* whole
      const [stream, subject] = [fresh(), fresh("subject")]
      yield* append(to(stream, "any", [says(subject), says(subject, undefined, [subject]), says(subject)]))
      assert.deepStrictEqual(texts(yield* readStream(stream, -1)), [null, null, null])
    })
  )

  it.effect("erases nothing by an append that is refused", () =>
    Effect.gen(function* () {
      const { append, readStream } = yield* whole
      const [stream, subject] = [fresh(), fresh("subject")]
      yield* append(to(stream, "any", [says(subject, "kept")]))
      yield* Effect.flip(append(to(stream, 7, [command({ events: [noted({ erases: [subject] })] })])))
      yield* append(to(stream, 0, [says(subject, "kept too")]))
      assert.deepStrictEqual(texts(yield* readStream(stream, -1)), ["kept", "kept too"])
    })
  )

  it.effect("keeps the text of the try that went in, and not that of one which was refused", () =>
    Effect.gen(function* () {
      const { add, readStream } = yield* whole
      const [stream, commandId] = [fresh(), randomUUID()]
      const trying = (n: number, expected: Expected) => {
        const event = noted({ data: `{"n":${n}}`, payload: typed(fresh("subject"), `try ${n}`) })
        return add(to(stream, expected, [command({ commandId, events: [event] })]))
      }
      yield* Effect.flip(trying(1, 7))
      assert.deepStrictEqual(texts((yield* trying(2, "any"))[0]!), ["try 2"])
      assert.deepStrictEqual(texts((yield* trying(3, "any"))[0]!), ["try 2"])
      assert.deepStrictEqual(texts(yield* readStream(stream, -1)), ["try 2"])
    })
  )

  it.effect("erases nothing by a command that has happened already, as something else", () =>
    Effect.gen(function* () {
      const { add, append, readStream } = yield* whole
      const [stream, subject] = [fresh(), fresh("subject")]
      const given = says(subject, "kept")
      yield* append(to(stream, "any", [given]))
      const other = noted({ data: '{"n":2}', erases: [subject] })
      const answer = yield* add(to(stream, "any", [{ ...given, events: [other] }]))
      assert.deepStrictEqual(texts(answer[0]!), ["kept"])
      yield* append(to(stream, "any", [says(subject, "kept too")]))
      assert.deepStrictEqual(texts(yield* readStream(stream, -1)), ["kept", "kept too"])
    })
  )

  it.effect("leaves no text behind, whatever arrives together with the erasure", () =>
    Effect.gen(function* () {
      const { append, readStream } = yield* whole
      for (const round of upTo(20)) {
        const [stream, subject] = [fresh(), fresh("subject")]
        const says_ = upTo(12).map(() => append(to(stream, "any", [says(subject)])))
        const erases = append(to(fresh(), "any", [command({ events: [noted({ erases: [subject] })] })]))
        yield* Effect.all(says_.toSpliced(round % 12, 0, erases), { concurrency: "unbounded", discard: true })
        assert.deepStrictEqual(
          texts(yield* readStream(stream, -1)),
          upTo(12).map(() => null)
        )
      }
    })
  )

  it.effect("tells nobody a text that came behind its erasure, at no moment: what was kept of it would stay", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const { append, readStream, readAll } = yield* whole
      for (const round of upTo(6)) {
        const [subject, tenant, stream, erasing] = [fresh("subject"), fresh("tenant"), fresh(), fresh()]
        const before = yield* store.head
        const types = ["Noted", "Forgotten"]
        const count = 13
        /** Reads all that comes, as it comes. */
        const following = (filters: { readonly types?: ReadonlyArray<string>; readonly tenant?: string }) =>
          Effect.gen(function* () {
            const seen: Array<StoredEvent> = []
            for (let at: Position = before; seen.length < count; ) {
              const { events } = yield* store.readAll(at, { limit: 1 + (round % 5), ...filters })
              seen.push(...events.filter((event) => event.tenant === tenant))
              at = events.at(-1)?.position ?? at
              yield* Effect.yieldNow
            }
            return seen
          })
        const inStream = Effect.gen(function* () {
          const seen: Array<StoredEvent> = []
          while (seen.length < count - 1) {
            seen.push(...(yield* store.readStream(stream, seen.length - 1)).events)
            yield* Effect.yieldNow
          }
          return seen
        })
        const saying = Effect.forEach(
          upTo(count - 1),
          (n) => append(to(stream, "any", [says(subject, `text ${n}`)], tenant)),
          { concurrency: 3 }
        )
        const erasingInBetween = Effect.gen(function* () {
          while ((yield* readStream(stream, -1)).length < 1 + (round % 6)) yield* Effect.yieldNow
          yield* append(to(erasing, "any", [forgets(subject)], tenant))
        })
        const [all, ofTypes, ofTenant, ofStream] = yield* Effect.all(
          [following({}), following({ types }), following({ tenant }), inStream, saying, erasingInBetween],
          { concurrency: "unbounded" }
        ).pipe(Effect.provideService(MaxOpsBeforeYield, 3))
        const anew = yield* readAll(before, { tenant })
        const [{ position }] = (yield* readStream(erasing, -1)) as [StoredEvent]
        for (const live of [all, ofTypes, ofTenant]) assert.deepStrictEqual(keptOf(live), keptOf(anew))
        const behind = ofStream.filter((event) => isAfter(event.position, position))
        assert.deepStrictEqual(
          texts(behind),
          behind.map(() => null)
        )
      }
    })
  )
}
