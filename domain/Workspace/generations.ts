/** The subject of a workspace's text. A workspace that was erased begins a new one. */
export const workspaceSubject = (workspace: string, generation: number): string =>
  `workspace/${workspace}.${generation}`

/**
 * The name of a workspace's repository. Each generation has its own, so that a process that removes an erased one late,
 * or still writes to it, never touches its successor.
 */
export const repositoryOf = (workspace: string, generation: number): string =>
  generation === 0 ? workspace : `${workspace}-${generation}`
