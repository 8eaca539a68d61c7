import { Clock, Effect } from "effect"
import { BackupArchives, BackupFault, BackupTarget, type BesideRows, type RepositoryCopy } from "#ports/Backup.ts"
import type { Installation } from "#ports/Installation.ts"
import type { LogSource } from "#ports/LogCopy.ts"
import { take } from "./take.ts"

const unmade = (error: { readonly _tag: string; readonly message?: string }): BackupFault =>
  error instanceof BackupFault
    ? error
    : new BackupFault({ message: `the backup can't be made: ${error.message || error._tag}` })

/**
 * A whole backup as one archive, made while it is sent, for as long as the caller may have it: `isAllowed` is asked
 * before each file. The manifest comes last, so an archive without it is cut off. Logs which key had it, as nothing
 * else records that.
 */
export const sent = Effect.fnUntraced(function* <R>(
  recipients: ReadonlyArray<string>,
  key: string,
  isAllowed: Effect.Effect<boolean, never, R>
) {
  const archives = yield* BackupArchives
  const services = yield* Effect.context<LogSource | RepositoryCopy | BesideRows | Installation | R>()
  const began = yield* Clock.currentTimeMillis
  const allowed = Effect.flatMap(isAllowed, (is) =>
    is ? Effect.void : Effect.fail(new BackupFault({ message: "the key may not have it any more" }))
  )
  return yield* archives.begin(recipients, (target) =>
    take(undefined, () => {}).pipe(
      Effect.provideService(BackupTarget, {
        ...target,
        begin: (name, options) => Effect.andThen(Effect.provide(allowed, services), target.begin(name, options)),
        put: (name, text) => Effect.andThen(Effect.provide(allowed, services), target.put(name, text))
      }),
      Effect.mapError(unmade),
      Effect.matchCauseEffect({
        onFailure: (cause) =>
          Effect.andThen(Effect.logWarning("a backup was not sent to its end", cause), Effect.failCause(cause)),
        onSuccess: ({ log: { events } }) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.annotateLogs(Effect.logInfo("a backup was sent"), { events, milliseconds: now - began })
          )
      }),
      Effect.annotateLogs({ key, encrypted: target.encrypted }),
      Effect.provide(services)
    )
  )
})
