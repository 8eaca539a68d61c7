import { Effect } from "effect"
import { Command } from "effect/cli"
import { positionOf } from "#engine/Position.ts"
import { verify } from "#src/audit/verify.ts"
import { audit } from "#src/layers.ts"
import { positionWriter } from "#src/positions.ts"
import { projections } from "#src/readModels.ts"
import { Failed } from "./failure.ts"
import { config, onLog } from "./log.ts"
import { answer, Json, plain } from "./output.ts"
import { progress } from "./progress.ts"

/** How many findings are printed for people. */
const printed = 20

export const command = Command.make("verify", {}, () =>
  Effect.flatMap(config, (config) =>
    onLog(
      Effect.gen(function* () {
        const tell = yield* positionWriter
        const bar = progress(!(yield* Json))
        const { findings, found, refsBehind, fsck, position, ...counts } = yield* verify(projections, bar.at)
        bar.clear()
        const { events, texts, erased, undigested, workspaces, commits } = counts
        const told = {
          success: found === 0,
          position: tell(position),
          events,
          texts,
          erased,
          undigested,
          workspaces,
          commits,
          refs_behind: refsBehind,
          fsck,
          found,
          findings: findings.map((finding) => ({
            ...finding,
            position: finding.position === null ? null : tell(positionOf(finding.position))
          }))
        }
        yield* answer(told, () => [
          `${events} events up to position ${tell(position)}, ${texts} texts, ${erased} erased; ${workspaces} workspaces, ${commits} commits`,
          ...(undigested > 0 ? [`${undigested} events have no digest`] : []),
          ...(refsBehind > 0 ? [`${refsBehind} refs are behind the log; the next start moves them`] : []),
          ...(workspaces > 0 && !fsck ? ["git is not installed: the objects' bytes were not looked at"] : []),
          ...findings
            .slice(0, printed)
            .map(({ position, check, message }) => `${position ?? "-"}  ${check}: ${plain(message)}`),
          ...(found > printed ? [`and ${found - printed} more`] : []),
          ...(found === 0 ? ["All of it is as it was written."] : [])
        ])
        if (found > 0)
          return yield* new Failed({ message: `${found} ${found === 1 ? "thing is" : "things are"} not as written.` })
      }).pipe(Effect.provide(audit(config)))
    )
  )
).pipe(Command.withDescription("Check that the log, the texts beside it and git are as they were written"))
