import type { Recorded } from "#engine/Event.ts"
import type { DomainEvent } from "#domain/events.ts"
import { folding, type Given, type Row, type Table, touched } from "#engine/Projection.ts"

/** The rows of a table that a history touches, as they are after it; one that is gone is `undefined`. */
export const folded = (table: Table<never>, history: ReadonlyArray<Recorded<DomainEvent>>, given: Given) => {
  const rows = new Map<string, Row | undefined>(touched(table, history).map((id) => [id, undefined]))
  for (const _ of folding(table, rows, history, given));
  return rows
}
