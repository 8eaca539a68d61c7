import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { beginning, positionOf } from "#engine/Position.ts"
import type { CopiedEvent } from "#ports/LogCopy.ts"
import { compare } from "#src/audit/copy/compare.ts"
import { asOf, randomLog, sourceOf } from "./randomLog.ts"

const log = asOf(randomLog("compared", 60), 1_000)
/** The same events in a log that counts otherwise. */
const elsewhere = log.map((event) => ({ ...event, position: positionOf(event.position * 1_000 + 7) }))
const at = (events: ReadonlyArray<CopiedEvent>, index: number) => events[index]!.position

const compared = (ours: ReadonlyArray<CopiedEvent>, theirs: ReadonlyArray<CopiedEvent>) =>
  compare(sourceOf(ours), sourceOf(theirs, "kurrentdb", 5), new Map(), () => undefined)

describe("compare", () => {
  it.effect("tells where checkpoints of the source are in the copy", () =>
    Effect.gen(function* () {
      const end = log.length - 1
      const checkpoints = new Map([
        ["nothing", beginning],
        ["first", at(log, 0)],
        ["middle", at(log, 20)],
        ["end", at(log, end)]
      ])
      const found = yield* compare(sourceOf(log), sourceOf(elsewhere, "kurrentdb"), checkpoints, () => undefined)
      assert.deepStrictEqual(
        [...found.checkpoints].toSorted(),
        [
          ["nothing", beginning],
          ["first", at(elsewhere, 0)],
          ["middle", at(elsewhere, 20)],
          ["end", at(elsewhere, end)]
        ].toSorted() as never
      )
      assert.deepInclude(found, { differing: 0, events: log.length, source: at(log, end), target: at(elsewhere, end) })
    })
  )

  it.effect("finds what one of both lacks, and each field that differs", () =>
    Effect.gen(function* () {
      assert.match((yield* compared(log, elsewhere.slice(0, -1))).first[0]!, /is not in the target$/)
      assert.match((yield* compared(log.slice(0, -1), elsewhere)).first[0]!, /is not in the source$/)
      const text = log.findIndex((event) => event.text !== null)
      const changes: ReadonlyArray<Partial<CopiedEvent>> = [
        { tenant: "another" },
        { revision: 99 },
        { recordedAt: 1 },
        { data: "{}" },
        { actor: { key: null, user: "another", organization: null } },
        { request: { digest: "another", n: 0, fingerprint: null } },
        { text: null },
        { text: { ...log[text]!.text!, salt: Buffer.alloc(16) } },
        { text: { ...log[text]!.text!, bytes: Buffer.from("another") } },
        { text: { ...log[text]!.text!, subject: "another" } }
      ]
      for (const change of changes) {
        const changed = elsewhere.with(text, { ...elsewhere[text]!, ...change })
        const { differing, first } = yield* compared(log, changed)
        assert.strictEqual(differing, 1, first.join())
        assert.match(first[0]!, new RegExp(`has another ${Object.keys(change)[0]}`))
      }
      const wrong = { text: { ...log[text]!.text!, bytes: Buffer.from("another") } }
      const both = [log, elsewhere].map((events) => events.with(text, { ...events[text]!, ...wrong }))
      assert.match((yield* compared(both[0]!, both[1]!)).first[0]!, /has a text that is not the one that was appended/)
    })
  )

  it.effect("a text that only the source still has is no difference where an event in the target has erased it", () =>
    Effect.gen(function* () {
      const at = log.findIndex((event) => event.text !== null)
      const { tenant, text } = log[at]!
      const without = elsewhere.with(at, { ...elsewhere[at]!, text: null })
      const asked: Array<readonly [string, string]> = []
      const comparing = (ours: ReadonlyArray<CopiedEvent>, theirs: ReadonlyArray<CopiedEvent>, erased: boolean) =>
        compare(
          sourceOf(ours),
          sourceOf(theirs, "kurrentdb"),
          new Map(),
          () => undefined,
          (...given) => Effect.sync(() => asked.push(given) > 0 && erased)
        )
      assert.strictEqual((yield* comparing(log, without, true)).differing, 0)
      assert.deepStrictEqual(asked, [[tenant, text!.subject]])
      assert.strictEqual((yield* comparing(log, without, false)).differing, 1)
      // what the target alone has is one
      const found = yield* comparing(log.with(at, { ...log[at]!, text: null }), elsewhere, true)
      assert.strictEqual(found.differing, 1)
      const changed = { ...without[at]!, tenant: "another" }
      assert.strictEqual((yield* comparing(log, without.with(at, changed), true)).differing, 1)
    })
  )
})
