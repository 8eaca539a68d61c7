import { Effect } from "effect"
import { jobs } from "#infra/workers/jobs.ts"
import type { Workers } from "#ports/Workers.ts"

/** Does jobs in this process, for tests of what asks for them. */
export const workersHere: Workers["Service"] = {
  run: (job, args) =>
    Effect.promise(async () => ((await jobs[job]()) as (...args: ReadonlyArray<unknown>) => never)(...args))
}
