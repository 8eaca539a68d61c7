/** Events that each add a commit to a workspace. */
export const committing = ["ChatCompleted", "ChatFailed", "CommitsPushed", "FilesChanged", "WorkspaceRestored"]

/** Events that change a list of workspaces. */
export const changing = [...committing, "WorkspaceErased", "WorkspaceOpened"]
