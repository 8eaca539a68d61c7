import { Effect } from "effect"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"
import { type Engine, patience } from "./Engine.ts"

/** What a document becomes; `undefined`: it is removed. */
export interface Change {
  readonly id: string
  readonly document: (() => object) | undefined
}

/** Documents in one request, and their characters: some milliseconds to write down. */
const most = 250
const mostCharacters = 1_000_000

interface Outcome {
  readonly status: number
  readonly error?: { readonly type: string }
}

interface Outcomes {
  readonly items?: ReadonlyArray<{ readonly [operation: string]: Outcome }>
}

/** It is written, is there already in this version or a later one, or has gone already. */
const isDone = ({ status, error }: Outcome): boolean => error === undefined || status === 409

/** This document can't be taken. No other refusal is about what was written. */
const isUnfit = ({ status, error }: Outcome): boolean => status === 400 && error?.type !== "index_closed_exception"

/** Requests at once: while one is taken in, the next is written down. */
const atOnce = 2

/** One request: the ids of its documents, and its lines. */
interface Batch {
  readonly ids: ReadonlyArray<string>
  readonly lines: string
}

function* batchesOf(changes: Iterable<Change>, position: number): Generator<Batch, void> {
  let ids: Array<string> = []
  let lines = ""
  for (const { id, document } of changes) {
    const about = { _id: id, version: position, version_type: "external" }
    lines += `${JSON.stringify(document === undefined ? { delete: about } : { index: about })}\n`
    if (document !== undefined) lines += `${JSON.stringify(document())}\n`
    ids.push(id)
    if (ids.length < most && lines.length <= mostCharacters) continue
    yield { ids, lines }
    ids = []
    lines = ""
  }
  if (ids.length > 0) yield { ids, lines }
}

/**
 * Writes changes of one position, each of another document. A document that was written or removed at the same position
 * or a later one stays as it is, so a repeated or late delivery changes nothing. Answers with the ids of what
 * Elasticsearch can't take.
 */
export const write = Effect.fnUntraced(function* (
  { ask }: Engine,
  alias: string,
  changes: Iterable<Change>,
  position: number
) {
  const refused: Array<string> = []
  const send = Effect.fnUntraced(function* ({ ids, lines }: Batch) {
    const query = { require_alias: true, filter_path: "items.*.status,items.*.error.type" }
    const { body } = yield* ask<Outcomes>({
      method: "POST",
      path: `/${alias}/_bulk`,
      query,
      lines,
      within: patience.write
    })
    const { items = [] } = body
    if (items.length < ids.length)
      return yield* new IndexUnavailable({ fault: "Elasticsearch did not say of every document what became of it" })
    for (const [at, item] of items.entries()) {
      const [outcome] = Object.values(item) as [Outcome]
      if (isDone(outcome)) continue
      if (!isUnfit(outcome))
        return yield* new IndexUnavailable({
          fault: `Elasticsearch did not write: ${outcome.status} ${outcome.error?.type ?? ""}`
        })
      refused.push(ids[at]!)
    }
  })
  const batches = batchesOf(changes, position)
  const worker = Effect.gen(function* () {
    for (let next = batches.next(); !next.done; next = batches.next()) yield* send(next.value)
  })
  yield* Effect.forEach(Array.from({ length: atOnce }), () => worker, { concurrency: atOnce, discard: true })
  return refused
})
