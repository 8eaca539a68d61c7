import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ActsFor, KeyLimits, Role } from "#domain/Key.ts"
import { operatorEmail } from "#domain/Person.ts"
import type { Holder } from "#domain/Scope.ts"
import type { Tier } from "#domain/Tier.ts"
import type { Envelope } from "#engine/Event.ts"
import type { Projection } from "#engine/Projection.ts"
import { ofErased, table } from "./table.ts"

/** An organization, or a person without one. */
interface Tenant {
  readonly id: string
  readonly kind: "organization" | "user"
  readonly tier: Tier
  readonly name: string
  readonly secret: string
  readonly member_limit: number
  readonly registered_at: string
}

/** What an organization is called where names have to be told apart; it may have one before it is registered. */
interface SlugRow {
  /** The organization's. */
  readonly id: string
  readonly slug: string
}

interface Member {
  /** `tenant/user`. */
  readonly id: string
  readonly tenant: string
  readonly user_id: string
  readonly role: Role
  readonly email: string
  readonly joined_at: string
  readonly joined_by: number
}

interface KeyRow {
  readonly id: string
  readonly tenant: string
  readonly user_id: string
  /** `null`: its person's. */
  readonly role: Role | null
  readonly hash: string
  readonly prefix: string
  readonly name: string
  readonly acts_for: ActsFor
  readonly read_only: boolean
  readonly expires_at: string | null
  readonly workspaces: ReadonlyArray<string> | null
  readonly models: ReadonlyArray<string> | null
  /** The person's `user_id` in chats, when it is not their e-mail. */
  readonly acts_as: string | null
  readonly created_at: string
  readonly created_by: number
}

const limitsOf = ({ actsFor, readOnly, expiresAt, workspaces, models }: KeyLimits) => ({
  acts_for: actsFor,
  read_only: readOnly,
  expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  workspaces,
  models
})

const iso = ({ recordedAt }: Envelope) => new Date(recordedAt).toISOString()
const own = (_: unknown, { tenant }: Envelope) => [tenant]

const gone = {
  rows: ({ user }: { readonly user: string }, { tenant }: Envelope) => [`${tenant}/${user}`],
  to: () => undefined
}

/** Read model `keys`: who may call, for whom. Revoked keys have no row. */
export const Keys = {
  name: "keys",
  version: 4,
  tables: {
    tenants: table<Tenant>({
      columns: {
        id: "text",
        kind: "text",
        tier: "text",
        name: "text",
        secret: "text",
        member_limit: "integer",
        registered_at: "timestamptz"
      },
      on: {
        OrganizationRegistered: {
          rows: own,
          to: (_, { organization, tier, memberLimit, text }, envelope) => ({
            id: organization,
            kind: "organization",
            tier,
            member_limit: memberLimit,
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
            member_limit: 1,
            registered_at: iso(envelope),
            name: "",
            secret: text?.secret ?? ""
          })
        },
        OrganizationRenamed: { rows: own, to: (row, { text }) => row && { ...row, name: text?.name ?? "" } },
        OrganizationErased: { rows: own, to: () => undefined },
        UserErased: { rows: own, to: () => undefined }
      }
    }),
    slugs: table<SlugRow>({
      columns: { id: "text", slug: "text" },
      on: {
        SlugTaken: {
          rows: ({ organization }) => [organization],
          to: (_, { organization, text }) => ({ id: organization, slug: text?.slug ?? "" })
        },
        SlugFreed: { rows: ({ organization }) => [organization], to: () => undefined }
      }
    }),
    members: table<Member>({
      columns: {
        id: "text",
        tenant: "text",
        user_id: "text",
        role: "text",
        email: "text",
        joined_at: "timestamptz",
        joined_by: "bigint"
      },
      indexes: ["(tenant)"],
      on: {
        MemberAdded: {
          rows: ({ user }, { tenant }) => [`${tenant}/${user}`],
          to: (_, { user, role, text }, envelope) => ({
            id: `${envelope.tenant}/${user}`,
            tenant: envelope.tenant,
            user_id: user,
            role,
            email: text?.email ?? "",
            joined_at: iso(envelope),
            joined_by: envelope.position
          })
        },
        UserRegistered: {
          rows: ({ user }, { tenant }) => [`${tenant}/${user}`],
          to: (_, { user, text }, envelope) => ({
            id: `${envelope.tenant}/${user}`,
            tenant: envelope.tenant,
            user_id: user,
            role: "owner",
            email: text?.email ?? "",
            joined_at: iso(envelope),
            joined_by: envelope.position
          })
        },
        MemberRoleChanged: {
          rows: ({ user }, { tenant }) => [`${tenant}/${user}`],
          to: (member, { role }) => member && { ...member, role }
        },
        MemberErased: gone,
        UserErased: gone
      },
      drops: ofErased
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
        acts_for: "text",
        read_only: "boolean",
        expires_at: "timestamptz",
        workspaces: "json",
        models: "json",
        acts_as: "text",
        created_at: "timestamptz",
        created_by: "bigint"
      },
      indexes: ["(hash)", "(tenant)"],
      on: {
        KeyCreated: {
          rows: ({ key }) => [key],
          to: (_, { key, user, role, hash, prefix, text, ...limits }, envelope) => ({
            id: key,
            tenant: envelope.tenant,
            user_id: user,
            role,
            hash,
            prefix,
            name: text?.name ?? "",
            ...limitsOf(limits),
            acts_as: text?.userId ?? null,
            created_at: iso(envelope),
            created_by: envelope.position
          })
        },
        KeyLimited: {
          rows: ({ key }) => [key],
          to: (row, { role, ...limits }) => row && { ...row, role, ...limitsOf(limits) }
        },
        KeyRevoked: { rows: ({ key }) => [key], to: () => undefined }
      },
      drops: ofErased
    })
  }
} satisfies Projection

type HolderRow = Omit<Holder, "limits"> & Omit<KeyLimits, "expiresAt"> & { readonly expiresAt: Date | null }

const holderIn = ({ actsFor, readOnly, expiresAt, workspaces, models, ...holder }: HolderRow): Holder => ({
  ...holder,
  limits: { actsFor, readOnly, expiresAt: expiresAt === null ? null : expiresAt.getTime(), workspaces, models }
})

/** Who operates the service is an owner of the organization that was registered first, if the service itself did that. */
const holderWhere = (column: "hash" | "id", value: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<HolderRow>`SELECT k.id AS key, k.user_id AS "user", k.tenant, coalesce(k.role, m.role, 'reader') AS role,
          t.tier, t.secret, coalesce(m.email, '') AS email, k.acts_as AS "userId", k.acts_for AS "actsFor",
          k.read_only AS "readOnly", k.expires_at AS "expiresAt", k.workspaces, k.models,
          CASE WHEN t.kind = 'organization' THEN t.id END AS organization,
          CASE WHEN t.kind = 'organization' AND coalesce(k.role, m.role) = 'owner' THEN EXISTS (
            SELECT 1 FROM (SELECT f.tenant, f.email FROM keys_v4.members f
                JOIN keys_v4.tenants o ON o.id = f.tenant AND o.kind = 'organization'
                ORDER BY f.joined_by LIMIT 1) first
              WHERE first.tenant = t.id AND first.email = ${operatorEmail})
            ELSE false END AS operates
        FROM keys_v4.keys k JOIN keys_v4.tenants t ON t.id = k.tenant
        LEFT JOIN keys_v4.members m ON m.id = k.tenant || '/' || k.user_id
        WHERE ${column === "hash" ? sql`k.hash = ${value}` : sql`k.id = ${value}`}`,
      ([row]) => (row === undefined ? undefined : holderIn(row))
    )
  )

/** The holder of the key with this hash, unless it was revoked; its time may be over. */
export const holderOf = (hash: string) => holderWhere("hash", hash)

/** The same by the key's id. */
export const holderOfKey = (id: string) => holderWhere("id", id)

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

/** With the position that it was made at. */
export type PlacedKey = ListedKey & { readonly created_by: number }

/** A tenant's live keys, oldest first, behind a position; when each was last used, to half a minute. */
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
        FROM keys_v4.keys k LEFT JOIN keys_v4.members m ON m.id = k.tenant || '/' || k.user_id
        LEFT JOIN key_usage_v2.keys u ON u.id = k.id LEFT JOIN key_sightings s ON s.key = k.id
        WHERE k.tenant = ${tenant} AND k.created_by > ${BigInt(after)} ORDER BY k.created_by LIMIT ${limit}::int`,
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

/** The organization of who operates the service; `undefined` where the service did not make the first one. */
export const operatorsOrganization = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ tenant: string; email: string }>`SELECT f.tenant, f.email FROM keys_v4.members f
      JOIN keys_v4.tenants o ON o.id = f.tenant AND o.kind = 'organization' ORDER BY f.joined_by LIMIT 1`,
    ([first]) => (first?.email === operatorEmail ? first.tenant : undefined)
  )
)

/** Who owns streams: an organization, or a person without one. */
export interface TenantRecord {
  readonly id: string
  readonly kind: "organization" | "user"
  readonly name: string
  /** Of an organization; "" where it is to have one in a moment. */
  readonly slug: string
  readonly tier: Tier
  readonly secret: string
}

const tenantFields = (sql: SqlClient.SqlClient) =>
  sql.literal("t.id, t.kind, t.name, coalesce(s.slug, '') AS slug, t.tier, t.secret")

/**
 * An organization, or a person without one; `undefined` when there is none, or was erased. Its `secret` keys ids and
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

/** Organizations, the first one registered first. */
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

/** Whose key this is, if it is live. */
export const ownerOfKey = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<Pick<TenantRecord, "id" | "kind">>`SELECT t.id, t.kind
        FROM keys_v4.keys k JOIN keys_v4.tenants t ON t.id = k.tenant WHERE k.id = ${id}`,
      ([owner]) => owner
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

/** With the position that they joined at. */
export type PlacedUser = ListedUser & { readonly joined_by: number }

/** A tenant's people, who joined first, behind a position. */
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
        FROM keys_v4.members m LEFT JOIN keys_v4.keys k ON k.tenant = m.tenant AND k.user_id = m.user_id
        LEFT JOIN key_usage_v2.keys u ON u.id = k.id LEFT JOIN key_sightings s ON s.key = k.id
        WHERE m.tenant = ${tenant} AND m.joined_by > ${BigInt(after)}
        GROUP BY m.id, m.user_id, m.email, m.role, m.joined_at, m.joined_by
        ORDER BY m.joined_by LIMIT ${limit}::int`,
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
