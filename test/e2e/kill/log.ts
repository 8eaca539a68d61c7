import { assert } from "@effect/vitest"
import { schemaOf, typesOf } from "#engine/Projection.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import type { Ledger, Operation } from "./Ledger.ts"
import { until } from "./process.ts"

/** Asks the service's database. */
export type Sql = <Row extends object>(
  statement: string,
  parameters?: ReadonlyArray<unknown>
) => Promise<ReadonlyArray<Row>>

/**
 * Positions 1 to the head and revisions 0 to each stream's last without a gap; every id once, every text there but for
 * those of `deleted` snippets, and of searches that found none but these.
 */
export const checkOrder = async (sql: Sql, deleted: ReadonlyArray<string> = []): Promise<void> => {
  const [log] = await sql(`SELECT count(*)::int AS events, coalesce(min(position), 1)::int AS first,
    coalesce(max(position), 0)::int AS last, count(DISTINCT event_id)::int AS ids FROM events`)
  const { events } = log as { readonly events: number }
  assert.deepStrictEqual(log, { events, first: 1, last: events, ids: events })
  const gaps = await sql(`SELECT stream, count(*)::int AS events, min(revision) AS first, max(revision) AS last
    FROM events GROUP BY stream HAVING min(revision) <> 0 OR max(revision) <> count(*) - 1`)
  assert.deepStrictEqual(gaps, [])
  const elsewhere = await sql(`SELECT command_id, array_agg(DISTINCT stream) AS streams FROM events
    GROUP BY command_id HAVING count(DISTINCT stream) > 1`)
  assert.deepStrictEqual(elsewhere, [])
  const apart = await sql(
    `SELECT coalesce(e.event_id, p.id) AS id, e.type FROM
    (SELECT event_id, type, stream, data FROM events WHERE has_text) e FULL JOIN payloads p ON p.id = e.event_id
    WHERE (e.event_id IS NULL OR p.id IS NULL) AND NOT coalesce(e.stream = ANY ($1::text[]), false) AND NOT coalesce(
      e.type = 'SearchAnswered' AND e.data::jsonb -> 'snippets' <> '[]' AND e.data::jsonb -> 'snippets' <@ $2::jsonb, false)`,
    [deleted.map((snippet) => `snippet-${snippet}`), JSON.stringify(deleted)]
  )
  assert.deepStrictEqual(apart, [])
}

interface Event {
  readonly position: number
  readonly type: string
  readonly stream: string
  readonly data: string
}

/** What the event says that an answer pointed at, and what it should say. */
const told = (operation: Operation, { type, stream, data: text }: Event): readonly [unknown, unknown] => {
  const { json } = operation.answer!
  const data = JSON.parse(text)
  switch (operation.kind) {
    case "upload":
      return [
        [type, data.snippet],
        [operation.vote === 0 ? "SnippetUploaded" : "VoteCast", operation.snippet ?? data.snippet]
      ]
    case "vote":
      return [
        [type, stream, data.value],
        ["VoteCast", `snippet-${operation.snippet}`, operation.value]
      ]
    case "chat":
      return [
        [type, stream, data.run, data.commit],
        [json.success ? "ChatCompleted" : "ChatFailed", `workspace-${json.workspace_id}`, json.session_id, json.commit]
      ]
    case "key":
      return [
        [type, data.key],
        ["KeyCreated", json.id]
      ]
  }
}

/** Every answer's position is that of the event it told of, and no two answers share one. */
export const checkAnswers = async (sql: Sql, operations: ReadonlyArray<Operation>): Promise<void> => {
  const answered = operations.filter(({ answer }) => answer !== undefined && answer.position > 0)
  const positions = answered.map(({ answer }) => answer!.position)
  assert.strictEqual(new Set(positions).size, positions.length, "two answers tell of one event")
  const events = await sql<Event>(
    "SELECT position::int, type, stream, data FROM events WHERE position = ANY ($1::bigint[])",
    [positions.map(String)]
  )
  const at = new Map(events.map((event) => [event.position, event]))
  for (const operation of answered) {
    const event = at.get(operation.answer!.position)
    assert.isDefined(event, `${operation.kind} ${operation.word} is lost`)
    const [says, should] = told(operation, event!)
    assert.deepStrictEqual(says, should, `${operation.kind} ${operation.word}`)
  }
}

/** A write is answered when the log has it, which may be before its rows are there. */
const snippetsCaughtUp = async (sql: Sql): Promise<void> => {
  const [log] = await sql<{ readonly head: number }>(
    "SELECT coalesce(max(position), 0)::int AS head FROM events WHERE type = ANY ($1::text[])",
    [typesOf(Snippets)]
  )
  const reached = () =>
    sql("SELECT 1 FROM read_models WHERE name = $1 AND version = $2 AND live AND position >= $3", [
      Snippets.name,
      Snippets.version,
      log!.head
    ])
  await until(
    async () => (await reached()).length > 0,
    () => `the read model of snippets has not come to position ${log!.head}`
  )
}

/** Votes that each snippet has, against those that were sent to it: all that were acknowledged, and none twice. */
export const checkVotes = async (sql: Sql, ledger: Ledger): Promise<void> => {
  await snippetsCaughtUp(sql)
  const rows = await sql<{ readonly id: string; readonly source: string; readonly up: number; readonly down: number }>(
    `SELECT v.id, v.up, v.down, s.source FROM ${schemaOf(Snippets)}.votes v JOIN ${schemaOf(Snippets)}.snippets s ON s.id = v.id`
  )
  const uploads = new Map(ledger.of("upload").map((upload) => [upload.word, upload]))
  const votes = Map.groupBy(ledger.of("vote"), ({ snippet }) => snippet)
  const seen = new Set<string>()
  for (const { id, source, up, down } of rows) {
    const word = /^def (\w+)/.exec(source)?.[1] ?? ""
    const upload = uploads.get(word)!
    assert.isDefined(upload, `nobody uploaded ${word}`)
    assert.isFalse(seen.has(word), `${word} is there twice`)
    seen.add(word)
    // its vote went in with it
    const cast = [...(votes.get(id) ?? []), ...(upload.vote === 0 ? [] : [{ value: upload.vote, answer: {} }])]
    for (const [value, count] of [[1, up] as const, [-1, down] as const]) {
      const sent = cast.filter((vote) => vote.value === value)
      const acknowledged = sent.filter(({ answer }) => answer !== undefined)
      assert.isAtLeast(count, acknowledged.length, `votes ${value} of ${word}`)
      assert.isAtMost(count, sent.length, `votes ${value} of ${word}`)
    }
  }
  const lost = ledger.of("upload").filter(({ word, answer }) => answer !== undefined && !seen.has(word))
  assert.deepStrictEqual(lost, [])
}

/**
 * Every run that was asked for has ended, once; those that were given up had been taken up three times at one step.
 * Answers how many runs there are.
 */
export const checkRuns = async (sql: Sql): Promise<number> => {
  const runs = await sql<{
    readonly run: string
    readonly ends: number
    readonly resumed: number
    readonly codes: string
  }>(
    `SELECT substr(r.stream, 6) AS run, count(e.position)::int AS ends,
       string_agg(coalesce(e.data::json->>'code', ''), ' ') AS codes,
       (SELECT coalesce(max((a.data::json->>'attempt')::int), 0) FROM events a
         WHERE a.stream = r.stream AND a.type = 'ChatResumed') AS resumed
     FROM events r LEFT JOIN events e
       ON e.type IN ('ChatCompleted', 'ChatFailed') AND 'chat-' || (e.data::json->>'run') = r.stream
     WHERE r.type = 'ChatRequested' GROUP BY r.stream`
  )
  assert.deepStrictEqual(
    runs.filter(({ ends }) => ends !== 1),
    []
  )
  assert.deepStrictEqual(
    runs.filter(({ codes, resumed }) => codes !== "" && !(codes === "interrupted" && resumed === 3)),
    []
  )
  return runs.length
}
