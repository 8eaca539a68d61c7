import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { KeyLimits } from "#domain/Key.ts"
import { operatorEmail } from "#domain/Person.ts"
import type { Holder } from "#domain/Scope.ts"
import type { TenantRecord } from "./organizations.ts"

type HolderRow = Omit<Holder, "limits"> & Omit<KeyLimits, "expiresAt"> & { readonly expiresAt: Date | null }

const holderIn = ({ actsFor, readOnly, expiresAt, workspaces, models, ...holder }: HolderRow): Holder => ({
  ...holder,
  limits: { actsFor, readOnly, expiresAt: expiresAt === null ? null : expiresAt.getTime(), workspaces, models }
})

/** A key's holder. An owner of the first organization operates the service, if the service registered that itself. */
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

/** The holder of the key with this hash, unless the key was revoked; it may have expired. */
export const holderOf = (hash: string) => holderWhere("hash", hash)

/** The same by the key's id. */
export const holderOfKey = (id: string) => holderWhere("id", id)

/** The operator's organization; `undefined` if the service did not register the first one. */
export const operatorsOrganization = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ tenant: string; email: string }>`SELECT f.tenant, f.email FROM keys_v4.members f
      JOIN keys_v4.tenants o ON o.id = f.tenant AND o.kind = 'organization' ORDER BY f.joined_by LIMIT 1`,
    ([first]) => (first?.email === operatorEmail ? first.tenant : undefined)
  )
)

/** The tenant of a key, if the key is live. */
export const ownerOfKey = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<Pick<TenantRecord, "id" | "kind">>`SELECT t.id, t.kind
        FROM keys_v4.keys k JOIN keys_v4.tenants t ON t.id = k.tenant WHERE k.id = ${id}`,
      ([owner]) => owner
    )
  )
