import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { make, options } from "#infra/workers/layer.ts"
import type { TookTooLong, TooMuchWaits } from "#ports/JobFaults.ts"

type Options = Partial<typeof options>

/** A pool of workers that do what no job should (working.ts), and how to have one of their jobs done. */
export const troubled = (bounds: Options = {}) => {
  const confinement = { ...options.confinement, program: fileURLToPath(new URL("./working.ts", import.meta.url)) }
  return Effect.map(make({ ...bounds, confinement }), (workers) => {
    const run = workers.run as (
      job: string,
      args: ReadonlyArray<unknown>,
      options: { readonly within: number }
    ) => Effect.Effect<unknown, TookTooLong | TooMuchWaits>
    return (job: string, args: ReadonlyArray<unknown> = [], within = 60_000) => run(job, args, { within })
  })
}
