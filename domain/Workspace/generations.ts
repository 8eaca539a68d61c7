/** Whose text a workspace's is; a workspace that was erased begins a new subject. */
export const workspaceSubject = (workspace: string, generation: number): string =>
  `workspace/${workspace}.${generation}`

/**
 * What a workspace's repository is called: another name in each generation, so that whoever comes late to remove an
 * erased one, or was still writing to it, never touches its successor.
 */
export const repositoryOf = (workspace: string, generation: number): string =>
  generation === 0 ? workspace : `${workspace}-${generation}`
