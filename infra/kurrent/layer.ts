import type { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Fiber, Layer, PubSub, Schedule, Semaphore } from "effect"
import { isAfter, latest, type Position } from "#engine/Position.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import {
  type EventStore,
  type Page,
  type ReadAll,
  type StoredEvent,
  StoreUnavailable
} from "#engine/ports/EventStore.ts"
import { bySteps, Facts } from "#engine/texts.ts"
import { append, patiently } from "./append.ts"
import type { Kurrent } from "./client.ts"
import * as Commands from "./commands.ts"
import type { Fault } from "./Fault.ts"
import { follow } from "./follow.ts"
import { headBehind } from "./head.ts"
import type { Log } from "./Log.ts"
import { kindsOf, Recent } from "./Recent.ts"
import { Revisions } from "./Revisions.ts"
import { commandAt, eventAt, newest, readAll, readStream } from "./read.ts"
import * as Texts from "./texts.ts"

const unavailable = () => new StoreUnavailable({ message: "the event store can't be reached" })

/** The log in KurrentDB, without texts. Positions are its commit positions. */
export const facts = Layer.effect(
  Facts,
  Effect.gen(function* () {
    const most = yield* Bounds
    const scope = yield* Effect.scope
    const news = yield* PubSub.sliding<void>(1)
    const revisions = new Revisions()
    const context = yield* Effect.context<PgClient.PgClient | Kurrent | Log>()
    const hint = PubSub.publish(news, undefined)

    /** Logs faults that can't pass by themselves: the caller gets the port's error, and can only ask again. */
    const here = <A, E>(effect: Effect.Effect<A, E | Fault, PgClient.PgClient | Kurrent | Log>) =>
      effect.pipe(
        Effect.provideContext(context),
        Effect.tapError((error) =>
          (error as Fault)._tag === "Fault" && (error as Fault).kind !== "passes"
            ? Effect.logError(`KurrentDB: ${(error as Fault).message}`)
            : Effect.void
        )
      )
    const orUnavailable = <A>(effect: Effect.Effect<A, unknown, PgClient.PgClient | Kurrent | Log>) =>
      Effect.mapError(here(effect as Effect.Effect<A, Fault, PgClient.PgClient | Kurrent | Log>), unavailable)

    // commands that the log has and the database has not, because it was restored from a backup made before them
    let known = yield* Commands.known
    const start = yield* headBehind(known)
    const page = (after: Position, options: ReadAll) => readAll(after, options, most, revisions)
    while (isAfter(start, known)) {
      const { events, more } = yield* page(known, { limit: most.count })
      const firsts = events.flatMap(({ commandId, stream, revision, position }, index) =>
        // of a command that began on the page before, too: what it is known by has to be there
        events[index - 1]?.commandId === commandId && events[index - 1]!.position < position
          ? []
          : [{ commandId, stream, revision }]
      )
      known = more ? events.at(-1)!.position : latest(start, events.at(-1)?.position ?? known)
      yield* Commands.learn(firsts, known)
    }

    const recent = new Recent(start)
    /** The time of what this process appends, which does not go back, though clocks do. */
    let time = 0
    const clock = (now: number): number => {
      time = Math.max(time, now)
      return time
    }
    const seen = (event: StoredEvent) => {
      recent.note([event])
      clock(event.recordedAt)
      return hint
    }
    let foreign = 0
    const passed = (count: number) => {
      foreign += count
      return foreign === count
        ? Effect.logInfo("KurrentDB has events of others than Cairn: they are passed over")
        : Effect.logDebug(`${foreign} events of others were passed over`)
    }
    yield* Effect.forkScoped(Effect.provideContext(follow(start, seen, passed), context))
    // A hint may be lost with its connection; this one is not.
    yield* Effect.forkScoped(Effect.repeat(hint, Schedule.spaced("1 second")))
    // all commands that were seen here were noted before they went in
    const remember = Effect.suspend(() => Commands.learn([], recent.to)).pipe(
      Effect.provideContext(context),
      Effect.ignore
    )
    yield* Effect.forkScoped(Effect.repeat(remember, Schedule.spaced("1 minute")))
    // what came in the last minute, too: at the next start it shows whether the log was set back
    yield* Effect.addFinalizer(() => Effect.exit(Effect.timeoutOption(remember, "1 second")))

    /** Appends to one stream take turns: together, they would only be in each other's way. */
    const turns = new Map<string, { readonly turn: Semaphore.Semaphore; waiting: number }>()
    const alone = <A, E>(stream: string, effect: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        const mine = turns.get(stream) ?? { turn: Semaphore.makeUnsafe(1), waiting: 0 }
        turns.set(stream, mine)
        mine.waiting += 1
        const leave = Effect.sync(() => {
          mine.waiting -= 1
          if (mine.waiting === 0) turns.delete(stream)
        })
        return Effect.ensuring(mine.turn.withPermits(1)(effect), leave)
      })

    const head = Effect.suspend(() => headBehind(recent.to))

    /**
     * The next page of a caller that reads on, read while it works on this one: so a rebuild waits for the server once.
     */
    let ahead: { readonly asked: string; readonly page: Fiber.Fiber<Page, unknown> } | undefined
    const plain = (options: ReadAll) =>
      Object.keys(options).every((name) => ["factsOnly", "limit", "bytes"].includes(name))
    let ended: string | undefined
    const readAhead = Effect.fnUntraced(function* (after: Position, options: ReadAll) {
      if (!plain(options)) return yield* page(after, options)
      const asking = (from: Position) => JSON.stringify([from, options.limit, options.bytes])
      let found: Page | undefined
      if (ahead?.asked === asking(after)) {
        const exit = yield* Fiber.await(ahead.page)
        ahead = undefined
        // a page that ended with the log may have missed what came since
        if (Exit.isSuccess(exit) && exit.value.more) found = exit.value
      }
      found ??= yield* page(after, options)
      const last = found.events.at(-1)
      if (!found.more || last === undefined) return found
      const readsOn = ended === asking(after)
      ended = asking(last.position)
      if (readsOn) {
        if (ahead !== undefined) yield* Fiber.interrupt(ahead.page)
        const next = page(last.position, options).pipe(Effect.provideContext(context))
        ahead = { asked: ended, page: yield* Effect.forkIn(next, scope) }
      }
      return found
    })

    /** What lies behind a position of which too little is remembered. */
    const read = Effect.fnUntraced(function* (after: Position) {
      const kinds = new Map<string, ReturnType<typeof kindsOf>[number]>()
      let reached = after
      for (let more = true; more; ) {
        const found: Page = yield* page(reached, { limit: most.count })
        for (const kind of kindsOf(found.events)) kinds.set(JSON.stringify([kind.tenant, kind.type]), kind)
        reached = found.events.at(-1)?.position ?? reached
        more = found.more
      }
      return { head: reached, kinds: [...kinds.values()] }
    })

    const since = Effect.fnUntraced(function* (after: Position) {
      const end = yield* head
      // reads what the subscription has not brought yet
      while (recent.since(after) !== undefined && isAfter(end, recent.to)) {
        const { events } = yield* page(recent.to, { limit: most.count })
        recent.note(events)
      }
      // with many tenants it may have forgotten just now what it knew
      return recent.since(after) ?? (yield* read(after))
    })

    return Facts.of({
      append: (request) =>
        alone(request.stream, here(append(request, clock, revisions))).pipe(
          Effect.mapError((error) => (error._tag === "WrongRevision" ? error : unavailable())),
          Effect.ensuring(hint),
          // an append that was begun is finished, whatever becomes of its caller
          Effect.uninterruptible
        ),
      outcome: (stream, commandId) =>
        orUnavailable(
          Effect.gen(function* () {
            for (const revision of yield* Commands.find(stream, commandId)) {
              const found = yield* Effect.retry(commandAt(stream, commandId, revision), patiently)
              if (found.length > 0) return found
            }
            return []
          })
        ),
      readStream: (stream, after, options = {}) =>
        orUnavailable(Effect.retry(readStream(stream, after, options, most), patiently)),
      readAll: (after, options = {}) => orUnavailable(readAhead(after, options)),
      newest: (which) => orUnavailable(newest(which)),
      eventAt: (position) => orUnavailable(eventAt(position)),
      head: orUnavailable(head),
      since: (after) => orUnavailable(since(after)),
      hints: PubSub.subscribe(news)
    }) satisfies EventStore["Service"]
  })
)

/** The log in KurrentDB, with texts in Postgres. */
export const layer = Layer.provide(bySteps, Layer.merge(facts, Texts.layer))
