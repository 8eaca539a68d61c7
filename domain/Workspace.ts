import { Data, Result, Schema } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { text } from "#engine/Event.ts"

const Sha = Schema.String
const Head = {
  workspace: Schema.String,
  commit: Sha,
  parent: Schema.NullOr(Sha),
  tree: Sha
}
/** What a commit brought, by its own count; commits from before this was counted do not say it. */
const Brought = {
  /** Of the files that it created or modified, each with its whole size, or of the pack that it was pushed in, if that is more. */
  bytes: Schema.optionalKey(Schema.Int)
}
const Outcome = {
  run: Schema.String,
  ...Head,
  ...Brought,
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
export const ChatFailure = Schema.Literals(["model", "max_turns", "interrupted", "revoked", "bound", "cancelled"])
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
  ChatFailed: { ...Outcome, code: ChatFailure, ...text({ output: Schema.String, error: Schema.String }) },
  /** A further commit with an earlier one's files. */
  WorkspaceRestored: {
    ...Head,
    /** The commit whose files these are. */
    restored: Sha,
    /** Files in the workspace now. */
    files: Schema.Int
  },
  /** Whoever called changed files, without an agent. */
  FilesChanged: {
    ...Head,
    ...Brought,
    /** `opened`: the workspace was made, with an empty commit. */
    how: Schema.Literals(["opened", "put", "deleted", "archive"]),
    created: Schema.Int,
    modified: Schema.Int,
    deleted: Schema.Int,
    /** Files in the workspace now. */
    files: Schema.Int
  },
  /** Commits that a caller made with git were pushed on top of the head. */
  CommitsPushed: {
    ...Head,
    ...Brought,
    /** That were not there before; `commit` is the last of them. */
    commits: Schema.Int,
    created: Schema.Int,
    modified: Schema.Int,
    deleted: Schema.Int,
    /** Files in the workspace now. */
    files: Schema.Int
  },
  /** Erases its subject: the text of the workspace and of its chats. The next chat opens it anew, without a past. */
  WorkspaceErased: {
    workspace: Schema.String,
    /** Of what was erased; the next one is one more. */
    generation: Schema.Int,
    subject: Schema.String,
    commits: Schema.Int,
    chats: Schema.Int,
    /** That were in it at last. */
    files: Schema.Int
  }
})
export type WorkspaceEvent = typeof WorkspaceEvent.Type
const { WorkspaceOpened, ChatCompleted, ChatFailed, WorkspaceRestored, FilesChanged, CommitsPushed, WorkspaceErased } =
  WorkspaceEvent.cases

/** What is known of a change before it is decided on: how many files there are then follows from those there were. */
export type FilesChange = Omit<typeof FilesChanged.Type, "_tag" | "files">
export type Push = Omit<typeof CommitsPushed.Type, "_tag" | "files">

export type WorkspaceCommand = Data.TaggedEnum<{
  EndChat: {
    /** Of its ChatRequested: what was erased since ends no more. */
    readonly generation: number
    readonly org: string
    readonly user: string
    /** The head that the commit was built on: another one by now refuses the command. */
    readonly outcome: Omit<typeof ChatCompleted.Type, "_tag" | "subject" | "text">
    readonly output: string
    /** `null`: it succeeded. */
    readonly failure: { readonly code: ChatFailure; readonly error: string } | null
  }
  RestoreWorkspace: {
    readonly generation: number
    /** As in EndChat, the head that the commit was built on is its parent. Of the head's own tree, nothing happens. */
    readonly restoration: Omit<typeof WorkspaceRestored.Type, "_tag">
  }
  OpenWorkspace: {
    readonly generation: number
    readonly org: string
    readonly user: string
    /** Its empty commit. Where it is open already, nothing happens. */
    readonly opening: FilesChange
  }
  ChangeFiles: {
    readonly generation: number
    /** As in RestoreWorkspace, also of what changes nothing. */
    readonly change: FilesChange
  }
  TakePush: {
    readonly generation: number
    /** Its `parent` is the head that it was pushed onto. Of the head itself, nothing happens. */
    readonly push: Push
  }
  EraseWorkspace: {
    readonly workspace: string
    /** Chats that have not ended: the first of them has yet to open the workspace, and its text is there. */
    readonly chatting: number
  }
}>
export const WorkspaceCommand = Data.taggedEnum<WorkspaceCommand>()

/** The workspace has another head than the commit's parent: build the commit on this one and come again. */
export class HeadMoved extends Data.TaggedError("HeadMoved")<{ readonly head: Head | null }> {}

/** Nothing has opened it, or nothing since it was erased. */
export class WorkspaceNotFound extends Data.TaggedError("WorkspaceNotFound")<{ readonly workspace: string }> {}
/** It was erased since: whoever was at work in it has nothing to end any more. */
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

/** Whose text a workspace's is; a workspace that was erased begins a new subject. */
export const workspaceSubject = (workspace: string, generation: number): string =>
  `workspace/${workspace}.${generation}`

/**
 * What a workspace's repository is called: another name in each generation, so that whoever comes late to remove an
 * erased one, or was still writing to it, never touches its successor.
 */
export const repositoryOf = (workspace: string, generation: number): string =>
  generation === 0 ? workspace : `${workspace}-${generation}`

type Decision = Result.Result<Array<WorkspaceEvent>, WorkspaceRefusal>

/** How many files a change leaves. */
const filesAfter = ({ files }: WorkspaceState, { created, deleted }: FilesChange | Push): number =>
  files + created - deleted

/** One workspace: every event moves its head, so that its revision is the fence between two writers. */
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
