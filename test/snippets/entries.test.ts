import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { slight } from "#src/portions.ts"
import { makeEntries } from "#src/snippets/entries.ts"
import { catalogue, taken, uploaded } from "./catalogue.ts"

/** Entries on a catalogue that has whatever is asked for, with sources of so many characters. */
const entriesOf = (characters: number, whenAsked: Effect.Effect<unknown> = Effect.void, input_schema: object = {}) =>
  makeEntries({
    unsafe: (_: string, [ids]: [ReadonlyArray<string>]) =>
      Effect.as(
        whenAsked,
        ids.map((id) => ({
          id,
          source: "x".repeat(characters),
          description: "",
          example_queries: [],
          comments: [],
          input_schema
        }))
      )
  } as never)

const homes = ["home"]

describe("entries that are at hand", () => {
  it.effect("are as many as have room, and all of them anew when the catalogue has changed", () =>
    Effect.gen(function* () {
      const entries = entriesOf(10_000_000)
      const atHand = () => ["one", "two"].filter((id) => entries.atHand(id, homes) !== undefined)
      entries.stands(1)
      yield* entries.list(["one"], homes)
      assert.deepStrictEqual([...(yield* entries.list(["two"], homes)).read.keys()], ["two"])
      assert.deepStrictEqual(atHand(), ["two"])
      entries.stands(1)
      assert.deepStrictEqual(atHand(), ["two"])
      entries.stands(2)
      assert.deepStrictEqual(atHand(), [])
      yield* entries.list(["two"], homes)
      assert.deepStrictEqual(atHand(), ["two"])
    })
  )

  it.effect("are 2,000 at most, however small they are", () =>
    Effect.gen(function* () {
      const entries = entriesOf(1)
      const ids = Array.from({ length: 2_001 }, (_, id) => `${id}`)
      entries.stands(1)
      yield* entries.list(ids, homes)
      assert.lengthOf(
        ids.filter((id) => entries.atHand(id, homes) !== undefined),
        2_000
      )
    })
  )

  it.effect("are fewer where their schemas have many parts, by the memory that these take", () =>
    Effect.gen(function* () {
      // 20 kB of JSON, and 300 of memory
      const entries = entriesOf(1, Effect.void, { enum: Array.from({ length: 5_000 }, () => [0]) })
      const ids = Array.from({ length: 200 }, (_, id) => `${id}`)
      entries.stands(1)
      yield* entries.list(ids, homes)
      const kept = ids.filter((id) => entries.atHand(id, homes) !== undefined)
      assert.isBelow(kept.length, 80)
      assert.isAbove(kept.length, 20)
    })
  )

  it.effect("are not what was read before the catalogue changed, and not what others see", () =>
    Effect.gen(function* () {
      const read = yield* Deferred.make<void>()
      const entries = entriesOf(1, Deferred.await(read))
      entries.stands(1)
      const listing = yield* Effect.forkChild(entries.list(["one"], homes), { startImmediately: true })
      // deleted in between, maybe, by somebody who was told so
      entries.stands(2)
      yield* Deferred.succeed(read, undefined)
      assert.isTrue((yield* Fiber.join(listing)).read.has("one"))
      assert.isUndefined(entries.atHand("one", homes))
      yield* entries.list(["one"], homes)
      assert.isDefined(entries.atHand("one", homes))
      assert.isUndefined(entries.atHand("one", ["other"]))
    })
  )
})

const commented = (snippet: string, comment: number, words: string) =>
  SnippetEvent.cases.CommentAdded.make({
    snippet,
    comment: `${snippet} ${comment}`,
    author: null,
    home: "tenant",
    subject: `snippet/${snippet}/${comment}`,
    text: { words, agent: null }
  })

describe("entries that are listed", () => {
  it.live("are read with it while they are slight with all of their comments, and else only listed", () =>
    Effect.gen(function* () {
      const long = "x".repeat(slight / 8)
      yield* taken([
        uploaded("quiet", "quiet = 1"),
        uploaded("discussed", "discussed = 1"),
        commented("quiet", 0, long),
        ...Array.from({ length: 8 }, (_, at) => commented("discussed", at, long))
      ])
      const entries = makeEntries(yield* SqlClient.SqlClient)
      entries.stands(1)
      for (const [id, isRead] of [
        ["quiet", true],
        ["discussed", false]
      ] as const) {
        const { listed, read } = yield* entries.list([id], homes)
        assert.deepStrictEqual([[...listed.keys()], read.has(id)], [[id], isRead])
        assert.isAtLeast(listed.get(id)!.bytes, isRead ? long.length : slight)
      }
    }).pipe(Effect.scoped, Effect.provide(catalogue))
  )
})
