import type { Holder } from "../Scope.ts"

/** Whether the user that a chat names is the key's own person: by the key's `user_id` or, without one, the e-mail. */
const isSelf = ({ userId, email }: Pick<Holder, "userId" | "email">, user: string): boolean =>
  userId === null ? user.toLowerCase() === email : user === userId

/** A workspace by its id and the `user_id` of its chats, which is `undefined` if nobody has the workspace yet. */
interface NamedWorkspace {
  readonly id: string
  readonly user: string | undefined
}

/** Whether the workspace is one that the key works in. */
export const worksIn = (holder: Pick<Holder, "limits" | "userId" | "email">, { id, user }: NamedWorkspace): boolean => {
  const { actsFor, workspaces } = holder.limits
  if (workspaces !== null && !workspaces.includes(id)) return false
  return actsFor === "any" || (user !== undefined && isSelf(holder, user))
}

/** Whether the key may ask for a model by this name. */
export const mayAsk = ({ limits: { models } }: Pick<Holder, "limits">, model: string): boolean =>
  models === null || models.includes(model)

/** Whether the key may take away what a person stored. */
export const mayTakeAway = ({ limits, user }: Pick<Holder, "limits" | "user">, storedBy: string | null): boolean =>
  limits.actsFor === "any" || user === storedBy
