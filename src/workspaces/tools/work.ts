import { Effect } from "effect"
import type { TookTooLong, TooMuchWaits } from "#ports/JobFaults.ts"
import type { Jobs, Workers } from "#ports/Workers.ts"
import { ToolFailed } from "./tool.ts"

/** Milliseconds that a tool's own work may take. */
const patience = 10_000

/** Has a job done for a tool. `what` begins the sentence that says that it takes too long. */
export const worked = <Name extends keyof Jobs>(
  workers: Workers["Service"],
  job: Name,
  args: Parameters<Jobs[Name]>,
  what: string
) =>
  Effect.mapError(workers.run(job, args, { within: patience }), ({ _tag }: TookTooLong | TooMuchWaits) => {
    if (_tag === "TooMuchWaits") return new ToolFailed({ message: "Too much is being done at the moment: try again." })
    return new ToolFailed({ message: `${what} takes too long.` })
  })
