import { Data } from "effect"
import type { ChatCompleted, ChatFailure, FilesChange, Push, WorkspaceRestored } from "./events.ts"

export type WorkspaceCommand = Data.TaggedEnum<{
  EndChat: {
    /** The generation in its ChatRequested. If the workspace was erased since, the command is refused. */
    readonly generation: number
    readonly org: string
    readonly user: string
    /** `parent` is the head that the commit was built on. If the head has moved since, the command is refused. */
    readonly outcome: Omit<typeof ChatCompleted.Type, "_tag" | "subject" | "text">
    readonly output: string
    /** `null`: it succeeded. */
    readonly failure: { readonly code: ChatFailure; readonly error: string } | null
  }
  RestoreWorkspace: {
    readonly generation: number
    /** Its `parent` is as in EndChat. If its tree is that of the head, nothing happens. */
    readonly restoration: Omit<typeof WorkspaceRestored.Type, "_tag">
  }
  OpenWorkspace: {
    readonly generation: number
    readonly org: string
    readonly user: string
    /** The workspace's empty commit. If the workspace is open already, nothing happens. */
    readonly opening: FilesChange
  }
  ChangeFiles: {
    readonly generation: number
    /** Its `parent` is as in EndChat, and is checked even if the change leaves the tree as it is. */
    readonly change: FilesChange
  }
  TakePush: {
    readonly generation: number
    /** Its `parent` is the head that it was pushed onto. If its commit is the head already, nothing happens. */
    readonly push: Push
  }
  EraseWorkspace: {
    readonly workspace: string
    /** Chats that have not ended. Even if none of them has opened the workspace yet, their text is there. */
    readonly chatting: number
  }
}>
export const WorkspaceCommand = Data.taggedEnum<WorkspaceCommand>()
