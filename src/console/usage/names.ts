import { useLoaded } from "../loading.ts"
import { may } from "../session.ts"

export interface Names {
  /** Of people, keys and workspaces, by their ids. */
  readonly names: ReadonlyMap<string, string>
  /** Those who do something: people, and then their keys. */
  readonly actors: ReadonlyArray<readonly [id: string, name: string]>
}

const none: Names = { names: new Map(), actors: [] }

/** What ids stand for, as far as the key may list it; those of the first 1,000 of each. */
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
  return loaded.state === "failed" ? none : (loaded.value ?? none)
}
