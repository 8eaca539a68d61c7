import { erasedBy } from "#domain/erasures.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { BackupFault } from "#ports/Backup.ts"
import type { WholeEvent } from "#ports/LogCopy.ts"
import * as Codec from "#src/codec.ts"

/** Where `main` of a repository is, and whose it is. */
export interface RepositoryHead {
  readonly workspace: string
  readonly commit: string
}

/** What a backup has to know from the events that it writes. Grows with the number of workspaces. */
export interface BackupFollowed {
  /** The repository of each workspace that has one. */
  readonly current: Map<string, string>
  /** Repositories whose `main` has moved. */
  readonly heads: Map<string, RepositoryHead>
  /** Repositories that were erased. */
  readonly erased: Set<string>
  /**
   * Lines of JSON: `{"tenant", "subject"}` for texts, `{"tenant", "workspace", "generation"}` for repositories,
   * `{"organization"}` for organizations; taken out as they are written.
   */
  erasures: Array<string>
  /** Whether an event came without its text: the event that erased the text may not have been seen yet. */
  lacking: boolean
}

/** Nothing followed yet, with the repositories of the earlier backups. */
export const followedFrom = (repositories: ReadonlyMap<string, { readonly workspace: string }>): BackupFollowed => ({
  current: new Map([...repositories].map(([repository, { workspace }]) => [workspace, repository])),
  heads: new Map(),
  erased: new Set(),
  erasures: [],
  lacking: false
})

const decoded = (event: WholeEvent) => {
  try {
    return Codec.decode({ ...event, payload: null }).event
  } catch {
    throw new BackupFault({
      message: `the event at position ${event.position} (${event.type} version ${event.schemaVersion}) can't be read by this version: what it erases is not known.`
    })
  }
}

/** Takes one event in; throws `BackupFault` if this version does not know it. */
export const follow = (followed: BackupFollowed, whole: WholeEvent): void => {
  const event = decoded(whole)
  const { tenant } = whole
  for (const subject of erasedBy(event)) followed.erasures.push(`${JSON.stringify({ tenant, subject })}\n`)
  if (whole.hasText && whole.text === null) followed.lacking = true
  if (event._tag === "WorkspaceOpened") {
    followed.current.set(event.workspace, repositoryOf(event.workspace, event.generation))
  }
  if (event._tag === "OrganizationErased")
    followed.erasures.push(`${JSON.stringify({ organization: event.organization })}\n`)
  if (event._tag === "WorkspaceErased") {
    const { workspace, generation } = event
    const repository = repositoryOf(workspace, generation)
    followed.current.delete(workspace)
    followed.heads.delete(repository)
    followed.erased.add(repository)
    followed.erasures.push(`${JSON.stringify({ tenant, workspace, generation })}\n`)
  } else if ("commit" in event && "workspace" in event) {
    const { workspace, commit } = event
    followed.heads.set(followed.current.get(workspace) ?? workspace, { workspace, commit })
  }
}
