import { Data, Result } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { WorkspaceCommand } from "./commands.ts"
import {
  ChatCompleted,
  ChatFailed,
  CommitsPushed,
  type FilesChange,
  FilesChanged,
  type Push,
  WorkspaceErased,
  WorkspaceEvent,
  WorkspaceOpened,
  WorkspaceRestored
} from "./events.ts"
import { workspaceSubject } from "./generations.ts"

/** The workspace's head is not the commit's parent: build the commit on `head` and try again. */
export class HeadMoved extends Data.TaggedError("HeadMoved")<{ readonly head: Head | null }> {}

/** The workspace was never opened, or not since it was erased. */
export class WorkspaceNotFound extends Data.TaggedError("WorkspaceNotFound")<{ readonly workspace: string }> {}
/** The workspace was erased since the work began, so there is nothing left to end. */
export class WorkspaceGone extends Data.TaggedError("WorkspaceGone")<{ readonly workspace: string }> {}
export type WorkspaceRefusal = HeadMoved | WorkspaceNotFound | WorkspaceGone

export interface Head {
  readonly commit: string
  readonly tree: string
}

export interface WorkspaceState {
  readonly opened: boolean
  /** How often it was erased. */
  readonly generation: number
  readonly head: Head | null
  readonly commits: number
  readonly chats: number
  readonly files: number
}

type Decision = Result.Result<Array<WorkspaceEvent>, WorkspaceRefusal>

/** How many files a change leaves. */
const filesAfter = ({ files }: WorkspaceState, { created, deleted }: FilesChange | Push): number =>
  files + created - deleted

/** One workspace. Every event moves its head, so the stream's revision is the fence between two writers. */
export const Workspace: Decider<WorkspaceCommand, WorkspaceEvent, WorkspaceState, WorkspaceRefusal> = {
  initial: { opened: false, generation: 0, head: null, commits: 0, chats: 0, files: 0 },

  decide: (command, state) =>
    WorkspaceCommand.$match(command, {
      EndChat: ({ generation, org, user, outcome, output, failure }): Decision => {
        const { workspace } = outcome
        if (generation !== state.generation) return Result.fail(new WorkspaceGone({ workspace }))
        if (outcome.parent !== (state.head?.commit ?? null)) return Result.fail(new HeadMoved({ head: state.head }))
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
      },
      RestoreWorkspace: ({ generation, restoration }): Decision => {
        const { workspace, parent, tree } = restoration
        if (generation !== state.generation) return Result.fail(new WorkspaceGone({ workspace }))
        if (state.head === null) return Result.fail(new WorkspaceNotFound({ workspace }))
        if (tree === state.head.tree) return Result.succeed([])
        if (parent !== state.head.commit) return Result.fail(new HeadMoved({ head: state.head }))
        return Result.succeed([WorkspaceRestored.make(restoration)])
      },
      OpenWorkspace: ({ generation, org, user, opening }): Decision => {
        const { workspace } = opening
        if (generation !== state.generation) return Result.fail(new WorkspaceGone({ workspace }))
        if (state.opened) return Result.succeed([])
        const subject = workspaceSubject(workspace, generation)
        return Result.succeed([
          WorkspaceOpened.make({ workspace, generation, subject, text: { org, user } }),
          FilesChanged.make({ ...opening, files: filesAfter(state, opening) })
        ])
      },
      ChangeFiles: ({ generation, change }): Decision => {
        const { workspace, parent, tree } = change
        if (generation !== state.generation) return Result.fail(new WorkspaceGone({ workspace }))
        if (state.head === null) return Result.fail(new WorkspaceNotFound({ workspace }))
        if (parent !== state.head.commit) return Result.fail(new HeadMoved({ head: state.head }))
        if (tree === state.head.tree) return Result.succeed([])
        return Result.succeed([FilesChanged.make({ ...change, files: filesAfter(state, change) })])
      },
      TakePush: ({ generation, push }): Decision => {
        const { workspace, parent, commit } = push
        if (generation !== state.generation) return Result.fail(new WorkspaceGone({ workspace }))
        if (state.head === null) return Result.fail(new WorkspaceNotFound({ workspace }))
        if (commit === state.head.commit) return Result.succeed([])
        if (parent !== state.head.commit) return Result.fail(new HeadMoved({ head: state.head }))
        return Result.succeed([CommitsPushed.make({ ...push, files: filesAfter(state, push) })])
      },
      EraseWorkspace: ({ workspace, chatting }): Decision => {
        if (!state.opened && chatting === 0) return Result.fail(new WorkspaceNotFound({ workspace }))
        const { generation, commits, files } = state
        const chats = state.chats + chatting
        const subject = workspaceSubject(workspace, generation)
        return Result.succeed([WorkspaceErased.make({ workspace, generation, subject, commits, chats, files })])
      }
    }),

  evolve: (state, event) => {
    const moved = ({ commit, tree, files }: Head & { readonly files: number }, chats: number) => ({
      ...state,
      head: { commit, tree },
      files,
      commits: state.commits + 1,
      chats: state.chats + chats
    })
    return WorkspaceEvent.match(event, {
      WorkspaceOpened: ({ generation }) => ({ ...state, opened: true, generation }),
      ChatCompleted: (ended) => moved(ended, 1),
      ChatFailed: (ended) => moved(ended, 1),
      WorkspaceRestored: (restored) => moved(restored, 0),
      FilesChanged: (changed) => moved(changed, 0),
      CommitsPushed: (pushed) => moved(pushed, 0),
      WorkspaceErased: ({ generation }) => ({ ...Workspace.initial, generation: generation + 1 })
    })
  }
}
