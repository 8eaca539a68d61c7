import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Role } from "#domain/Key.ts"
import type { Holder } from "#domain/Scope.ts"
import type { Tier } from "#domain/Tier.ts"
import type { Envelope } from "#engine/Event.ts"
import type { Projection } from "#engine/Projection.ts"
import { table } from "./table.ts"

/** An organization, or a person without one. */
interface Tenant {
  readonly id: string
  readonly kind: "organization" | "user"
  readonly tier: Tier
  readonly name: string
  readonly secret: string
  readonly registered_at: string
}

interface Member {
  /** `tenant/user`. */
  readonly id: string
  readonly tenant: string
  readonly user_id: string
  readonly role: Role
  readonly email: string
}

interface KeyRow {
  readonly id: string
  readonly tenant: string
  readonly user_id: string
  readonly role: Role
  readonly hash: string
  readonly prefix: string
  readonly name: string
  readonly created_at: string
  readonly created_by: number
}

const iso = ({ recordedAt }: Envelope) => new Date(recordedAt).toISOString()
const own = (_: unknown, { tenant }: Envelope) => [tenant]

const gone = {
  rows: ({ user }: { readonly user: string }, { tenant }: Envelope) => [`${tenant}/${user}`],
  to: () => undefined
}

/** Read model `keys`: who may call, for whom. Revoked keys have no row. */
export const Keys = {
  name: "keys",
  version: 2,
  tables: {
    tenants: table<Tenant>({
      columns: {
        id: "text",
        kind: "text",
        tier: "text",
        name: "text",
        secret: "text",
        registered_at: "timestamptz"
      },
      on: {
        OrganizationRegistered: {
          rows: own,
          to: (_, { organization, tier, text }, envelope) => ({
            id: organization,
            kind: "organization",
            tier,
            registered_at: iso(envelope),
            name: text?.name ?? "",
            secret: text?.secret ?? ""
          })
        },
        UserRegistered: {
          rows: own,
          to: (_, { user, text }, envelope) => ({
            id: user,
            kind: "user",
            tier: "FREE",
            registered_at: iso(envelope),
            name: "",
            secret: text?.secret ?? ""
          })
        },
        UserErased: { rows: own, to: () => undefined }
      }
    }),
    members: table<Member>({
      columns: { id: "text", tenant: "text", user_id: "text", role: "text", email: "text" },
      on: {
        MemberAdded: {
          rows: ({ user }, { tenant }) => [`${tenant}/${user}`],
          to: (_, { user, role, text }, { tenant }) => ({
            id: `${tenant}/${user}`,
            tenant,
            user_id: user,
            role,
            email: text?.email ?? ""
          })
        },
        UserRegistered: {
          rows: ({ user }, { tenant }) => [`${tenant}/${user}`],
          to: (_, { user, text }, { tenant }) => ({
            id: `${tenant}/${user}`,
            tenant,
            user_id: user,
            role: "owner",
            email: text?.email ?? ""
          })
        },
        MemberErased: gone,
        UserErased: gone
      }
    }),
    keys: table<KeyRow>({
      columns: {
        id: "text",
        tenant: "text",
        user_id: "text",
        role: "text",
        hash: "text",
        prefix: "text",
        name: "text",
        created_at: "timestamptz",
        created_by: "bigint"
      },
      indexes: ["(hash)", "(tenant)"],
      on: {
        KeyCreated: {
          rows: ({ key }) => [key],
          to: (_, { key, user, role, hash, prefix, text }, envelope) => ({
            id: key,
            tenant: envelope.tenant,
            user_id: user,
            role,
            hash,
            prefix,
            name: text?.name ?? "",
            created_at: iso(envelope),
            created_by: envelope.position
          })
        },
        KeyRevoked: { rows: ({ key }) => [key], to: () => undefined }
      }
    })
  }
} satisfies Projection

/** The holder of the key with this hash, if it is live. */
export const holderOf = (hash: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<Holder>`SELECT k.id AS key, k.user_id AS "user", k.tenant, k.role, t.tier, t.secret, m.email,
          CASE WHEN t.kind = 'organization' THEN t.id END AS organization
        FROM keys_v2.keys k JOIN keys_v2.tenants t ON t.id = k.tenant
        LEFT JOIN keys_v2.members m ON m.id = k.tenant || '/' || k.user_id
        WHERE k.hash = ${hash}`,
      ([holder]) => holder
    )
  )

/** A live key as it is listed; times are ISO 8601. */
export interface ListedKey {
  readonly id: string
  readonly name: string
  readonly key_prefix: string
  readonly user_email: string
  readonly user_id: string
  readonly role: Role
  readonly created_at: string
  readonly last_used_at: string | null
}

/** With the position that it was made at. */
export type PlacedKey = ListedKey & { readonly created_by: number }

/** A tenant's live keys, oldest first, behind a position; when each was last used, to half a minute. */
export const listKeys = (tenant: string, after: number, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<
        Omit<ListedKey, "created_at" | "last_used_at"> & {
          created_at: Date
          last_used_at: Date | null
          created_by: bigint
        }
      >`
        SELECT k.id, k.name, k.prefix AS key_prefix, m.email AS user_email, k.user_id, k.role, k.created_at, k.created_by,
          greatest(u.last_used_at, s.seen_at) AS last_used_at
        FROM keys_v2.keys k LEFT JOIN keys_v2.members m ON m.id = k.tenant || '/' || k.user_id
        LEFT JOIN key_usage_v1.keys u ON u.id = k.id LEFT JOIN key_sightings s ON s.key = k.id
        WHERE k.tenant = ${tenant} AND k.created_by > ${BigInt(after)} ORDER BY k.created_by LIMIT ${limit}::int`,
      (rows) =>
        rows.map(
          (row): PlacedKey => ({
            ...row,
            created_by: Number(row.created_by),
            created_at: row.created_at.toISOString(),
            last_used_at: row.last_used_at?.toISOString() ?? null
          })
        )
    )
  )

/** Who owns streams: an organization, or a person without one. */
export interface TenantRecord {
  readonly id: string
  readonly kind: "organization" | "user"
  readonly name: string
  readonly tier: Tier
  readonly secret: string
}

/**
 * An organization, or a person without one; `undefined` when there is none, or was erased. Its `secret` keys ids and
 * digests.
 */
export const tenantOf = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<TenantRecord>`SELECT id, kind, name, tier, secret FROM keys_v2.tenants WHERE id = ${id}`,
      ([tenant]) => tenant
    )
  )

/** Organizations, the first one registered first. */
export const organizations = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<TenantRecord>`SELECT id, kind, name, tier, secret FROM keys_v2.tenants
    WHERE kind = 'organization' ORDER BY registered_at, id`
)

/** Whether a key with this id may still be used. */
export const keyIsLive = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<{ id: string }>`SELECT id FROM keys_v2.keys WHERE id = ${id}`, (rows) => rows.length > 0)
  )

/** Whose key this is, if it is live. */
export const ownerOfKey = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<Pick<TenantRecord, "id" | "kind">>`SELECT t.id, t.kind
        FROM keys_v2.keys k JOIN keys_v2.tenants t ON t.id = k.tenant WHERE k.id = ${id}`,
      ([owner]) => owner
    )
  )

/** Whether a tenant has a user with this id. */
export const hasUser = (tenant: string, user: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ id: string }>`SELECT id FROM keys_v2.members WHERE id = ${`${tenant}/${user}`}`,
      (rows) => rows.length > 0
    )
  )
