import { Effect } from "effect"
import { WorkspaceCommand } from "#domain/Workspace/commands.ts"
import { Workspace } from "#domain/Workspace/decider.ts"
import type { Push } from "#domain/Workspace/events.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import type { Actor } from "#engine/Event.ts"
import { type Pushed, PushIntake, PushRefused } from "#ports/PushIntake.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import type { WorkspaceRecord } from "#projections/Workspaces/standing.ts"
import { told } from "#src/usage/bounds.ts"
import { bytesMore, Storage } from "#src/usage/Storage.ts"
import { broughtBy } from "./brought.ts"
import { followHead, streamOf } from "./restore.ts"

async function* counting(pack: AsyncIterable<Uint8Array>, count: (bytes: number) => void) {
  for await (const piece of pack) {
    count(piece.length)
    yield piece
  }
}

const moved = () => new PushRefused({ reason: "fetch first: main has moved" })

/**
 * Takes commits that a caller made on top of the head, all or none: one event, whose commit is the last of them. Gives
 * its position; `undefined`: the head is at that commit already. Fails with `PushRefused`, in the words that git shows,
 * and as `restore` does.
 */
export const push = Effect.fnUntraced(
  function* (
    { id, generation }: Pick<WorkspaceRecord, "id" | "generation">,
    pushed: Pushed,
    tenant: string,
    actor: Actor
  ) {
    const git = yield* WorkspaceStore
    const dispatcher = yield* Dispatcher
    const storage = yield* Storage
    const { take } = yield* PushIntake
    const { from, to } = pushed
    const repository = repositoryOf(id, generation)
    const stream = streamOf(id)
    if (take === undefined) return yield* new PushRefused({ reason: "this service has no git to check a push with" })
    const now = yield* dispatcher.state(Workspace, stream)
    // the answer to this push was lost: who pushes it again hears that it is there
    if (now.generation === generation && now.head?.commit === to) return undefined
    if (now.generation !== generation || now.head?.commit !== from) return yield* moved()
    const storing = (bytes: number | null) => ({ tenant, key: actor.key, more: bytesMore(bytes) })
    yield* storage.check(storing(null))
    let sent = 0
    const {
      commits,
      bytes: differing,
      keep
    } = yield* take(tenant, repository, {
      ...pushed,
      pack: counting(pushed.pack, (n) => (sent += n))
    })
    // taking the pack took time: a push is not kept if the head has moved meanwhile
    const then = yield* dispatcher.state(Workspace, stream)
    if (then.generation !== generation || then.head?.commit !== from) return yield* moved()
    const taking = Effect.gen(function* () {
      // from here on the objects may stay even if the push fails: what nothing reaches is pruned some day
      yield* keep
      const commit = yield* git.readCommit(repository, to)
      if (commit === undefined) return yield* Effect.die(new Error("what was kept is there"))
      const brought = broughtBy(yield* git.compare(repository, now.head!.tree, commit.tree))
      const bytes = Math.max(sent, brought.bytes)
      const push: Push = { workspace: id, commit: to, parent: from, tree: commit.tree, commits, ...brought, bytes }
      // the head is never at the same commit twice, so this id is one push's
      const commandId = derivedId("push", id, String(generation), from, to)
      return yield* dispatcher.dispatch(Workspace, {
        tenant,
        stream,
        command: WorkspaceCommand.TakePush({ generation, push }),
        commandId,
        correlationId: commandId,
        actor
      })
    })
    // a push that finds no room is not kept: many of them would each leave a pack that nothing ever takes away
    const [done] = yield* storage
      .within(storing(Math.max(sent, differing)), taking)
      .pipe(Effect.catchTag("HeadMoved", () => Effect.fail(moved())))
    yield* followHead(id)
    return done?.position
  },
  Effect.scoped,
  Effect.catchTag("StorageBoundReached", (refusal) => Effect.fail(new PushRefused({ reason: told(refusal) })))
)
