import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** Requests that a key may make in a minute, by their kind; `null`: any number. */
export interface KeyRates {
  /** Searches. */
  readonly search: number | null
  /** What stores. */
  readonly store: number | null
  /** Chats. */
  readonly chat: number | null
  /** Keys that are made. */
  readonly keysCreate: number | null
  /** Lists of keys. */
  readonly keysList: number | null
  /** Keys that are revoked. */
  readonly keysRevoke: number | null
  /** All else. */
  readonly other: number | null
}

/** Whose a key is, what bounds it, and what it may do. */
export interface Access extends Result {
  /** A UUID. */
  readonly keyId: string
  /** A UUID, of the person whose key it is. */
  readonly userId: string
  /** The person's e-mail. */
  readonly userEmail: string
  /** A UUID; `null` of a personal key. */
  readonly organizationId: string | null
  /** What the organization may use. */
  readonly tier: "FREE" | "PRO" | "ENTERPRISE"
  /** The key's authority. */
  readonly role: "owner" | "admin" | "member" | "reader"
  /** Whether it is an owner's of the organization that the service made for its operator. */
  readonly operator: boolean
  /** Whether it works in its own person's workspaces, or in everybody's. */
  readonly actsFor: "own" | "any"
  /** Whether it writes nothing, whatever its role. */
  readonly readOnly: boolean
  /** ISO 8601; `null`: never. */
  readonly expiresAt: string | null
  /** Ids of the workspaces that it works in; `null`: all. */
  readonly workspaces: ReadonlyArray<string> | null
  /** Names of the models that it may ask for; `null`: all. */
  readonly models: ReadonlyArray<string> | null
  /** Ids of the API's operations that are not refused to it, such as `snippets.search`. */
  readonly operations: ReadonlyArray<string>
  /** How many requests it may make. */
  readonly rates: KeyRates
}

interface Wire {
  readonly key_id: string
  readonly user_id: string
  readonly user_email: string
  readonly organization_id: string | null
  readonly tier: Access["tier"]
  readonly role: Access["role"]
  readonly operator: boolean
  readonly acts_for: Access["actsFor"]
  readonly read_only: boolean
  readonly expires_at: string | null
  readonly workspaces: ReadonlyArray<string> | null
  readonly models: ReadonlyArray<string> | null
  readonly operations: ReadonlyArray<string>
  readonly rates: {
    readonly search: number | null
    readonly store: number | null
    readonly chat: number | null
    readonly keys_create: number | null
    readonly keys_list: number | null
    readonly keys_revoke: number | null
    readonly other: number | null
  }
}

export const access: Call<Access> = {
  method: "GET",
  path: "/api/access",
  answer: json((wire: Wire) => ({
    keyId: wire.key_id,
    userId: wire.user_id,
    userEmail: wire.user_email,
    organizationId: wire.organization_id,
    tier: wire.tier,
    role: wire.role,
    operator: wire.operator,
    actsFor: wire.acts_for,
    readOnly: wire.read_only,
    expiresAt: wire.expires_at,
    workspaces: wire.workspaces,
    models: wire.models,
    operations: wire.operations,
    rates: {
      search: wire.rates.search,
      store: wire.rates.store,
      chat: wire.rates.chat,
      keysCreate: wire.rates.keys_create,
      keysList: wire.rates.keys_list,
      keysRevoke: wire.rates.keys_revoke,
      other: wire.rates.other
    }
  }))
}
