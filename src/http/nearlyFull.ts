import { Effect } from "effect"
import { Problem } from "#src/api/Problem.ts"
import { Disks, fullFor } from "#src/disks.ts"

/** Refuses an operation that needs room on a nearly full disk, before it begins. */
export const havingRoom = (operation: string): Effect.Effect<void, Problem> =>
  Effect.flatMap(Disks, (standings) => {
    const full = fullFor(standings(), operation)
    if (full === undefined) return Effect.void
    const message = `${full} Nothing was done for this request. Reads and deletions go on: send it again later.`
    return Effect.fail(new Problem({ code: "unavailable/disk_full", message, retryAfter: 60 }))
  })
