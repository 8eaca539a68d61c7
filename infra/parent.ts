import { Effect } from "effect"

/**
 * Completes when the process that started this one has ended and no signal has reached this one (a killed `start.cjs`,
 * a task runner that passes nothing on), at most 250 ms later; or when the terminal has hung up. Its caller then shuts
 * down as at a signal: `Effect.raceFirst(Layer.launch(service), parentGone)`.
 *
 * `CAIRN_PARENT_PID` names the parent to watch, `0` the one at the start. Without it only the hang-up counts, so that a
 * service started with `nohup` outlives its shell.
 */
export const parentGone: Effect.Effect<void> = Effect.callback<void>((resume) => {
  const gone = () => resume(Effect.void)
  // Its default action would end this process at once and leave Postgres running.
  process.on("SIGHUP", gone)
  const watched = process.env["CAIRN_PARENT_PID"]
  // A process that this one starts has another parent.
  delete process.env["CAIRN_PARENT_PID"]
  const parent = Number(watched) || process.ppid
  const watch = watched ? setInterval(() => hasEnded(parent) && gone(), 250) : undefined
  watch?.unref()
  return Effect.sync(() => {
    clearInterval(watch)
    process.removeListener("SIGHUP", gone)
  })
})

const hasEnded = (parent: number): boolean => {
  // Elsewhere an orphan gets another parent; Windows keeps naming the one that is gone.
  if (process.platform !== "win32") return process.ppid !== parent
  try {
    process.kill(parent, 0)
    return false
  } catch {
    return true
  }
}
