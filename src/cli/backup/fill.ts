import { Effect } from "effect"
import { positionOf } from "#engine/Position.ts"
import { BackupFolder, RepositoryCopy } from "#ports/Backup.ts"
import { BesideLog, type ErasuresLeft, type LastCopied, LogIntake } from "#ports/LogCopy.ts"
import type { Chain } from "#src/audit/backup/chain.ts"
import type { ErasedSince } from "#src/audit/backup/erasedSince.ts"
import { repositoriesOf } from "#src/audit/backup/left.ts"
import { type BackedLog, subjectOf } from "#src/audit/backup/source.ts"
import type { Config } from "#src/config/config.ts"
import { restored } from "#src/repositories.ts"
import { bringAll } from "../copy/bringAll.ts"
import { finish } from "../copy/finish.ts"
import { Failed } from "../failure.ts"
import type { ProgressBar } from "../progress.ts"

/** What is restored. */
export interface Backup {
  readonly chain: Chain
  readonly since: ErasedSince
  readonly source: BackedLog
  readonly left: ErasuresLeft | undefined
}

const endsWith = ({ manifests }: Chain, last: LastCopied | undefined): boolean => {
  const { to, event } = manifests.at(-1)!.log
  return last?.position === positionOf(to) && last.eventId === event
}

/**
 * Brings the log with its texts, what lies beside it and the repositories into a place that is empty, or has a part of
 * them. Where a restore was interrupted behind that, goes on with the erasures that it has left, whatever is known now:
 * texts that were erased later have been brought. Answers with these, and what was compared.
 */
export const fill = Effect.fnUntraced(function* (
  { chain, since, source, left: news }: Backup,
  to: Config,
  bar: ProgressBar
) {
  const { read } = yield* BackupFolder
  const repositories = yield* RepositoryCopy
  const folder = restored(to)
  const last = yield* (yield* LogIntake).last
  const before = yield* (yield* BesideLog).left
  if (before !== undefined && !endsWith(chain, last)) {
    return yield* new Failed({
      message:
        "It can't be restored: another backup was restored here, and what was erased since is not erased yet. Give that one again, or empty the database and the data folder."
    })
  }
  // from here on, what is in the folder of repositories is this restore's
  yield* folder.prepare
  if (before === undefined) {
    yield* bringAll(source, bar, (event) =>
      event.hasText && event.text === null && since.has(event.tenant, subjectOf(event)) ? [subjectOf(event)] : []
    )
  }
  const left = before ?? news
  const gone = repositoriesOf(left?.workspaces ?? [])
  // this backup's; beside a log that is not whole they may be an earlier one's
  const whole = new Set(before === undefined ? [] : yield* repositories.names)
  let made = 0
  for (const [repository, { packs, commit }] of chain.repositories) {
    made += 1
    if (gone.has(repository) || whole.has(`${repository}.git`)) continue
    yield* repositories.make(
      repository,
      packs.map(({ pack, index }) => ({ pack: read(pack.name), index: read(index.name) })),
      commit
    )
    bar.at(made, chain.repositories.size, "repositories")
  }
  const compared = before === undefined ? (yield* finish(source, bar, true)).compared : undefined
  yield* folder.finish
  return { compared, left }
})
