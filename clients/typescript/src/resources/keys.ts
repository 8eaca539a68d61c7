import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { json } from "../request.ts"
import type { Transport } from "../transport.ts"

export interface CreateKeyParams {
  /** Whose key it is. Somebody new becomes a member. */
  readonly email: string
  /** How it is shown, e.g. `laptop`. */
  readonly keyName: string
  /** Only owners may give `admin`. Default: `member`. */
  readonly role?: "member" | "admin" | undefined
}

/** A key that was made. Times are ISO 8601. */
export interface CreatedKey extends Result {
  readonly id: string
  readonly name: string
  /** The full secret: only ever here. */
  readonly key: string
  /** Its beginning, safe to show. */
  readonly keyPrefix: string
  readonly userEmail: string
  readonly organizationId: string
  readonly organizationName: string
  /** Whether the person became a member by this. */
  readonly isNewMember: boolean
  readonly createdAt: string
}

/** A live key. Times are ISO 8601. */
export interface ListedKey {
  readonly id: string
  readonly name: string
  readonly keyPrefix: string
  readonly userEmail: string
  readonly userId: string
  readonly createdAt: string
  /** Up to an hour old; `null` until it is used. */
  readonly lastUsedAt: string | null
}

export interface KeyList extends Result {
  readonly keys: ReadonlyArray<ListedKey>
  readonly organizationId: string
}

export interface RevokedKey extends Result {
  readonly success: boolean
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
  readonly is_new_member: boolean
  readonly created_at: string
}

interface ListWire {
  readonly organization_id: string
  readonly keys: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly key_prefix: string
    readonly user_email: string
    readonly user_id: string
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
      createdAt: key.created_at,
      lastUsedAt: key.last_used_at
    }))
  })
)

const revoked = json(
  (wire: { success: boolean; key_id: string }): RevokedKey => ({ success: wire.success, keyId: wire.key_id })
)

/**
 * API keys of an enterprise organization, for its owners and admins. Everybody else gets an APIError 403 `permission/…`;
 * a personal key `permission/not_org_member`.
 */
export class Keys {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Makes a key for a member. The answer has the secret, once: when it is lost, revoke the key that the error names.
   * @throws ValidationError `validation/member_limit_reached`: the organization is full.
   * @throws APIError 403 `permission/only_owner_can_promote`; 409 `conflict/already_created`: made by an earlier try whose
   *   answer did not arrive.
   */
  create({ email, keyName, role }: CreateKeyParams, options?: RequestOptions): APIPromise<CreatedKey> {
    const body = { email, key_name: keyName, role }
    return this.#transport.send(
      () => ({ method: "POST", path: "/api/keys/org/create", body, answer: created }),
      options
    )
  }

  /** The organization's live keys. */
  list(options?: RequestOptions): APIPromise<KeyList> {
    return this.#transport.send(
      () => ({ method: "POST", path: "/api/keys/org/list", body: {}, answer: listed }),
      options
    )
  }

  /**
   * Ends a key at once.
   * @throws APIError 404 `not_found/api_key`: no such key, one of another organization, or revoked already.
   */
  revoke(keyId: string, options?: RequestOptions): APIPromise<RevokedKey> {
    const body = { key_id: keyId }
    return this.#transport.send(
      () => ({ method: "POST", path: "/api/keys/org/revoke", body, answer: revoked }),
      options
    )
  }
}
