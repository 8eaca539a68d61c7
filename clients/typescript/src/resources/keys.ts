import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Transport } from "../transport.ts"
import {
  type CreatedKey,
  created,
  type KeyList,
  type LimitedKey,
  limited,
  listed,
  type RevokedKey,
  revoked
} from "./keyAnswers.ts"

/** What bounds a key besides its role. */
export interface KeyLimitParams {
  /**
   * `own`: it works in its own person's workspaces, and deletes what that person stored; `any`: in everybody's, as a
   * back end does.
   */
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

/**
 * What `keys.create` takes. Unless told, keys of members and readers act for their own person, and have no other
 * bounds.
 */
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

const limitsIn = ({ actsFor, readOnly, expiresAt, workspaces, models }: KeyLimitParams) => ({
  acts_for: actsFor,
  read_only: readOnly,
  expires_at: expiresAt,
  workspaces,
  models
})

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
   * @param page `limit`: 1 to 1,000, default 1,000; `cursor`: the `nextCursor` of an answer, to go on behind it.
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
   * @throws {@link APIError}: 404 `not_found/api_key`; 403 `permission/only_owner_can_promote`: the key's person has
   *   more authority than yours.
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
