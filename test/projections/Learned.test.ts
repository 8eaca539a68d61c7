import { assert, describe, it } from "@effect/vitest"
import type { DomainEvent } from "#domain/events.ts"
import { RetrievalEvent, searchSubject } from "#domain/Retrieval.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import type { Recorded } from "#engine/Event.ts"
import { positionOf } from "#engine/Position.ts"
import type { Row, Table } from "#engine/Projection.ts"
import { Learned } from "#projections/Learned.ts"
import { Retrievals } from "#projections/Retrievals.ts"
import { decode } from "#src/codec.ts"
import { encoder } from "#test/embeddings.ts"
import { stored } from "#test/laws.ts"
import { folded } from "./folded.ts"

const minute = 60_000

type Happened = readonly [DomainEvent, Partial<{ at: number; user: string; tenant: string }>?]

/** What happened, in one tenant, in the order of the log; `at` in minutes. */
const log = (...events: ReadonlyArray<Happened>) =>
  events.map(([event, { at = 0, user = "ada", tenant = "tenant" } = {}], place): Recorded<DomainEvent> => {
    const entry = stored(event, place)
    const actor = { key: null, user, organization: null }
    return decode({ ...entry, tenant, actor, recordedAt: at * minute, position: positionOf(place + 1) })
  })

const rows = (table: Table, history: ReadonlyArray<Recorded<DomainEvent>>): ReadonlyArray<Row> =>
  [...folded(table, history, { encoder }).values()].filter((row) => row !== undefined)

const vote = (
  task: string | null,
  more: Partial<{ snippet: string; voter: string; home: string; value: 1 | -1 }> = {}
) =>
  SnippetEvent.cases.VoteCast.make({
    snippet: more.snippet ?? "s",
    value: more.value ?? 1,
    count: 1,
    source: "human",
    voter: more.voter ?? "ada",
    ...(more.home === undefined ? {} : { home: more.home }),
    request: null,
    subject: `snippet/${more.snippet ?? "s"}`,
    text: { task, reason: null, origin: null }
  })

const search = (query: string, snippets: ReadonlyArray<string>) =>
  RetrievalEvent.cases.SearchAnswered.make({
    home: "tenant",
    snippets,
    scores: snippets.map(() => 0.5),
    total: snippets.length,
    cacheHit: false,
    subject: searchSubject("stream", snippets),
    text: { query }
  })

/** What is kept of votes, without what tells them apart. */
const said = (history: ReadonlyArray<Recorded<DomainEvent>>) =>
  rows(Learned.tables.votes, history).map(({ snippet, home, voter, tasks }) => ({
    snippet,
    home,
    voter,
    tasks: (tasks as ReadonlyArray<{ task: string; value: number }>).map(({ task, value }) => `${value} ${task}`)
  }))

describe("votes for tasks", () => {
  it("of one voter are one row for a snippet and home; of a task the last vote counts", () => {
    assert.deepStrictEqual(
      said(
        log(
          [vote("read csv")],
          [vote(" read\n csv ", { value: -1 })],
          [vote("send mail")],
          [vote("read csv", { home: "tenant/w" })]
        )
      ),
      [
        { snippet: "s", home: "tenant", voter: "tenant/ada", tasks: ["-1 read csv", "1 send mail"] },
        { snippet: "s", home: "tenant/w", voter: "tenant/ada", tasks: ["1 read csv"] }
      ]
    )
  })

  it("are kept of the latest eight tasks, and of each the first thousand characters", () => {
    const history = log(...Array.from({ length: 12 }, (_, at) => [vote(`${at} ${"x".repeat(3_000)}`)] as const))
    const [row] = said(history)
    assert.lengthOf(row!.tasks, 8)
    assert.isTrue(row!.tasks.every((task) => task.length <= 1_003))
    assert.isTrue(row!.tasks[7]!.startsWith("1 11 "))
  })

  it("are none without a task, of nobody, and of a text that was erased", () => {
    const service = { ...vote("t"), voter: null }
    const erased = { ...vote("t"), text: null }
    assert.deepStrictEqual(said(log([vote(null)], [vote("  ")], [service], [erased])), [])
  })

  it("are of the voter's tenant, where they voted from", () => {
    const [row] = said(log([vote("t", { home: "other/w" })]))
    assert.deepStrictEqual([row!.home, row!.voter], ["other/w", "other/ada"])
  })
})

describe("what was shown before a vote", () => {
  const recalled = (...given: ReadonlyArray<Happened>) =>
    rows(Retrievals.tables.shown, log(...given)).flatMap(
      ({ recalled }) => recalled as ReadonlyArray<{ snippet: string; search: { revision: number } }>
    )

  it("is the last search of the voter that found the snippet, within half an hour", () => {
    const shown = recalled(
      [search("far", ["s"]), { at: 0 }],
      [search("near", ["r", "s"]), { at: 20 }],
      [search("of others", ["r"]), { at: 21 }],
      [search("somebody else's", ["s"]), { at: 22, user: "bob" }],
      [vote(null), { at: 25 }]
    )
    assert.deepStrictEqual(
      shown.map(({ snippet, search }) => [snippet, search.revision]),
      [["s", 1]]
    )
  })

  it("is nothing after that, of what was not shown, and of what was searched later", () => {
    assert.deepStrictEqual(recalled([search("t", ["s"]), { at: 0 }], [vote(null), { at: 31 }]), [])
    assert.lengthOf(recalled([search("t", ["s"]), { at: 0 }], [vote(null), { at: 30 }]), 1)
    assert.deepStrictEqual(recalled([search("t", ["r"])], [vote(null)]), [])
    assert.deepStrictEqual(recalled([vote(null)], [search("t", ["s"])]), [])
    assert.deepStrictEqual(recalled([search("t", ["s"])], [vote(null, { home: "other" })]), [])
    assert.deepStrictEqual(recalled([search("t", ["s"])], [{ ...vote(null), voter: null }]), [])
  })

  it("counts once for a search, and is bounded", () => {
    const asked = Array.from({ length: 60 }, (_, at) => [search(`t${at}`, [`s${at}`]), { at }] as const)
    const votes = asked.flatMap((one, at) => [one, [vote(null, { snippet: `s${at}` }), { at }] as const])
    assert.lengthOf(recalled(...votes), 20)
    assert.lengthOf(recalled([search("t", ["s"])], [vote(null)], [vote(null, { value: -1 })]), 1)
    // in another home it is another vote
    assert.lengthOf(recalled([search("t", ["s"])], [vote(null)], [vote(null, { home: "tenant/w" })]), 2)
    const [row] = rows(Retrievals.tables.shown, log(...asked.map(([event]) => [event] as const)))
    assert.lengthOf(row!["recent"] as ReadonlyArray<unknown>, 10)
  })

  it("has no text: that is the search's", () => {
    const history = log([search("wombat", ["s"])], [vote("wombats"), { at: 1 }])
    assert.lengthOf(rows(Retrievals.tables.shown, history), 1)
    assert.notInclude(JSON.stringify(rows(Retrievals.tables.shown, history)), "wombat")
  })
})
