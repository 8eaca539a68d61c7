import { positionOf } from "#engine/Position.ts"
import type { Append, Appended } from "#engine/ports/EventStore.ts"

/** What an append call answers: every unit is in, behind `head`, or none is and `trouble` names those to blame. */
export interface CallResult {
  readonly head: number
  readonly recordedAt: number
  /** Units (from 0) whose stream is at another revision than expected, or with a command that is in the log already. */
  readonly trouble: ReadonlyArray<number>
  /** The revision that each unit's stream had. */
  readonly actual: ReadonlyArray<number>
}

const revision = { none: -1, any: -2 } as const

/** The revision that a unit expects of its stream, as the database's functions take it. */
export const expectedBy = ({ expected }: Append): number =>
  typeof expected === "number" ? expected : revision[expected]

/** Where an appended unit ends that has `first` events of the batch before it. es_append gives dense positions. */
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
