import { Effect } from "effect"
import { finishing } from "#engine/texts.ts"
import { BesideLog, LogIntake, LogSource } from "#ports/LogCopy.ts"
import { type Compared, compare } from "#src/audit/copy/compare.ts"
import { type Finding, Findings } from "#src/audit/findings.ts"
import { verifyLog } from "#src/audit/verify.ts"
import { Failed } from "../failure.ts"
import { plain } from "../output.ts"
import type { ProgressBar } from "../progress.ts"
import { bringAll } from "./bringAll.ts"

/** How many findings are told. */
const told = 20

/** What was found of a copy that may be served. */
interface Finished {
  readonly compared: Compared
  readonly found: number
  readonly findings: ReadonlyArray<Finding>
}

/**
 * Compares both logs until neither has moved meanwhile, checks the copy as `cairn verify` does, brings what is beside
 * the log, and lets the copy be served. If the logs differ, fails and leaves the copy unfinished. `keepsErased`: the
 * source may still have texts that one of its own events erases.
 */
export const finish = Effect.fnUntraced(function* (from: LogSource["Service"], bar: ProgressBar, keepsErased: boolean) {
  const intake = yield* LogIntake
  const beside = yield* BesideLog
  const target = yield* LogSource
  for (;;) {
    const checkpoints = yield* beside.checkpoints
    const compared = yield* compare(
      from,
      target,
      checkpoints,
      (at, of, events) => bar.at(at, of, `compared ${events} events`),
      keepsErased ? intake.isErased : undefined
    )
    bar.clear()
    // another command has written meanwhile: what it erased must go from the copy, too
    if ((yield* from.head) !== compared.source) {
      yield* bringAll(from, bar)
      continue
    }
    if (compared.differing > 0) {
      return yield* new Failed({
        message: `The copy is not equal to its source (${compared.differing} events), and is left unfinished: ${compared.first.map(plain).join("; ")}. Empty it, and copy anew.`
      })
    }
    const findings = new Findings()
    yield* verifyLog(compared.target, findings, bar.at)
    bar.clear()
    yield* beside.bring
    const reached = new Map(compared.checkpoints)
    // every text that was erased has gone with its event
    if (intake.engine === "kurrentdb") reached.set(finishing, compared.target)
    yield* beside.finish(reached)
    const finished: Finished = { compared, found: findings.count, findings: findings.first.slice(0, told) }
    return finished
  }
})
