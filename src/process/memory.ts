import { getHeapStatistics } from "node:v8"
import { Data, Effect } from "effect"

const megabyte = 1024 * 1024
/** How often the process looks, and how many looks in a row tell a peak from what stays. */
const pause = "1 second"
const looks = 3

/** The process takes more memory than it may: it ends while it still can do so in order. */
export class TooMuchMemory extends Data.TaggedError("TooMuchMemory")<{ readonly message: string }> {}

/** Bytes that the process may take by default: V8's own limit of its heap, beyond which it would be killed. */
export const heapLimit = (): number => getHeapStatistics().heap_size_limit

/** Never succeeds: fails once the memory that the process takes of the machine stays over `limit` bytes. */
export const memoryPassed = (
  limit: number,
  resident: () => number = () => process.memoryUsage().rss
): Effect.Effect<never, TooMuchMemory> =>
  Effect.gen(function* () {
    for (let over = 0; ; ) {
      const bytes = resident()
      over = bytes > limit ? over + 1 : 0
      if (over === looks) {
        const [taken, may] = [bytes, limit].map((bytes) => Math.round(bytes / megabyte))
        return yield* new TooMuchMemory({
          message: `the service takes ${taken} MiB of memory and may take ${may} (CAIRN_MEMORY_LIMIT): it ends, to be started again`
        })
      }
      yield* Effect.sleep(pause)
    }
  })
