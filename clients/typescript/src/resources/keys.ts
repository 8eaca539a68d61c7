import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { json } from "../request.ts"
import type { Transport } from "../transport.ts"

/** What `keys.create` takes. */
export interface CreateKeyParams {
  /** Whose key it is. Somebody new becomes a member. */
  readonly email: string
  /** How it is shown, e.g. `laptop`. */
  readonly keyName: string
  /**
   * Only owners may give `admin`. Default: `member` for who is new, and for a member the role that they joined with,
   * but no more than your key's.
   */
  readonly role?: "member" | "admin" | undefined
}

/** A key that was made. Times are ISO 8601. */
export interface CreatedKey extends Result {
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
  readonly role: "owner" | "admin" | "member"
  /** Whether the person became a member by this. */
  readonly isNewMember: boolean
  /** When it was made. */
  readonly createdAt: string
}

/** A live key. Times are ISO 8601. */
export interface ListedKey {
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
  readonly role: "owner" | "admin" | "member"
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

/** What `keys.revoke` gives. */
export interface RevokedKey extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** The key's id, as it was given. */
  readonly keyId: string
}

interface CreatedWire {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly key_prefix: string
  readonly user_email: string
  readonly organization_id: string
  readonly organization_name: string
  readonly role: CreatedKey["role"]
  readonly is_new_member: boolean
  readonly created_at: string
}

interface ListWire {
  readonly organization_id: string
  readonly next_cursor?: string | null
  readonly keys: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly key_prefix: string
    readonly user_email: string
    readonly user_id: string
    readonly role: ListedKey["role"]
    readonly created_at: string
    readonly last_used_at: string | null
  }>
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
      createdAt: key.created_at,
      lastUsedAt: key.last_used_at
    })),
    nextCursor: wire.next_cursor ?? null
  })
)

const revoked = json(
  (wire: { success: boolean; key_id: string }): RevokedKey => ({ success: wire.success, keyId: wire.key_id })
)

/**
 * API keys of an enterprise organization, for its owners and admins. Everybody else gets an APIError 403
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
   * @throws {@link APIError}: 403 `permission/only_owner_can_promote`; 409 `conflict/already_created`: made by an earlier try whose
   *   answer did not arrive.
   */
  create({ email, keyName, role }: CreateKeyParams, options?: RequestOptions): APIPromise<CreatedKey> {
    const body = { email, key_name: keyName, role }
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
   * Ends a key at once.
   * @throws {@link APIError}: 404 `not_found/api_key`: no such key, one of another organization, or revoked already.
   */
  revoke(keyId: string, options?: RequestOptions): APIPromise<RevokedKey> {
    const body = { key_id: keyId }
    return this.#transport.send(
      () => ({ method: "POST", path: "/api/keys/org/revoke", body, answer: revoked }),
      options
    )
  }
}
