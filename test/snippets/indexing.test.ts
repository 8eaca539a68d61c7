import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { DomainEvent } from "#domain/events.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import type { Encoder } from "#domain/search/embeddings/Encoder.ts"
import { indexText } from "#domain/search/IndexedText.ts"
import { ReadPatience } from "#engine/ask.ts"
import { folding, type Row, type Table } from "#engine/Projection.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { type IndexStand, SnippetIndex } from "#ports/SnippetIndex.ts"
import { Telling } from "#ports/Telling.ts"
import type { TermsRow } from "#projections/Snippets/rows.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import type { Source } from "#src/snippets/indexing/reading.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { encoder } from "#test/embeddings.ts"
import { recorded } from "#test/recorded.ts"
import { catalogue, projector, taken, uploaded } from "./catalogue.ts"

const { TaskAdded } = SnippetEvent.cases

const tasked = (snippet: string, task: string) =>
  TaskAdded.make({
    snippet,
    author: null,
    succeeded: true,
    subject: `snippet/${snippet}`,
    text: { task, logs: null, path: "a.py", dependencies: {}, agent: null }
  })

/** The terms' row of a snippet after events. */
const termsAfter = (snippet: string, events: ReadonlyArray<DomainEvent>, by: Encoder): TermsRow => {
  const rows = new Map<string, Row | undefined>([[snippet, undefined]])
  const table = Snippets.tables.terms as Table
  for (const _ of folding(
    table,
    rows,
    events.map((event, at) => recorded(at + 1, event)),
    { encoder: by }
  ))
    void _
  return rows.get(snippet) as unknown as TermsRow
}

const fails = (): never => {
  throw new RangeError("too much")
}

it("a text of which no terms can be made keeps its row, which says so, and a later task mends what it can", () => {
  const broken: Encoder = { ...encoder, snippet: fails }
  const row = termsAfter("a", [uploaded("a", "def a(): pass")], broken)
  assert.deepStrictEqual([row.left_out, row.text, row.vector], ["failed", indexText({}), ""])
  assert.deepStrictEqual(row.tasks, ["sort a list"])
  const later = termsAfter("a", [uploaded("a", "def median(): pass"), tasked("a", "reverse a list")], {
    ...encoder,
    tasks: (tasks) => (tasks.length > 1 ? fails() : encoder.tasks(tasks))
  })
  assert.strictEqual(later.left_out, "failed")
  assert.include(later.text.source, "median")
  assert.deepStrictEqual(later.tasks, ["sort a list", "reverse a list"])
})

it("a source that is longer than what is searched says so, and other ones do not", () => {
  assert.strictEqual(termsAfter("a", [uploaded("a", "x ".repeat(50_000))], encoder).left_out, null)
  assert.strictEqual(termsAfter("a", [uploaded("a", "x ".repeat(50_001))], encoder).left_out, "long")
})

it("a task is kept for finding its snippet up to a bound, and rows stay small", () => {
  const tasks = Array.from({ length: 60 }, (_, n) => tasked("a", `${n} ${"long ".repeat(100_000)}`))
  const row = termsAfter("a", [uploaded("a", "def a(): pass"), ...tasks], encoder)
  assert.lengthOf(row.tasks, 50)
  assert.isBelow(JSON.stringify(row).length, 600_000)
})

const asked = (pages: ReadonlyArray<ReadonlyArray<string>>) => pages.filter(({ length }) => length > 0)

/**
 * What an index was given, page by page, and which snippet it can't take; `before` each page comes what it waits for.
 */
const makeIndex = (refused: string, before: () => Effect.Effect<void> = () => Effect.void) => {
  const pages: Array<ReadonlyArray<string>> = []
  let stand: IndexStand = { build: undefined, position: 0 }
  return {
    pages,
    layer: Layer.succeed(
      SnippetIndex,
      SnippetIndex.of({
        apply: ({ put }, upTo) =>
          Effect.suspend(before).pipe(
            Effect.andThen(
              Effect.sync(() => {
                pages.push(put.map(({ id }) => id))
                stand = upTo
                return { refused: put.flatMap(({ id }) => (id === refused ? [id] : [])) }
              })
            )
          ),
        stand: Effect.sync(() => stand),
        candidates: () => Effect.die("not asked for"),
        frequencies: () => Effect.die("not asked for")
      })
    )
  }
}

/** A process that is alone says nothing. */
const alone = Layer.mock(Telling, {})

/** Runs with an index over a catalogue in which events have been taken in. */
const indexed = <A, E>(
  index: Layer.Layer<SnippetIndex>,
  events: ReadonlyArray<DomainEvent>,
  bytes: number,
  use: Effect.Effect<A, E, Indexing | SqlClient.SqlClient>
) =>
  Effect.andThen(
    taken(events),
    Effect.provide(
      use,
      Indexing.layer.pipe(Layer.provide([index, projector, alone, Layer.succeed(Bounds, { count: 100, bytes })]))
    )
  ).pipe(Effect.provide(catalogue))

it.live("a snippet that the index can't take is left out, and those beside and behind it are found", () => {
  const { layer, pages } = makeIndex("b")
  return indexed(
    layer,
    ["a", "b", "c"].map((id) => uploaded(id, `def ${id}(): pass`)),
    1_000_000,
    Effect.gen(function* () {
      const indexing = yield* Indexing
      assert.isTrue(yield* indexing.reach(3))
      assert.deepStrictEqual(asked(pages), [["a", "b", "c"]])
      assert.deepStrictEqual([...(yield* indexing.leftOut)], [["b", "refused"]])
    })
  )
})

it.live("who waits for a position goes on when it is reached, also while what comes behind it is being read", () => {
  let page = 0
  // the second page is under way for ever
  const { layer, pages } = makeIndex("", () => (page++ === 0 ? Effect.void : Effect.never))
  const many = Array.from({ length: 2_000 }, (_, n) => `w${(n * 7_919_777).toString(36)}`).join(" ")
  return indexed(
    layer,
    [uploaded("a", many), uploaded("b", many)],
    4_000,
    Effect.gen(function* () {
      assert.isTrue(yield* (yield* Indexing).reach(1))
      assert.deepStrictEqual(asked(pages), [["a"]])
    })
  ).pipe(Effect.provideService(ReadPatience, 600_000))
})

it.live("the catalogue is read by bytes: a page has what fits, and a row that is bigger goes alone", () => {
  const { layer, pages } = makeIndex("")
  const many = Array.from({ length: 2_000 }, (_, n) => `w${(n * 7_919_777).toString(36)}`).join(" ")
  const sources = { a: "x", b: "y", c: many, d: many, e: "z" }
  return indexed(
    layer,
    Object.entries(sources).map(([id, source]) => uploaded(id, source)),
    4_000,
    Effect.gen(function* () {
      assert.isTrue(yield* (yield* Indexing).reach(5))
      assert.deepStrictEqual(asked(pages), [["a", "b", "c"], ["d"], ["e"]])
    })
  )
})

it.effect("one that has what the catalogue has is left alone: each second it is asked whether that has moved", () => {
  const { layer } = makeIndex("")
  const seen = { reads: 0, questions: 0, stands: "1 3", position: 3, more: false, away: false }
  const source: Source = {
    tells: false,
    read: () =>
      Effect.suspend(() => {
        seen.reads += 1
        if (seen.away) return Effect.die(new Error("away"))
        return Effect.succeed({ build: 1, position: seen.position, more: seen.more, put: [], voted: [], removed: [] })
      }),
    stands: Effect.sync(() => {
      seen.questions += 1
      return seen.stands
    })
  }
  const after = Effect.fnUntraced(function* (seconds: number) {
    const { reads, questions } = seen
    for (let second = 0; second < seconds; second++) {
      // a reading, and the pause behind it
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("50 millis")
    }
    return { reads: seen.reads - reads, questions: seen.questions - questions }
  })
  return Effect.gen(function* () {
    const indexing = yield* Indexing.make(source)
    assert.isTrue(yield* indexing.reach(3))
    yield* after(2)
    assert.deepStrictEqual(yield* after(10), { reads: 0, questions: 10 })
    // another process has moved it
    seen.stands = "1 4"
    seen.position = 4
    assert.strictEqual((yield* after(1)).reads, 1)
    assert.strictEqual(yield* indexing.position, 4)
    assert.strictEqual((yield* after(5)).reads, 0)
    // of a page that says that there are more the next one is read at once, as long as they come
    seen.stands = "1 5"
    seen.position = 5
    seen.more = true
    assert.strictEqual((yield* after(1)).reads, 2)
    seen.more = false
    // what failed is tried again, whether or not it has moved
    seen.stands = "1 6"
    seen.away = true
    assert.strictEqual((yield* after(3)).reads, 3)
    seen.away = false
    seen.position = 6
    yield* after(1)
    assert.strictEqual(yield* indexing.position, 6)
  }).pipe(
    Effect.scoped,
    Effect.provide([layer, projector, alone, Logger.layer([])]),
    Effect.provide(Layer.succeed(SqlClient.SqlClient, { unsafe: () => Effect.succeed([]) } as never))
  )
})
