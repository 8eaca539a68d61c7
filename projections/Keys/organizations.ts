import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Tier } from "#domain/Tier.ts"

/** Who owns streams: an organization, or a person without one. */
export interface TenantRecord {
  readonly id: string
  readonly kind: "organization" | "user"
  readonly name: string
  /** An organization's; `""` for a person, and for an organization until it gets one. */
  readonly slug: string
  readonly tier: Tier
  readonly secret: string
}

const tenantFields = (sql: SqlClient.SqlClient) =>
  sql.literal("t.id, t.kind, t.name, coalesce(s.slug, '') AS slug, t.tier, t.secret")

/**
 * An organization, or a person without one; `undefined`: there is none, or it was erased. Its `secret` keys ids and
 * digests.
 */
export const tenantOf = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<TenantRecord>`SELECT ${tenantFields(sql)}
        FROM keys_v4.tenants t LEFT JOIN keys_v4.slugs s ON s.id = t.id WHERE t.id = ${id}`,
      ([tenant]) => tenant
    )
  )

/** Organizations, in the order in which they were registered. */
export const organizations = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<TenantRecord>`SELECT ${tenantFields(sql)}
    FROM keys_v4.tenants t LEFT JOIN keys_v4.slugs s ON s.id = t.id
    WHERE t.kind = 'organization' ORDER BY t.registered_at, t.id`
)

/** An organization as it is shown; its time is ISO 8601. */
export interface ShownOrganization {
  readonly organization_id: string
  readonly name: string
  readonly slug: string
  readonly tier: Tier
  readonly members: number
  readonly member_limit: number
  readonly registered_at: string
}

/** An organization, with how many members it has; `undefined`: there is none. */
export const shownOrganization = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<Omit<ShownOrganization, "registered_at"> & { registered_at: Date }>`
        SELECT t.id AS organization_id, t.name, coalesce(s.slug, '') AS slug, t.tier, t.member_limit, t.registered_at,
          (SELECT count(*)::int FROM keys_v4.members m WHERE m.tenant = t.id) AS members
        FROM keys_v4.tenants t LEFT JOIN keys_v4.slugs s ON s.id = t.id
        WHERE t.id = ${id} AND t.kind = 'organization'`,
      ([row]): ShownOrganization | undefined => row && { ...row, registered_at: row.registered_at.toISOString() }
    )
  )
