import { Deferred, Effect } from "effect"
import { ChatCommand } from "#domain/Chat.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { accountIn, roomFor } from "./account.ts"
import type { Past } from "./past.ts"
import type { Permission } from "./permitted.ts"
import type { Recording } from "./recording.ts"
import { listed, remember, type Told } from "./remember.ts"
import { recordedMemory, rememberedOf } from "./turns.ts"
import type { Ended } from "./work.ts"

/** A run whose work has ended, as the log has it by now, and the tree of its files. */
export interface Over {
  readonly past: Past
  readonly tree: string | undefined
  readonly base: { readonly commit: string; readonly tree: string } | null
  readonly ended: Ended
}

/**
 * Adds a chat that has ended to the workspace's memory, in one recorded step, and answers that step; one that is in the
 * log is not made again. The account goes on from the file as the commit would have it now. If the chat did not come to
 * its end, was cancelled, or may not ask its model any more, no model is asked, and the chat is listed. Nothing that
 * goes wrong with the model changes how the chat ends.
 */
export const remembering = Effect.fnUntraced(function* (
  { past, tree, base, ended }: Over,
  { record, open, inPlace }: Recording,
  mayAskFor: Permission,
  stopped: Deferred.Deferred<void>
) {
  if (past.remembered !== undefined) return past.remembered
  const { requested, exchanges: history, compactions } = past
  const { workspace, generation, model, text } = requested.event
  const workspaces = yield* WorkspaceStore
  const { choices } = yield* LanguageModel
  const { head } = yield* inPlace
  const moved = head !== null && head.commit !== base?.commit
  const merged =
    moved && tree !== undefined
      ? yield* workspaces.rebase(repositoryOf(workspace, generation), base?.tree, tree, head.tree)
      : (tree ?? head?.tree)
  const before = yield* Effect.flatMap(open(merged), accountIn)
  const room = roomFor(choices.named.find(({ name }) => name === model)?.context)
  const told: Told = {
    prompt: text?.prompt ?? "",
    requestedAt: requested.recordedAt,
    output: ended.output,
    failure: past.cancelled ? "cancelled" : (ended.failure?.code ?? null)
  }
  const mayAsk = mayAskFor(history.length).pipe(
    Effect.as(true),
    Effect.catchIf(
      ({ reason }) => reason !== "superseded",
      () => Effect.succeed(false)
    )
  )
  const inLine = listed(before, told, room)
  const made =
    ended.concluded && !past.cancelled && (yield* mayAsk)
      ? yield* Effect.raceFirst(
          remember(model, told, { history, compaction: compactions.at(-1) }, before, room),
          Effect.as(Deferred.await(stopped), listed(before, { ...told, failure: "cancelled" }, room))
        )
      : inLine
  const [event] = yield* record("memory", 0, ChatCommand.RecordMemory(recordedMemory(made)))
  return event?.event._tag === "ChatRemembered" ? rememberedOf(event.event) : made
})
