import { positionOf } from "#engine/Position.ts"
import type { Append, Appended } from "#engine/ports/EventStore.ts"

/** What a call said that was to append: either every unit is in, from `head` on, or none is and `trouble` names why. */
export interface CallResult {
  readonly head: number
  readonly recordedAt: number
  /** Units (from 0) that are not where they thought, or that have a command which is in the log already. */
  readonly trouble: ReadonlyArray<number>
  /** The revision that each unit's stream had. */
  readonly actual: ReadonlyArray<number>
}

const revision = { none: -1, any: -2 } as const

/** The revision that a unit expects of its stream, as the database's functions take it. */
export const expectedBy = ({ expected }: Append): number =>
  typeof expected === "number" ? expected : revision[expected]

/**
 * Where a unit that is in ended, which had `first` events of the batch before it. Positions are dense: that is how
 * es_append gives them.
 */
export const ended = (
  { commands }: Append,
  { head, recordedAt }: CallResult,
  first: number,
  actual: number
): Appended & { readonly events: number } => {
  let events = 0
  const positions = commands.map((command) => {
    events += command.events.length
    return positionOf(head + first + events)
  })
  return { revision: actual + events, positions, recordedAt, events }
}
