import { Effect } from "effect"
import { WorkspaceCommand } from "#domain/Workspace/commands.ts"
import { Workspace } from "#domain/Workspace/decider.ts"
import type { ChatFailure } from "#domain/Workspace/events.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import type { Actor } from "#engine/Event.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { type Remembered, treeWith } from "./account.ts"
import { broughtBy } from "./brought.ts"
import { streamOf } from "./restore.ts"
import { actorTrailers } from "./trailers.ts"

/** What a run leaves behind, to be committed. */
export interface RunEnding {
  readonly run: string
  readonly tenant: string
  readonly actor: Actor
  readonly workspace: string
  readonly generation: number
  readonly org: string
  readonly user: string
  readonly prompt: string
  /** The head that the run began on. */
  readonly base: { readonly commit: string; readonly tree: string } | null
  readonly tree: string
  /** What the commit adds to the workspace's memory; `undefined`: the chat neither reads nor writes the memory. */
  readonly remembered: Remembered | undefined
  /** When the run's last step was recorded, in milliseconds. */
  readonly time: number
  readonly turns: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly output: string
  readonly failure: { readonly code: ChatFailure; readonly error: string } | null
}

/** The id of the command that ends a run: the same in every process. */
export const endingId = (run: string): string => derivedId("end", run)

const subjectLength = 72

/** A commit's first line, from any text. */
export const subjectOf = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > subjectLength ? `${line.slice(0, subjectLength - 1).toWellFormed()}…` : line
}

/**
 * First line: what was asked for, shortened, and that it failed if it did. Trailers: the event that decides on this
 * commit, the run, who asked for it, and why it failed.
 */
const messageOf = ({ run, prompt, failure, actor }: RunEnding, eventId: string): string => {
  const asked = prompt.trim() === "" ? "Chat" : prompt
  const subject = subjectOf(failure === null ? asked : `Failed (${failure.code}): ${asked}`)
  const failed = failure === null ? "" : `Cairn-Failed: ${failure.code}\n`
  return `${subject}\n\nCairn-Event: ${eventId}\nCairn-Session: ${run}\n${actorTrailers(actor)}${failed}`
}

/**
 * Ends a run: one commit on the workspace's head, decided by the log. When the head has moved since the run began, what
 * the run changed is put on the new head, path by path. Everything in the commit comes from events, so that a second
 * try makes the same one.
 */
export const endRun = Effect.fnUntraced(function* (ending: RunEnding) {
  const workspaces = yield* WorkspaceStore
  const dispatcher = yield* Dispatcher
  const { run, tenant, workspace, generation, org, user, base, failure, output, remembered } = ending
  const repository = repositoryOf(workspace, generation)
  const commandId = endingId(run)
  const stream = streamOf(workspace)

  const on = Effect.fnUntraced(function* (head: RunEnding["base"]) {
    const { opened } = yield* dispatcher.state(Workspace, stream)
    const moved = head !== null && head.commit !== base?.commit
    const merged = moved ? yield* workspaces.rebase(repository, base?.tree, ending.tree, head.tree) : ending.tree
    const tree = remembered === undefined ? merged : yield* treeWith(repository, merged, remembered)
    const commit = yield* workspaces.commit(repository, {
      tree,
      parents: head === null ? [] : [head.commit],
      author: { name: user, email: `${workspace}@cairn` },
      time: ending.time,
      message: messageOf(ending, derivedId(commandId, opened ? 0 : 1))
    })
    const brought = broughtBy(yield* workspaces.compare(repository, head?.tree, tree))
    const files = yield* workspaces.files(repository, tree)
    const { turns, inputTokens, outputTokens } = ending
    return yield* dispatcher.dispatch(Workspace, {
      tenant,
      stream,
      commandId,
      actor: ending.actor,
      correlationId: run,
      causationId: null,
      command: WorkspaceCommand.EndChat({
        generation,
        org,
        user,
        output,
        failure,
        outcome: {
          run,
          workspace,
          commit,
          parent: head?.commit ?? null,
          tree,
          files: files.length,
          ...brought,
          turns,
          inputTokens,
          outputTokens
        }
      })
    })
  })

  let head = base
  for (;;) {
    const ended = yield* on(head).pipe(Effect.catchTag("HeadMoved", (moved) => Effect.succeed(moved)))
    if (!("_tag" in ended)) return ended
    head = ended.head
  }
})
