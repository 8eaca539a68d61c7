import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { make, options } from "#infra/workers/layer.ts"
import type { TookTooLong, TooMuchWaits } from "#ports/JobFaults.ts"
import { isLong } from "#test/long.ts"

type Options = Partial<typeof options>

/** A pool of workers that do what no job should (working.ts), and how to have one of their jobs done. */
export const troubled = (bounds: Options = {}) => {
  const program = fileURLToPath(new URL("./working.ts", import.meta.url))
  // a heap that is full comes to the same, however large it is; to fill the service's takes a quarter of a minute
  const heapMegabytes = isLong ? options.confinement.heapMegabytes : 96
  const confinement = { ...options.confinement, program, heapMegabytes }
  return Effect.map(make({ ...bounds, confinement }), (workers) => {
    const run = workers.run as (
      job: string,
      args: ReadonlyArray<unknown>,
      options: { readonly within: number }
    ) => Effect.Effect<unknown, TookTooLong | TooMuchWaits>
    return (job: string, args: ReadonlyArray<unknown> = [], within = 60_000) => run(job, args, { within })
  })
}
