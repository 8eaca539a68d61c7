import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  eventTypeFilter,
  FORWARDS,
  KurrentDBClient,
  type RecordedEvent,
  START
} from "@kurrent/kurrentdb-client"
import { Context, Effect, Layer, type Redacted, Redacted as Secret } from "effect"
import { EngineUnusable } from "#ports/EngineUnusable.ts"
import { type Address, addressOf, type BadAddress } from "./address.ts"
import type { Proposed } from "./envelope.ts"
import type { Fault } from "./Fault.ts"
import { patience, renewed } from "./renewed.ts"

/** The position of a single write, which commits itself, as all writes by gRPC do. */
const at = (position: number) => ({ commit: BigInt(position), prepare: BigInt(position) })

/** Where a read begins: a position, or an end of the log. */
export type ReadFrom = number | "start" | "end"

export interface AllRead {
  /** Forwards, the read begins with the event at this place; backwards, with the one before it. */
  readonly from: ReadFrom
  readonly backwards?: true
  readonly count: number
  /** A pattern of the types of events; all when absent. While the server finds none of them, it says nothing. */
  readonly types?: string
  /** Milliseconds of silence after which it is given up; default: 4 s. */
  readonly within?: number
  /** Ends the read after an event. */
  readonly enough?: (event: RecordedEvent) => boolean
}

export interface StreamRead {
  readonly from: number | "end"
  readonly backwards?: true
  readonly count: number
  /** Ends the read after an event. */
  readonly enough?: (event: RecordedEvent) => boolean
}

const placed = (from: ReadFrom) => (from === "start" ? START : from === "end" ? END : at(from))

/** All events until there are enough; a read that was given up stops. */
const gathered = async (
  found: AsyncIterable<{ readonly event?: RecordedEvent | AllStreamResolvedEvent["event"] }>,
  enough: ((event: RecordedEvent) => boolean) | undefined,
  signal: AbortSignal,
  heard: () => void
): Promise<ReadonlyArray<RecordedEvent>> => {
  const events: Array<RecordedEvent> = []
  for await (const { event } of found) {
    if (signal.aborted) break
    heard()
    if (event === undefined) continue
    events.push(event as RecordedEvent)
    if (enough?.(event as RecordedEvent)) break
  }
  return events
}

/** Ends a client's calls, and its connection, which the client would leave open. */
const close = (client: KurrentDBClient) =>
  Effect.promise(async () => {
    await client.dispose()
    const { getChannel } = client as unknown as { readonly getChannel: () => Promise<{ readonly close: () => void }> }
    await getChannel().then(
      (channel) => channel.close(),
      () => undefined
    )
  })

/** KurrentDB, call by call; each asks the leader, and fails with a `Fault` after 4 s of silence, or 8 s. */
export class Kurrent extends Context.Service<
  Kurrent,
  {
    readonly address: Address
    /** The current client, for subscriptions and for what is asked at the start. */
    readonly client: KurrentDBClient
    /**
     * Appends all or nothing, behind a revision (-1: to a stream that has none); gives the revision of the last event.
     * Appending the same again changes nothing, and succeeds.
     */
    readonly append: (stream: string, revision: number, events: ReadonlyArray<Proposed>) => Effect.Effect<number, Fault>
    /** A stream's events; none if there is no such stream. */
    readonly readStream: (stream: string, read: StreamRead) => Effect.Effect<ReadonlyArray<RecordedEvent>, Fault>
    /** Events of all streams, in the order of the log. */
    readonly readAll: (read: AllRead) => Effect.Effect<ReadonlyArray<RecordedEvent>, Fault>
  }
>()("infra/Kurrent") {
  /** Fails with `EngineUnusable` where the URL can't be used. */
  static readonly layer = (url: Redacted.Redacted) =>
    Layer.effect(
      Kurrent,
      Effect.gen(function* () {
        const refuse = (why: string) => new EngineUnusable({ message: `KURRENTDB_URL is wrong: ${why}`, passes: false })
        const address = yield* Effect.try({
          try: () => addressOf(Secret.value(url)),
          catch: (error) => refuse((error as BadAddress).message)
        })
        const opening = Effect.try({
          try: () => {
            const client = KurrentDBClient.connectionString(address.url)
            // The client asks for these with each call, so no connection string has them. With a provider it appends
            // call by call: its other way has no deadline here, and waits for a connection that is gone.
            client.setCredentialsProvider(
              async () => address.credentials ?? { username: "nobody", password: "nothing" }
            )
            return client
          },
          // a certificate can't be read, say; the message shows no password, because the client was given none
          catch: (error) => refuse((error as Error).message)
        })
        // The client's native half reads. It stays with a node that is gone until that is back, and it is dead for good
        // if it was sent to a node that can't be reached. This client has no connection of the other half, which would
        // have to be closed.
        const reader = yield* renewed({
          opening,
          leaving: () => Effect.void,
          lost: ({ kind, way }) => kind === "passes" && way !== "elsewhere",
          atLeast: 250
        })
        // The other half looks for a leader when its node is gone. It does not leave a node that is there but cut off
        // from the others.
        const writer = yield* Effect.acquireRelease(
          renewed({
            opening,
            leaving: close,
            lost: ({ kind, way }) => kind === "passes" && way === undefined && address.cluster,
            atLeast: patience
          }),
          ({ client }) => close(client)
        )
        return Kurrent.of({
          address,
          get client() {
            return writer.client
          },
          append: (stream, revision, events) =>
            writer.call(async (client) => {
              const { nextExpectedRevision } = await client.appendToStream(stream, [...events], {
                streamState: revision === -1 ? "no_stream" : BigInt(revision),
                requiresLeader: true,
                deadline: patience
              })
              return Number(nextExpectedRevision)
            }),
          readStream: (stream, { from, backwards, count, enough }) =>
            reader
              .call((client, signal, heard) => {
                const found = client.readStream(stream, {
                  fromRevision: from === "end" ? END : BigInt(from),
                  direction: backwards ? BACKWARDS : FORWARDS,
                  maxCount: count,
                  requiresLeader: true
                })
                return gathered(found, enough, signal, heard)
              })
              .pipe(
                Effect.catchIf(
                  ({ kind }) => kind === "no-stream",
                  () => Effect.succeed([])
                )
              ),
          readAll: ({ from, backwards, count, types, within, enough }) =>
            reader.call((client, signal, heard) => {
              const found = client.readAll({
                fromPosition: placed(from),
                direction: backwards ? BACKWARDS : FORWARDS,
                maxCount: count,
                ...(types !== undefined && { filter: eventTypeFilter({ regex: types }) }),
                requiresLeader: true
              })
              return gathered(found, enough, signal, heard)
            }, within)
        })
      })
    )
}
