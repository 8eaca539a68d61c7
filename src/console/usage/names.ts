import { useLoaded } from "../loading.ts"
import { may } from "../session.ts"

export interface Names {
  /** The names of people, keys and workspaces, by their ids. */
  readonly names: ReadonlyMap<string, string>
  /** Whoever may cause an event: people, and then their keys. */
  readonly actors: ReadonlyArray<readonly [id: string, name: string]>
}

const none: Names = { names: new Map(), actors: [] }

/** The names of ids, as far as the key may list them: of the first 1,000 of each kind. */
export const useNames = (): Names => {
  const [loaded] = useLoaded("names", async ({ cairn }, signal): Promise<Names> => {
    const [users, keys, workspaces] = await Promise.all([
      may("users.listUsers") ? cairn.users.list({}, { signal }).then(({ users }) => users) : [],
      may("keys.listKeys") ? cairn.keys.list({}, { signal }).then(({ keys }) => keys) : [],
      may("workspaces.listWorkspaces") ? cairn.workspaces.list({}, { signal }).then(({ workspaces }) => workspaces) : []
    ])
    const actors = [
      ...users.map(({ userId, userEmail }) => [userId, userEmail] as const),
      ...keys.map(({ id, name, userEmail }) => [id, `${name} of ${userEmail}`] as const)
    ]
    const places = workspaces.map(({ workspaceId, userId, orgId }) => [workspaceId, `${userId} in ${orgId}`] as const)
    return { names: new Map([...actors, ...places]), actors }
  })
  return loaded.value ?? none
}
