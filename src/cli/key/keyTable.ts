import { table } from "../output.ts"

/** A live key, as the service writes it. Times are ISO 8601. */
export interface KeyRow {
  readonly id: string
  readonly name: string
  readonly key_prefix: string
  readonly user_email: string
  readonly role: string | null
  readonly acts_for?: string
  readonly read_only?: boolean
  readonly workspaces?: ReadonlyArray<string> | null
  readonly models?: ReadonlyArray<string> | null
  readonly created_at: unknown
  readonly last_used_at: unknown
  readonly expires_at?: unknown
  readonly organization_id: string | null
}

const boundsOf = ({ read_only, workspaces, models }: KeyRow): string | null => {
  const bounds = [
    ...(read_only ? ["reads"] : []),
    ...(workspaces == null ? [] : [`${workspaces.length} workspaces`]),
    ...(models ?? [])
  ]
  return bounds.length === 0 ? null : bounds.join(", ")
}

/** Keys as lines of a table. */
export const keyTable = (keys: ReadonlyArray<KeyRow>): ReadonlyArray<string> =>
  table(
    [
      ...["id", "name", "prefix", "e-mail", "role", "acts for", "bounds"],
      ...["created", "last used", "expires", "organization"]
    ],
    keys.map((key) => [
      ...[key.id, key.name, key.key_prefix, key.user_email, key.role, key.acts_for, boundsOf(key)],
      ...[key.created_at, key.last_used_at, key.expires_at, key.organization_id]
    ])
  )
