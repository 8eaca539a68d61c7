import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ActsFor, Role } from "#domain/Key.ts"

/** A live key as it is listed; times are ISO 8601. */
export interface ListedKey {
  readonly id: string
  readonly name: string
  readonly key_prefix: string
  readonly user_email: string
  readonly user_id: string
  readonly role: Role
  readonly acts_for: ActsFor
  readonly acts_as: string | null
  readonly read_only: boolean
  readonly expires_at: string | null
  readonly workspaces: ReadonlyArray<string> | null
  readonly models: ReadonlyArray<string> | null
  readonly created_at: string
  readonly last_used_at: string | null
}

/** A listed key with the position at which it was made. */
export type PlacedKey = ListedKey & { readonly created_by: number }

/**
 * A tenant's live keys, oldest first, after a position, with when each was last used, to half a minute. The page is cut
 * before the joins: otherwise each page joined all of the tenant's keys.
 */
export const listKeys = (tenant: string, after: number, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<
        Omit<ListedKey, "created_at" | "last_used_at" | "expires_at"> & {
          created_at: Date
          expires_at: Date | null
          last_used_at: Date | null
          created_by: bigint
        }
      >`
        SELECT k.id, k.name, k.prefix AS key_prefix, m.email AS user_email, k.user_id,
          coalesce(k.role, m.role) AS role, k.acts_for, k.acts_as, k.read_only, k.expires_at, k.workspaces, k.models,
          k.created_at, k.created_by,
          greatest(u.last_used_at, s.seen_at) AS last_used_at
        FROM (SELECT * FROM keys_v4.keys WHERE tenant = ${tenant} AND created_by > ${BigInt(after)}
              ORDER BY created_by LIMIT ${limit}::int) k
        LEFT JOIN keys_v4.members m ON m.id = k.tenant || '/' || k.user_id
        LEFT JOIN key_usage_v2.keys u ON u.id = k.id LEFT JOIN key_sightings s ON s.key = k.id
        ORDER BY k.created_by`,
      (rows) =>
        rows.map(
          (row): PlacedKey => ({
            ...row,
            created_by: Number(row.created_by),
            created_at: row.created_at.toISOString(),
            expires_at: row.expires_at?.toISOString() ?? null,
            last_used_at: row.last_used_at?.toISOString() ?? null
          })
        )
    )
  )

/** Whether a tenant has a user with this id. */
export const hasUser = (tenant: string, user: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ id: string }>`SELECT id FROM keys_v4.members WHERE id = ${`${tenant}/${user}`}`,
      (rows) => rows.length > 0
    )
  )

/** A person of an organization as they are listed; times are ISO 8601. */
export interface ListedUser {
  readonly user_id: string
  readonly user_email: string
  readonly role: Role
  /** Live ones. */
  readonly keys: number
  readonly joined_at: string
  /** Of all their live keys. */
  readonly last_used_at: string | null
}

/** A listed person with the position at which they joined. */
export type PlacedUser = ListedUser & { readonly joined_by: number }

/** A tenant's people, in the order in which they joined, after a position; the page is cut first, as in `listKeys`. */
export const listUsers = (tenant: string, after: number, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<
        Omit<ListedUser, "joined_at" | "last_used_at"> & {
          joined_at: Date
          last_used_at: Date | null
          joined_by: bigint
        }
      >`
        SELECT m.user_id, m.email AS user_email, m.role, m.joined_at, m.joined_by, count(k.id)::int AS keys,
          max(greatest(u.last_used_at, s.seen_at)) AS last_used_at
        FROM (SELECT * FROM keys_v4.members WHERE tenant = ${tenant} AND joined_by > ${BigInt(after)}
              ORDER BY joined_by LIMIT ${limit}::int) m
        LEFT JOIN keys_v4.keys k ON k.tenant = m.tenant AND k.user_id = m.user_id
        LEFT JOIN key_usage_v2.keys u ON u.id = k.id LEFT JOIN key_sightings s ON s.key = k.id
        GROUP BY m.id, m.user_id, m.email, m.role, m.joined_at, m.joined_by
        ORDER BY m.joined_by`,
      (rows) =>
        rows.map(
          (row): PlacedUser => ({
            ...row,
            joined_by: Number(row.joined_by),
            joined_at: row.joined_at.toISOString(),
            last_used_at: row.last_used_at?.toISOString() ?? null
          })
        )
    )
  )
