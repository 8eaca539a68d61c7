import { Cause, Context, Effect, Layer, Option, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { Workspace } from "#domain/Workspace/decider.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { Asker } from "#engine/ask.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { saying } from "#engine/saying.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { openRunsIn } from "#projections/Workspaces/openRuns.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { Disks } from "#src/disks.ts"
import { claimOf, followHead, streamOf } from "./restore.ts"

/** How long to wait for runs of the workspace in other processes; then its repository is packed, but not pruned. */
const patience = "1 second"

/**
 * Keeps repositories small, in the background and one at a time: each commit leaves objects, and each object takes a
 * block of the disk until it is in a pack. A repository that can't be packed, for want of room or otherwise, is tried
 * again after a minute.
 */
export class Packing extends Context.Service<
  Packing,
  {
    /** A workspace's head has moved: its repository is packed some time later. */
    readonly offer: (workspace: string) => Effect.Effect<void>
  }
>()("cairn/Packing") {
  static readonly layer = Layer.effect(
    Packing,
    Effect.gen(function* () {
      const git = yield* WorkspaceStore
      const dispatcher = yield* Dispatcher
      const asker = yield* Asker
      const sql = yield* SqlClient.SqlClient
      const { shared, claim } = yield* Claims
      const disks = yield* Disks
      const waiting = new Set<string>()
      const wake = yield* Queue.sliding<void>(1)
      const { say, over } = saying()
      /** Workspaces whose repository could not be packed the last time. */
      const failed = new Set<string>()

      const pack = Effect.fnUntraced(function* (workspace: string) {
        const { generation, head } = yield* dispatcher.state(Workspace, streamOf(workspace))
        const repository = repositoryOf(workspace, generation)
        // only what the ref reaches is sure to stay
        if (head === null || (yield* git.ref(repository)) !== head.commit) yield* followHead(workspace)
        // a run of another process may be about to use what nothing reaches yet: without the claim it stays
        const apart = !shared || Option.isSome(yield* Effect.timeoutOption(claim(claimOf(workspace)), patience))
        yield* asker.fresh(Workspaces)
        // only the log names the trees of a run that has not ended, so git must not prune them
        const open = yield* openRunsIn(workspace)
        yield* git.pack(repository, { prune: apart && open === 0 })
      }, Effect.scoped)

      const work = Effect.gen(function* () {
        yield* Queue.take(wake)
        for (const workspace of waiting) {
          waiting.delete(workspace)
          // a pack takes room before it gives any
          if (disks().get("workspaces")?.nearlyFull) {
            failed.add(workspace)
            continue
          }
          yield* pack(workspace).pipe(
            Effect.andThen(
              Effect.suspend(() => {
                failed.delete(workspace)
                return failed.size > 0 ? Effect.void : over(Effect.logInfo("repositories are packed again"))
              })
            ),
            Effect.catchCause((cause) => {
              if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
              failed.add(workspace)
              const told = Effect.logWarning("a repository could not be packed", cause)
              return say(cause, told.pipe(Effect.annotateLogs({ workspace })))
            })
          )
        }
        // so that a busy workspace is packed once for many of its commits
        yield* Effect.sleep("1 second")
      })
      const again = Effect.gen(function* () {
        yield* Effect.sleep("1 minute")
        for (const workspace of failed) waiting.add(workspace)
        if (failed.size > 0) yield* Queue.offer(wake, undefined)
      })
      yield* Effect.forkScoped(Effect.forever(again))
      yield* Effect.forever(work).pipe(
        Effect.provideService(WorkspaceStore, git),
        Effect.provideService(Dispatcher, dispatcher),
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.forkScoped
      )

      return Packing.of({
        offer: (workspace) =>
          Effect.suspend(() => {
            waiting.add(workspace)
            return Effect.asVoid(Queue.offer(wake, undefined))
          })
      })
    })
  )
}
