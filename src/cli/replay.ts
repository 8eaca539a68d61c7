import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { Difference } from "#engine/ports/ReadModels.ts"
import { secretColumns } from "#src/audit/asOf.ts"
import { type Replayed, replay } from "#src/audit/replay.ts"
import { writtenPosition } from "#src/positions.ts"
import { projections } from "#src/readModels.ts"
import * as AsOf from "./asOf.ts"
import { Failed } from "./failure.ts"
import { onLog } from "./log.ts"
import { answer, Json, plain } from "./output.ts"
import { progress } from "./progress.ts"

/** How many differences of a table are printed. */
const printed = 5

type Row = { readonly [column: string]: unknown }

const cut = (value: unknown): string => {
  const text = plain(JSON.stringify(value) ?? "nothing")
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/** The columns in which two rows differ, each with both values; `null` if one side lacks the row. */
const columnsOf = ({ live, rebuilt }: Difference) => {
  if (live === null || rebuilt === null) return null
  const [a, b] = [JSON.parse(live) as Row, JSON.parse(rebuilt) as Row]
  return Object.keys(a)
    .filter((column) => JSON.stringify(a[column]) !== JSON.stringify(b[column]))
    .map((column) =>
      secretColumns.has(column)
        ? { column, live: "(not shown)", rebuilt: "(not shown)" }
        : { column, live: a[column], rebuilt: b[column] }
    )
}

const described = (
  { projection, events, differences }: Replayed,
  position: string,
  promoted: boolean,
  seconds: number
) => ({
  name: projection.name,
  version: projection.version,
  position,
  events,
  seconds,
  promoted,
  differences: differences.map((difference) => ({
    table: difference.table,
    id: difference.id,
    in: difference.live === null ? "rebuilt" : difference.rebuilt === null ? "live" : "both",
    columns: columnsOf(difference)
  }))
})
type Described = ReturnType<typeof described>

const lines = ({ name, position, events, seconds, promoted, differences }: Described): Array<string> => {
  const rate = Math.round(events / Math.max(seconds, 0.001))
  const told = promoted ? "rebuilt, and live now" : differences.length === 0 ? "as rebuilt" : "differs from its rebuild"
  const tables = [...new Set(differences.map(({ table }) => table))]
  return [
    `${name}: ${told}, at position ${position} (${events} events in ${seconds.toFixed(1)} s, ${rate}/s)`,
    ...tables.flatMap((table) => {
      const rows = differences.filter((difference) => difference.table === table)
      const more = rows.length > printed ? [`  ${table}: and more`] : []
      return [...rows.slice(0, printed).flatMap(rowLines), ...more]
    })
  ]
}

const rowLines = ({ table, id, in: where, columns }: Described["differences"][number]): Array<string> =>
  columns === null
    ? [`  ${table} ${plain(id)}: only in the ${where === "live" ? "live read model" : "rebuilt one"}`]
    : columns.length === 0
      ? [`  ${table} ${plain(id)}: differs`]
      : columns.map(
          ({ column, live, rebuilt }) => `  ${table} ${plain(id)}: ${column} is ${cut(live)}, rebuilt ${cut(rebuilt)}`
        )

export const command = Command.make(
  "replay",
  {
    projection: Flag.Literals(
      "projection",
      projections.map(({ name }) => name)
    ).pipe(Flag.withDescription("Only this read model"), Flag.optional),
    verify: Flag.Boolean("verify").pipe(
      Flag.withDescription("Change nothing: exit 1 and print the first differences when there are any"),
      Flag.withDefault(false)
    ),
    asOf: Flag.String("as-of").pipe(
      Flag.withMetavar("TIME|POSITION"),
      Flag.withDescription("Change nothing: build tables of what was known then, in a schema of their own"),
      Flag.optional
    ),
    drop: Flag.Boolean("drop").pipe(Flag.withDescription("With --as-of: remove these tables"), Flag.withDefault(false))
  },
  ({ projection, verify, asOf: at, drop }) =>
    onLog(
      Effect.gen(function* () {
        const wanted = projections.filter(({ name }) => Option.isNone(projection) || projection.value === name)
        if (verify && (drop || Option.isSome(at))) {
          return yield* new Failed({ message: "--verify and --as-of exclude each other." })
        }
        if (drop && Option.isSome(projection)) {
          return yield* new Failed({
            message: "--drop removes the tables of all read models: leave --projection out."
          })
        }
        if (Option.isSome(at)) return yield* drop ? AsOf.forget(at.value) : AsOf.make(at.value, wanted)
        if (drop) return yield* new Failed({ message: "--drop needs --as-of, which says what to remove." })
        const bar = progress(!(yield* Json))
        const done = yield* Effect.forEach(
          wanted,
          Effect.fnUntraced(function* (model) {
            const began = Date.now()
            const replayed = yield* replay(model, {
              promote: !verify,
              progress: (position, of) => bar.at(position, of, model.name)
            })
            bar.clear()
            return described(replayed, yield* writtenPosition(replayed.position), !verify, (Date.now() - began) / 1000)
          })
        )
        const differing = done.filter(({ differences }) => differences.length > 0).map(({ name }) => name)
        const success = !verify || differing.length === 0
        yield* answer({ success, verified: verify, projections: done }, () => done.flatMap(lines))
        if (!success) {
          return yield* new Failed({
            message: `${differing.join(", ")}: not what the log says; \`cairn replay\` mends it.`
          })
        }
      })
    )
).pipe(
  Command.withDescription(
    "Rebuild read models from the log, to compare or replace the live ones, or to see them as they were"
  )
)
