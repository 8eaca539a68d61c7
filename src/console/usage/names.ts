import { useLoaded } from "../loading.ts"
import { may } from "../session.ts"

const none: ReadonlyMap<string, string> = new Map()

/** Names of people, keys and workspaces by their ids, as far as the key may list them; those of the first 1,000 of each. */
export const useNames = (): ReadonlyMap<string, string> => {
  const [loaded] = useLoaded("names", async ({ cairn }, signal) => {
    const [users, keys, workspaces] = await Promise.all([
      may("users.listUsers") ? cairn.users.list({}, { signal }).then(({ users }) => users) : [],
      may("keys.listKeys") ? cairn.keys.list({}, { signal }).then(({ keys }) => keys) : [],
      may("workspaces.listWorkspaces") ? cairn.workspaces.list({}, { signal }).then(({ workspaces }) => workspaces) : []
    ])
    return new Map([
      ...users.map(({ userId, userEmail }) => [userId, userEmail] as const),
      ...keys.map(({ id, name, userEmail }) => [id, `${name} of ${userEmail}`] as const),
      ...workspaces.map(({ workspaceId, userId, orgId }) => [workspaceId, `${userId} in ${orgId}`] as const)
    ])
  })
  return loaded.state === "failed" ? none : (loaded.value ?? none)
}
