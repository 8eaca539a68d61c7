import { repositoryOf } from "#domain/Workspace/generations.ts"
import type { ErasuresLeft } from "#ports/LogCopy.ts"
import type { Chain } from "./chain.ts"
import type { ErasedSince } from "./erasedSince.ts"

/** The repositories of erased workspaces. A workspace that was opened again has another one, which is not erased. */
export const repositoriesOf = (workspaces: ErasuresLeft["workspaces"]): ReadonlySet<string> =>
  new Set(workspaces.map(({ workspace, generation }) => repositoryOf(workspace, generation)))

/** What was erased since the backups, of what they have: texts are left out as they come. `undefined`: nothing. */
export const leftOf = (
  { repositories }: Chain,
  { organizations, workspaces, until }: ErasedSince
): ErasuresLeft | undefined => {
  const there = workspaces.filter(({ workspace, generation }) => repositories.has(repositoryOf(workspace, generation)))
  if (until === undefined || organizations.length + there.length === 0) return undefined
  return { organizations, workspaces: there, until }
}
