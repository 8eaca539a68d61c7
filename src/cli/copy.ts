import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { beginning } from "#engine/Position.ts"
import { Hold } from "#ports/Hold.ts"
import { Installation } from "#ports/Installation.ts"
import { LogSource } from "#ports/LogCopy.ts"
import { parentGone } from "#src/commandLine.ts"
import { besideFrom, copySource, copyTarget } from "#src/copying.ts"
import { counted } from "#src/counted.ts"
import { alone } from "#src/repositories.ts"
import { bringAll } from "./copy/bringAll.ts"
import { finish } from "./copy/finish.ts"
import { newFolder } from "./copy/newFolder.ts"
import { targetOf, unusableTarget } from "./copy/target.ts"
import { Failed, whichStore } from "./failure.ts"
import { config } from "./log.ts"
import { answer, Json } from "./output.ts"
import { progress } from "./progress.ts"

/** Builds a layer without sharing: the two ends use the same layers, and each has its own. */
const build = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Effect.flatMap(Effect.scope, (scope) => Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), scope))

const unfinished = (why: string) =>
  new Failed({
    message: `The copy is not finished: ${why}. Stop its services, and give the command again; it goes on where it was.`
  })

const copy = Effect.fnUntraced(function* (to: Option.Option<string>) {
  const target = yield* targetOf(to)
  if (target.databaseUrl === undefined) yield* newFolder(target.dataDir, "copy", true)
  const source = yield* build(copySource(yield* config))
  const from = Context.get(source, LogSource)
  if ((yield* from.head) === beginning) {
    return yield* new Failed({
      message: "There is nothing to copy: the log is empty. Is it the right one (CAIRN_DATA_DIR, DATABASE_URL)?"
    })
  }
  // a running service would make the copy out of date unnoticed
  const held = yield* Effect.option(Effect.provide(build(alone), source))
  const ends = copyTarget(
    target,
    Context.get(source, Installation),
    from.engine,
    besideFrom(Context.get(source, PgClient.PgClient))
  )
  const copied = yield* Effect.mapError(build(ends), unusableTarget(target))
  const bar = progress(!(yield* Json))
  const began = Date.now()
  const brought = yield* whichStore(Effect.provide(bringAll(from, bar), copied))
  const seconds = (Date.now() - began) / 1000
  const rate = Math.round(brought / Math.max(seconds, 0.001))
  const said = `Copied ${counted(brought, "event")} in ${seconds.toFixed(1)} s (${rate}/s).`
  if (Option.isNone(held)) {
    yield* answer({ success: false, finished: false, copied: brought, seconds }, () => [said])
    return yield* unfinished("a service runs on the source")
  }
  // KurrentDB's texts are elsewhere: a service may be killed after it appends an erasing event, before it erases them
  const finishing = whichStore(Effect.provide(finish(from, bar, from.engine === "kurrentdb"), copied))
  const lost = Effect.catchTag(Context.get(held.value, Hold).lost, "NotOurs", () =>
    Effect.fail(unfinished("a service was started on the source"))
  )
  const { compared, found, findings } = yield* Effect.raceFirst(finishing, lost)
  const { events, texts, erased } = compared
  const told = {
    success: found === 0,
    finished: true,
    copied: brought,
    events,
    texts,
    erased,
    seconds,
    found,
    findings
  }
  yield* answer(told, () => [
    said,
    `The copy has all ${counted(events, "event")} of its source, with ${counted(texts, "text")}; ${erased} were erased. Event by event they are equal.`,
    ...findings.map(({ position, check, message }) => `${position ?? "-"}  ${check}: ${message}`),
    "Next: docs/moving.md has the folder of repositories, and how the service is started on the copy."
  ])
  if (found === 0) return
  return yield* new Failed({
    message: `The copy is finished; ${found} ${found === 1 ? "thing is" : "things are"} not as written, in its source neither: see \`cairn verify\` there.`
  })
}, Effect.scoped)

export const command = Command.make(
  "copy",
  {
    to: Flag.String("to").pipe(
      Flag.withMetavar("URL|FOLDER"),
      Flag.withDescription(
        "An empty Postgres database (its password goes into CAIRN_COPY_TO_PASSWORD), or a data folder to create (default: CAIRN_COPY_TO)"
      ),
      Flag.optional
    )
  },
  ({ to }) =>
    Effect.raceFirst(
      copy(to),
      Effect.flatMap(parentGone, () => new Failed({ message: "ended, because what had started it is gone" }))
    )
).pipe(
  Command.withDescription(
    "Copy the log, its texts and what belongs to them to another database (with CAIRN_COPY_TO_KURRENTDB: the log to a KurrentDB), and compare both"
  )
)
