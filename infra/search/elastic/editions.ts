import { Effect } from "effect"
import { NotOurs } from "#ports/Hold.ts"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"
import { type Engine, patience } from "./Engine.ts"
import { checkpointId, definition, mappingVersion } from "./mapping.ts"
import { refreshed } from "./refreshed.ts"

/** One filling of the index, for one build of the catalogue, as an index of Elasticsearch. */
export interface Edition {
  readonly name: string
  readonly build: number
  readonly mapping: number
  /** Whether the alias points to it. */
  readonly isSearched: boolean
}

/** How far an index has come. */
export interface Checkpoint {
  readonly position: number
  /** The id of the event that the log has at that position. */
  readonly event?: string
  /** Snippets that Elasticsearch could not take. */
  readonly refused: ReadonlyArray<string>
}

export const atNothing: Checkpoint = { position: 0, refused: [] }

/** Says whose an index is; stands in its mapping, as `_meta`. */
interface Meta {
  readonly cairn?: { readonly installation: string; readonly mapping: number; readonly build: number }
}

type Indices = {
  readonly [name: string]: {
    readonly aliases?: { readonly [name: string]: object }
    readonly mappings?: { readonly _meta?: Meta }
  }
}

interface Given {
  /** The alias that is searched. */
  readonly alias: string
  /** What tells this installation from others. It is no secret. */
  readonly installation: string
  readonly dimensions: number
}

/** The fillings of one installation's index, and which of them is searched. */
export const makeEditions = ({ ask }: Engine, { alias, installation, dimensions }: Given) => {
  /** The indices that a process of this version searches and fills. */
  const family = `${alias}-v${mappingVersion}`
  const nameOf = (build: number) => `${family}-b${build}`
  /** Unlike a write to an index, a write to this alias never makes one. */
  const writeAlias = (name: string) => `${name}-write`
  const all = `${alias},${alias}-v*`
  /** The index that is known to be searched. A later one takes its place for good. */
  let promoted: string | undefined
  const mend = `Give this Cairn an index of its own by ELASTICSEARCH_INDEX, or delete that one: it is filled again from the log.`

  /** All editions that there are. Fails with `NotOurs` if one belongs to another Cairn, or to a newer one. */
  const look = Effect.gen(function* () {
    const query = { ignore_unavailable: true, filter_path: "*.aliases,*.mappings._meta" }
    const { status, body } = yield* ask<Indices>({ method: "GET", path: `/${all}`, query, within: patience.search })
    const found: Array<Edition> = []
    for (const [name, { aliases = {}, mappings }] of status === 404 ? [] : Object.entries(body)) {
      const about = mappings?._meta?.cairn
      if (about === undefined)
        return yield* new NotOurs({ message: `the index ${name} is not one of Cairn's. ${mend}` })
      if (about.installation !== installation)
        return yield* new NotOurs({ message: `the index ${name} belongs to another Cairn. ${mend}` })
      if (about.mapping > mappingVersion)
        return yield* new NotOurs({ message: `the index ${name} was made by a newer Cairn than this one. ${mend}` })
      found.push({ name, build: about.build, mapping: about.mapping, isSearched: alias in aliases })
    }
    return found as ReadonlyArray<Edition>
  })

  /** How far an index has come; `undefined`: there is no such index. */
  const checkpoint = Effect.fnUntraced(function* (name: string) {
    const { status, body } = yield* ask<{
      readonly found?: boolean
      readonly _source?: { readonly checkpoint: Checkpoint }
    }>({ method: "GET", path: `/${name}/_doc/${checkpointId}`, within: patience.search })
    if (status === 404) return body.found === false ? atNothing : undefined
    return body._source!.checkpoint
  })

  /** Makes the index of a build, unless another process just did. */
  const create = Effect.fnUntraced(function* (build: number) {
    const name = nameOf(build)
    // an index of that name may have been searched before it was lost
    promoted = undefined
    const meta: Meta = { cairn: { installation, mapping: mappingVersion, build } }
    const body = { ...definition(dimensions, meta), aliases: { [writeAlias(name)]: {} } }
    const made = ask({ method: "PUT", path: `/${name}`, body, within: patience.change })
    yield* Effect.catch(made, (unavailable) =>
      Effect.flatMap(checkpoint(name), (at) => (at === undefined ? Effect.fail(unavailable) : Effect.void))
    )
  })

  /** Searches this index from now on, and deletes those before it with all that they hold, in one step. */
  const promote = Effect.fnUntraced(function* (name: string, before: ReadonlyArray<Edition>) {
    yield* refreshed(ask, name, patience.write)
    const actions = [...before.map((old) => ({ remove_index: { index: old.name } })), { add: { index: name, alias } }]
    const { status } = yield* ask({ method: "POST", path: "/_aliases", body: { actions }, within: patience.change })
    // one of those before it has just gone, so nothing was done
    if (status === 404) return yield* new IndexUnavailable({ fault: `an index beside ${name} has just gone` })
  })

  /** Searches an index from now on if it, at `position`, has come as far as the one that is searched. */
  const promoteWhenDue = Effect.fnUntraced(function* (name: string, position: number) {
    if (promoted === name) return
    const known = yield* look
    const own = known.find((edition) => edition.name === name)
    if (own?.isSearched) promoted = name
    if (own === undefined || own.isSearched) return
    const others = known.filter((edition) => edition !== own)
    // another process fills a later build: that one is searched next
    if (others.some((other) => other.mapping === own.mapping && other.build > own.build)) return
    const searched = others.find(({ isSearched }) => isSearched)
    const bar = searched === undefined ? 0 : ((yield* checkpoint(searched.name))?.position ?? 0)
    if (position < bar) return
    yield* promote(name, others)
    promoted = name
  })

  /** Deletes all editions, with all that they hold. */
  const remove = Effect.gen(function* () {
    promoted = undefined
    const names = (yield* look).map(({ name }) => name)
    if (names.length > 0) yield* ask({ method: "DELETE", path: `/${names.join(",")}`, within: patience.change })
  })

  /** At run time, `NotOurs` is a fault like others: an operator may mend it. */
  const whileRunning = <A, E>(effect: Effect.Effect<A, E | NotOurs>) =>
    Effect.catchIf(
      effect,
      (error): error is NotOurs => error instanceof NotOurs,
      ({ message }) => Effect.fail(new IndexUnavailable({ fault: message }))
    ) as Effect.Effect<A, Exclude<E, NotOurs> | IndexUnavailable>

  return {
    alias,
    family,
    nameOf,
    writeAlias,
    checkpoint,
    create,
    /** `look` at the start, where it may fail with `NotOurs`. */
    lookFirst: look,
    look: whileRunning(look),
    remove: whileRunning(remove),
    promoteWhenDue: (name: string, position: number) => whileRunning(promoteWhenDue(name, position))
  }
}

export type Editions = ReturnType<typeof makeEditions>
