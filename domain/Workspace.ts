import { Data, Result, Schema } from "effect"
import type { Decider } from "./Decider.ts"
import { text } from "./Event.ts"

const Sha = Schema.String
const Head = {
  workspace: Schema.String,
  commit: Sha,
  parent: Schema.NullOr(Sha),
  tree: Sha
}
const Outcome = {
  run: Schema.String,
  ...Head,
  created: Schema.Int,
  modified: Schema.Int,
  deleted: Schema.Int,
  /** Files in the workspace after the run. */
  files: Schema.Int,
  turns: Schema.Int,
  inputTokens: Schema.Int,
  outputTokens: Schema.Int
}

/** Why a run ended without success. */
export const ChatFailure = Schema.Literals(["model", "max_turns", "interrupted", "revoked"])
export type ChatFailure = typeof ChatFailure.Type

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const WorkspaceEvent = Schema.TaggedUnion({
  /** Comes with the first event that moves the ref. */
  WorkspaceOpened: {
    workspace: Schema.String,
    /** How often it was erased before. */
    generation: Schema.Int,
    ...text({ org: Schema.String, user: Schema.String })
  },
  ChatCompleted: { ...Outcome, ...text({ output: Schema.String }) },
  ChatFailed: { ...Outcome, code: ChatFailure, ...text({ output: Schema.String, error: Schema.String }) }
})
export type WorkspaceEvent = typeof WorkspaceEvent.Type
const { WorkspaceOpened, ChatCompleted, ChatFailed } = WorkspaceEvent.cases

export type WorkspaceCommand = Data.TaggedEnum<{
  EndChat: {
    readonly org: string
    readonly user: string
    /** The head that the commit was built on: another one by now refuses the command. */
    readonly outcome: Omit<typeof ChatCompleted.Type, "_tag" | "subject" | "text">
    readonly output: string
    /** `null`: it succeeded. */
    readonly failure: { readonly code: ChatFailure; readonly error: string } | null
  }
}>
export const WorkspaceCommand = Data.taggedEnum<WorkspaceCommand>()

/** The workspace has another head than the commit's parent: build the commit on this one and come again. */
export class HeadMoved extends Data.TaggedError("HeadMoved")<{ readonly head: Head | null }> {}

export interface Head {
  readonly commit: string
  readonly tree: string
}

export interface WorkspaceState {
  readonly opened: boolean
  readonly generation: number
  readonly head: Head | null
}

/** Whose text a workspace's is; a workspace that was erased begins a new subject. */
export const workspaceSubject = (workspace: string, generation: number): string =>
  `workspace/${workspace}.${generation}`

/** One workspace: every event moves its head, so that its revision is the fence between two writers. */
export const Workspace: Decider<WorkspaceCommand, WorkspaceEvent, WorkspaceState, HeadMoved> = {
  initial: { opened: false, generation: 0, head: null },

  decide: (command, state) =>
    WorkspaceCommand.$match(command, {
      EndChat: ({ org, user, outcome, output, failure }): Result.Result<Array<WorkspaceEvent>, HeadMoved> => {
        if (outcome.parent !== (state.head?.commit ?? null)) return Result.fail(new HeadMoved({ head: state.head }))
        const { workspace } = outcome
        const subject = workspaceSubject(workspace, state.generation)
        const ended =
          failure === null
            ? ChatCompleted.make({ ...outcome, subject, text: { output } })
            : ChatFailed.make({ ...outcome, code: failure.code, subject, text: { output, error: failure.error } })
        return Result.succeed(
          state.opened
            ? [ended]
            : [WorkspaceOpened.make({ workspace, generation: state.generation, subject, text: { org, user } }), ended]
        )
      }
    }),

  evolve: (state, event) =>
    WorkspaceEvent.match(event, {
      WorkspaceOpened: ({ generation }) => ({ ...state, opened: true, generation }),
      ChatCompleted: ({ commit, tree }) => ({ ...state, head: { commit, tree } }),
      ChatFailed: ({ commit, tree }) => ({ ...state, head: { commit, tree } })
    })
}
