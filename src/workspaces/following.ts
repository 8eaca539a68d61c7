import { Clock, Effect, PubSub, Queue, Stream } from "effect"
import { worksIn } from "#domain/access/reach.ts"
import type { ChatEvent } from "#domain/Chat.ts"
import { Workspace } from "#domain/Workspace/decider.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import type { Recorded } from "#engine/Event.ts"
import { decodeAll } from "#engine/pages.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Tail } from "#engine/tail.ts"
import { Closing } from "#src/closing.ts"
import { liveness } from "#src/liveness.ts"
import { endingId } from "./commit.ts"
import { streamOf } from "./restore.ts"
import { type Ear, Spoken, type Words } from "./spoken.ts"

/** Steps that are read at once, and about how many bytes: a slow reader makes the service hold that much. */
const page = { limit: 16, bytes: 64 * 1024 }
/** Milliseconds without news after which a follower is told `Silence`. */
const silence = 15_000
/** Words come one by one: how long to wait for more of them. */
const pause = "20 millis"

/** The types of events that may come next in a run, or end it. */
const types = [
  ...["ChatStarted", "ChatResumed", "ChatCancelled", "ModelTurned", "ToolsRan", "ChatCompacted"],
  "ChatRemembered",
  ...["ChatCompleted", "ChatFailed", "WorkspaceErased"]
]

/**
 * Why nothing more comes. `revoked`: the key is no longer valid, or may not do this. `stopping`: the service stops.
 * `unavailable`: the service's store does not answer. `erased`: the workspace was erased, and the run with it.
 */
export type Parting = "revoked" | "stopping" | "unavailable" | "erased"

/** What a follower of a run is told; `Over`: the run's end is in the log, and all of its steps were told. */
export type RunNews =
  | { readonly _tag: "Step"; readonly step: Recorded<ChatEvent> }
  | { readonly _tag: "Words"; readonly words: Words }
  | { readonly _tag: "Silence" }
  | { readonly _tag: "Over" }
  | { readonly _tag: "End"; readonly why: Parting }

/** A run that somebody follows, and what they know of it. */
export interface Followed {
  readonly run: string
  readonly workspace: string
  readonly generation: number
  /** Whose workspace it is, as the chat said. */
  readonly user: string
  readonly tenant: string
  /** The follower's key. */
  readonly key: string
  /** The revision of the last step that they have: -1 for none. */
  readonly after: number
  /** Turns among what they have. */
  readonly turns: number
}

type Reader = { readonly after: number; readonly turns: number; readonly saidAt: number; readonly ended: boolean }

const isErased = ({ event }: Recorded<ChatEvent>) => "text" in event && event.text === null

/**
 * Follows a run until it has ended, for as long as the key is live and the service runs. Gives the recorded steps,
 * whichever process carries the run, and in between what its model says, if this process does. A reader that leaves
 * does not stop the run.
 */
export const followRun = ({ run, workspace, generation, user, tenant, key, after, turns }: Followed) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const store = yield* EventStore
      const dispatcher = yield* Dispatcher
      const closing = yield* Closing
      const tail = yield* Tail
      const spoken = yield* Spoken
      const isLive = liveness(key, "runs.run", (holder) => worksIn(holder, { id: workspace, user }))
      const chat = `chat-${run}`
      const woken = yield* Queue.sliding<void>(1)
      const looks = yield* tail.join
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(PubSub.takeAll(looks), Queue.offer(woken, undefined))))
      yield* spoken.listen(run, () => Queue.offerUnsafe(woken, undefined))
      const ear: Ear = { speech: undefined, heard: 0, length: 0 }
      /** Steps that were read and not told yet. */
      let read: ReadonlyArray<Recorded<ChatEvent>> = []
      /** How far the log had come when there was nothing more to read of the run. */
      let reached: ReturnType<typeof tail.reached> | undefined
      let isOver = false

      const end = (reader: Reader, why: Parting): readonly [RunNews, Reader] => [
        { _tag: "End", why },
        { ...reader, ended: true }
      ]

      /** Reads what is new; `erased` when there is nothing left to read. */
      const look = Effect.fnUntraced(function* (after: number) {
        const before = tail.reached()
        // the run's end comes after all of its steps: looking for the end before reading the steps misses none of them
        isOver = (yield* store.outcome(streamOf(workspace), endingId(run))).length > 0
        const { events, more } = yield* store.readStream(chat, after, page)
        read = yield* decodeAll<ChatEvent>(events)
        if (more || read.length > 0) return read.some(isErased)
        reached = before
        return (yield* dispatcher.state(Workspace, streamOf(workspace))).generation !== generation
      })

      /** Whether there may be more to read. All followers of a tenant's runs look at the same page of what is new. */
      const isBehind = Effect.gen(function* () {
        if (reached === undefined) return true
        const before = tail.reached()
        if (!tail.concerns(reached, { tenant, types })) return false
        const { events, more } = yield* tail.page(reached, { tenant, types }, { limit: 100, withoutLong: true })
        if (more || events.some(({ stream }) => stream === chat || stream === streamOf(workspace))) return true
        reached = before
        return false
      })

      const next = Effect.fnUntraced(function* (reader: Reader) {
        for (;;) {
          if (closing.isOpen()) return end(reader, "stopping")
          if (read.length === 0 && (yield* isBehind) && (yield* look(reader.after))) return end(reader, "erased")
          if (!(yield* isLive)) return end(reader, "revoked")
          const saidAt = yield* Clock.currentTimeMillis
          const [step, ...rest] = read
          if (step !== undefined) {
            read = rest
            const turns = step.event._tag === "ModelTurned" ? step.event.turn : reader.turns
            const told: RunNews = { _tag: "Step", step }
            return [told, { ...reader, after: step.revision, turns, saidAt }] as const
          }
          if (isOver) return [{ _tag: "Over" } as RunNews, { ...reader, ended: true }] as const
          const words = spoken.hear(run, ear)
          // a recorded turn that was told has all of these words
          if (words !== undefined && words.turn > reader.turns) {
            return [{ _tag: "Words", words } as RunNews, { ...reader, saidAt }] as const
          }
          if (saidAt - reader.saidAt >= silence) return [{ _tag: "Silence" } as RunNews, { ...reader, saidAt }] as const
          // the tail looks at least once a second, and then the key is checked
          yield* Effect.raceFirst(Effect.andThen(Queue.take(woken), Effect.sleep(pause)), closing.await)
        }
      })

      const start: Reader = { after, turns, saidAt: yield* Clock.currentTimeMillis, ended: false }
      return Stream.unfold(start, (reader) =>
        reader.ended ? Effect.undefined : Effect.catch(next(reader), () => Effect.succeed(end(reader, "unavailable")))
      )
    }).pipe(Effect.catch(() => Effect.succeed(Stream.succeed<RunNews>({ _tag: "End", why: "unavailable" }))))
  ).pipe(Stream.rechunk(1))
