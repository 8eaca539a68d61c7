import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { json } from "../request.ts"
import type { Transport } from "../transport.ts"

/** What somebody may do in the organization, from the most to the least. */
export type Role = "owner" | "admin" | "member" | "reader"

/** What bounds a key besides its role. */
export interface KeyLimitParams {
  /** `own`: it works in its own person's workspaces, and deletes what that person stored; `any`: in everybody's, as a back end does. */
  readonly actsFor?: "own" | "any" | undefined
  /** Whether it only reads. */
  readonly readOnly?: boolean | undefined
  /** ISO 8601: from then on it is not valid. */
  readonly expiresAt?: string | undefined
  /** Ids of the workspaces that it works in. */
  readonly workspaces?: ReadonlyArray<string> | undefined
  /** Names of the models that it may ask for. */
  readonly models?: ReadonlyArray<string> | undefined
}

/** What `keys.create` takes. Unless told, keys of members and readers act for their own person, and have no other bounds. */
export interface CreateKeyParams extends KeyLimitParams {
  /** Whose key it is. Somebody new becomes a member. */
  readonly email: string
  /** How it is shown, e.g. `laptop`. */
  readonly keyName: string
  /**
   * Only owners may give `admin`. Default: `member` for who is new, and for a member their own, but no more than your
   * key's. More than the person has becomes the person's; less is this key's alone.
   */
  readonly role?: "member" | "admin" | "reader" | undefined
  /** The `user` of the person's chats. Default: the e-mail. */
  readonly actsAs?: string | undefined
}

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

const limitsIn = ({ actsFor, readOnly, expiresAt, workspaces, models }: KeyLimitParams) => ({
  acts_for: actsFor,
  read_only: readOnly,
  expires_at: expiresAt,
  workspaces,
  models
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

const created = json(
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

const listed = json(
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

const limited = json(
  (wire: LimitsWire & { success: boolean; key_id: string }): LimitedKey => ({
    success: wire.success,
    keyId: wire.key_id,
    ...limitsOf(wire)
  })
)

const revoked = json(
  (wire: { success: boolean; key_id: string }): RevokedKey => ({ success: wire.success, keyId: wire.key_id })
)

/**
 * API keys of an enterprise organization, for its owners and admins. Everybody else gets a PermissionDeniedError
 * `permission/…`; a personal key `permission/not_org_member`.
 */
export class Keys {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Makes a key for a member. The answer has the secret, once: when it is lost, revoke the key that the error names.
   * @throws {@link ValidationError}: `validation/member_limit_reached`: the organization is full.
   * @throws {@link PermissionDeniedError}: `permission/only_owner_can_promote`.
   * @throws {@link ConflictError}: `conflict/already_created`: made by an earlier try whose answer did not arrive.
   */
  create(
    { email, keyName, role, actsAs, ...limits }: CreateKeyParams,
    options?: RequestOptions
  ): APIPromise<CreatedKey> {
    const body = { email, key_name: keyName, role, acts_as: actsAs, ...limitsIn(limits) }
    return this.#transport.send(
      () => ({ method: "POST", path: "/api/keys/org/create", body, answer: created }),
      options
    )
  }

  /**
   * The organization's live keys, the oldest first.
   * @param page `limit`: 1 to 1,000, 1,000 unless told; `cursor`: the `nextCursor` of an answer, to go on behind it.
   */
  list(
    page: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
    options?: RequestOptions
  ): APIPromise<KeyList> {
    const query = { limit: page.limit, cursor: page.cursor }
    return this.#transport.send(
      () => ({ method: "POST", path: "/api/keys/org/list", query, body: {}, answer: listed }),
      options
    )
  }

  /**
   * Changes what bounds a key, at once; what is left out stays.
   * @throws {@link APIError}: 404 `not_found/api_key`; 403 `permission/only_owner_can_promote`: the key's person has more
   *   authority than yours.
   */
  limit(keyId: string, limits: KeyLimitParams, options?: RequestOptions): APIPromise<LimitedKey> {
    const body = { key_id: keyId, ...limitsIn(limits) }
    return this.#transport.send(() => ({ method: "POST", path: "/api/keys/org/limit", body, answer: limited }), options)
  }

  /**
   * Ends a key at once.
   * @throws {@link NotFoundError}: `not_found/api_key`: no such key, one of another organization, or revoked already.
   */
  revoke(keyId: string, options?: RequestOptions): APIPromise<RevokedKey> {
    const body = { key_id: keyId }
    return this.#transport.send(
      () => ({ method: "POST", path: "/api/keys/org/revoke", body, answer: revoked }),
      options
    )
  }
}
