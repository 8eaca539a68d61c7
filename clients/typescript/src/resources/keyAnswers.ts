import type { Result } from "../Result.ts"
import { type Answer, json } from "../request.ts"

/** What somebody may do in the organization, from the most to the least. */
export type Role = "owner" | "admin" | "member" | "reader"

/** What bounds a key; of a service that knows no bounds it has none. */
export interface KeyLimits {
  /** In whose workspaces it works: its own person's, or everybody's. */
  readonly actsFor: "own" | "any"
  /** Whether it only reads. */
  readonly readOnly: boolean
  /** From then on it is not valid; `null`: it stays so. */
  readonly expiresAt: string | null
  /** Ids of the workspaces that it works in; `null`: all. */
  readonly workspaces: ReadonlyArray<string> | null
  /** Names of the models that it may ask for; `null`: all. */
  readonly models: ReadonlyArray<string> | null
}

/** A key that was made. Times are ISO 8601. */
export interface CreatedKey extends Result, KeyLimits {
  /** A UUID, for `keys.revoke`. */
  readonly id: string
  /** How it is shown, as it was given. */
  readonly name: string
  /** The full secret: only ever here. */
  readonly key: string
  /** Its beginning, safe to show. */
  readonly keyPrefix: string
  /** Whose key it is. */
  readonly userEmail: string
  /** A UUID. */
  readonly organizationId: string
  /** As it is shown. */
  readonly organizationName: string
  /** What it may do. */
  readonly role: Role
  /** The `user` of the person's chats; `null`: the e-mail. */
  readonly actsAs: string | null
  /** Whether the person became a member by this. */
  readonly isNewMember: boolean
  /** When it was made. */
  readonly createdAt: string
}

/** A live key. Times are ISO 8601. */
export interface ListedKey extends KeyLimits {
  /** A UUID, for `keys.revoke`. */
  readonly id: string
  /** How it is shown. */
  readonly name: string
  /** The secret's beginning, safe to show. */
  readonly keyPrefix: string
  /** Whose key it is. */
  readonly userEmail: string
  /** A UUID, for `users.erase`. */
  readonly userId: string
  /** What it may do. */
  readonly role: Role
  /** The `user` of the person's chats; `null`: the e-mail. */
  readonly actsAs: string | null
  /** When it was made. */
  readonly createdAt: string
  /** Up to a minute old; `null` until it is used. */
  readonly lastUsedAt: string | null
}

/** What `keys.list` gives. */
export interface KeyList extends Result {
  /** Those that are not revoked. */
  readonly keys: ReadonlyArray<ListedKey>
  /** A UUID. */
  readonly organizationId: string
  /** For `cursor`; `null` at the end, and of a service that has none. */
  readonly nextCursor: string | null
}

/** What `keys.limit` gives. */
export interface LimitedKey extends Result, KeyLimits {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** The key's id. */
  readonly keyId: string
}

/** What `keys.revoke` gives. */
export interface RevokedKey extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** The key's id, as it was given. */
  readonly keyId: string
}

interface LimitsWire {
  readonly acts_for?: "own" | "any"
  readonly read_only?: boolean
  readonly expires_at?: string | null
  readonly workspaces?: ReadonlyArray<string> | null
  readonly models?: ReadonlyArray<string> | null
}

const limitsOf = (wire: LimitsWire): KeyLimits => ({
  actsFor: wire.acts_for ?? "any",
  readOnly: wire.read_only ?? false,
  expiresAt: wire.expires_at ?? null,
  workspaces: wire.workspaces ?? null,
  models: wire.models ?? null
})

interface CreatedWire extends LimitsWire {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly key_prefix: string
  readonly user_email: string
  readonly organization_id: string
  readonly organization_name: string
  readonly role: CreatedKey["role"]
  readonly acts_as?: string | null
  readonly is_new_member: boolean
  readonly created_at: string
}

interface ListWire {
  readonly organization_id: string
  readonly next_cursor?: string | null
  readonly keys: ReadonlyArray<
    LimitsWire & {
      readonly id: string
      readonly name: string
      readonly key_prefix: string
      readonly user_email: string
      readonly user_id: string
      readonly role: ListedKey["role"]
      readonly acts_as?: string | null
      readonly created_at: string
      readonly last_used_at: string | null
    }
  >
}

export const created: Answer<CreatedKey> = json(
  (wire: CreatedWire): CreatedKey => ({
    id: wire.id,
    name: wire.name,
    key: wire.key,
    keyPrefix: wire.key_prefix,
    userEmail: wire.user_email,
    organizationId: wire.organization_id,
    organizationName: wire.organization_name,
    role: wire.role,
    ...limitsOf(wire),
    actsAs: wire.acts_as ?? null,
    isNewMember: wire.is_new_member,
    createdAt: wire.created_at
  })
)

export const listed: Answer<KeyList> = json(
  (wire: ListWire): KeyList => ({
    organizationId: wire.organization_id,
    keys: wire.keys.map((key) => ({
      id: key.id,
      name: key.name,
      keyPrefix: key.key_prefix,
      userEmail: key.user_email,
      userId: key.user_id,
      role: key.role,
      ...limitsOf(key),
      actsAs: key.acts_as ?? null,
      createdAt: key.created_at,
      lastUsedAt: key.last_used_at
    })),
    nextCursor: wire.next_cursor ?? null
  })
)

export const limited: Answer<LimitedKey> = json(
  (wire: LimitsWire & { success: boolean; key_id: string }): LimitedKey => ({
    success: wire.success,
    keyId: wire.key_id,
    ...limitsOf(wire)
  })
)

export const revoked: Answer<RevokedKey> = json(
  (wire: { success: boolean; key_id: string }): RevokedKey => ({ success: wire.success, keyId: wire.key_id })
)
