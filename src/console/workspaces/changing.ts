/** Events that each bring a workspace one commit more. */
export const committing = ["ChatCompleted", "ChatFailed", "CommitsPushed", "FilesChanged", "WorkspaceRestored"]

/** Those by which a list of workspaces becomes another. */
export const changing = [...committing, "WorkspaceErased", "WorkspaceOpened"]
