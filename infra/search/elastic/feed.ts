import { Effect } from "effect"
import { positionOf } from "#engine/Position.ts"
import type { EventStore } from "#engine/ports/EventStore.ts"
import { type IndexChanges, type IndexStand, IndexUnavailable } from "#ports/SnippetIndex.ts"
import { type Change, write } from "./bulk.ts"
import { documentOf, type Source, sourceOf, voted } from "./document.ts"
import { type Engine, patience } from "./Engine.ts"
import { atNothing, type Checkpoint, type Editions } from "./editions.ts"
import { checkpointId } from "./mapping.ts"

/** Snippets whose documents are read at once to change their votes. */
const page = 200

interface Documents {
  readonly docs?: ReadonlyArray<{
    readonly _id: string
    readonly found?: boolean
    readonly _source?: Source
    readonly error?: { readonly type: string }
  }>
}

interface Given {
  readonly engine: Engine
  readonly editions: Editions
  readonly dimensions: number
  /** Told when something has gone whose text must leave the disk, too. */
  readonly erased: () => void
  /** Told how many snippets were written. */
  readonly wrote: (documents: number) => void
  /** Which event the log has at a position: it shows whether an index is of this log. */
  readonly eventAt: EventStore["Service"]["eventAt"]
}

const notRead = (type = "") =>
  new IndexUnavailable({ fault: `Elasticsearch did not read every document ${type}`.trimEnd() })

/** Takes changes in, one page after another. */
export const makeFeed = ({ engine, editions, dimensions, erased, wrote, eventAt }: Given) => {
  /** How far each index was when this process last saw it, whoever filled it. One that falls back lost its content. */
  const seen = new Map<string, number>()

  const logAt = (position: number) =>
    Effect.mapError(eventAt(positionOf(position)), ({ message }) => new IndexUnavailable({ fault: message }))

  const lost = (name: string) => {
    seen.delete(name)
    return new IndexUnavailable({
      fault: `the index ${name} in Elasticsearch has lost what it held, and is filled again`
    })
  }

  /**
   * How far the index of a build has come. It is made if there is none. `undefined`: a later build has taken its place.
   */
  const begin = Effect.fnUntraced(function* (build: number) {
    const name = editions.nameOf(build)
    const at = yield* editions.checkpoint(name)
    const before = seen.get(name)
    if (at !== undefined) {
      if (before !== undefined && at.position < before) return yield* lost(name)
      // the process that made or filled it may have ended before it was searched
      yield* editions.promoteWhenDue(name, at.position)
      return at
    }
    if ((yield* editions.look).some((other) => other.build > build)) return undefined
    if (before !== undefined) return yield* lost(name)
    yield* editions.create(build)
    yield* editions.promoteWhenDue(name, 0)
    return atNothing
  })

  /** The documents of these snippets with their new votes; none for a snippet that is not there. */
  const withVotes = Effect.fnUntraced(function* (name: string, votes: IndexChanges["voted"]) {
    const changes: Array<Change> = []
    for (let from = 0; from < votes.length; from += page) {
      const some = new Map(votes.slice(from, from + page).map((one) => [one.id, one]))
      const { body } = yield* engine.ask<Documents>({
        method: "POST",
        path: `/${name}/_mget`,
        query: { filter_path: "docs._id,docs.found,docs._source,docs.error.type" },
        body: { ids: [...some.keys()] },
        within: patience.write
      })
      const { docs = [] } = body
      for (const { _id: id, found, _source: source, error } of docs) {
        if (found === false) continue
        const given = some.get(id)
        // of a shard that is away each document says so, in an answer that is 200 as a whole
        if (source === undefined || given === undefined) return yield* notRead(error?.type)
        changes.push({ id, document: () => documentOf(id, voted(source, given)) })
      }
      if (docs.length < some.size) return yield* notRead()
    }
    return changes
  })

  const apply = Effect.fnUntraced(function* (changes: IndexChanges, upTo: { build: number; position: number }) {
    const { build, position } = upTo
    const name = editions.nameOf(build)
    const begun = yield* begin(build)
    if (begun === undefined) return { refused: [] }
    const at = begun.position
    seen.set(name, Math.max(at, seen.get(name) ?? 0))
    if (at >= position) return { refused: [] }
    const alias = editions.writeAlias(name)
    const put = new Map(changes.put.map((snippet) => [snippet.id, snippet]))
    const removed = new Set(changes.removed)
    const votes = changes.voted.filter(({ id }) => !put.has(id) && !removed.has(id))
    for (const { id, ...given } of changes.voted) {
      const snippet = put.get(id)
      if (snippet !== undefined) put.set(id, { ...snippet, ...given })
    }
    for (const id of removed) put.delete(id)
    const misfits = [...put.values()].filter(({ vector }) => vector !== null && vector.length !== dimensions)
    for (const { id } of misfits) put.delete(id)
    const puts = Array.from(
      put.values(),
      (snippet): Change => ({ id: snippet.id, document: () => documentOf(snippet.id, sourceOf(snippet)) })
    )
    const unread = yield* write(engine, alias, [...puts, ...(yield* withVotes(name, votes))], position)
    const refused = [...misfits.map(({ id }) => id), ...unread]
    const gone = [...removed, ...refused]
    yield* write(
      engine,
      alias,
      gone.map((id) => ({ id, document: undefined })),
      position
    )
    const taken = new Set([...changes.put.map(({ id }) => id), ...removed])
    const event = yield* logAt(position)
    const checkpoint: Checkpoint = {
      position,
      ...(event === undefined ? {} : { event }),
      refused: [...begun.refused.filter((id) => !taken.has(id)), ...refused]
    }
    yield* write(engine, alias, [{ id: checkpointId, document: () => ({ checkpoint }) }], position)
    seen.set(name, position)
    if (gone.length > 0) erased()
    if (puts.length > 0) wrote(puts.length)
    yield* editions.promoteWhenDue(name, position)
    return { refused }
  })

  /**
   * How far the index of the latest build has come. If it has seen another log, because a backup of this one was
   * restored, nothing can go on from it or be found in it: it is removed.
   */
  const stand: Effect.Effect<IndexStand, IndexUnavailable> = Effect.gen(function* () {
    const known = (yield* editions.look).filter(({ name, build }) => name === editions.nameOf(build))
    const latest = known.reduce((best, { build }) => Math.max(best, build), -1)
    if (latest < 0) return { build: undefined, position: 0 }
    const name = editions.nameOf(latest)
    const at = yield* editions.checkpoint(name)
    if (at === undefined) return { build: undefined, position: 0 }
    const { position, event, refused } = at
    if (event !== undefined && (yield* logAt(position)) !== event) {
      yield* Effect.logWarning(
        `the snippet index ${editions.alias} in Elasticsearch has come to place ${position} of a log that this one is not, as after a backup was restored: it is filled again`
      )
      yield* editions.remove
      seen.clear()
      return { build: undefined, position: 0 }
    }
    // what is fed from here on builds on what is there
    seen.set(name, position)
    return { build: latest, position, ...(refused.length > 0 && { refused }) }
  })

  /** Whether there was an index that held something, whichever process filled it. */
  const hasBegun = () => [...seen.values()].some((position) => position > 0)

  return { apply, stand, hasBegun }
}
