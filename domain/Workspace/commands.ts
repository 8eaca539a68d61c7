import { Data } from "effect"
import type { ChatCompleted, ChatFailure, FilesChange, Push, WorkspaceRestored } from "./events.ts"

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
