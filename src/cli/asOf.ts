import { Effect } from "effect"
import { toldPosition } from "#domain/toldPosition.ts"
import { beginning, hasReached } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Erased } from "#engine/texts.ts"
import { LogAudit } from "#ports/LogAudit.ts"
import { asOf, schemaAt } from "#src/audit/asOf.ts"
import { readTold, writtenPosition } from "#src/positions.ts"
import { Failed } from "./failure.ts"
import { timeIn } from "./fields.ts"
import { answer, Json, plain, table } from "./output.ts"
import { progress } from "./progress.ts"

/** The position that the operator names, by itself or by a time. Fails if the log has not come to it. */
const meant = Effect.fnUntraced(function* (text: string) {
  const head = yield* (yield* EventStore).head
  if (toldPosition.test(text)) {
    const at = yield* Effect.mapError(readTold(text), ({ message }) => new Failed({ message: `${text} ${message}` }))
    if (hasReached(head, at)) return at
    return yield* new Failed({ message: `The log has come to position ${yield* writtenPosition(head)} only.` })
  }
  const time = timeIn(text)
  if (!Number.isNaN(time)) return yield* (yield* LogAudit).at(time)
  return yield* new Failed({
    message: `${plain(text)} is neither a position nor a time; expected 1234, 2026-11-21 or 2026-11-21T13:24:40Z.`
  })
})

/** Removes what an earlier call has made. */
export const forget = Effect.fnUntraced(function* (at: string) {
  const position = yield* meant(at)
  const schema = schemaAt(position)
  if (!(yield* (yield* ReadModels).forget(schema))) {
    return yield* new Failed({
      message: `There are no read models as of position ${yield* writtenPosition(position)}.`
    })
  }
  yield* answer({ success: true, position: yield* writtenPosition(position), schema, dropped: true }, () => [
    `Removed ${schema}.`
  ])
})

/** Makes the read models as of a position, and says where they are. */
export const make = Effect.fnUntraced(function* (at: string, wanted: ReadonlyArray<Projection>) {
  const bar = progress(!(yield* Json))
  const position = yield* meant(at)
  const { head, eventAt } = yield* EventStore
  if (position !== beginning && (yield* eventAt(position)) === undefined)
    return yield* new Failed({ message: `There is no event at position ${plain(at)}.` })
  const schema = schemaAt(position)
  yield* (yield* Erased)(yield* head)
  const made = yield* Effect.forEach(wanted, (projection) =>
    asOf(projection, position, (done, of) => bar.at(done, of, projection.name))
  )
  bar.clear()
  const tables = made.flatMap(({ projection, tables }) =>
    tables.map(({ table, name, rows }) => ({ projection: projection.name, table, name, rows }))
  )
  const written = yield* writtenPosition(position)
  yield* answer({ success: true, position: written, schema, tables }, () => [
    `The read models as of position ${written}; remove them with --drop, or with DROP SCHEMA ${schema} CASCADE:`,
    ...table(
      ["table", "rows"],
      tables.map(({ name, rows }) => [name, rows])
    )
  ])
})
