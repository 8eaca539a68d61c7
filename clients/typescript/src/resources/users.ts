import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { json, part } from "../request.ts"
import type { Transport } from "../transport.ts"
import type { Role } from "./keyAnswers.ts"

/** How much was erased of a user. */
export interface ErasedUser {
  /** 1: the user. */
  readonly users: number
  /** The user's API keys, which are revoked. */
  readonly keys: number
}

/** What `users.erase` gives. */
export interface EraseUserResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** What is gone. */
  readonly erased: ErasedUser
  /** Of the last event in the log that says so: for `after` of `events`. */
  readonly position: string
}

/** A person of the organization. Times are ISO 8601. */
export interface ListedUser {
  /** A UUID. */
  readonly userId: string
  /** In lower case. */
  readonly userEmail: string
  /** What they may do. */
  readonly role: Role
  /** How many live keys they have. */
  readonly keys: number
  /** When they joined. */
  readonly joinedAt: string
  /** Of all their live keys, up to a minute old; `null` until one is used. */
  readonly lastUsedAt: string | null
}

/** What `users.list` gives. */
export interface UserList extends Result {
  /** Who joined first comes first. */
  readonly users: ReadonlyArray<ListedUser>
  /** A UUID. */
  readonly organizationId: string
  /** For `cursor`; `null` at the end. */
  readonly nextCursor: string | null
}

/** What `users.changeRole` gives. */
export interface ChangedRole extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** A UUID. */
  readonly userId: string
  /** The role from now on. */
  readonly role: Role
}

interface ListWire {
  readonly organization_id: string
  readonly next_cursor: string | null
  readonly users: ReadonlyArray<{
    readonly user_id: string
    readonly user_email: string
    readonly role: Role
    readonly keys: number
    readonly joined_at: string
    readonly last_used_at: string | null
  }>
}

const listed = json(
  (wire: ListWire): UserList => ({
    users: wire.users.map((user) => ({
      userId: user.user_id,
      userEmail: user.user_email,
      role: user.role,
      keys: user.keys,
      joinedAt: user.joined_at,
      lastUsedAt: user.last_used_at
    })),
    organizationId: wire.organization_id,
    nextCursor: wire.next_cursor
  })
)

const changed = json(
  (wire: { success: boolean; user_id: string; role: Role }): ChangedRole => ({
    success: wire.success,
    userId: wire.user_id,
    role: wire.role
  })
)

const erased = json(
  ({ success, erased: { users, keys }, position }: EraseUserResponse): EraseUserResponse => ({
    success,
    erased: { users, keys },
    position
  })
)

/** The organization's people, for its owners and admins. Everybody else gets a PermissionDeniedError. */
export class Users {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * The organization's people, with their roles and when a key of theirs was last used; who joined first comes first.
   * @param page `limit`: 1 to 1,000, default 1,000; `cursor`: the `nextCursor` of an answer, to go on behind it.
   */
  list(
    page: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
    options?: RequestOptions
  ): APIPromise<UserList> {
    const query = { limit: page.limit, cursor: page.cursor }
    return this.#transport.send(() => ({ method: "GET", path: "/api/users", query, answer: listed }), options)
  }

  /**
   * Changes a person's role, at once and for all of their keys. Only owners make admins, and take their role.
   * @param id The `userId` of `users.list`.
   * @param role What they may do from now on.
   * @throws {@link APIError}: 404 `not_found/user`; 403 `permission/only_owner_can_promote`; 409
   *   `conflict/owner_stays`: who answers for the organization stays its owner.
   */
  changeRole(id: string, role: "admin" | "member" | "reader", options?: RequestOptions): APIPromise<ChangedRole> {
    const path = `/api/users/${part("id", id)}/role`
    return this.#transport.send(() => ({ method: "POST", path, body: { role }, answer: changed }), options)
  }

  /**
   * Erases a user for good: revokes the user's keys, deletes name and e-mail, and frees the seat. What the user stored
   * for the organization stays, without their name. The same e-mail can be added again later.
   * @param id The `userId` of `keys.list` or `users.list`.
   * @throws {@link NotFoundError}: `not_found/user`: no such member, or one that is erased already.
   * @throws {@link ConflictError}: `conflict/owner_stays`: the owner can't be erased.
   */
  erase(id: string, options?: RequestOptions): APIPromise<EraseUserResponse> {
    const call = () => ({ method: "DELETE", path: `/api/users/${part("id", id)}`, answer: erased }) as const
    return this.#transport.send(call, options)
  }
}
