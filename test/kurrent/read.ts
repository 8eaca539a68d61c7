import { randomUUID } from "node:crypto"
import type * as grpc from "@grpc/grpc-js"
import streams from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js"
import type { Record, Records } from "./records.ts"
import {
  caughtUp,
  checkpointAt,
  confirmation,
  eventOf,
  invalidPosition,
  notFound,
  type ServerPosition,
  unexpectedPosition
} from "./wire.ts"

const { Options } = streams.ReadReq
type Options = InstanceType<typeof Options>
type Request = InstanceType<typeof streams.ReadReq>
type Response = InstanceType<typeof streams.ReadResp>
export type Reading = grpc.ServerWritableStream<Request, Response>

/** What the double does not know: it is told, and asked for nothing that a server might take otherwise. */
export class Unknown extends Error {}

const refuse = (what: string): never => {
  throw new Unknown(what)
}

/** What reads asked for and were given, for tests to look at. */
export interface Seen {
  /** Of filters by type, the pattern. */
  readonly patterns: Array<string>
  /** Of each subscription, the events that were sent. */
  readonly sent: Array<number>
  /** And where it was to begin. */
  readonly from: Array<ServerPosition | "end">
}

/** How a server keeps whoever reads waiting. */
export interface Slow {
  /** Events that it looks through, one after another, for one that is asked for; behind them it is not heard of. */
  looks: number
  /** What it waits for before it sends an event, which may fail. */
  before: ((record: Record) => Promise<void>) | undefined
  /** What it waits for before it sends an event to whoever subscribes. */
  news: (() => Promise<void>) | undefined
}

/** A page of a server: so many events are looked at, of which each may be one that was asked for. */
const window = 32

const matching = (options: Options): ((record: Record) => boolean) => {
  if (options.hasNoFilter()) return () => true
  const filter = options.getFilter() ?? refuse("neither a filter nor none")
  if (filter.hasStreamIdentifier()) return refuse("a filter by stream names")
  const expression = filter.getEventType() ?? refuse("a filter by nothing")
  if (!filter.hasCount() && !filter.hasMax()) return refuse("a filter without a window")
  const prefixes = expression.getPrefixList()
  const pattern = expression.getRegex()
  if (pattern === "") return ({ type }) => prefixes.some((prefix) => type.startsWith(prefix))
  if (prefixes.length > 0) return refuse("a filter by a pattern and by prefixes")
  const regex = new RegExp(pattern)
  return ({ type }) => regex.test(type)
}

const send = (call: Reading, response: Response): Promise<void> | undefined =>
  call.write(response) ? undefined : new Promise((resume) => call.once("drain", resume))

const everything = () => true

const readOnce = async (
  call: Reading,
  options: Options,
  slow: Slow,
  records: Iterable<Record>,
  wanted: (record: Record) => boolean = everything
) => {
  let left = Number(options.getCount())
  if (left < 1) return refuse("a read of no events")
  let passed = 0
  for (const record of records) {
    if (call.cancelled || left === 0) break
    if (!wanted(record)) {
      passed += 1
      if (passed > slow.looks) return
      continue
    }
    passed = 0
    left -= 1
    await slow.before?.(record)
    await send(call, eventOf(record))
  }
  call.end()
}

const ofStream = (call: Reading, options: Options, records: Records, slow: Slow) => {
  if (!options.hasNoFilter()) return refuse("a filter on one stream")
  const asked = options.getStream()!
  const name = Buffer.from(asked.getStreamIdentifier()!.getStreamName_asU8()).toString()
  if (records.stream(name).length === 0) {
    call.write(notFound(name))
    call.end()
    return undefined
  }
  const readable = records.readable(name)
  const last = records.stream(name).length - 1
  const place = asked.hasEnd() ? last : asked.hasStart() ? 0 : Number(asked.getRevision())
  const backwards = options.getReadDirection() === Options.ReadDirection.BACKWARDS
  const found = backwards
    ? readable.filter(({ revision }) => revision <= place).toReversed()
    : asked.hasEnd()
      ? []
      : readable.filter(({ revision }) => revision >= place)
  return readOnce(call, options, slow, found)
}

/** Where a reader of everything begins; a server refuses to read from within a record. */
const placeOf = (options: Options, records: Records): ServerPosition | "end" => {
  const asked = options.getAll()!
  if (asked.hasEnd()) return "end"
  if (asked.hasStart()) return { commit: 0, prepare: 0 }
  const commit = Number(asked.getPosition()!.getCommitPosition())
  const prepare = Number(asked.getPosition()!.getPreparePosition())
  if (prepare !== commit && prepare !== 0) return refuse("a commit that is not its prepare")
  if (!records.isPlace(commit)) throw options.hasSubscription() ? invalidPosition() : unexpectedPosition()
  return { commit, prepare }
}

const ofAll = (call: Reading, options: Options, records: Records, slow: Slow) => {
  const place = placeOf(options, records)
  const wanted = matching(options)
  const { all } = records
  if (options.getReadDirection() === Options.ReadDirection.BACKWARDS) {
    // backwards a position is where to begin, without what is there; behind the end there is nothing to begin at
    if (place !== "end" && place.commit > records.behind(all.length - 1)) throw unexpectedPosition()
    const before = place === "end" ? all.length : records.from(place.commit)
    return readOnce(call, options, slow, all.slice(0, before).toReversed(), wanted)
  }
  return readOnce(call, options, slow, place === "end" ? [] : all.slice(records.from(place.commit)), wanted)
}

const placeOfRecord = ({ position }: Record): ServerPosition => ({ commit: position, prepare: position })

const isBehind = (one: ServerPosition, other: ServerPosition): boolean =>
  one.commit > other.commit || (one.commit === other.commit && one.prepare > other.prepare)

/**
 * What follows from a place on, which is left out itself: pages of what is there, then what comes, as fast as it is
 * taken. Between them it says how far it is, and that is where a page began as often as where an event is. The way of
 * 26.1 (`AllSubscriptionFiltered`); of 23.10, that it leaves out the first event at the place or behind it, whichever
 * that is, and says nothing at the end of what is there.
 */
const subscribe = async (
  call: Reading,
  options: Options,
  records: Records,
  { seen, slow }: { readonly seen: Seen; readonly slow: Slow },
  old: boolean
) => {
  if (!options.hasAll()) return refuse("a subscription to one stream")
  const place = placeOf(options, records)
  const wanted = matching(options)
  if (!options.hasFilter()) return refuse("a subscription without a filter")
  const multiplier = options.getFilter()!.getCheckpointintervalmultiplier()
  if (multiplier === 0) return refuse("a filtered subscription without an interval of checkpoints")
  const interval = window * multiplier
  const mine = seen.sent.push(0) - 1
  seen.from.push(place)
  await send(call, confirmation(randomUUID()))
  const give = async (record: Record) => {
    await slow.news?.()
    seen.sent[mine]! += 1
    await send(call, eventOf(record))
  }
  let next = place === "end" ? records.all.length : records.from(place.commit)
  let current: ServerPosition = place === "end" ? { commit: records.behind(next - 1), prepare: 0 } : place
  let reached: ServerPosition = place === "end" || place.commit === 0 ? { commit: -1, prepare: -1 } : place
  if (old && reached.commit !== -1) next += 1
  let considered = 0
  while (!call.cancelled) {
    const page = records.all.slice(next, next + window)
    for (const record of page) {
      if (!wanted(record) || !isBehind(placeOfRecord(record), reached)) continue
      await give(record)
      reached = placeOfRecord(record)
    }
    next += page.length
    considered += page.length
    const ended = page.length < window
    if (page.length > 0 && isBehind(current, reached)) reached = current
    if (considered >= interval || (ended && !old && reached.commit !== -1)) {
      considered %= interval
      await send(call, checkpointAt(reached))
    }
    if (ended) break
    current = { commit: records.behind(next - 1), prepare: 0 }
  }
  await send(call, caughtUp())
  while (!call.cancelled) {
    for (; next < records.all.length && !call.cancelled; next += 1) {
      const record = records.all[next]!
      if (wanted(record)) await give(record)
      considered += 1
      if (considered % interval === 0) await send(call, checkpointAt(placeOfRecord(record)))
    }
    if (!call.cancelled) await records.more()
  }
}

/** Answers a read; throws `Unknown` for what the double does not know. */
export const read = async (
  call: Reading,
  records: Records,
  { seen, slow }: { readonly seen: Seen; readonly slow: Slow },
  old: boolean
): Promise<void> => {
  const options = call.request.getOptions() ?? refuse("a read without options")
  if (options.getUuidOption() === undefined) return refuse("a read that does not say how it wants ids")
  if (options.getResolveLinks()) return refuse("links")
  if (options.hasFilter()) seen.patterns.push(options.getFilter()!.getEventType()?.getRegex() ?? "")
  if (options.hasSubscription()) return subscribe(call, options, records, { seen, slow }, old)
  if (!options.hasCount()) return refuse("neither a count nor a subscription")
  return options.hasStream() ? ofStream(call, options, records, slow) : ofAll(call, options, records, slow)
}
