import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { isAfter, positionOf } from "#engine/Position.ts"
import { StoreUnavailable } from "#engine/ports/EventStore.ts"
import { Texts } from "#engine/ports/Texts.ts"
import { textIdOf } from "#engine/texts.ts"
import { type CopiedEvent, CopyRefused, LogIntake } from "#ports/LogCopy.ts"
import { advance, last } from "../../postgres/copy/advance.ts"
import { patiently } from "../append.ts"
import { Kurrent } from "../client.ts"
import * as Commands from "../commands.ts"
import { copyOf } from "../envelope.ts"
import { Fault } from "../Fault.ts"
import { Log } from "../Log.ts"
import { setMaxAge } from "../retention.ts"

/** The most that one append has: by default, a server takes 1 MiB, with the metadata of its events. */
const most = { events: 400, bytes: 512 * 1024 }
/** About how many bytes of metadata an event has. */
const besides = 700

/** Runs of events that follow one another in one stream, each as long as one append may be. */
function* runsOf(events: ReadonlyArray<CopiedEvent>): Generator<ReadonlyArray<CopiedEvent>> {
  let run: Array<CopiedEvent> = []
  let bytes = 0
  for (const event of events) {
    const size = event.data.length + besides
    if (
      run.length > 0 &&
      (run[0]!.stream !== event.stream || run.length === most.events || bytes + size > most.bytes)
    ) {
      yield run
      run = []
      bytes = 0
    }
    run.push(event)
    bytes += size
  }
  if (run.length > 0) yield run
}

const refuse = ({ stream, revision }: CopiedEvent, why: string) =>
  new CopyRefused({ message: `revision ${revision} of ${stream} can't be copied: ${why}` })

/** Appends a run at its revisions. Events that are there already are checked, and left. */
const appendRun = Effect.fnUntraced(function* (run: ReadonlyArray<CopiedEvent>) {
  const kurrent = yield* Kurrent
  const log = yield* Log
  const [first] = run
  const { stream, revision } = first!
  if (revision === 0) yield* Effect.retry(setMaxAge(stream), patiently)
  const go = (events: ReadonlyArray<CopiedEvent>) =>
    Effect.retry(
      kurrent.append(
        stream,
        events[0]!.revision - 1,
        events.map((event) => copyOf(log.id, event))
      ),
      patiently
    )
  const { wrong } = yield* go(run).pipe(
    Effect.as({ wrong: undefined }),
    Effect.catchIf(
      ({ kind }) => kind === "wrong-revision",
      ({ actual = -1 }) => Effect.succeed({ wrong: actual })
    )
  )
  if (wrong === undefined) return
  if (wrong < revision) {
    return yield* refuse(
      first!,
      "KurrentDB has none before it. The beginning of its stream is gone from the source, where it was kept for a time."
    )
  }
  const there = yield* Effect.retry(kurrent.readStream(stream, { from: revision, count: run.length }), patiently)
  for (const [index, event] of there.entries()) {
    if (run[index]?.eventId !== event.id || log.stored(event) === undefined)
      return yield* refuse(run[index] ?? first!, "another event stands in its place in KurrentDB.")
  }
  const rest = run.slice(there.length)
  if (rest.length > 0) yield* go(rest)
})

/** The position that a copied event got. */
const placeOf = Effect.fnUntraced(function* ({ stream, revision, eventId }: CopiedEvent) {
  const { readStream } = yield* Kurrent
  const [event] = yield* Effect.retry(readStream(stream, { from: revision, count: 1 }), patiently)
  if (event?.id !== eventId)
    return yield* new Fault({ kind: "passes", message: "what was appended is not there to be read yet" })
  return positionOf(event.position!.commit)
})

/**
 * Takes events in by steps that may each be repeated: texts, events at their revisions, erasures, where commands are,
 * and then how far it has come.
 */
const take = Effect.fnUntraced(function* (events: ReadonlyArray<CopiedEvent>) {
  const texts = yield* Texts
  const before = yield* last
  const news = before === undefined ? events : events.filter(({ position }) => isAfter(position, before.position))
  if (news.length === 0) return
  const put = news.flatMap(({ eventId, data, tenant, text }) =>
    text === null ? [] : [{ ...text, tenant, id: textIdOf(eventId, data) }]
  )
  if (put.length > 0) yield* texts.put(put)
  for (const run of runsOf(news)) yield* appendRun(run)
  for (const { tenant, erases } of news) if (erases.length > 0) yield* texts.erase(tenant, erases)
  const firsts = news.filter(({ commandId, eventId }) => derivedId(commandId, 0) === eventId)
  const end = news.at(-1)!
  yield* Commands.learn(firsts, yield* placeOf(end))
  yield* advance(end)
})

const isErased = Effect.fnUntraced(function* (tenant: string, subject: string) {
  const sql = yield* PgClient.PgClient
  return (yield* sql`SELECT 1 FROM kurrent_erasures WHERE tenant = ${tenant} AND subject = ${subject}`).length > 0
})

/** Copies events into KurrentDB, with texts in Postgres. An event's time is in its metadata, as that of any other. */
export const layer = Layer.effect(
  LogIntake,
  Effect.gen(function* () {
    const context = yield* Effect.context<PgClient.PgClient | Kurrent | Log | Texts>()
    const here = <A, E>(effect: Effect.Effect<A, E, PgClient.PgClient | Kurrent | Log | Texts>) =>
      effect.pipe(
        Effect.provideContext(context),
        Effect.mapError((error) =>
          error instanceof CopyRefused
            ? error
            : new StoreUnavailable({
                message: `The copy can't be written${error instanceof Fault ? `: ${error.message}` : ""}.`
              })
        )
      )
    return LogIntake.of({
      engine: "kurrentdb",
      last: Effect.mapError(here(last), () => new StoreUnavailable({ message: "The copy's database can't be read." })),
      take: (events) => here(take(events)),
      isErased: (tenant, subject) => here(isErased(tenant, subject))
    })
  })
)
