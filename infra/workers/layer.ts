import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { TookTooLong, TooMuchWaits } from "#ports/JobFaults.ts"
import { Workers, WorkersIdle, WorkingFor } from "#ports/Workers.ts"
import { type Job, type Outcome, Pool, type PoolOptions } from "./Pool.ts"

const MiB = 1024 ** 2

export const options: Omit<PoolOptions, "idle"> = {
  confinement: {
    program: fileURLToPath(new URL("./program.ts", import.meta.url)),
    reads: ["infra", "domain", "src/ports"],
    heapMegabytes: 384,
    dataMegabytes: 1_000,
    asksSystem: true,
    limits: { frame: 40 * MiB, head: 2 * MiB }
  },
  queue: { jobs: 1_000, bytes: 32 * MiB, allBytes: 96 * MiB },
  processes: 2,
  patienceToStart: 60_000,
  mostJobs: 2_000,
  mostMemory: 300 * MiB
}

const bytesOf = (value: unknown): number => {
  if (typeof value === "string") return value.length
  if (value instanceof Uint8Array) return value.length
  if (typeof value !== "object" || value === null) return 8
  return Object.values(value).reduce((sum: number, one) => sum + bytesOf(one), 8)
}

/** Workers with other bounds, or another program. */
export const make = (bounds: Partial<PoolOptions>) =>
  Effect.gen(function* () {
    const pool = new Pool({ idle: yield* WorkersIdle, ...options, ...bounds })
    yield* Effect.addFinalizer(() => Effect.promise(() => pool.end()))

    const run = (name: string, args: ReadonlyArray<unknown>, { within }: { readonly within: number }) =>
      Effect.flatMap(WorkingFor, (owner) =>
        Effect.callback<Outcome, TooMuchWaits>((resume) => {
          const settle = (outcome: Outcome) => resume(Effect.succeed(outcome))
          const job: Job = { owner, bytes: bytesOf(args), name, args, within, settle }
          if (!pool.add(job)) resume(Effect.fail(new TooMuchWaits({ job: name })))
          return Effect.sync(() => pool.remove(job))
        })
      ).pipe(
        Effect.flatMap((outcome) => {
          if (outcome.type === "done") return Effect.succeed(outcome.value)
          const given = (reason: TookTooLong["reason"]) => Effect.fail(new TookTooLong({ job: name, reason }))
          const tell = (why: string) =>
            Effect.annotateLogs(Effect.logWarning("a worker's job was given up", why), { job: name })
          if (outcome.type === "gaveUp") return Effect.andThen(tell(outcome.reason), given(outcome.reason))
          return Effect.andThen(tell(outcome.where), given("fault"))
        })
      )
    return Workers.of({ run: run as Workers["Service"]["run"] })
  })

/** Workers as processes of the operating system, which can be killed in the middle of their work. */
export const layer = Layer.effect(
  Workers,
  Effect.suspend(() => make({}))
)
