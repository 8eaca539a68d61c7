import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Fiber, Layer, Queue, Semaphore } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import type { Holder } from "#domain/Scope.ts"
import { UsageEvent } from "#domain/Usage.ts"
import { derivedId } from "#engine/derivedId.ts"
import type { Actor } from "#engine/Event.ts"
import { inSteps } from "#engine/pages.ts"
import { EventStore, type NewEvent } from "#engine/ports/EventStore.ts"
import { KeySightings } from "#ports/KeySightings.ts"
import { actorOf } from "#src/actor.ts"
import * as Codec from "./codec.ts"
import { Disks } from "./disks.ts"

interface Encoded extends Omit<Note, "event"> {
  readonly encoded: NewEvent
}

interface Note {
  readonly tenant: string
  readonly stream: string
  readonly commandId: string
  readonly actor: Actor
  readonly event: DomainEvent
}

const hour = 3_600_000
const halfMinute = 30_000
/** Characters after which an append takes no further note. */
const atOnce = 512 * 1024
/** Milliseconds between two appends. */
const pause = 200
/**
 * After an append of `taken` notes or more, the next one follows after `pauses` pauses, or once `waiting` notes wait:
 * to take notes into read models, and to read on in those, costs nearly as much for a few as for many.
 */
const many = { taken: 8, pauses: 2, waiting: 250 }

/** Cuts notes into appends by their length: one append must not grow with what has gathered. */
function* parts(notes: ReadonlyArray<Note>): Generator<void, ReadonlyArray<ReadonlyArray<Encoded>>> {
  const cut: Array<Array<Encoded>> = []
  let size = atOnce
  for (const { event, ...note } of notes) {
    if (size >= atOnce) {
      cut.push([])
      size = 0
    }
    const encoded = Codec.encode(event)
    cut.at(-1)!.push({ ...note, encoded })
    size += encoded.data.length + (encoded.payload?.bytes.length ?? 0)
    yield
  }
  return cut
}

/**
 * Appends events on which nothing is decided, in the background and many at once. Nobody waits for them: a crash may
 * lose up to a second of them, and while the database's disk is nearly full none is taken.
 */
export class Notes extends Context.Service<
  Notes,
  {
    /** Takes up a note; waits while a thousand are waiting. Without an id, it is a new note each time. */
    readonly add: (note: Omit<Note, "commandId"> & { readonly commandId?: string }) => Effect.Effect<void>
    /** Waits until earlier notes are in the log, or could not be appended; for a second at the most. */
    readonly settled: Effect.Effect<void>
    /** Notes that a key is in use: in the log at most once an hour, and beside it at most every half minute. */
    readonly used: (holder: Holder) => Effect.Effect<void>
  }
>()("cairn/Notes") {
  static readonly layer = Layer.effect(
    Notes,
    Effect.gen(function* () {
      const store = yield* EventStore
      const waiting = yield* Queue.bounded<Note>(1_000)
      const sightings = yield* KeySightings
      const disks = yield* Disks
      const usedIn = new Map<string, number>()
      const sightedAt = new Map<string, number>()
      const unnoted = new Map<string, number>()

      const scope = yield* Effect.scope
      const one = yield* Semaphore.make(1)

      const append = (stream: string, notes: ReadonlyArray<Encoded>) =>
        store.append({
          tenant: notes[0]!.tenant,
          stream,
          expected: "any",
          commands: notes.map(({ commandId, actor, encoded }) => ({
            commandId,
            correlationId: commandId,
            causationId: null,
            actor,
            events: [encoded],
            request: null
          }))
        })

      const flush = Effect.fnUntraced(function* (notes: ReadonlyArray<Note>) {
        const streams = Map.groupBy(notes, ({ stream }) => stream)
        yield* Effect.forEach(
          [...streams],
          ([stream, group]) =>
            Effect.flatMap(inSteps(parts(group)), (parts) =>
              Effect.forEach(parts, (part) => Effect.ignore(append(stream, part)), { discard: true })
            ),
          { concurrency: 16, discard: true }
        )
        return notes.length
      })
      /** Appends the waiting notes, after those that are being appended. Gives how many. */
      const flushWaiting = Effect.flatMap(Queue.clear(waiting), flush).pipe(one.withPermits(1))

      const rest = (taken: number) =>
        Effect.repeat(Effect.sleep(pause), {
          times: taken < many.taken ? 0 : many.pauses - 1,
          while: () => Queue.sizeUnsafe(waiting) < many.waiting
        })

      const flushSightings = Effect.suspend(() => {
        if (unnoted.size === 0) return Effect.void
        const seen = new Map(unnoted)
        unnoted.clear()
        return sightings.note(seen)
      })

      yield* Effect.forkScoped(
        Effect.forever(Queue.peek(waiting).pipe(Effect.andThen(flushWaiting), Effect.flatMap(rest)))
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(flushSightings, Effect.sleep(pause))))
      yield* Effect.addFinalizer(() => Effect.andThen(flushWaiting, flushSightings))

      // reads go on while a disk is nearly full, and notes, which nobody waits for, must not take its last room
      const noRoom = () => disks().get("database")?.nearlyFull === true
      const add = (note: Note) => (noRoom() ? Effect.void : Effect.asVoid(Queue.offer(waiting, note)))

      return Notes.of({
        add: (note) => add({ commandId: randomUUID(), ...note }),
        // what was taken out of the queue is appended, even if nobody waits for it any more
        settled: Effect.forkIn(flushWaiting, scope).pipe(
          Effect.flatMap(Fiber.await),
          Effect.timeoutOption("1 second"),
          Effect.asVoid
        ),
        used: (holder) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const { key, tenant } = holder
            if (now - (sightedAt.get(key) ?? -halfMinute) >= halfMinute) {
              sightedAt.set(key, now)
              unnoted.set(key, now)
            }
            const hours = Math.floor(now / hour)
            if (noRoom() || usedIn.get(key) === hours) return Effect.void
            usedIn.set(key, hours)
            // the id holds the hour: the same note from another process adds nothing
            const commandId = derivedId("used", key, hours)
            const event = UsageEvent.cases.KeyUsed.make({ key })
            return add({ tenant, stream: `usage-${key}`, commandId, actor: actorOf(holder), event })
          })
      })
    })
  )
}
