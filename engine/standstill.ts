import { earliest, isAfter, type Position } from "./Position.ts"
import type { Checkpoint } from "./ports/ReadModels.ts"

/**
 * For a caller that waits while read models catch up, however long the log is: gives, at each look at their
 * checkpoints, the milliseconds for which none has moved on. A move of any of them counts, because a few are moved at a
 * time, but no move beyond `to`, because new events never end. `began`: when the wait began, by the clock of `now`.
 */
export const standstill = (began: number) => {
  const seen = new Map<string, Position>()
  let since = began
  return (now: number, to: Position, checkpoints: ReadonlyMap<string, Pick<Checkpoint, "position">>): number => {
    for (const [name, checkpoint] of checkpoints) {
      const position = earliest(checkpoint.position, to)
      const before = seen.get(name)
      if (before !== undefined && isAfter(position, before)) since = now
      seen.set(name, position)
    }
    return now - since
  }
}
