import { createHash } from "node:crypto"
import { join } from "node:path"
import { Cause, Context, Duration, Effect, Fiber, Latch, Layer, type Semaphore } from "effect"
import { positionOf } from "#engine/Position.ts"
import { EventStore, type StoreUnavailable } from "#engine/ports/EventStore.ts"
import { saying } from "#engine/saying.ts"
import { Installation } from "#ports/Installation.ts"
import type { Index } from "../Index.ts"
import { type Comparing, comparing } from "../Nearness.ts"
import { type Read, Refused, read, remove, removeStray, SnapshotFault, write } from "./file.ts"
import { format, framesOf, type Head } from "./image.ts"

/** The log that a snapshot is of. */
export interface Origin {
  /** Names the installation, and where its positions count from. It gives nothing of the secret away. */
  readonly whose: string
  /** The id of the event that the log has at a position. */
  readonly eventAt: (position: number) => Effect.Effect<string | undefined, StoreUnavailable>
}

/** The log of this process. */
export const originHere: Effect.Effect<Origin, never, EventStore | Installation> = Effect.gen(function* () {
  const { eventAt } = yield* EventStore
  const { secret, positions } = yield* Installation
  const secrets = createHash("sha256").update(`snippet index of ${secret} ${positions ?? ""}`)
  return { whose: secrets.digest("hex").slice(0, 32), eventAt: (position) => eventAt(positionOf(position)) }
})

export interface KeepingOptions {
  /** The folder that has the snapshot. */
  readonly directory: string
  /** The rules by which the catalogue's rows are made. A snapshot that was made by others is of no use. */
  readonly rules: string
  /** Whether the disk has no room for a snapshot. */
  readonly isFull: () => boolean
  /** `due`: milliseconds before a snapshot that is due is written, or tried again. `between`: between two, at least. */
  readonly pauses?: { readonly due: number; readonly between: number }
  /** Rows that a start may have to read, besides a twentieth of all. */
  readonly least?: number
  /** Milliseconds that writing a snapshot may take when the service ends. */
  readonly ending?: number
}

export const defaults = { pauses: { due: 5_000, between: 60_000 }, least: 1_000, ending: 5_000 }
/** How often a snapshot gives way to changes before they have to wait for it. */
const ways = 5
/** Of this many milliseconds, at most one is spent on writing snapshots. */
const share = 100

/** What a start goes on from. */
interface Restored {
  readonly head: Head
  readonly index: Index
}

/** An index as it is while nothing changes; `undefined` if a start could not go on from it. */
export type Standing = Pick<Head, "build" | "position" | "refused"> & { readonly index: Index }

interface Given {
  readonly dimensions: number
  readonly how: Comparing
  readonly standing: () => Standing | undefined
  /** `one` is held while nothing may change; `isWanted` says whether somebody waits for it. */
  readonly one: Semaphore.Semaphore
  readonly isWanted: () => boolean
}

const pathIn = (directory: string) => join(directory, "snippets.index")

const say = (what: string) => Effect.logWarning(`the snapshot of the snippet index ${what}`)

/** Removes what was kept in a folder: from now on, nobody would remove from it what is erased. */
export const forget = (directory: string) =>
  Effect.andThen(removeStray(directory), remove(pathIn(directory))).pipe(
    Effect.catch(({ code }) => say(`is not used any more, and can't be removed (${code})`))
  )

/** A snapshot whose reading began before its log was there. It can be taken once. */
const Early = Context.Reference<() => Effect.Effect<Read | undefined, Refused | SnapshotFault> | undefined>(
  "cairn/EarlySnapshot",
  { defaultValue: () => () => undefined }
)

/** Reads a snapshot, unless another release made it: its head shows that before there is a log. */
const readBy = ({ directory, rules }: Pick<KeepingOptions, "directory" | "rules">, how: Comparing) =>
  read(pathIn(directory), how, ({ of }) => of.startsWith(`${format} `) && of.endsWith(` ${rules}`))

/** Begins to read a snapshot for the index that is made later. Meanwhile, a start waits for its database. */
export const readEarly = (options: Pick<KeepingOptions, "directory" | "rules">, how: Comparing = comparing) =>
  Layer.effect(
    Early,
    Effect.map(Effect.forkScoped(readBy(options, how)), (fiber) => {
      let reading: typeof fiber | undefined = fiber
      return () => {
        const its = reading
        // if nobody takes what was read, it is let go
        reading = undefined
        return its && Fiber.join(its)
      }
    })
  )

const unlessInterrupted = <A, E, B>(
  effect: Effect.Effect<A, E>,
  otherwise: (cause: Cause.Cause<E>) => Effect.Effect<B>
) =>
  Effect.catchCause(
    effect,
    (cause): Effect.Effect<B> =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : otherwise(cause)
  )

/** Keeps a snapshot of an index on the disk, so that a start reads on from there. */
export const keeping = Effect.fnUntraced(function* (
  options: KeepingOptions,
  { whose, eventAt }: Origin,
  { dimensions, how, standing, one, isWanted }: Given
) {
  const { directory, rules, isFull, pauses, least, ending } = { ...defaults, ...options }
  const early = yield* Early
  const path = pathIn(directory)
  const of = `${format} ${whose} ${dimensions} ${rules}`
  const due = yield* Latch.make()
  /** Whether there is a snapshot, how many changes came since, and whether something in it has gone from the index. */
  let isThere = false
  let behind = 0
  let hasGone = false
  const [writing, removing] = [saying(), saying()]

  /** Removes a snapshot that has something that has gone. */
  const cleared = Effect.gen(function* () {
    if (!hasGone) return
    yield* remove(path)
    isThere = false
    hasGone = false
    yield* removing.over(Effect.void)
  }).pipe(
    Effect.catch((fault) =>
      removing.say(Cause.fail(fault), say(`has what was deleted, and can't be removed (${fault.code})`))
    )
  )

  /** Removes a snapshot that nobody will use. */
  const discarded = Effect.suspend(() => {
    hasGone = true
    return cleared
  })

  /** What was kept, if it is of this log and as it was written. */
  const restored: Effect.Effect<Restored | undefined> = Effect.gen(function* () {
    yield* Effect.ignore(removeStray(directory))
    const found = yield* early() ?? readBy(options, how)
    if (found === undefined) return undefined
    const { head, index } = found
    if (!head.of.includes(whose)) return yield* new Refused({ why: "it was made for another installation" })
    if (index === undefined || head.of !== of) {
      yield* discarded
      yield* Effect.logInfo("the snippet index is read from all rows: another release made its snapshot")
      return undefined
    }
    if ((yield* eventAt(head.position)) !== head.event)
      return yield* new Refused({
        why: `it has come to place ${head.position} of a log that this one is not, as after a backup was restored`
      })
    isThere = true
    return { head, index }
  }).pipe(
    Effect.catchTag("Refused", ({ why }) =>
      Effect.as(Effect.andThen(discarded, say(`is not used: ${why}. Rows are read instead`)), undefined)
    ),
    (reading) =>
      unlessInterrupted(reading, (cause) =>
        Effect.as(say(`can't be read (${reasonOf(cause)}). Rows are read instead`), undefined)
      )
  )

  const isDue = (at: Standing | undefined) => {
    if (at === undefined) return false
    const { size } = at.index
    return (isThere ? behind : size) >= least + size / 20
  }

  /** Has a snapshot written if one is due, or removed if that failed before. */
  const wake = Effect.suspend(() => (hasGone || isDue(standing()) ? due.open : Effect.void))

  /** Gives whether a snapshot was written, or need not be; `false`: it gave way. */
  const attempt = (mayGiveWay: boolean) =>
    Effect.gen(function* () {
      yield* cleared
      const at = standing()
      if (at === undefined || !isDue(at) || isFull()) return true
      const event = yield* eventAt(at.position)
      if (event === undefined) return true
      const { index, ...rest } = at
      const head: Head = { ...rest, of, dimensions, event, documents: index.size }
      if (!(yield* write(path, framesOf(head, index), () => isFull() || (mayGiveWay && isWanted())))) return false
      isThere = true
      behind = 0
      hasGone = false
      yield* writing.over(Effect.void)
      return true
    }).pipe(one.withPermits(1), (attempting) =>
      unlessInterrupted(attempting, (cause) =>
        Effect.as(writing.say(cause, say(`can't be written (${reasonOf(cause)})`)), true)
      )
    )

  const writeOn = Effect.gen(function* () {
    yield* due.await
    let took = 0
    for (let tries = 0, isDone = false; !isDone; tries++) {
      yield* Effect.sleep(pauses.due)
      const [time, outcome] = yield* Effect.timed(attempt(tries < ways))
      took += Duration.toMillis(time)
      isDone = outcome
    }
    yield* due.close
    yield* Effect.sleep(Math.max(pauses.between, share * took))
    yield* wake
  })

  // nobody waits any more: writes what a start would have to read, unless the database or the disk is slow
  yield* Effect.addFinalizer(() => Effect.timeoutOption(attempt(false), ending))
  yield* Effect.forkScoped(Effect.forever(writeOn))

  return {
    restored,
    /** Something has gone whose text must not stay on the disk. */
    gone: () => {
      hasGone = true
    },
    /** This many changes were taken in, and none is under way. */
    took: (changes: number) =>
      Effect.gen(function* () {
        behind += changes
        yield* cleared
        yield* wake
      })
  }
})

/** Why something failed, without what it was about. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof SnapshotFault ? error.code : error instanceof Error ? error.name : "unknown"
}
