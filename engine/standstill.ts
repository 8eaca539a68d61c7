import { earliest, isAfter, type Position } from "./Position.ts"
import type { Checkpoint } from "./ports/ReadModels.ts"

/**
 * For who waits while read models catch up, which takes as long as the log is: gives, of each look at where they stand,
 * the milliseconds for which none of them has moved on. Any of them counts, since they are moved on a few at a time;
 * but none on what comes behind `to`, of which there is no end. `began`: when the wait did, by the same clock as `now`.
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
