import { Effect, Stream } from "effect"
import type { WorkspaceEvent } from "#domain/Workspace/events.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { Unreadable } from "#engine/ask.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { Problem } from "#src/api/Problem.ts"
import * as Codec from "#src/codec.ts"
import { endingId } from "#src/workspaces/commit.ts"
import { streamOf } from "#src/workspaces/restore.ts"
import { written } from "../answer.ts"
import { values } from "../pieces.ts"
import { twice } from "../twice.ts"

type Ended = Extract<WorkspaceEvent, { readonly _tag: "ChatCompleted" | "ChatFailed" }>

export const erased = new Problem({
  code: "conflict/workspace_erased",
  message:
    "The workspace was erased after this chat was asked for, and the chat with it. Ask again to begin in an empty workspace; with a new Idempotency-Key where you send one."
})

/** How the run ended, by its workspace's stream; `undefined`: it has not ended. */
export const endOf = Effect.fnUntraced(function* (run: string, workspace: string) {
  const store = yield* EventStore
  const stored = yield* Effect.mapError(store.outcome(streamOf(workspace), endingId(run)), () => new Unreadable())
  const last = stored.at(-1)
  if (last === undefined) return undefined
  const { event, ...envelope } = Codec.decode(last)
  return { ...envelope, event: event as Ended }
})

/** A chat that was asked for. */
export interface AskedChat {
  readonly run: string
  readonly workspace: string
  readonly generation: number
  /** Milliseconds: when it was asked for. */
  readonly recordedAt: number
}

/**
 * The answer of a chat that has ended. It comes from the run's events and its commit alone, so that a repeated request
 * gets the same one.
 */
export const answerOf = Effect.fnUntraced(function* ({
  run,
  workspace,
  generation,
  recordedAt: requestedAt
}: AskedChat) {
  const git = yield* WorkspaceStore
  const repository = repositoryOf(workspace, generation)
  const end = yield* endOf(run, workspace)
  if (end === undefined) return yield* Effect.die(new Error("only what was erased stops without an end"))
  if (end.event.text === null) return yield* erased
  const { event, recordedAt, position } = end
  const { tree, commit, parent } = event
  const before = parent === null ? undefined : yield* git.readCommit(repository, parent)
  yield* written(position)
  return {
    facts: {
      success: event._tag === "ChatCompleted",
      output: end.event.text.output,
      error: event._tag === "ChatFailed" ? (event.text?.error ?? "") : "",
      session_id: run,
      duration_ms: Math.max(0, Math.round(recordedAt - requestedAt)),
      workspace_id: workspace,
      commit
    },
    counts: { files: event.files, changed: event.created + event.modified },
    /** Paths in batches, read as they are asked for: there may be fifty thousand, of four kilobytes each. */
    changed: Stream.map(git.eachChange(repository, before?.tree, tree), (changes) =>
      changes.filter(({ status }) => status !== "deleted").map(({ path }) => path)
    ),
    files: git.eachPath(repository, tree)
  }
})

export type ChatAnswer = Effect.Success<ReturnType<typeof answerOf>>

/** The whole answer, as fields for `inPieces`. */
export const fieldsOf = ({ facts, changed, files }: ChatAnswer) => {
  const [workspaceFiles, orgWorkspaceFiles] = twice(files)
  return {
    ...values(facts),
    changed_files: { rows: changed },
    workspace_files: { rows: workspaceFiles },
    org_workspace_files: { rows: orgWorkspaceFiles }
  }
}
