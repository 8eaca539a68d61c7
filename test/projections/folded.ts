import type { DomainEvent } from "#domain/events.ts"
import type { Recorded } from "#engine/Event.ts"
import { folding, type Row, type Table, touched } from "#engine/Projection.ts"
import type { GivenEncoder } from "#projections/table.ts"

/** The rows of a table that a history touches, as they are after it; one that is gone is `undefined`. */
export const folded = (table: Table, history: ReadonlyArray<Recorded<DomainEvent>>, given: GivenEncoder) => {
  const rows = new Map<string, Row | undefined>(touched(table, history).map((id) => [id, undefined]))
  for (const _ of folding(table, rows, history, given));
  return rows
}
