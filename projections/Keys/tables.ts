import type { ActsFor, KeyLimits, Role } from "#domain/Key.ts"
import type { Tier } from "#domain/Tier.ts"
import { lastTime } from "#domain/times.ts"
import type { Envelope } from "#engine/Event.ts"
import type { Projection } from "#engine/Projection.ts"
import { ofErased, table } from "../table.ts"

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

/** An organization's slug; it may have one before it is registered. */
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
  /** `null`: the person's role. */
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
  // a log from before may have a later time, which no table takes
  expires_at: expiresAt === null ? null : new Date(Math.min(expiresAt, lastTime)).toISOString(),
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
