import { table } from "./output.ts"

/** A person of an organization, as the service writes them. Times are ISO 8601. */
export interface UserRow {
  readonly user_id: string
  readonly user_email: string
  readonly role: string
  readonly keys: number
  readonly joined_at: unknown
  readonly last_used_at: unknown
  readonly organization_id: string
}

/** People as lines of a table. */
export const userTable = (users: ReadonlyArray<UserRow>): ReadonlyArray<string> =>
  table(
    ["id", "e-mail", "role", "keys", "joined", "last used", "organization"],
    users.map((user) => [
      ...[user.user_id, user.user_email, user.role, user.keys, user.joined_at, user.last_used_at],
      user.organization_id
    ])
  )
